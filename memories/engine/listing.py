"""`memory_list` and `memory_digest`: what is there, counted and in lean rows (C55, C56)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.engine.capsules import FRAMING, LABEL, CapsuleKind, CapsuleRow, Row, Tier, capsule_id, is_expired
from memories.engine.fences import EVERYWHERE, Fence
from memories.engine.limits import PACK_LIST_CAP, PAGE_DEFAULT
from memories.engine.ready import Projection, project
from memories.engine.relations import Relation, Standing, lean_row, standing_of
from memories.engine.spending import compact


@dataclass(frozen=True, slots=True)
class Newer:
    """Asks for the page of newer ones: those older than `before`, or the newest of all when that is None."""

    before: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """One page, oldest first. `next_before` asks for the page of older ones, `newer` for that of newer ones.

    None when there are none.
    """

    fence: Fence
    rows: tuple[Row, ...]
    total: int
    next_before: int | None = None
    newer: Newer | None = None

    def to_wire(self) -> dict[str, object]:
        """The page as JSON-ready values; `next` is the cursor of the older page (C56, C59)."""
        return {
            "label": LABEL,
            "framing": FRAMING,
            "scope": self.fence.scope(),
            "results": [row.to_wire() for row in self.rows],
            "total": self.total,
            "next": None if self.next_before is None else capsule_id(self.next_before),
        }

    def to_json(self) -> str:
        return compact(self.to_wire())


def list_capsules(
    capsules: Iterable[CapsuleRow],
    relations: Iterable[Relation],
    *,
    now: datetime,
    kind: CapsuleKind | None = None,
    tier: Tier | None = None,
    expired: bool | None = None,
    superseded: bool | None = None,
    fence: Fence = EVERYWHERE,
    limit: int = PAGE_DEFAULT,
    before: int | None = None,
) -> Listing:
    """The newest `limit` capsules that pass every filter and are older than number `before`, oldest first (C56).

    Newest is the highest number. The total counts what passes, on whichever page; a limit of 0 gives the total alone.
    """
    rows = list(capsules)
    standing = standing_of(rows, relations)
    passing = [
        capsule
        for capsule in _standing_inside(rows, fence)
        if (kind is None or capsule.kind == kind)
        and (tier is None or capsule.tier == tier)
        and (expired is None or is_expired(capsule, now) == expired)
        and (superseded is None or (capsule.number in standing.superseded) == superseded)
    ]
    older = [capsule for capsule in passing if before is None or capsule.number < before]
    newer = sorted(capsule.number for capsule in passing if before is not None and capsule.number >= before)
    return show_page(_newest(older, limit + 1), newer, standing, now=now, fence=fence, limit=limit, total=len(passing))


def show_page(
    older: Sequence[CapsuleRow],
    newer: Sequence[int],
    standing: Standing,
    *,
    now: datetime,
    fence: Fence,
    limit: int,
    total: int,
) -> Listing:
    """The page of what passes, oldest first: of `older`, one more than the page takes if there are as many.

    `newer` are the numbers of those that follow the page, ascending; of them, too, one more than a page takes will do.
    """
    page = older[max(len(older) - limit, 0) :]
    return Listing(
        fence=fence,
        rows=tuple(lean_row(capsule, standing, fence, now, with_kind=True) for capsule in page),
        total=total,
        next_before=page[0].number if page and len(older) > len(page) else None,
        newer=Newer(newer[limit] if len(newer) > limit else None) if newer and limit else None,
    )


@dataclass(frozen=True, slots=True)
class Part:
    """One list of the ready projection: at most ten rows, and how many there are."""

    rows: tuple[Row, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Digest:
    """The state of what the fence holds. With a `cycle` nothing is said about ready, blocked and done (C40)."""

    fence: Fence
    total: int
    by_kind: tuple[tuple[CapsuleKind, int], ...]
    by_project: tuple[tuple[str, int], ...]
    by_tier: tuple[tuple[Tier, int], ...]
    newest: tuple[Row, ...]
    ready: Part
    blocked: Part
    done: Part
    cycle: tuple[int, ...] | None = None

    def to_wire(self) -> dict[str, object]:
        """The digest as JSON-ready values (C55, C59)."""
        projection: dict[str, object] = {}
        if self.cycle is None:
            for name, part in (("ready", self.ready), ("blocked", self.blocked), ("done", self.done)):
                projection[name] = [row.to_wire() for row in part.rows]
                projection[f"{name}_total"] = part.total
        else:
            projection["cycle"] = [capsule_id(number) for number in self.cycle]
        return {
            "label": LABEL,
            "framing": FRAMING,
            "scope": self.fence.scope(),
            "total": self.total,
            "by_kind": {str(kind): count for kind, count in self.by_kind},
            "by_project": dict(self.by_project),
            "by_tier": {str(tier): count for tier, count in self.by_tier},
            "newest": [row.to_wire() for row in self.newest],
            "ready": projection,
        }

    def to_json(self) -> str:
        return compact(self.to_wire())


def digest(
    capsules: Iterable[CapsuleRow], relations: Iterable[Relation], *, now: datetime, fence: Fence = EVERYWHERE
) -> Digest:
    """Totals, the ten newest (oldest of them first) and the ready projection that the pack uses too (C55).

    Everything that is not forgotten counts, superseded and expired capsules as well. Kinds and tiers stand in their
    closed order, projects in that of their code points; what does not occur is left out.
    """
    rows = list(capsules)
    standing = standing_of(rows, relations)
    held = _standing_inside(rows, fence)
    return show_digest(
        Counter((capsule.kind, capsule.project_id, capsule.tier) for capsule in held),
        [capsule.number for capsule in _newest(held, PACK_LIST_CAP)],
        project(rows, standing, fence),
        {capsule.number: capsule for capsule in held},
        standing,
        now=now,
        fence=fence,
    )


def show_digest(
    counts: Mapping[tuple[CapsuleKind, str, Tier], int],
    newest: Sequence[int],
    projection: Projection,
    rows: Mapping[int, CapsuleRow],
    standing: Standing,
    *,
    now: datetime,
    fence: Fence,
) -> Digest:
    """The digest of how many there are of each kind, project and tier. `rows` holds `newest` and `first_nodes`."""

    def shown(numbers: Iterable[int]) -> tuple[Row, ...]:
        return tuple(lean_row(rows[number], standing, fence, now, with_kind=True) for number in numbers)

    def part(numbers: Sequence[int]) -> Part:
        return Part(shown(numbers[:PACK_LIST_CAP]), len(numbers))

    kinds: Counter[CapsuleKind] = Counter()
    projects: Counter[str] = Counter()
    tiers: Counter[Tier] = Counter()
    for (kind, project_id, tier), count in counts.items():
        kinds[kind] += count
        projects[project_id] += count
        tiers[tier] += count
    return Digest(
        fence=fence,
        total=kinds.total(),
        by_kind=tuple((kind, kinds[kind]) for kind in CapsuleKind if kinds[kind]),
        by_project=tuple(sorted(projects.items())),
        by_tier=tuple((tier, tiers[tier]) for tier in Tier if tiers[tier]),
        newest=shown(newest),
        ready=part(projection.ready),
        blocked=part(projection.blocked),
        done=part(projection.done),
        cycle=projection.cycle,
    )


def first_nodes(projection: Projection) -> list[int]:
    """The nodes that a digest shows."""
    parts = (projection.ready, projection.blocked, projection.done)
    return [number for numbers in parts for number in numbers[:PACK_LIST_CAP]]


def _standing_inside(capsules: Sequence[CapsuleRow], fence: Fence) -> list[CapsuleRow]:
    """What is inside the fence and not forgotten (C6, C26)."""
    inside = fence.inside(capsule.project_id for capsule in capsules)
    return [capsule for capsule in capsules if capsule.forgotten_at is None and capsule.project_id in inside]


def _newest(capsules: Iterable[CapsuleRow], limit: int) -> list[CapsuleRow]:
    """The newest kept, the oldest of them first."""
    ordered = sorted(capsules, key=lambda capsule: capsule.number)
    return ordered[max(len(ordered) - limit, 0) :]
