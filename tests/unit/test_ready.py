"""The ready projection and cycles of blocks (C37 to C42)."""

from __future__ import annotations

import pytest

from memories.engine.fences import EVERYWHERE, Fence
from memories.engine.ready import Projection, cycle_closed_by, project
from memories.engine.relations import Relation, RelationKind, standing_of
from tests.unit.capsule_rows import CONSTRAINT, FACT, NOW, TASK, blocks, cap, proves, supersedes


def projection(capsules, relations=(), fence=EVERYWHERE) -> Projection:  # type: ignore[no-untyped-def]
    return project(capsules, standing_of(capsules, relations), fence)


def tasks(*numbers: int, project_id: str = "nott") -> list:
    return [cap(number, TASK, project_id=project_id) for number in numbers]


def test_nodes_are_tasks_and_ends_of_blocks() -> None:
    """C37"""
    capsules = [cap(1, TASK), cap(2, FACT), cap(3, CONSTRAINT), cap(4, FACT)]
    assert projection(capsules, blocks((3, 4))) == Projection(ready=(1, 3), blocked=(4,))


def test_an_end_stays_a_node_when_the_other_end_is_gone() -> None:
    """C37"""
    capsules = [cap(1, FACT), cap(2, TASK, forgotten_at=NOW)]
    assert projection(capsules, blocks((1, 2))) == Projection(ready=(1,))


def test_what_is_not_live_is_no_node() -> None:
    """C37, C38"""
    capsules = [*tasks(1, 2, 3), cap(4, TASK, forgotten_at=NOW)]
    assert projection(capsules, [*supersedes((3, 1)), *proves((3, 2))]) == Projection(ready=(3,), done=(2,))


def test_a_task_waits_for_every_live_undone_blocker() -> None:
    """C38"""
    capsules = tasks(1, 2, 3, 4, 5, 6)
    relations = blocks((1, 6), (2, 6), (3, 6))
    assert projection(capsules, relations).blocked == (6,)
    assert projection(capsules, [*relations, *proves((5, 1)), *supersedes((5, 2))]).blocked == (6,)
    freed = projection(capsules, [*relations, *proves((5, 1), (5, 3)), *supersedes((5, 2))])
    assert freed == Projection(ready=(4, 5, 6), done=(1, 3))


def test_a_blocker_outside_the_fence_blocks() -> None:
    """C38"""
    capsules = [*tasks(1, project_id="other"), *tasks(2, 3)]
    assert projection(capsules, blocks((1, 2)), Fence("nott")) == Projection(ready=(3,), blocked=(2,))


def test_an_unknown_blocker_blocks() -> None:
    """C38: unknown is never taken for resolved."""
    assert projection(tasks(2), blocks((1, 2))) == Projection(blocked=(2,))


def test_order_is_numeric() -> None:
    """C39"""
    assert projection(tasks(10, 9, 100, 2)).ready == (2, 9, 10, 100)


def test_a_cycle_fails_closed() -> None:
    """C40"""
    relations = blocks((7, 5), (5, 9), (9, 7))
    assert projection(tasks(1, 5, 7, 9), relations) == Projection(cycle=(5, 9, 7))


def test_the_shortest_cycle_is_named() -> None:
    """C40"""
    relations = blocks((1, 2), (2, 3), (3, 4), (4, 1), (6, 5), (5, 6), (4, 5))
    assert projection(tasks(*range(1, 7)), relations).cycle == (5, 6)


def test_a_cycle_that_touches_the_fence_goes_before_a_shorter_one_that_only_blocks_it() -> None:
    """C40"""
    capsules = [*tasks(1, 2, project_id="other"), *tasks(3, 4, 5)]
    relations = blocks((1, 2), (2, 1), (2, 3), (3, 4), (4, 5), (5, 3))
    assert projection(capsules, relations, Fence("nott")).cycle == (3, 4, 5)


def test_a_cycle_partly_outside_is_named_whole() -> None:
    """C40"""
    capsules = [*tasks(1, project_id="other"), *tasks(2)]
    assert projection(capsules, blocks((1, 2), (2, 1)), Fence("nott")).cycle == (1, 2)


