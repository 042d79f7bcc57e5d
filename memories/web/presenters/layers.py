"""Where the nodes and arrows of a graph stand: in layers from left to right, as many as the longest path is long.

Numbers and pairs in, pixels out: the same for the same graph, whatever the order of its parts. Members of a loop share
a layer, so every other arrow goes to the right. What nodes mean and how they look is not here. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memories.engine.blocks import Arrow, components

WIDTH, HEIGHT = 176, 54
STEP = 232
_GAP, _THIN, _THIN_GAP = 26, 8, 10
_BULGE_ROOM = 44
_SWEEPS = 4
# An arrow over several layers is led between the nodes on its way; a graph that is all arrows has no way left to look
# for, and its picture would be larger than its worth.
_BENDS_MOST = 1_500
ARROWS_MOST = 600


@dataclass(frozen=True, slots=True)
class Placed:
    """The upper left corner of a node, and its layer."""

    number: int
    layer: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """An arrow. `points` begin at the right of its source and end at the left of its target, in pairs of one layer's

    sides; those of a `loop` begin and end on one side, the right one for an arrow that goes down.
    """

    source: int
    target: int
    points: tuple[tuple[int, int], ...]
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """Nodes by layer, from top to bottom, and arrows. `undrawn` arrows are beyond what a picture can hold."""

    nodes: tuple[Placed, ...]
    arrows: tuple[Drawn, ...]
    width: int
    height: int
    undrawn: int


# A place in a layer: a node as (its number, 0), or a bend as (number of its arrow, 1).
_Place = tuple[int, int]


def lay_out(numbers: Iterable[int], arrows: Iterable[Arrow]) -> Layout:
    """The layout of `numbers`; arrows with an end elsewhere, and of a node to itself, are left out."""
    nodes = sorted(set(numbers))
    known = frozenset(nodes)
    pairs = sorted({(a, b) for a, b in arrows if a in known and b in known and a != b})
    group_of = {n: group for group in components(nodes, pairs) for n in group}
    layer_of = _layers(nodes, pairs, group_of)
    drawn = pairs[:ARROWS_MOST]
    through = [pair for pair in drawn if group_of[pair[0]] is not group_of[pair[1]]]
    bends = _bends(through, layer_of)

    layers: list[list[_Place]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for number in nodes:
        layers[layer_of[number]].append((number, 0))
    links: list[tuple[_Place, _Place]] = []
    for at, (source, target) in enumerate(through):
        way = [(source, 0), *((at, 1 + step) for step in range(bends[at])), (target, 0)]
        for step, place in enumerate(way[1:-1], start=1):
            layers[layer_of[source] + step].append(place)
        links += pairwise(way)
    before: dict[_Place, list[_Place]] = {}
    after: dict[_Place, list[_Place]] = {}
    for one, other in links:
        after.setdefault(one, []).append(other)
        before.setdefault(other, []).append(one)
    _order(layers, before, after, group_of)
    middle = _heights(layers, before)

    top = min((middle[n, 0] - HEIGHT // 2 for n in nodes), default=0)
    low = max((middle[n, 0] + HEIGHT // 2 for n in nodes), default=0)
    for place, at_y in middle.items():
        top, low = min(top, at_y - _half(place)), max(low, at_y + _half(place))
    # A loop's arrows bulge to the left and to the right of its layer.
    inset = _BULGE_ROOM if any(group_of[a] is group_of[b] for a, b in drawn) else 0
    placed = {
        place[0]: Placed(place[0], column, inset + column * STEP, middle[place] - HEIGHT // 2 - top)
        for column, layer in enumerate(layers)
        for place in layer
        if not place[1]
    }
    ways = {pair: at for at, pair in enumerate(through)}
    return Layout(
        nodes=tuple(placed.values()),
        arrows=tuple(
            _way(placed, pair, [middle[ways[pair], 1 + step] - top for step in range(bends[ways[pair]])])
            if pair in ways
            else _loop(placed, pair)
            for pair in drawn
        ),
        width=max(len(layers) * STEP - (STEP - WIDTH), 0) + 2 * inset,
        height=low - top,
        undrawn=len(pairs) - len(drawn),
    )


def _layers(nodes: Sequence[int], pairs: Sequence[Arrow], group_of: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """The longest way that leads to each node's group; what nothing leads to stands right before what it leads to."""
    name = {n: group_of[n][0] for n in nodes}
    follows: dict[int, list[int]] = {name[n]: [] for n in nodes}
    open_before = dict.fromkeys(follows, 0)
    for source, target in sorted({(name[a], name[b]) for a, b in pairs if name[a] != name[b]}):
        follows[source].append(target)
        open_before[target] += 1
    sources = [group for group in follows if not open_before[group]]
    layer = dict.fromkeys(follows, 0)
    free = list(sources)
    while free:
        group = free.pop()
        for target in follows[group]:
            layer[target] = max(layer[target], layer[group] + 1)
            open_before[target] -= 1
            if not open_before[target]:
                free.append(target)
    for group in sources:
        if follows[group]:
            layer[group] = min(layer[target] for target in follows[group]) - 1
    return {n: layer[name[n]] for n in nodes}


