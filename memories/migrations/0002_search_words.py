"""Each database keeps a full-text index of `MemoryWords` by itself, so the services write one ordinary row.

SQLite: an FTS5 table that reads its text from the ordinary table, and triggers. A migration that rebuilds the ordinary
table has to make the triggers again. PostgreSQL: a generated column with a GIN index.
"""

from django.db import migrations

SQLITE = (
    """
    CREATE VIRTUAL TABLE memories_words_fts USING fts5(
        tenant_id, words, content='memories_memorywords', content_rowid='memory_id',
        tokenize="ascii", detail='column'
    )
    """,
    """
    CREATE TRIGGER memories_words_added AFTER INSERT ON memories_memorywords BEGIN
        INSERT INTO memories_words_fts(rowid, tenant_id, words) VALUES (new.memory_id, new.tenant_id, new.words);
    END
    """,
    """
    CREATE TRIGGER memories_words_removed AFTER DELETE ON memories_memorywords BEGIN
        INSERT INTO memories_words_fts(memories_words_fts, rowid, tenant_id, words)
        VALUES ('delete', old.memory_id, old.tenant_id, old.words);
    END
    """,
    """
    CREATE TRIGGER memories_words_changed AFTER UPDATE ON memories_memorywords BEGIN
        INSERT INTO memories_words_fts(memories_words_fts, rowid, tenant_id, words)
        VALUES ('delete', old.memory_id, old.tenant_id, old.words);
        INSERT INTO memories_words_fts(rowid, tenant_id, words) VALUES (new.memory_id, new.tenant_id, new.words);
    END
    """,
)
SQLITE_BACK = (
    "DROP TRIGGER memories_words_added",
    "DROP TRIGGER memories_words_removed",
    "DROP TRIGGER memories_words_changed",
    "DROP TABLE memories_words_fts",
)
POSTGRESQL = (
    """
    ALTER TABLE memories_memorywords ADD COLUMN vector tsvector
        GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED
    """,
    "CREATE INDEX memories_words_vector ON memories_memorywords USING gin (vector)",
)
POSTGRESQL_BACK = ("ALTER TABLE memories_memorywords DROP COLUMN vector",)


def _run(schema_editor, sqlite, postgresql):
    for statement in sqlite if schema_editor.connection.vendor == "sqlite" else postgresql:
        schema_editor.execute(statement)


def forwards(apps, schema_editor):
    _run(schema_editor, SQLITE, POSTGRESQL)


def backwards(apps, schema_editor):
    _run(schema_editor, SQLITE_BACK, POSTGRESQL_BACK)


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial")]
    operations = [migrations.RunPython(forwards, backwards)]