def test_a_cycle_outside_that_blocks_something_inside_is_named() -> None:
    """C40"""
    capsules = [*tasks(1, 2, 3, project_id="other"), *tasks(4, 5)]
    relations = blocks((1, 2), (2, 1), (2, 3), (3, 4))
    assert projection(capsules, relations, Fence("nott")).cycle == (1, 2)


def test_a_cycle_elsewhere_does_not_disturb() -> None:
    """C40: neither touching the fence nor blocking anything in it; what the fence blocks is no matter."""
    capsules = [*tasks(1, 2, project_id="other"), *tasks(3, 4)]
    relations = blocks((1, 2), (2, 1), (3, 1))
    assert projection(capsules, relations, Fence("nott")) == Projection(ready=(3, 4))
    behind = [*relations, *blocks((2, 4)), *proves((3, 4))]
    assert projection(capsules, behind, Fence("nott")) == Projection(ready=(3,), done=(4,))


def test_what_waits_behind_a_cycle_is_not_part_of_it() -> None:
    """C41"""
    relations = blocks((1, 3), (3, 4), (4, 3), (4, 2))
    assert projection(tasks(1, 2, 3, 4), relations).cycle == (3, 4)


@pytest.mark.parametrize("end", ["superseded", "forgotten", "proven"])
def test_one_member_dissolves_the_cycle(end: str) -> None:
    """C41"""
    capsules = tasks(1, 2, 3)
    relations = blocks((1, 2), (2, 3), (3, 1))
    assert projection(capsules, relations).cycle == (1, 2, 3)
    if end == "forgotten":
        capsules[1] = capsules[1]._replace(forgotten_at=NOW)
    elif end == "superseded":
        relations += supersedes((9, 2))
    else:
        relations += proves((9, 2))
    assert projection(capsules, relations).ready == (3,)


def test_other_kinds_and_diamonds_are_no_cycles() -> None:
    """C41"""
    relations = [
        *blocks((1, 2), (1, 3), (2, 4), (3, 4)),
        Relation(RelationKind.DERIVED_FROM, 4, 1),
        Relation(RelationKind.DERIVED_FROM, 1, 4),
    ]
    assert projection(tasks(1, 2, 3, 4), relations) == Projection(ready=(1,), blocked=(2, 3, 4))


def test_a_chain_of_five_thousand() -> None:
    """C42"""
    numbers = range(1, 5_001)
    for chain in ([(n, n + 1) for n in range(1, 5_000)], [(n + 1, n) for n in range(1, 5_000)]):
        found = projection(tasks(*numbers), blocks(*chain))
        assert found.ready == (chain[0][0] if chain[0][0] == 1 else 5_000,)
        assert len(found.blocked) == 4_999


def test_a_ring_of_five_thousand() -> None:
    """C40, C42"""
    ring = blocks(*((n, n % 5_000 + 1) for n in range(1, 5_001)))
    assert projection(tasks(*range(1, 5_001)), ring).cycle == tuple(range(1, 5_001))


def test_a_ring_with_a_shortcut() -> None:
    """C40"""
    ring = blocks(*((n, n % 2_000 + 1) for n in range(1, 2_001)), (1_990, 5))
    assert projection(tasks(*range(1, 2_001)), ring).cycle == tuple(range(5, 1_991))


def test_a_write_names_the_blocks_cycle_that_it_closes() -> None:
    """C7"""
    capsules = tasks(1, 2, 3, 4)
    standing = standing_of(capsules, blocks((1, 2), (2, 3), (3, 1), (1, 4), (4, 1)))
    assert cycle_closed_by([(3, 1)], standing) == (1, 2, 3)
    assert cycle_closed_by([(3, 1), (4, 1)], standing) == (1, 4)
    assert cycle_closed_by([], standing) is None
    settled = standing_of(capsules, [*blocks((1, 2), (2, 1)), *proves((3, 2))])
    assert cycle_closed_by([(2, 1)], settled) is None


def test_one_write_of_a_chain_or_a_ring_of_thousands_is_looked_at_once() -> None:
    """C7: a search for each relation of an import would take the square of their number."""
    count = 30_000
    chain = [(number, number + 1) for number in range(1, count)]
    capsules = tasks(*range(1, count + 1))
    assert cycle_closed_by(chain, standing_of(capsules, blocks(*chain))) is None
    ring = [*chain, (count, 1)]
    assert cycle_closed_by(ring, standing_of(capsules, blocks(*ring))) == tuple(range(1, count + 1))
