"""Reading what blocks what, for a picture. What a state is, and what the picture has room for, is `engine.blocks`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memories.engine.actor import Actor
from memories.engine.blocks import BlocksMap, Part, map_blocks, part_around_ready
from memories.engine.calls import read_digest_call
from memories.engine.capsules import CapsuleRow
from memories.engine.kinds import Scope
from memories.selectors.capsule_rows import read_graph, read_whole
from memories.selectors.snapshot import one_state


@dataclass(frozen=True, slots=True)
class Blocks:
    """The whole map of a fence, the part of it to show, and the capsules of that part by number."""

    map: BlocksMap
    part: Part
    rows: dict[int, CapsuleRow]


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
        rows = read_whole(actor, fence=fence, constraints=False, numbers=part.numbers)
    return Blocks(blocks, part, rows)
