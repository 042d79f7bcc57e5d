"""What a page shows beside the list of capsules says the same as the digest that agents get."""

from __future__ import annotations

import pytest

from memories.engine.blocks import State
from memories.selectors import capsules as reading
from memories.selectors.blocks import count_capsules, read_blocks
from memories.services import capsules
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(actor):
    factories.capture(actor, "first", "task")
    factories.capture(actor, "second", "task", blocked_by=["cap-1"])
    factories.capture(actor, "third", "task", project_id="nott/x", blocked_by=["cap-2"])
    factories.capture(actor, "evidence", "fact", proves=["cap-1"], project_id="other")
    factories.capture(actor, "old", "decision")
    factories.capture(actor, "new", "decision", supersedes=["cap-5"], project_id="nott/x")
    factories.capture(actor, "gone", "task")
    capsules.forget(actor, number=7, reason="never needed")


FENCES = ({}, {"project_prefix": "nott"}, {"project_id": "nott/x"}, {"project_id": "nott/x", "ancestors": True})


@pytest.mark.parametrize("fence", FENCES, ids=str)
def test_c55_counts_and_states_are_those_of_the_digest(actor, project, fence):
    digest = reading.digest(actor, arguments=fence)
    counts = count_capsules(actor, arguments=fence)
    blocks = read_blocks(actor, arguments=fence, most=9)
    assert counts.by_kind == digest.by_kind
    assert counts.total == digest.total
    assert counts.by_project == reading.digest(actor, arguments={}).by_project
    assert blocks.ready == tuple(row.number for row in digest.ready.rows)
    for part, states in (
        (digest.ready, (State.NEXT, State.READY)),
        (digest.blocked, (State.BLOCKED,)),
        (digest.done, (State.DONE,)),
    ):
        assert blocks.map.inside(*states)[:10] == tuple(row.number for row in part.rows)
        assert len(blocks.map.inside(*states)) == part.total


def test_c38_the_map_knows_blockers_outside_the_fence(actor, project):
    blocks = read_blocks(actor, arguments={"project_id": "nott/x"}, most=9)
    assert blocks.map.outside == {2}
    assert blocks.rows[2].project_id == "nott"
    assert blocks.map.states[3] is State.BLOCKED


def test_another_tenants_capsules_are_not_counted(actor, other_actor, project):
    assert count_capsules(other_actor, arguments={}).every == 0
    assert read_blocks(other_actor, arguments={}, most=9).part.numbers == ()
