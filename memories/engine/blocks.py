"""What blocks what in a project: the state of every task and of every end of a `blocks` relation, and the part of it

that a picture has room for (C37 to C42). Where a picture puts things is decided where it is drawn. Nothing recurses.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import starmap
from operator import lt

from memories.engine.ready import project_nodes
from memories.engine.relations import Standing

Arrow = tuple[int, int]


class State(StrEnum):
    """Where a node stands; `next` is the first of the ready ones (C39)."""

    CYCLE = "cycle"
    NEXT = "next"
    READY = "ready"
    BLOCKED = "blocked"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class BlocksMap:
    """The nodes of a fence, and those outside that a relation ties to them. `arrows` are (blocker, blocked).

    With a `cycle` nothing is next, and what nothing holds back is still called ready (C40).
    """

    states: Mapping[int, State]
    arrows: tuple[Arrow, ...]
    outside: frozenset[int]
    cycle: tuple[int, ...] | None

    def inside(self, *states: State) -> tuple[int, ...]:
        """The nodes of the fence in one of `states`, ascending; the projection's own lists where there is no cycle."""
        return tuple(number for number, state in self.states.items() if state in states and number not in self.outside)

    def tied(self) -> frozenset[int]:
        """The nodes with a relation; the others stand alone."""
        return frozenset(number for arrow in self.arrows for number in arrow)


@dataclass(frozen=True, slots=True)
class Part:
    """What a picture shows, ascending, and how many nodes of each state it has no room for."""

    numbers: tuple[int, ...]
    arrows: tuple[Arrow, ...]
    hidden: tuple[tuple[State, int], ...]

    @property
    def hidden_total(self) -> int:
        return sum(count for _, count in self.hidden)


def map_blocks(inside: Iterable[int], standing: Standing) -> BlocksMap:
    """The state of the nodes `inside` the fence, by the same projection that the pack uses (C55)."""
    inside = list(inside)
    projection = project_nodes(inside, standing)
    gone, settled = standing.gone, standing.settled
    own = frozenset(inside) - gone
    alive = sorted({pair for pair in standing.blocks if pair[0] not in gone and pair[1] not in gone})
    numbers = own.union(*(pair for pair in alive if pair[0] in own or pair[1] in own))
    held_back = [pair for pair in alive if pair[0] not in settled and pair[1] not in settled]
    waits = {target for _, target in held_back}
    looped = frozenset[int]()
    # As in `ready`: a loop comes back to a smaller number somewhere.
    if not all(starmap(lt, held_back)):
        looped = frozenset(n for group in components(waits, held_back) if len(group) > 1 for n in group)
    first = projection.ready[0] if projection.ready else None

    def state(number: int) -> State:
        if number in standing.done:
            return State.DONE
        if number in looped:
            return State.CYCLE
        if number in waits:
            return State.BLOCKED
        return State.NEXT if number == first else State.READY

    return BlocksMap(
        states={number: state(number) for number in sorted(numbers)},
        arrows=tuple(pair for pair in alive if pair[0] in numbers and pair[1] in numbers),
        outside=numbers - own,
        cycle=projection.cycle,
    )


def part_around_ready(blocks: BlocksMap, *, most: int) -> Part:
    """At most `most` of the nodes that have a relation: the loops, what is next and ready with its neighbours, then

    what follows from these, and what was done long ago last.
    """
    tied = blocks.tied()
    beside: dict[int, list[int]] = {number: [] for number in sorted(tied)}
    for source, target in blocks.arrows:
        beside[source].append(target)
        beside[target].append(source)

    def neighbours(number: int) -> list[int]:
        return sorted(set(beside[number]), key=lambda other: (blocks.states[other] is State.DONE, other))

    order = list(State)
    seeds = sorted(
        (n for n in tied if blocks.states[n] in (State.CYCLE, State.NEXT, State.READY)),
        key=lambda n: (order.index(blocks.states[n]), n),
    )
    taken: dict[int, None] = {}
    waiting: deque[int] = deque()
    for seed in seeds:
        for number in (seed, *neighbours(seed)):
            if number not in taken:
                taken[number] = None
                waiting.append(number)
    while waiting and len(taken) < most:
        number = waiting.popleft()
        if blocks.states[number] is State.DONE:
            continue
        for other in neighbours(number):
            if other not in taken:
                taken[other] = None
                waiting.append(other)
    # What no ready node leads to: work that is finished, or held back only from far outside. The latest is the nearest.
    rest = sorted((n for n in tied if n not in taken), key=lambda n: (blocks.states[n] is State.DONE, -n))
    shown = frozenset([*taken, *rest][:most])
    hidden = Counter(blocks.states[number] for number in tied - shown)
    return Part(
        numbers=tuple(sorted(shown)),
        arrows=tuple(arrow for arrow in blocks.arrows if arrow[0] in shown and arrow[1] in shown),
        hidden=tuple((state, hidden[state]) for state in State if hidden[state]),
    )


def components(numbers: Iterable[int], arrows: Iterable[Arrow]) -> list[tuple[int, ...]]:
    """The groups of `numbers` that lead back to themselves, each ascending; a number on no loop is a group alone.

    A group comes after all that it leads to. The same for the same graph, whatever the order of its parts.
    """
    follows: dict[int, list[int]] = {number: [] for number in sorted(numbers)}
    for source, target in sorted(set(arrows)):
        if source in follows and target in follows:
            follows[source].append(target)
    found: list[tuple[int, ...]] = []
    seen: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_numbers: list[int] = []
    is_open: set[int] = set()
    for start in follows:
        if start in seen:
            continue
        path: list[tuple[int, int]] = [(start, 0)]
        while path:
            number, at = path.pop()
            if at == 0:
                seen[number] = lowest[number] = len(seen)
                open_numbers.append(number)
                is_open.add(number)
            targets = follows[number]
            if at:
                lowest[number] = min(lowest[number], lowest[targets[at - 1]])
            while at < len(targets) and targets[at] in seen:
                if targets[at] in is_open:
                    lowest[number] = min(lowest[number], seen[targets[at]])
                at += 1
            if at < len(targets):
                path += [(number, at + 1), (targets[at], 0)]
            elif lowest[number] == seen[number]:
                group = _closed(open_numbers, number)
                is_open.difference_update(group)
                found.append(tuple(sorted(group)))
    return found


def _closed(open_numbers: list[int], first: int) -> list[int]:
    group = [open_numbers.pop()]
    while group[-1] != first:
        group.append(open_numbers.pop())
    return group
