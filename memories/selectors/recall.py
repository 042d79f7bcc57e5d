"""Finding memories by words, on both databases. Which words a text has is `engine.words`; the order `engine.recall`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from memories.engine import recall as ranking
from memories.engine.actor import Actor
from memories.engine.filters import check_filters
from memories.engine.kinds import MemoryType, Scope
from memories.engine.limits import RECALL_LIMIT_DEFAULT, RECALL_LIMIT_MAX, RECALL_QUERY_MAX_CHARS
from memories.engine.text import is_encodable
from memories.engine.words import query_words
from memories.errors import InvalidInput
from memories.models import Memory, Tenant
from memories.models.memory import MemoryQuerySet

# Newest first, so many are looked at; a query whose every word is common answers from the newest that hold one.
CANDIDATES_MAX = 500
# A query of a thousand characters is mostly filler; the database is asked for this many different words.
QUERY_WORDS_MAX = 48

_SQLITE = "SELECT rowid FROM memories_words_fts WHERE memories_words_fts MATCH %s"
_POSTGRESQL = "SELECT memory_id FROM memories_memorywords WHERE tenant_id = %s AND vector @@ %s::tsquery"


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

    def scope(self) -> dict[str, Any]:
        """What was searched, in words of the call, so that an empty answer says so."""
        told: dict[str, Any] = {"query": self.query, "words": query_words(self.query)[:QUERY_WORDS_MAX]}
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
    memory: Memory
    score: float


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
    matching = _matching(actor, rows, query.query)
    if matching is None:
        return Recalled(scope=scope)
    ranked = _ranked(actor, matching, query.query)
    best = ranked[: query.limit]
    loaded = {
        memory.number: memory
        for memory in Memory.objects.of(actor)
        .filter(number__in=[hit.number for hit in best])
        .prefetch_related("tag_rows")
    }
    return Recalled(
        hits=[Hit(loaded[hit.number], hit.score) for hit in best],
        total_matched=len(ranked) if len(ranked) < CANDIDATES_MAX else matching.count(),
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
    matching = _matching(actor, rows, query)
    return [] if matching is None else [hit.number for hit in _ranked(actor, matching, query)[:limit]]


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


def _matching(actor: Actor, rows: MemoryQuerySet, query: str) -> MemoryQuerySet | None:
    """`rows` that hold one of the query's words; None for a query without a word (P33)."""
    words = query_words(query)[:QUERY_WORDS_MAX]
    if not words:
        return None
    # Words are ASCII letters and digits (`engine.words`), so quoting them is all that a query language needs.
    if connection.vendor == "sqlite":
        wanted = " OR ".join(f'"{word}"' for word in words)
        found = RawSQL(_SQLITE, (f'tenant_id : "{actor.tenant}" AND words : ({wanted})',))  # noqa: S611
    else:
        wanted = " | ".join(f"'{word}'" for word in words)
        found = RawSQL(_POSTGRESQL, (actor.tenant, wanted))  # noqa: S611
    return rows.filter(pk__in=found)


def _ranked(actor: Actor, matching: MemoryQuerySet, query: str) -> Sequence[ranking.Hit]:
    candidates = matching.order_by("-occurred_at", "-number").values_list("number", "words_row__words")
    found = [ranking.Found(*row) for row in candidates[:CANDIDATES_MAX]]
    if not found:
        return []
    counts = Tenant.objects.values_list(
        "core_count", "working_count", "episodic_count", "semantic_count", "axiom_count"
    ).get(pk=actor.tenant)
    return ranking.rank(query_words(query)[:QUERY_WORDS_MAX], found, stored=sum(counts))
