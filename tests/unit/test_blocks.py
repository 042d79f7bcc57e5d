"""The map of what blocks what: states, and which part of it a picture shows."""

from __future__ import annotations

from memories.engine.blocks import State, components, map_blocks, part_around_ready
from memories.engine.relations import standing_from


def states(inside, blocks, *, done=(), superseded=(), forgotten=()):
    standing = standing_from(superseded, done, forgotten, blocks)
    return {n: str(s) for n, s in map_blocks(inside, standing).states.items()}


def test_c38_each_node_has_its_state():
    found = states([1, 2, 3, 4, 5], [(1, 2), (2, 3), (4, 3)], done=[1])
    assert found == {1: "done", 2: "next", 3: "blocked", 4: "ready", 5: "ready"}


def test_c37_what_is_superseded_or_forgotten_is_no_node():
    assert states([1, 2, 3], [(1, 2), (3, 2)], superseded=[1], forgotten=[3]) == {2: "next"}


def test_c38_a_blocker_outside_the_fence_is_shown_and_blocks():
    blocks = map_blocks([2], standing_from([], [], [], [(1, 2), (2, 9), (7, 8)]))
    assert dict(blocks.states) == {1: State.READY, 2: State.BLOCKED, 9: State.BLOCKED}
    assert blocks.outside == {1, 9}


def test_c40_with_a_loop_nothing_is_next_and_its_members_are_marked():
    blocks = map_blocks([1, 2, 3, 4], standing_from([], [], [], [(1, 2), (2, 1), (2, 3)]))
    assert [str(state) for state in blocks.states.values()] == ["cycle", "cycle", "blocked", "ready"]
    assert blocks.cycle == (1, 2)


def test_c41_a_proven_member_dissolves_the_loop():
    assert states([1, 2], [(1, 2), (2, 1)], done=[1]) == {1: "done", 2: "next"}


def test_a_picture_shows_what_is_next_and_counts_what_it_has_no_room_for():
    chain = [(n, n + 1) for n in range(1, 5_000)]
    blocks = map_blocks(range(1, 5_001), standing_from([], range(1, 2_000), [], chain))
    part = part_around_ready(blocks, most=10)
    assert part.numbers == (1999, 2000, 2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008)
    assert dict(part.hidden) == {State.BLOCKED: 2_992, State.DONE: 1_998}
    assert part.hidden_total == 4_990
    assert part.arrows == tuple((n, n + 1) for n in range(1999, 2008))


def test_every_ready_node_comes_before_what_is_far_behind_the_first():
    blocks = [(1, 10), (10, 11), (11, 12), (12, 13), (2, 20), (20, 21)]
    found = map_blocks([1, 2, 10, 11, 12, 13, 20, 21], standing_from([], [], [], blocks))
    assert set(part_around_ready(found, most=4).numbers) == {1, 10, 2, 20}


def test_nodes_without_a_relation_are_counted_and_not_drawn():
    found = map_blocks([1, 2, 3], standing_from([], [], [], [(1, 2)]))
    assert part_around_ready(found, most=9).numbers == (1, 2)
    assert found.tied() == {1, 2}


def test_components_are_the_loops_of_a_graph():
    arrows = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 4), (6, 1)]
    assert sorted(components(range(1, 7), arrows)) == [(1, 2, 3), (4, 5), (6,)]
    assert components(range(1, 7), reversed(arrows)) == components(range(6, 0, -1), arrows)


def test_c42_components_of_a_long_ring_need_no_recursion():
    ring = [(n, n % 5_000 + 1) for n in range(1, 5_001)]
    assert components(range(1, 5_001), ring) == [tuple(range(1, 5_001))]
