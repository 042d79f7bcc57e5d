"""Capsules in a list and one capsule whole, as pages show them. Which capsules there are is the selectors' work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from memories.engine.blocks import BlocksMap, State
from memories.engine.capsules import CapsuleKind, CapsuleRow, Row, Tier, headline_of
from memories.engine.listing import Listing
from memories.engine.relations import Relation, RelationKind
from memories.engine.retrieve import Retrieval
from memories.selectors.blocks import Blocks, Counts
from memories.selectors.capsules import Whole
from memories.web.presenters.projects import Project, tree_of

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


# What the filter of states asks `memory_list` for.
STATES = (
    ("", "Every state"),
    ("in_force", "In force"),
    ("superseded", "Superseded"),
    ("expired", "Expired"),
    ("archived", "Archived"),
    ("quarantined", "Quarantined"),
)
SEARCH_SHOWN = 50
LINKS_SHOWN = 100
_LINKS_IN_ROW = 6


@dataclass(frozen=True, slots=True)
class Link:
    """One relation seen from one of its ends."""

    says: str
    number: int
    headline: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A capsule in a list. `state` is its place among what blocks what; `gone` says that it is no longer in force."""

    number: int
    headline: str
    kind: str
    css: str
    project: str
    markers: tuple[str, ...]
    links: tuple[Link, ...]
    gone: bool
    more_links: int = 0
    state: str = ""
    blockers: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """`query` is the address's part that chooses it; `count` is left out where nothing is counted."""

    value: str
    text: str
    here: bool
    count: int | None = None
    query: str = ""


@dataclass(frozen=True, slots=True)
class CapsuleList:
    """`total` counts what the filters leave; `shown` is less on a page of several, or for a search with many hits."""

    entries: tuple[Entry, ...]
    total: int
    older: str
    newer: str
    projects: tuple[Project, ...]
    projects_more: int
    kinds: tuple[Choice, ...]
    states: tuple[Choice, ...]
    every: int
    excluded: str
    ready: tuple[Entry, ...]
    ready_total: int
    blocked_total: int
    done_total: int
    cycle: tuple[int, ...]


def list_of(
    listing: Listing | Retrieval,
    counts: Counts,
    relations: Sequence[Relation],
    found_blocks: Blocks,
    *,
    asked: dict[str, str],
) -> CapsuleList:
    """A page of the list and what stands around it; `asked` are the filters as sent."""
    blocks = found_blocks.map
    kept = {name: value for name, value in asked.items() if value and name != "cursor"}

    def query(**changed: str) -> str:
        return urlencode({name: value for name, value in {**kept, **changed}.items() if value})

    waits = Counter(target for source, target in blocks.arrows if blocks.states[source] is not State.DONE)
    older = newer = excluded = ""
    if isinstance(listing, Retrieval):
        found = [one for one in listing.results if asked["kind"] in ("", one.capsule.kind)]
        rows: list[Row] = [_row_of(one.capsule, done=one.done) for one in found[:SEARCH_SHOWN]]
        total = len(found)
        excluded = ", ".join(f"{count:,} {str(reason).replace('_', ' ')}" for reason, count in listing.excluded)
    else:
        rows, total = list(reversed(listing.rows)), listing.total
        if listing.next_before is not None:
            older = query(cursor=f"cap-{listing.next_before}")
        if listing.newer is not None:
            newer = query(cursor=f"cap-{listing.newer.before}" if listing.newer.before else "")
    of_kind = dict(counts.by_kind)
    projects, more = tree_of(counts.by_project, asked["project_prefix"], query)
    return CapsuleList(
        entries=tuple(entry(row, relations, blocks=blocks, waits=waits) for row in rows),
        total=total,
        older=older,
        newer=newer,
        projects=projects,
        projects_more=more,
        kinds=(
            Choice("", "All", not asked["kind"], counts.total, query(kind="")),
            *(
                Choice(str(kind), words_of(kind), asked["kind"] == kind, of_kind.get(kind, 0), query(kind=str(kind)))
                for kind in CapsuleKind
                if of_kind.get(kind) or asked["kind"] == kind
            ),
        ),
        states=_choices(STATES, asked["state"]),
        every=counts.every,
        excluded=excluded,
        ready=tuple(entry(_row_of(found_blocks.rows[number]), ()) for number in found_blocks.ready),
        ready_total=len(blocks.inside(State.NEXT, State.READY)),
        blocked_total=len(blocks.inside(State.BLOCKED)),
        done_total=len(blocks.inside(State.DONE)),
        cycle=blocks.cycle or (),
    )


def words_of(kind: CapsuleKind) -> str:
    return str(kind).replace("_", " ")


def _row_of(capsule: CapsuleRow, *, done: bool = False) -> Row:
    return Row(
        number=capsule.number,
        headline=headline_of(capsule.content),
        project_id=capsule.project_id,
        kind=capsule.kind,
        done=done,
        tainted=capsule.tainted,
    )


def _choices(pairs: Iterable[tuple[str, str]], chosen: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, text, value == chosen) for value, text in pairs)


def entry(
    row: Row,
    relations: Iterable[Relation],
    *,
    blocks: BlocksMap | None = None,
    waits: Mapping[int, int] | None = None,
) -> Entry:
    kind = row.kind or CapsuleKind.FACT
    markers = [str(row.tier)] if row.tier else []
    markers += [name for name in ("expired", "superseded", "done", "tainted") if getattr(row, name)]
    links = list(_links(row.number, relations))
    state = blocks.states.get(row.number) if blocks else None
    return Entry(
        number=row.number,
        headline=row.headline,
        kind=words_of(kind),
        css=CSS[kind],
        project=row.project_id or "",
        markers=tuple(markers),
        links=tuple(links[:_LINKS_IN_ROW]),
        more_links=max(len(links) - _LINKS_IN_ROW, 0),
        gone=row.superseded or row.expired or row.tier is not None,
        state="" if state in (None, State.DONE) else str(state),
        blockers=(waits or {}).get(row.number, 0),
    )


def _links(number: int, relations: Iterable[Relation], named: Mapping[int, CapsuleRow] | None = None) -> Iterable[Link]:
    def link(says: str, other: int) -> Link:
        return Link(says, other, headline_of(named[other].content) if named and other in named else "")

    for relation in relations:
        if relation.source == number:
            yield link(_FROM[relation.kind], relation.target)
        if relation.target == number:
            yield link(_TO[relation.kind], relation.source)


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
    links_total: int
    moves: tuple[TierMove, ...]
    holds: tuple[int, ...]
    tiers: tuple[str, ...]
    open_work: bool


def view_of(whole: Whole, named: Mapping[int, CapsuleRow] | None = None) -> CapsuleView:
    """`named` are the capsules at the other ends, as far as they are shown; `holds` is what this one blocks.

    `open_work` is a node of the ready projection that is not done (C37), so it can be proven.
    """
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
        links=tuple(_links(capsule.number, relations[:LINKS_SHOWN], named)),
        links_total=len(relations),
        holds=tuple(
            one.target for one in relations if one.kind is RelationKind.BLOCKS and one.source == capsule.number
        ),
        tiers=tuple(str(tier) for tier in Tier if tier != capsule.tier),
        open_work=(kind is CapsuleKind.TASK or any(one.kind is RelationKind.BLOCKS for one in relations))
        and not (capsule.forgotten_at or whole.superseded or whole.done),
        moves=tuple(TierMove(move.at, move.by, move.old, move.new) for move in whole.tier_changes),
    )