def _bends(through: Sequence[Arrow], layer_of: Mapping[int, int]) -> list[int]:
    """How many layers each arrow is led through; the longest first go straight when there are too many."""
    spans = [layer_of[target] - layer_of[source] - 1 for source, target in through]
    left = _BENDS_MOST
    kept = [0] * len(spans)
    for at in sorted(range(len(spans)), key=lambda at: (spans[at], at)):
        if spans[at] <= left:
            kept[at] = spans[at]
            left -= spans[at]
    return kept


def _order(
    layers: list[list[_Place]],
    before: Mapping[_Place, list[_Place]],
    after: Mapping[_Place, list[_Place]],
    group_of: Mapping[int, tuple[int, ...]],
) -> None:
    """Sort each layer by where its neighbours stand, from left to right and back, so that fewer arrows cross."""
    rank: dict[_Place, float] = {}
    for layer in layers:
        layer.sort(key=lambda place: (place[1], place[0]))
        rank |= {place: float(at) for at, place in enumerate(layer)}

    def arrange(layer: list[_Place], near: Mapping[_Place, list[_Place]]) -> None:
        wish = {place: _mean([rank[one] for one in near.get(place, ())], rank[place]) for place in layer}

        def key(place: _Place) -> tuple[float, int, float]:
            group = group_of[place[0]] if not place[1] else ()
            if len(group) < 2:
                return wish[place], place[0], 0.0
            return _mean([wish[member, 0] for member in group], 0.0), group[0], wish[place]

        layer.sort(key=key)
        for at, place in enumerate(layer):
            rank[place] = float(at)

    for _ in range(_SWEEPS):
        for layer in layers[1:]:
            arrange(layer, before)
        for layer in layers[-2::-1]:
            arrange(layer, after)
    for layer in layers[1:]:
        arrange(layer, before)


def _heights(layers: Sequence[Sequence[_Place]], before: Mapping[_Place, list[_Place]]) -> dict[_Place, int]:
    """The middle of each place: beside what leads to it, as far as those above leave room."""
    middle: dict[_Place, int] = {}
    for layer in layers:
        wishes, found = [], []
        at, above = 0, None
        for place in layer:
            if above is not None:
                gap = _THIN_GAP if place[1] or above[1] else _GAP
                at += _half(above) + gap + _half(place)
            wish = round(_mean([middle[one] for one in before.get(place, ())], at))
            at = wish if above is None else max(at, wish)
            wishes.append(wish)
            found.append(at)
            above = place
        too_low = round(_mean([y - wish for y, wish in zip(found, wishes, strict=True)], 0))
        middle |= {place: y - too_low for place, y in zip(layer, found, strict=True)}
    return middle


def _way(placed: Mapping[int, Placed], pair: Arrow, heights: Sequence[int]) -> Drawn:
    source, target = placed[pair[0]], placed[pair[1]]
    points = [(source.x + WIDTH, source.y + HEIGHT // 2)]
    for step, y in enumerate(heights, start=1):
        x = source.x + step * STEP
        points += [(x, y), (x + WIDTH, y)]
    return Drawn(*pair, points=(*points, (target.x, target.y + HEIGHT // 2)))


def _loop(placed: Mapping[int, Placed], pair: Arrow) -> Drawn:
    source, target = placed[pair[0]], placed[pair[1]]
    x = source.x + WIDTH if source.y < target.y else source.x
    return Drawn(*pair, points=((x, source.y + HEIGHT // 2), (x, target.y + HEIGHT // 2)), loop=True)


def _half(place: _Place) -> int:
    return _THIN // 2 if place[1] else HEIGHT // 2


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
