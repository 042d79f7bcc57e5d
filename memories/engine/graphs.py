"""Cycles and shortest paths in graphs of numbers, the same ones whatever the order of their parts (C51).

A graph is the targets of each number. Nothing here recurses: chains and rings of thousands are ordinary.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping


def shortest_path(graph: Mapping[int, Collection[int]], start: int, end: int) -> tuple[int, ...] | None:
    """A shortest path from `start` to `end`, both included; the same one for the same graph, whatever its order."""
    came_from: dict[int, int | None] = {start: None}
    waiting = deque([start])
    while waiting:
        number = waiting.popleft()
        if number == end:
            path = [number]
            while (before := came_from[path[-1]]) is not None:
                path.append(before)
            return tuple(reversed(path))
        for following in sorted(graph.get(number, ())):
            if following not in came_from:
                came_from[following] = number
                waiting.append(following)
    return None


def behind_cycles(held_back: Iterable[tuple[int, int]]) -> set[int]:
    """What is on a cycle or comes after one: of blocked work, what stays blocked when all that can be done is done."""
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
    left = on_cycles({number: sorted(targets) for number, targets in graph.items()})
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
            left = on_cycles(left)
            work = 0
        neighbour = next((target for target in targets if target in left and target in member), None)
    return None if best is None else from_smallest(best)


def on_cycles(graph: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """`graph` without what lies before or behind all cycles; it is empty when there is no cycle."""
    return _turned_behind_cycles(_turned_behind_cycles(graph))


def _turned_behind_cycles(graph: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """`graph` with every arrow turned round, without the nodes that no cycle leads to."""
    arrows = [(number, target) for number, targets in graph.items() for target in targets if target in graph]
    turned: dict[int, list[int]] = {number: [] for number in behind_cycles(arrows)}
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


def from_smallest(cycle: tuple[int, ...]) -> tuple[int, ...]:
    """The same cycle, beginning with its smallest number."""
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]
