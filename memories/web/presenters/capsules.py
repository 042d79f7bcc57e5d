"""Capsules in a list and one capsule whole, as pages show them. Which capsules there are is the selectors' work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from memories.engine.capsules import CapsuleKind, Row, Tier, headline_of
from memories.engine.listing import Digest, Listing
from memories.engine.relations import Relation, RelationKind
from memories.selectors.capsules import Whole

CSS = {
    CapsuleKind.CONSTRAINT: "k-constraint",
    CapsuleKind.TASK: "k-task",
    CapsuleKind.DECISION: "k-decision",
    CapsuleKind.FAILURE_PATTERN: "k-trap",
    CapsuleKind.PROCEDURE: "k-procedure",
    CapsuleKind.FACT: "k-fact",
    CapsuleKind.REFERENCE: "k-reference",
}
# How a relation reads from its source and from its target.
_FROM = {
    RelationKind.SUPERSEDES: "supersedes",
    RelationKind.BLOCKS: "blocks",
    RelationKind.PROVES: "proves",
    RelationKind.DERIVED_FROM: "derived from",
}
_TO = {
    RelationKind.SUPERSEDES: "superseded by",
    RelationKind.BLOCKS: "blocked by",
    RelationKind.PROVES: "proved by",
    RelationKind.DERIVED_FROM: "source of",
}


@dataclass(frozen=True, slots=True)
class Link:
    """One relation seen from one of its ends."""

    says: str
    number: int
    headline: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A capsule in a list. `gone` says that it is no longer in force."""

    number: int
    headline: str
    kind: str
    css: str
    project: str
    markers: tuple[str, ...]
    links: tuple[Link, ...]
    gone: bool


@dataclass(frozen=True, slots=True)
class Project:
    name: str
    count: int
    here: bool
    query: str


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    text: str
    here: bool


@dataclass(frozen=True, slots=True)
class CapsuleList:
    entries: tuple[Entry, ...]
    total: int
    older: str
    projects: tuple[Project, ...]
    kinds: tuple[Choice, ...]
    tiers: tuple[Choice, ...]
    every: int
    ready: tuple[Entry, ...]
    ready_total: int
    blocked_total: int
    done_total: int
    cycle: tuple[int, ...]


def list_of(
    listing: Listing, digest: Digest, everywhere: Digest, relations: Sequence[Relation], *, asked: dict[str, str]
) -> CapsuleList:
    """`digest` is that of the chosen project, `everywhere` that of the tenant; `asked` are the filters as sent."""
    kept = {name: value for name, value in asked.items() if value and name not in ("cursor", "project_prefix")}
    entries = tuple(entry(row, relations) for row in reversed(listing.rows))
    older = ""
    if listing.next_before is not None:
        older = urlencode({**{n: v for n, v in asked.items() if v}, "cursor": f"cap-{listing.next_before}"})
    return CapsuleList(
        entries=entries,
        total=listing.total,
        older=older,
        projects=tuple(
            Project(name, count, name == asked["project_prefix"], urlencode({**kept, "project_prefix": name}))
            for name, count in everywhere.by_project
        ),
        kinds=_choices([(str(kind), words_of(kind)) for kind in CapsuleKind], asked["kind"]),
        tiers=_choices([(str(tier), str(tier)) for tier in Tier], asked["tier"]),
        every=everywhere.total,
        ready=tuple(entry(row, ()) for row in digest.ready.rows),
        ready_total=digest.ready.total,
        blocked_total=digest.blocked.total,
        done_total=digest.done.total,
        cycle=digest.cycle or (),
    )


def words_of(kind: CapsuleKind) -> str:
    return str(kind).replace("_", " ")


def _choices(pairs: Iterable[tuple[str, str]], chosen: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, text, value == chosen) for value, text in pairs)


def entry(row: Row, relations: Iterable[Relation]) -> Entry:
    kind = row.kind or CapsuleKind.FACT
    markers = [str(row.tier)] if row.tier else []
    markers += [name for name in ("expired", "superseded", "done", "tainted") if getattr(row, name)]
    return Entry(
        number=row.number,
        headline=row.headline,
        kind=words_of(kind),
        css=CSS[kind],
        project=row.project_id or "",
        markers=tuple(markers),
        links=tuple(_links(row.number, relations)),
        gone=row.superseded or row.expired or row.tier is not None,
    )


def _links(number: int, relations: Iterable[Relation]) -> Iterable[Link]:
    for relation in relations:
        if relation.source == number:
            yield Link(_FROM[relation.kind], relation.target)
        if relation.target == number:
            yield Link(_TO[relation.kind], relation.source)


@dataclass(frozen=True, slots=True)
class TierMove:
    at: datetime
    by: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class CapsuleView:
    """One capsule whole (C57); a tombstone has no content and says when and why it was forgotten."""

    id: str
    number: int
    title: str
    content: str
    kind: str
    css: str
    project: str
    confidence: float
    source: str
    tier: str
    markers: tuple[str, ...]
    valid_from: datetime
    valid_to: datetime | None
    created_at: datetime
    created_by: str
    forgotten_at: datetime | None
    forgotten_reason: str
    links: tuple[Link, ...]
    moves: tuple[TierMove, ...]


def view_of(whole: Whole) -> CapsuleView:
    capsule = whole.capsule
    kind = CapsuleKind(capsule.kind)
    relations = [Relation(RelationKind(row.kind), row.source_number, row.target_number) for row in whole.relations]
    markers = [] if capsule.tier == Tier.ACTIVE else [capsule.tier]
    markers += [name for name in ("expired", "superseded", "done") if getattr(whole, name)]
    markers += ["tainted"] if capsule.tainted else []
    return CapsuleView(
        id=str(capsule),
        number=capsule.number,
        title=headline_of(capsule.content) if capsule.content else f"{capsule}, forgotten",
        content=capsule.content,
        kind=words_of(kind),
        css=CSS[kind],
        project=capsule.project_id,
        confidence=capsule.confidence,
        source=capsule.source,
        tier=capsule.tier,
        markers=tuple(markers),
        valid_from=capsule.valid_from,
        valid_to=capsule.valid_to,
        created_at=capsule.created_at,
        created_by=capsule.created_by,
        forgotten_at=capsule.forgotten_at,
        forgotten_reason=capsule.forgotten_reason,
        links=tuple(_links(capsule.number, relations)),
        moves=tuple(TierMove(move.at, move.by, move.old, move.new) for move in whole.tier_changes),
    )
