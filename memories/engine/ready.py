"""What can be done next: the ready projection of the `blocks` graph and its cycles (C37 to C42).

The pack and the digest use the same function. Nothing here recurses: chains of thousands of nodes are ordinary.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from operator import lt

from memories.engine.capsules import CapsuleKind, CapsuleRow
from memories.engine.fences import Fence
from memories.engine.relations import Standing, shortest_path


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
    graph: dict[int, set[int]] = {}
    for source, target in standing.blocks:
        if source not in settled and target not in settled:
            graph.setdefault(source, set()).add(target)
    found = [
        path
        for source, target in sorted(set(added))
        if target in graph.get(source, ()) and (path := shortest_path(graph, target, source)) is not None
    ]
    return _from_smallest(min(found, key=len)) if found else None


def _find_cycle(held_back: Sequence[tuple[int, int]], inside: frozenset[int]) -> tuple[int, ...] | None:
    """The cycle to name: a shortest that touches `inside`, else a shortest that blocks something in it (C40)."""
    # Every cycle comes back to a smaller number somewhere, and work is mostly written down in its order.
    if all(starmap(lt, held_back)):
        return None
    knot = _never_freed(held_back)
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


def _never_freed(held_back: Iterable[tuple[int, int]]) -> set[int]:
    """What would stay blocked if everything that can be done were done: cycles and all that waits for them."""
    holds: dict[int, list[int]] = {}
    open_blockers: dict[int, int] = {}
    for source, target in held_back:
        open_blockers[target] = open_blockers.get(target, 0) + 1
        if source in holds:
            holds[source].append(target)
        else:
            holds[source] = [target]
    finished = [source for source in holds if source not in open_blockers]
    while finished:
        for target in holds.get(finished.pop(), ()):
            open_blockers[target] -= 1
            if not open_blockers[target]:
                finished.append(target)
    return {target for target, count in open_blockers.items() if count}


def shortest_cycle(graph: Mapping[int, Collection[int]], through: Collection[int]) -> tuple[int, ...] | None:
    """A shortest cycle with at least one member in `through`, its smallest number first; None when there is none.

    The same one for the same graph, whatever the order of its parts (C51). A shortest cycle through one number is a
    search in breadth; once that number's cycles are known it is taken out, and what is then on no cycle falls away
    with it. The next number tried is a neighbour if possible: that tears a long ring apart soonest.
    """
    left = _on_cycles({number: sorted(targets) for number, targets in graph.items()})
    wanted = sorted(through)
    member = frozenset(wanted)
    position, neighbour = 0, None
    best: tuple[int, ...] | None = None
    work = 0
    while left:
        while position < len(wanted) and wanted[position] not in left:
            position += 1
        if position == len(wanted):
            break
        number = wanted[position] if neighbour is None else neighbour
        cycle, looked_at = _cycle_through(left, number, None if best is None else len(best))
        best = best if cycle is None else cycle
        # No capsule blocks itself (C5), so nothing is shorter than two.
        if best is not None and len(best) <= 2:
            break
        targets = left.pop(number)
        # Looking for what fell away reads the whole rest, so it waits until the searches have cost as much.
        work += looked_at
        if work > len(left):
            left = _on_cycles(left)
            work = 0
        neighbour = next((target for target in targets if target in left and target in member), None)
    return None if best is None else _from_smallest(best)


def _on_cycles(graph: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """`graph` without what lies before or behind all cycles; it is empty when there is no cycle."""
    return _turned_behind_cycles(_turned_behind_cycles(graph))


def _turned_behind_cycles(graph: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """`graph` with every arrow turned round, without the nodes that no cycle leads to."""
    arrows = [(number, target) for number, targets in graph.items() for target in targets if target in graph]
    turned: dict[int, list[int]] = {number: [] for number in _never_freed(arrows)}
    for number, target in arrows:
        if number in turned and target in turned:
            turned[target].append(number)
    return {number: sorted(sources) for number, sources in turned.items()}


def _cycle_through(
    graph: Mapping[int, list[int]], start: int, shorter_than: int | None
) -> tuple[tuple[int, ...] | None, int]:
    """A shortest cycle through `start`, if it is `shorter_than` so many members, and how many nodes were looked at."""
    came_from = {start: start}
    frontier = [start]
    length = 0
    while frontier and (shorter_than is None or length + 1 < shorter_than):
        length += 1
        following = []
        for number in frontier:
            for target in graph[number]:
                if target == start:
                    path = [number]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return tuple(reversed(path)), len(came_from)
                if target not in came_from and target in graph:
                    came_from[target] = number
                    following.append(target)
        frontier = following
    return None, len(came_from)


def _from_smallest(cycle: tuple[int, ...]) -> tuple[int, ...]:
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]
