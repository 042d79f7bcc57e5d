"""Word forms are told by another stemmer, and the parts of a statement are found: every memory is indexed again."""

from django.db import migrations

from memories.engine.words import words

BATCH = 500


def index_again(apps, schema_editor):
    Memory = apps.get_model("memories", "Memory")
    MemoryWords = apps.get_model("memories", "MemoryWords")
    MemoryTag = apps.get_model("memories", "MemoryTag")
    last = 0
    while True:
        rows = list(MemoryWords.objects.filter(pk__gt=last).order_by("pk")[:BATCH])
        if not rows:
            return
        last = rows[-1].pk
        keys = [row.pk for row in rows]
        memories = Memory.objects.in_bulk(keys)
        tags = {}
        for memory, tag in MemoryTag.objects.filter(memory__in=keys).order_by("pk").values_list("memory_id", "tag"):
            tags.setdefault(memory, []).append(tag)
        for row in rows:
            memory = memories[row.pk]
            statement = (memory.subject, memory.predicate, memory.object, memory.context)
            more = [part for part in statement if part and part not in memory.content]
            searched = (memory.content, memory.category, memory.key, *tags.get(row.pk, ()), *more)
            row.words = " ".join(words("\n".join(searched)))
        MemoryWords.objects.bulk_update(rows, ["words"])


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0009_lists_by_category_and_key"),
    ]

    operations = [
        migrations.RunPython(index_again, migrations.RunPython.noop),
    ]
