"""Reading what a page shows beside the list of capsules: what blocks what, and how many there are.

What a state is, and what a picture has room for, is `engine.blocks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from memories.engine.actor import Actor
from memories.engine.blocks import BlocksMap, Part, State, map_blocks, part_around_ready
from memories.engine.calls import read_digest_call
from memories.engine.capsules import CapsuleKind, CapsuleRow
from memories.engine.kinds import Scope
from memories.engine.limits import PACK_LIST_CAP
from memories.models import Capsule
from memories.selectors.capsule_rows import read_graph, read_whole
from memories.selectors.snapshot import one_state


@dataclass(frozen=True, slots=True)
class Blocks:
    """The whole map of a fence, the part of it to show, the first ready ones, and the capsules of both by number."""

    map: BlocksMap
    part: Part
    ready: tuple[int, ...]
    rows: dict[int, CapsuleRow]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many capsules there are: in every project of the tenant, and of each kind inside the fence."""

    by_project: tuple[tuple[str, int], ...]
    by_kind: tuple[tuple[CapsuleKind, int], ...]

    @property
    def every(self) -> int:
        return sum(count for _, count in self.by_project)

    @property
    def total(self) -> int:
        return sum(count for _, count in self.by_kind)


def read_blocks(actor: Actor, *, arguments: Mapping[str, object], most: int) -> Blocks:
    """What blocks what inside the fences of `arguments`, as for the digest (C55); contents of at most `most` nodes.

    Four queries, whatever is stored.
    """
    actor.require(Scope.READ)
    fence = read_digest_call(arguments).fence
    with one_state():
        standing, nodes = read_graph(actor, fence=fence)
        blocks = map_blocks(nodes, standing)
        part = part_around_ready(blocks, most=most)
        ready = blocks.inside(State.NEXT, State.READY)[:PACK_LIST_CAP]
        rows = read_whole(actor, fence=fence, constraints=False, numbers=sorted({*part.numbers, *ready}))
    return Blocks(blocks, part, ready, rows)


def count_capsules(actor: Actor, *, arguments: Mapping[str, object]) -> Counts:
    """The totals of the digest (C55) without its rows. One query."""
    actor.require(Scope.READ)
    fence = read_digest_call(arguments).fence
    rows = Capsule.objects.of(actor).filter(forgotten_at__isnull=True).values("project_id", "kind")
    projects: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for project_id, kind, count in rows.annotate(count=Count("pk")).values_list("project_id", "kind", "count"):
        projects[project_id] += count
        if fence.matches(project_id):
            kinds[kind] += count
    return Counts(
        by_project=tuple(sorted(projects.items())),
        by_kind=tuple((kind, kinds[kind]) for kind in CapsuleKind if kinds[kind]),
    )
