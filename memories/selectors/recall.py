"""Finding memories by words, on both databases. Which words a text has is `engine.words`; the order `engine.recall`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from memories.engine import recall as ranking
from memories.engine.actor import Actor
from memories.engine.asked_dates import asked_dates
from memories.engine.filters import check_filters
from memories.engine.kinds import MemoryType, Scope
from memories.engine.limits import RECALL_LIMIT_DEFAULT, RECALL_LIMIT_MAX, RECALL_QUERY_MAX_CHARS
from memories.engine.moments import moment_of
from memories.engine.text import is_encodable
from memories.engine.words import asked_words
from memories.errors import InvalidInput
from memories.models import Memory, Tenant
from memories.models.memory import MemoryQuerySet

# Each word brings so many of its newest; of all these, so many are ranked.
_OF_EACH_WORD = 400
CANDIDATES_MAX = 500
# A query of a thousand characters is mostly filler; the database is asked for this many different words.
QUERY_WORDS_MAX = 48
# Each of so many words, the longest, is looked for by itself; all others together. Long words are mostly rare.
_APART_MAX = 14
_WHY_WORDS_MAX = 8


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What to look for and where. Empty `types` and `tags` mean all; `tags` must all be there."""

    query: str
    limit: int = RECALL_LIMIT_DEFAULT
    types: tuple[MemoryType, ...] = ()
    tags: tuple[str, ...] = ()
    min_importance: float | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_filtered(self) -> bool:
        return bool(self.types or self.tags or self.since or self.until) or self.min_importance is not None

    def scope(self) -> dict[str, Any]:
        """What was searched, in words of the call, so that an empty answer says so."""
        told: dict[str, Any] = {"query": self.query, "words": list(_asked(self.query))}
        told["types"] = [str(kind) for kind in self.types or tuple(MemoryType)]
        if self.tags:
            told["tags"] = list(self.tags)
        if self.min_importance is not None:
            told["min_importance"] = self.min_importance
        for name in ("since", "until"):
            if (moment := getattr(self, name)) is not None:
                told[name] = moment
        return told


@dataclass(frozen=True, slots=True)
class Hit:
    """`why` says in a few words what made it one."""

    memory: Memory
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """Best hits first; `total_matched` counts every memory that matched, shown or not."""

    hits: list[Hit] = field(default_factory=list)
    total_matched: int = 0
    scope: dict[str, Any] = field(default_factory=dict)


def recall(actor: Actor, *, query: RecallQuery) -> Recalled:
    """Memories that hold words of the query, archived ones too, what is in the bin not (P48)."""
    actor.require(Scope.READ)
    _check(query)
    rows = Memory.objects.of(actor).remembered()
    if query.types:
        rows = rows.filter(type__in=query.types)
    rows = rows.tagged(actor, query.tags)
    if query.min_importance is not None:
        rows = rows.filter(importance__gte=query.min_importance)
    if query.since is not None:
        rows = rows.filter(occurred_at__gte=query.since.astimezone(UTC))
    if query.until is not None:
        rows = rows.filter(occurred_at__lte=query.until.astimezone(UTC))

    scope = query.scope()
    words = _asked(query.query)
    if not words:
        return Recalled(scope=scope)
    candidates, known = _candidates(actor, rows if query.is_filtered else None, list(words))
    best = _ranked(actor, candidates, list(words), query.query, limit=query.limit)
    loaded = {
        memory.number: memory
        for memory in Memory.objects.of(actor)
        .filter(number__in=[hit.number for hit in best])
        .prefetch_related("tag_rows")
    }
    return Recalled(
        hits=[Hit(loaded[hit.number], hit.score, _why(hit, words)) for hit in best],
        total_matched=_count(actor, rows, list(words), filtered=query.is_filtered) if known is None else known,
        scope=scope,
    )


