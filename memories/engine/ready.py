"""What can be done next: the ready projection of the `blocks` graph and its cycles (C37 to C42).

The pack and the digest use the same function. Nothing here recurses: chains of thousands of nodes are ordinary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import starmap
from operator import lt

from memories.engine.capsules import CapsuleKind, CapsuleRow
from memories.engine.fences import Fence
from memories.engine.graphs import behind_cycles, from_smallest, on_cycles, shortest_cycle, shortest_path
from memories.engine.relations import Standing


@dataclass(frozen=True, slots=True)
class Projection:
    """Capsule numbers inside the fence, ascending. With a `cycle` the three lists are empty: it fails closed (C40)."""

    ready: tuple[int, ...] = ()
    blocked: tuple[int, ...] = ()
    done: tuple[int, ...] = ()
    cycle: tuple[int, ...] | None = None


def project(capsules: Iterable[CapsuleRow], standing: Standing, fence: Fence) -> Projection:
    """The ready projection, fenced (C37 to C41). Blockers in `standing` count from everywhere."""
    rows = list(capsules)
    inside = fence.inside(row.project_id for row in rows)
    ends = standing.blocks_ends()
    return project_nodes(
        (
            row.number
            for row in rows
            if (row.kind == CapsuleKind.TASK or row.number in ends)
            and row.project_id in inside
            and row.forgotten_at is None
        ),
        standing,
    )


def project_nodes(inside: Iterable[int], standing: Standing) -> Projection:
    """As `project`, for the numbers of the tasks and the ends of `blocks` inside the fence; the superseded among them

    are no nodes (C37).
    """
    settled = standing.settled
    held_back = [pair for pair in standing.blocks if pair[0] not in settled and pair[1] not in settled]
    nodes = frozenset(inside) - standing.gone
    undone = nodes - standing.done
    cycle = _find_cycle(held_back, undone)
    if cycle is not None:
        return Projection(cycle=cycle)
    waits = {target for _, target in held_back}
    return Projection(
        ready=tuple(sorted(undone - waits)),
        blocked=tuple(sorted(undone & waits)),
        done=tuple(sorted(nodes & standing.done)),
    )


def cycle_closed_by(added: Iterable[tuple[int, int]], standing: Standing) -> tuple[int, ...] | None:
    """A shortest live cycle through one of the `added` blocks relations (source, target), to be named (C7).

    `standing` is that after the write. Its smallest number comes first; None when no cycle goes through them.
    """
    settled = standing.settled
    wanted = sorted(set(added))
    graph: dict[int, list[int]] = {}
    for source, target in sorted(set(standing.blocks)):
        if source not in settled and target not in settled:
            graph.setdefault(source, []).append(target)
    if len(wanted) > 1:
        # Nearly always nothing is left of it, and no relation has to be looked at by itself.
        graph = on_cycles(graph)
    best: tuple[int, ...] | None = None
    for source, target in wanted:
        if target not in graph.get(source, ()):
            continue
        path = shortest_path(graph, target, source)
        if path is None:
            continue
        best = path if best is None or len(path) < len(best) else best
        # Every cycle through this relation has been looked at. Without it a long ring is a chain, and gone.
        graph[source].remove(target)
        graph = on_cycles(graph)
    return None if best is None else from_smallest(best)


def _find_cycle(held_back: Sequence[tuple[int, int]], inside: frozenset[int]) -> tuple[int, ...] | None:
    """The cycle to name: a shortest that touches `inside`, else a shortest that blocks something in it (C40)."""
    # Every cycle comes back to a smaller number somewhere, and work is mostly written down in its order.
    if all(starmap(lt, held_back)):
        return None
    knot = behind_cycles(held_back)
    held = inside & knot
    if not held:
        return None
    blockers: dict[int, set[int]] = {number: set() for number in knot}
    for source, target in held_back:
        if source in knot and target in knot:
            blockers[target].add(source)
    # Only what leads into the fence matters, and every member of a cycle that does leads into it.
    upstream = set(held)
    frontier = list(held)
    while frontier:
        new = blockers[frontier.pop()] - upstream
        upstream |= new
        frontier += new
    graph: dict[int, set[int]] = {number: set() for number in upstream}
    for target in upstream:
        for source in blockers[target]:
            graph[source].add(target)
    cycle = shortest_cycle(graph, held)
    return shortest_cycle(graph, upstream) if cycle is None else cycle
