"""A tenant's memories in bulk, as they would be if an agent had written them one by one.

Whatever the size, the same core memories, axioms and working memories; a tenth is semantic, the rest episodic. So two
sizes differ in how much there is and in nothing else. Words follow the law of Zipf, as words do.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate, islice
from typing import Any

from django.db import connection, transaction
from django.db.models import Max, Model

from memories.engine import wire
from memories.engine.kinds import Category, MemoryType
from memories.engine.moments import microseconds
from memories.engine.words import words
from memories.models import Memory, MemoryTag, MemoryWords, Tenant

CORE_EACH = 5
AXIOMS = 20
WORKING = 60
_AT_ONCE = 5_000
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en", "is", "ol", "un")]


class Vocabulary:
    """8,000 words, each with its form in the index, drawn as often as Zipf says."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.words = sorted({"".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(9_000)})[:8_000]
        chance.shuffle(self.words)
        self.indexed = {word: " ".join(words(word)) for word in self.words}
        self.weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self.words))))

    def text(self, count: int) -> list[str]:
        return self.chance.choices(self.words, cum_weights=self.weights, k=count)

    def asked(self, count: int) -> str:
        """Words as somebody asks for: not the commonest, not one that nobody ever wrote."""
        return " ".join(self.chance.sample(self.words[20:2_000], count))


def grow(tenant: Tenant, size: int, vocabulary: Vocabulary) -> None:
    """Add memories until the tenant has `size` of them, with words, tags, counters and numbers."""
    tenant.refresh_from_db()
    have = sum(getattr(tenant, f"{kind}_count") for kind in MemoryType)
    row_id = (Memory.objects.aggregate(highest=Max("pk"))["highest"] or 0) + 1
    rows = _rows(tenant, vocabulary, first=tenant.next_memory, fresh=have == 0)
    left = size - have
    with transaction.atomic():
        while left > 0:
            some = list(islice(rows, min(_AT_ONCE, left)))
            left -= len(some)
            numbered = list(enumerate(some, start=row_id))
            row_id += len(some)
            _insert(Memory, ({"id": at, **memory} for at, (memory, _) in numbered))
            _insert(
                MemoryWords,
                (
                    {
                        "memory_id": at,
                        "tenant_id": tenant.pk,
                        "number": memory["number"],
                        "occurred_us": microseconds(_BEGIN + timedelta(minutes=memory["number"])),
                        "words": text,
                    }
                    for at, (memory, text) in numbered
                ),
            )
            _insert(
                MemoryTag,
                (
                    {"memory_id": at, "tenant_id": tenant.pk, "tag": f"topic-{at % 40}", "position": 0}
                    for at, _ in numbered
                ),
            )
            for kind, count in Counter(memory["type"] for memory, _ in some).items():
                setattr(tenant, f"{kind}_count", getattr(tenant, f"{kind}_count") + count)
            tenant.next_memory += len(some)
        tenant.save()
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [Memory._meta.db_table, row_id])


def _insert(model: type[Model], rows: Iterable[dict[str, Any]]) -> None:
    """Rows of one shape, past the ORM: it would take most of the time."""
    rows = list(rows)
    columns = ", ".join(f'"{name}"' for name in rows[0])
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(tuple(row.values()))
            return
        marks = ", ".join(["%s"] * len(rows[0]))
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", [tuple(row.values()) for row in rows])


def _rows(tenant: Tenant, vocabulary: Vocabulary, *, first: int, fresh: bool) -> Iterator[tuple[dict[str, Any], str]]:
    number = first
    now = datetime.now(UTC)

    def memory(kind: MemoryType, count: int, **fields: Any) -> tuple[dict[str, Any], str]:
        nonlocal number
        chosen = vocabulary.text(count)
        text = " ".join(chosen)
        at = _moment(_BEGIN + timedelta(minutes=number))
        row = {
            "tenant_id": tenant.pk, "number": number, "type": str(kind), "content": text, "source": "agent",
            "occurred_at": at, "created_at": at, "updated_at": at, "size_bytes": len(text), "size_chars": len(text),
            "wire_bytes": wire.body_bytes(text), "importance": 0.5, "category": "", "key": "", "subject": "",
            "predicate": "", "object": "", "context": "", "version": 1,
        }  # fmt: skip
        number += 1
        return row | fields, " ".join(vocabulary.indexed[word] for word in chosen)

    if fresh:
        for category in Category:
            for place in range(CORE_EACH):
                yield memory(MemoryType.CORE, 40, category=str(category), key=f"key-{place}", importance=place / 10)
        for _ in range(AXIOMS):
            yield memory(MemoryType.AXIOM, 12, category="general")
        for place in range(WORKING):
            updated = _moment(now - timedelta(minutes=place))
            yield memory(MemoryType.WORKING, 40, key=f"state-{place}", updated_at=updated)
    while True:
        if number % 10 == 0:
            yield memory(MemoryType.SEMANTIC, 15, subject="s", predicate="p", object="o")
        else:
            yield memory(MemoryType.EPISODIC, vocabulary.chance.randint(15, 75))


def _moment(at: datetime) -> Any:
    """As the database's driver takes it."""
    return connection.ops.adapt_datetimefield_value(at)
