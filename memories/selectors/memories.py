"""Reading memories: one, a page, earlier versions, the use of the caps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Count, Sum
from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.filters import check_filters
from memories.engine.kinds import MemoryType, Scope
from memories.engine.limits import PAGE_DEFAULT
from memories.errors import NotFound
from memories.models import Memory, MemoryRevision, Tenant
from memories.selectors.pages import Page, cut_page


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What a list holds. Empty values do not filter; `tags` must all be there."""

    type: MemoryType | None = None
    category: str = ""
    key: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""
    archived: bool = False
    since: datetime | None = None
    until: datetime | None = None


def page_memories(actor: Actor, *, where: MemoryFilter, limit: int = PAGE_DEFAULT, cursor: str = "") -> Page[Memory]:
    """Memories, newest first by occurred_at, then number; `archived` shows those instead of the active ones."""
    actor.require(Scope.READ)
    check_filters(
        texts={"category": where.category, "key": where.key, "source": where.source},
        tags=where.tags,
        since=where.since,
        until=where.until,
    )
    now = timezone.now()
    every = Memory.objects.of(actor)
    rows = every.archived(now) if where.archived else every.active(now)
    if where.type is not None:
        rows = rows.filter(type=where.type)
    # What is asked for is not blank, but SQLite must be told so, or it does not use the index of those with one.
    if where.category:
        rows = rows.filter(category=where.category).exclude(category="")
    if where.key:
        rows = rows.filter(key=where.key).exclude(key="")
    if where.source:
        rows = rows.filter(source=where.source)
    if where.since is not None:
        rows = rows.filter(occurred_at__gte=where.since.astimezone(UTC))
    if where.until is not None:
        rows = rows.filter(occurred_at__lte=where.until.astimezone(UTC))
    rows = rows.tagged(actor, where.tags)
    return cut_page(
        rows.prefetch_related("tag_rows"),
        keys=("-occurred_at", "-number"),
        limit=limit,
        cursor=cursor,
        total=_counted(actor, kind=where.type, now=now) if where == MemoryFilter(type=where.type) else None,
    )


def _counted(actor: Actor, *, kind: MemoryType | None, now: datetime) -> int:
    """How many active memories there are, of one type or in all, from the tenant's counters (P30)."""
    kinds = list(MemoryType) if kind is None else [kind]
    counters = Tenant.objects.values_list(*(f"{kind}_count" for kind in kinds))
    total: int = sum(counters.get(pk=actor.tenant))
    if MemoryType.WORKING in kinds:
        # The counter knows of an end by time only when something has archived what ended.
        total -= Memory.objects.of(actor).ended(now).count()
    return total


def page_bin(actor: Actor, *, limit: int = PAGE_DEFAULT, cursor: str = "") -> Page[Memory]:
    """What was forgotten and is not destroyed yet, newest first."""
    actor.require(Scope.READ)
    rows = Memory.objects.of(actor).filter(forgotten_at__isnull=False).prefetch_related("tag_rows")
    return cut_page(rows, keys=("-occurred_at", "-number"), limit=limit, cursor=cursor)


def get_memory(actor: Actor, *, number: int) -> Memory:
    """One memory, archived or not. NotFound when it is in the bin, another tenant's or not there."""
    actor.require(Scope.READ)
    memory = Memory.objects.of(actor).remembered().prefetch_related("tag_rows").filter(number=number).first()
    if memory is None:
        raise NotFound(f"There is no mem-{number}.")
    return memory


def list_revisions(actor: Actor, *, number: int) -> list[MemoryRevision]:
    """The earlier versions of a memory, newest first. NotFound as for the memory itself."""
    actor.require(Scope.READ)
    if not Memory.objects.of(actor).remembered().filter(number=number).exists():
        raise NotFound(f"There is no mem-{number}.")
    return list(MemoryRevision.objects.of(actor).filter(memory__number=number).order_by("-version"))


@dataclass(frozen=True, slots=True)
class Use:
    """What the active memories of a tenant use of their caps."""

    category_chars: dict[str, int]
    axiom_bytes: int


def get_use(actor: Actor) -> Use:
    """Characters per core category and bytes of all axioms. Two queries."""
    live = Memory.objects.of(actor).filter(archived_at__isnull=True, forgotten_at__isnull=True)
    chars = live.filter(type=MemoryType.CORE).values_list("category").annotate(Sum("size_chars"))
    axioms = live.filter(type=MemoryType.AXIOM).aggregate(used=Sum("size_bytes"))["used"]
    return Use(category_chars=dict(chars), axiom_bytes=axioms or 0)


def count_by_type(actor: Actor) -> dict[str, int]:
    """Active memories by type, counted now: what the tenant's counters must agree with (P30)."""
    rows = Memory.objects.of(actor).active(timezone.now()).values_list("type").annotate(Count("pk"))
    return dict(rows)
