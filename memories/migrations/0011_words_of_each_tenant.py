"""Each tenant's words are indexed apart, beside all that a recall ranks by; a memory's source is found too.

In the index a word begins with its tenant's number and an x. A word that everybody uses was one list of everybody's
memories, which each recall had to go through.
"""

from importlib import import_module

from django.db import migrations, models

# As `engine.words` writes it; nothing else in the index is made by SQL.
TOKENS = "{row}tenant_id || 'x' || replace({row}words, ' ', ' ' || {row}tenant_id || 'x')"
NEW, OLD, EVERY = (TOKENS.format(row=row) for row in ("new.", "old.", ""))

# The index keeps no text of its own, and only which memories hold a word: where in them is of no use here.
SQLITE = (
    """
    CREATE VIRTUAL TABLE memories_words_fts USING fts5(
        words, content='', columnsize=0, detail='none', tokenize="ascii"
    )
    """,
    f"INSERT INTO memories_words_fts(rowid, words) SELECT memory_id, {EVERY} FROM memories_memorywords",
    f"""
    CREATE TRIGGER memories_words_added AFTER INSERT ON memories_memorywords BEGIN
        INSERT INTO memories_words_fts(rowid, words) VALUES (new.memory_id, {NEW});
    END
    """,
    f"""
    CREATE TRIGGER memories_words_removed AFTER DELETE ON memories_memorywords BEGIN
        INSERT INTO memories_words_fts(memories_words_fts, rowid, words) VALUES ('delete', old.memory_id, {OLD});
    END
    """,
    f"""
    CREATE TRIGGER memories_words_changed AFTER UPDATE OF words, tenant_id ON memories_memorywords BEGIN
        INSERT INTO memories_words_fts(memories_words_fts, rowid, words) VALUES ('delete', old.memory_id, {OLD});
        INSERT INTO memories_words_fts(rowid, words) VALUES (new.memory_id, {NEW});
    END
    """,
)
SQLITE_GONE = (
    "DROP TRIGGER memories_words_added",
    "DROP TRIGGER memories_words_removed",
    "DROP TRIGGER memories_words_changed",
    "DROP TABLE memories_words_fts",
)
POSTGRESQL = (
    f"""
    ALTER TABLE memories_memorywords ADD COLUMN vector tsvector
        GENERATED ALWAYS AS (array_to_tsvector(string_to_array({EVERY.replace("tenant_id", "tenant_id::text")}, ' ')))
        STORED
    """,
    "CREATE INDEX memories_words_vector ON memories_memorywords USING gin (vector)",
)
POSTGRESQL_GONE = ("ALTER TABLE memories_memorywords DROP COLUMN vector",)


MICROSECONDS = {
    # Django writes 2026-11-30 08:00:00, and .123456 after it unless that is nothing.
    "sqlite": """
        CAST(round((julianday(substr(occurred_at, 1, 19)) - 2440587.5) * 86400) AS INTEGER) * 1000000
        + CAST(substr(occurred_at || '.000000', 21, 6) AS INTEGER)
    """,
    "postgresql": "(extract(epoch FROM occurred_at) * 1000000)::bigint",
}
# In one statement: PostgreSQL alters no table in which a row was changed twice.
# `human` and `import` are their own stems, so `engine.words` writes them like this.
FILL = """
    UPDATE memories_memorywords SET
        number = (SELECT number FROM memories_memory WHERE id = memory_id),
        occurred_us = (SELECT {microseconds} FROM memories_memory WHERE id = memory_id),
        words = trim(words || ' ' || (
            SELECT CASE source WHEN 'agent' THEN '' ELSE source END FROM memories_memory WHERE id = memory_id
        ))
"""
SOURCES_GONE = """
    UPDATE memories_memorywords SET words = trim(substr(' ' || words, 1, length(words) - (
        SELECT length(source) FROM memories_memory WHERE id = memory_id
    )))
    WHERE memory_id IN (SELECT id FROM memories_memory WHERE source <> 'agent')
"""


def _run(schema_editor, statements):
    for statement in statements:
        schema_editor.execute(statement)


def old_index(apps, schema_editor):
    before = import_module("memories.migrations.0002_search_words")
    before.forwards(apps, schema_editor)
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("INSERT INTO memories_words_fts(memories_words_fts) VALUES ('rebuild')")


def index_gone(apps, schema_editor):
    _run(schema_editor, SQLITE_GONE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL_GONE)


def fill(apps, schema_editor):
    schema_editor.execute(FILL.format(microseconds=MICROSECONDS[schema_editor.connection.vendor]))


def sources_gone(apps, schema_editor):
    schema_editor.execute(SOURCES_GONE)


def new_index(apps, schema_editor):
    _run(schema_editor, SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL)


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0010_words_by_stem"),
    ]

    operations = [
        migrations.RunPython(index_gone, old_index),
        migrations.AddField("memorywords", "number", models.PositiveBigIntegerField(null=True)),
        migrations.AddField("memorywords", "occurred_us", models.BigIntegerField(null=True)),
        migrations.RunPython(fill, sources_gone),
        migrations.AlterField("memorywords", "number", models.PositiveBigIntegerField()),
        migrations.AlterField("memorywords", "occurred_us", models.BigIntegerField()),
        migrations.AlterField(
            "memorywords",
            "tenant",
            models.ForeignKey(db_index=False, on_delete=models.CASCADE, related_name="+", to="memories.tenant"),
        ),
        migrations.AddIndex("memorywords", models.Index(fields=["tenant", "-memory"], name="memorywords_newest")),
        migrations.RunPython(new_index, index_gone),
    ]