def recall_for_boot(actor: Actor, *, query: str, now: datetime, limit: int) -> list[int]:
    """Numbers of the best hits for a context hint: episodic, semantic and archived working memories (P32)."""
    rows = (
        Memory.objects.of(actor)
        .remembered()
        .filter(
            Q(type__in=(MemoryType.EPISODIC, MemoryType.SEMANTIC), archived_at__isnull=True)
            | Q(pk__in=Memory.objects.of(actor).filter(type=MemoryType.WORKING).archived(now).values("pk"))
        )
    )
    words = _asked(query)
    if not words:
        return []
    # Nearly all that is stored may be recalled, and among all of it the index alone finds the words.
    candidates, _ = _candidates(actor, None, list(words))
    allowed = set(rows.filter(pk__in=candidates).values_list("pk", flat=True))
    if 2 * len(allowed) < len(candidates):
        # Here it is not, and what may be must not be crowded out by what may not.
        candidates, _ = _candidates(actor, rows, list(words))
        allowed = set(candidates)
    candidates = [key for key in candidates if key in allowed]
    return [hit.number for hit in _ranked(actor, candidates, list(words), query, limit=limit)]


def _asked(query: str) -> dict[str, str]:
    """The words to look for, each with what was typed."""
    return dict(islice(asked_words(query).items(), QUERY_WORDS_MAX))


def _why(hit: ranking.Hit, typed: Mapping[str, str]) -> str:
    """In a few words what made it a hit."""
    told = ["words: " + ", ".join(list(dict.fromkeys(typed[word] for word in hit.words))[:_WHY_WORDS_MAX])]
    if hit.dated:
        told.append("of the time that was asked for")
    if hit.beside:
        told.append(f"beside mem-{hit.beside}")
    return "; ".join(told)


def _check(query: RecallQuery) -> None:
    errors: dict[str, list[str]] = {}
    if not query.query.strip():
        errors["query"] = ["The query is blank. Say in a few words what to look for."]
    elif len(query.query) > RECALL_QUERY_MAX_CHARS:
        errors["query"] = [f"The query has at most {RECALL_QUERY_MAX_CHARS:,} characters, not {len(query.query):,}."]
    elif not is_encodable(query.query):
        errors["query"] = ["The query is not valid UTF-8 text (it holds a lone surrogate)."]
    if not 1 <= query.limit <= RECALL_LIMIT_MAX:
        errors["limit"] = [f"“limit” is a whole number from 1 to {RECALL_LIMIT_MAX}, not {query.limit}."]
    if query.min_importance is not None and not 0 <= query.min_importance <= 1:
        errors["min_importance"] = ["“min_importance” is a number from 0 to 1."]
    if errors:
        raise InvalidInput(next(iter(errors.values()))[0], errors=errors)
    check_filters(tags=query.tags, since=query.since, until=query.until)


def _candidates(actor: Actor, rows: MemoryQuerySet | None, words: Sequence[str]) -> tuple[list[int], int | None]:
    """Keys of the `rows` worth ranking, and how many hold a word, None where the query stopped before it knew.

    No `rows` are all that the tenant has.

    One query: the newest that hold each of the longest words, one of the others, and all of them. Whatever the tenant
    stores, the database stops after a few of each.
    """
    longest = sorted(words, key=len, reverse=True)
    apart, others = longest[:_APART_MAX], longest[_APART_MAX:]
    asked = [_any_of(actor, [word]) for word in apart]
    if others:
        asked.append(_any_of(actor, others))
    if len(words) > 1:
        asked.append(_all_of(actor, words))
    queries = [_newest_holding(actor, rows, wanted, _OF_EACH_WORD) for wanted in asked]
    # Only the numbers of the parts are put in here; what they ask for stays apart from them.
    statement = " UNION ALL ".join(
        f"SELECT {place}, found.* FROM ({sql}) AS found"  # noqa: S608
        for place, (sql, _) in enumerate(queries)
    )
    parts: list[list[int]] = [[] for _ in asked]
    with connection.cursor() as cursor:
        cursor.execute(statement, [value for _, values in queries for value in values])
        for place, key in cursor.fetchall():
            parts[place].append(key)
    known = len(set().union(*parts)) if all(len(part) < _OF_EACH_WORD for part in parts) else None
    return ranking.choose(parts, limit=_OF_EACH_WORD, most=CANDIDATES_MAX), known


