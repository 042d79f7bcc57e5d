"""The picture of what blocks what, for any graph: nothing overlaps, arrows go one way, the same every time."""

from __future__ import annotations

import random
from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st

from memories.engine.blocks import components, map_blocks, part_around_ready
from memories.engine.relations import standing_from
from memories.web.presenters.graphs import cut_columns
from memories.web.presenters.layers import ARROWS_MOST, HEIGHT, WIDTH, lay_out

NUMBERS = st.integers(1, 24)
ARROWS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=60)


def overlaps(one, other):
    return abs(one.x - other.x) < WIDTH and abs(one.y - other.y) < HEIGHT


def check(numbers, arrows):
    layout = lay_out(numbers, arrows)
    at = {node.number: node for node in layout.nodes}
    assert set(at) == set(numbers)
    assert not [pair for pair in combinations(layout.nodes, 2) if overlaps(*pair)]
    for node in layout.nodes:
        assert 0 <= node.x <= layout.width - WIDTH
        assert 0 <= node.y <= layout.height - HEIGHT
    group_of = {n: group for group in components(numbers, arrows) for n in group}
    for arrow in layout.arrows:
        source, target = at[arrow.source], at[arrow.target]
        assert arrow.loop is (group_of[source.number] == group_of[target.number])
        if arrow.loop:
            assert source.x == target.x
        else:
            assert source.x + WIDTH < target.x
            xs = [x for x, _ in arrow.points]
            assert xs == sorted(xs)
            # On its way an arrow passes between the nodes.
            for x, y in arrow.points[1:-1]:
                crossed = [n for n in layout.nodes if n.x <= x <= n.x + WIDTH and n.y < y < n.y + HEIGHT]
                assert not crossed
    return layout


@given(st.sets(NUMBERS, min_size=1), ARROWS)
@example({1, 2, 3, 4}, [(1, 2), (2, 3), (3, 4), (1, 4)])
@example({1, 2, 3}, [(1, 2), (2, 1), (2, 3)])
def test_nothing_overlaps_and_arrows_go_one_way(numbers, arrows):
    check(numbers, arrows)


@given(st.sets(NUMBERS, min_size=1), ARROWS, st.randoms())
def test_c51_the_order_of_the_parts_changes_nothing(numbers, arrows, chance):
    shuffled = list(arrows)
    chance.shuffle(shuffled)
    assert lay_out(numbers, arrows) == lay_out(sorted(numbers, reverse=True), [*shuffled, *arrows])


@given(st.sets(NUMBERS), ARROWS, st.sets(NUMBERS), st.integers(1, 24))
def test_every_node_is_shown_or_counted(inside, blocks, done, most):
    standing = standing_from([], done, [], [(a, b) for a, b in blocks if a != b])
    whole = map_blocks(inside, standing)
    part = part_around_ready(whole, most=most)
    assert len(part.numbers) == min(most, len(whole.tied()))
    assert len(part.numbers) + part.hidden_total == len(whole.tied())


def test_sizes_that_people_have_are_laid_out():
    chance = random.Random(3)
    for size in (5, 30, 200):
        arrows = [(n, chance.randint(n + 1, min(size, n + 9))) for n in range(1, size) for _ in range(2)]
        check(range(1, size + 1), arrows)


def test_a_graph_that_is_all_arrows_stays_small():
    arrows = list(combinations(range(1, 201), 2))
    layout = check(range(1, 201), arrows)
    assert layout.undrawn == len(arrows) - ARROWS_MOST
    assert sum(len(arrow.points) for arrow in layout.arrows) < 5_000


def test_c42_a_chain_and_a_ring_of_5000_are_laid_out():
    chain = [(n, n + 1) for n in range(1, 5_000)]
    assert lay_out(range(1, 5_001), chain).nodes[-1].layer == 4_999
    assert len({node.layer for node in lay_out(range(1, 5_001), [*chain, (5_000, 1)]).nodes}) == 1


@given(st.text(), st.integers(1, 30))
def test_a_label_is_no_wider_than_its_room(text, columns):
    cut = cut_columns(text, columns)
    assert cut == text or cut.endswith("…")
    assert len(cut) <= len(text) + 1
