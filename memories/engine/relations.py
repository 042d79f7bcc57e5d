"""What relations make of capsules: superseded, done, live; loops that are refused and ends that come free (C5 to C8).

The ready projection and `blocks` cycles live in `ready`.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from memories.engine.capsules import CapsuleRow, Row, Tier, capsule_id, headline_of, is_expired
from memories.engine.fences import Fence
from memories.engine.graphs import behind_cycles, shortest_path
from memories.errors import RelationCycle


class RelationKind(StrEnum):
    """The closed list of C5; each reads from `source` to `target`."""

    SUPERSEDES = "supersedes"
    BLOCKS = "blocks"
    PROVES = "proves"
    DERIVED_FROM = "derived_from"


class Relation(NamedTuple):
    """`source` → `target` by capsule numbers. A named tuple for the same reason as `CapsuleRow`."""

    kind: RelationKind
    source: int
    target: int

    def to_wire(self) -> dict[str, str]:
        return {"kind": str(self.kind), "from": capsule_id(self.source), "to": capsule_id(self.target)}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where every capsule of a tenant stands. A number that is in none of the sets is live and not done.

    So a blocker whose capsule is not among the rows still blocks: unknown is never taken for resolved (C38).
    """

    superseded: frozenset[int]
    done: frozenset[int]
    forgotten: frozenset[int]
    blocks: tuple[tuple[int, int], ...]

    def blocks_ends(self) -> frozenset[int]:
        """Both ends of every `blocks` relation."""
        return frozenset(chain.from_iterable(self.blocks))

    @property
    def gone(self) -> frozenset[int]:
        """What is not live (C37)."""
        return self.superseded | self.forgotten

    @property
    def settled(self) -> frozenset[int]:
        """What blocks nobody any more: not live, or done."""
        return self.superseded | self.forgotten | self.done


def standing_of(capsules: Iterable[CapsuleRow], relations: Iterable[Relation]) -> Standing:
    """What the relations make of the capsules (C6). Both are wanted whole, tombstones and other projects included."""
    superseded, proven, blocks = set(), set(), []
    for kind, source, target in relations:
        if kind == RelationKind.BLOCKS:
            blocks.append((source, target))
        elif kind == RelationKind.SUPERSEDES:
            superseded.add(target)
        elif kind == RelationKind.PROVES:
            proven.add(target)
    forgotten = (capsule.number for capsule in capsules if capsule.forgotten_at is not None)
    return standing_from(superseded, proven, forgotten, blocks)


def standing_from(
    superseded: Iterable[int], proven: Iterable[int], forgotten: Iterable[int], blocks: Iterable[tuple[int, int]]
) -> Standing:
    """As `standing_of`, from the targets of `supersedes` and `proves`, all tombstones and the pairs of `blocks`."""
    replaced, gone = frozenset(superseded), frozenset(forgotten)
    return Standing(superseded=replaced, done=frozenset(proven) - replaced - gone, forgotten=gone, blocks=tuple(blocks))


def lean_row(capsule: CapsuleRow, standing: Standing, fence: Fence, now: datetime, *, with_kind: bool) -> Row:
    """The row of `capsule` with its markers (C11). Of an exact fence's own project the project is left out."""
    superseded = capsule.number in standing.superseded
    return Row(
        number=capsule.number,
        headline=headline_of(capsule.content),
        project_id=None if capsule.project_id == fence.project_id else capsule.project_id,
        kind=capsule.kind if with_kind else None,
        tier=None if capsule.tier == Tier.ACTIVE else capsule.tier,
        expired=is_expired(capsule, now),
        superseded=superseded,
        done=capsule.number in standing.done,
        tainted=capsule.tainted,
    )


def freed_by(ended: Collection[int], standing: Standing) -> tuple[Relation, ...]:
    """The `blocks` relations that hold something back in `standing` and lose their blocker when `ended` go (C8).

    `standing` is that before the write; `ended` are the capsules that it supersedes or forgets.
    """
    leaving = frozenset(ended)
    settled = standing.settled
    return tuple(
        Relation(RelationKind.BLOCKS, source, target)
        for source, target in sorted(set(standing.blocks))
        if source in leaving and source not in settled and target not in settled and target not in leaving
    )


def find_supersedes_loop(existing: Iterable[Relation], added: Iterable[Relation]) -> tuple[int, ...] | None:
    """The first loop that `added`, taken one after the other, would close; None when there is none (C7).

    The loop is a shortest one, in the direction of `supersedes`, from the offending relation's source back to it:
    (3, 2, 1, 3). Relations of other kinds are passed over.
    """
    replaced = [(source, target) for kind, source, target in existing if kind == RelationKind.SUPERSEDES]
    replacing = [(source, target) for kind, source, target in added if kind == RelationKind.SUPERSEDES]
    if not behind_cycles(replaced + replacing):
        return None
    # So many of them close none, one more does: looking for a path for each would take the square of their number.
    closing = bisect(range(len(replacing)), 0, key=lambda count: len(behind_cycles(replaced + replacing[: count + 1])))
    graph: dict[int, set[int]] = {}
    for source, target in replaced + replacing[:closing]:
        graph.setdefault(source, set()).add(target)
    source, target = replacing[closing]
    back = shortest_path(graph, target, source)
    assert back is not None
    return (source, *back)


def refuse_supersedes_loop(existing: Iterable[Relation], added: Iterable[Relation]) -> None:
    """RelationCycle naming the path, if `added` would close a loop of `supersedes` (C7)."""
    loop = find_supersedes_loop(existing, added)
    if loop is not None:
        path = [capsule_id(number) for number in loop]
        raise RelationCycle(
            f"This would close a loop of supersedes: {' → '.join(path)}. Nothing was written. "
            "What replaces a capsule cannot be replaced by it; capture a new capsule that supersedes the last one.",
            path=path,
        )