def _newest_holding(actor: Actor, rows: MemoryQuerySet | None, wanted: str, limit: int) -> tuple[str, Sequence[Any]]:
    """A query, and its values, for the keys of the newest of `rows` that hold the `wanted` words; None is all rows.

    The index itself gives its rows newest first, so the database ends as soon as the limit is reached. What is in the
    bin has no words, so for all rows nothing else is looked at.
    """
    if rows is None:
        held, values = _holding(actor, wanted)
        if connection.vendor == "sqlite":
            return f"{held} ORDER BY rowid DESC LIMIT %s", (*values, limit)
        # Planned as if six times as many were wanted, and still ended at the limit: PostgreSQL takes walking through
        # all memories, newest first, for six times cheaper than it is, and does it for words that few of them hold.
        walked = f"WITH newest AS MATERIALIZED ({held} ORDER BY memory_id DESC LIMIT %s)"
        return f"{walked} SELECT memory_id FROM newest LIMIT %s", (*values, limit * 6, limit)  # noqa: S608
    if connection.vendor == "sqlite":
        holding = rows.extra(
            tables=["memories_words_fts"],
            where=["memories_words_fts.rowid = memories_memory.id", "memories_words_fts MATCH %s"],
            params=[wanted],
            order_by=["-memories_words_fts.rowid"],
        )
    else:
        holding = (
            rows.filter(words_row__tenant_id=actor.tenant)
            .extra(where=["memories_memorywords.vector @@ %s::tsquery"], params=[wanted])
            .order_by("-pk")
        )
    return holding.values_list("pk")[:limit].query.sql_with_params()


def _holding(actor: Actor, wanted: str) -> tuple[str, tuple[Any, ...]]:
    """A query, and its values, for the keys of the tenant's memories that hold the `wanted` words."""
    if connection.vendor == "sqlite":
        return "SELECT rowid FROM memories_words_fts WHERE memories_words_fts MATCH %s", (wanted,)
    held = "SELECT memory_id FROM memories_memorywords WHERE tenant_id = %s AND vector @@ %s::tsquery"
    return held, (actor.tenant, wanted)


def _count(actor: Actor, rows: MemoryQuerySet, words: Sequence[str], *, filtered: bool) -> int:
    """How many of `rows` hold one of the words."""
    found, values = _holding(actor, _any_of(actor, words))
    if filtered:
        return rows.filter(pk__in=RawSQL(found, values)).count()  # noqa: S611
    # What is in the bin has no words, so without filters the index alone can answer.
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM ({found}) AS found", values)  # noqa: S608
        return int(cursor.fetchone()[0])


# Words are ASCII letters and digits (`engine.words`), so quoting them is all that a query language needs. In the index
# each begins with its tenant's number and an x, so a tenant finds its own only, and pays for its own only.


def _any_of(actor: Actor, words: Sequence[str]) -> str:
    return _joined(actor, words, " OR ", " | ")


def _all_of(actor: Actor, words: Sequence[str]) -> str:
    return _joined(actor, words, " AND ", " & ")


def _joined(actor: Actor, words: Sequence[str], fts: str, tsquery: str) -> str:
    if connection.vendor == "sqlite":
        return fts.join(f'"{actor.tenant}x{word}"' for word in words)
    return tsquery.join(f"'{actor.tenant}x{word}'" for word in words)


def _ranked(
    actor: Actor, candidates: Sequence[int], words: Sequence[str], query: str, *, limit: int
) -> Sequence[ranking.Hit]:
    if not candidates:
        return []
    # One value for all keys: hundreds of them, each by itself, take longer to prepare than their rows to read.
    sqlite = connection.vendor == "sqlite"
    among = "IN (SELECT value FROM json_each(%s))" if sqlite else "= ANY(%s)"
    keys: Any = json.dumps(candidates) if sqlite else list(candidates)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT number, words, occurred_us FROM memories_memorywords "  # noqa: S608
            f"WHERE tenant_id = %s AND memory_id {among}",
            (actor.tenant, keys),
        )
        rows = cursor.fetchall()
    rows.sort(key=lambda row: (row[2], row[0]), reverse=True)
    counts = Tenant.objects.values_list(
        "core_count", "working_count", "episodic_count", "semantic_count", "axiom_count"
    ).get(pk=actor.tenant)
    found = [ranking.Found(number, text, moment_of(occurred_us)) for number, text, occurred_us in rows]
    return ranking.rank(words, found, stored=sum(counts), dates=asked_dates(query), limit=limit)
