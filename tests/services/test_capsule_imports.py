"""Imports of capsules at the level of the services, on the database of the run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.engine.actor import Actor
from memories.engine.capsule_imports import Outcome
from memories.errors import InvalidInput, NotFound, NotPermitted, RelationCycle
from memories.models import Capsule, CapsuleRelation, Event, TierChange
from memories.selectors import capsules as reading
from memories.services import capsule_imports, capsules
from tests import factories

pytestmark = pytest.mark.django_db

GRAPH = (
    {"id": "old", "kind": "decision", "content": "two canaries"},
    {"id": "new", "kind": "decision", "content": "one canary", "supersedes": ["old"]},
    {"id": "tag", "kind": "task", "content": "tag it"},
    {"id": "move", "kind": "task", "content": "move it", "blocked_by": ["tag"]},
    {"kind": "fact", "content": "it is tagged", "proves": ["tag"]},
)
RECORDS = {
    "0001-mysql.md": b"# 1. Use MySQL\n\nDate: 2024-02-12\n\n## Status\n\nAccepted\n\n## Context\n\nWe know it.\n",
    "0002-pages.md": b"# 2. Pages from the server\n\n## Status\n\nRejected\n",
}
LATER = {
    "0001-mysql.md": RECORDS["0001-mysql.md"].replace(b"Accepted", b"Superseded by ADR-3"),
    "0003-postgresql.md": b"# 3. Use PostgreSQL\n\n## Status\n\nAccepted\n\nSupersedes ADR-1\n",
}


def lines(*objects: dict[str, Any]) -> dict[str, bytes]:
    return {"atlas.jsonl": "\n".join(map(json.dumps, objects)).encode()}


def bring(actor: Actor, files: dict[str, bytes], project_id: str | None = "atlas") -> Outcome:
    return capsule_imports.apply(actor, files=files, project_id=project_id)


def counts(outcome: Outcome) -> tuple[int, int, int, int]:
    return outcome.new, outcome.same, outcome.relations_new, outcome.relations_same


def everything() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Capsule, CapsuleRelation, TierChange, Event))


def test_c10_a_file_becomes_capsules_with_their_relations(actor: Actor) -> None:
    outcome = bring(actor, lines(*GRAPH))
    assert counts(outcome) == (5, 0, 3, 0)
    assert [(one.name, one.number) for one in outcome.capsules] == [
        ("old", 1), ("new", 2), ("tag", 3), ("move", 4), ("line 5", 5)]  # fmt: skip
    assert set(CapsuleRelation.objects.values_list("kind", "source_number", "target_number")) == {
        ("supersedes", 2, 1), ("blocks", 3, 4), ("proves", 5, 3)}  # fmt: skip
    assert set(Capsule.objects.values_list("source", flat=True)) == {"import"}
    assert reading.bootstrap(actor, arguments={}).to_wire()["ready"] == {
        "next_action": {"id": "cap-4", "headline": "move it", "project_id": "atlas", "kind": "task"},
        "ready": [],
        "ready_total": 1,
    }


def test_c9_running_it_again_adds_nothing_and_records_no_event(actor: Actor) -> None:
    bring(actor, lines(*GRAPH))
    before = everything()
    outcome = bring(actor, lines(*GRAPH))
    assert counts(outcome) == (0, 5, 0, 3)
    assert everything() == before
    assert outcome.freed == ()


def test_c9_duplicates_are_found_per_project_and_inside_the_file(actor: Actor, other_actor: Actor) -> None:
    captured, _ = capsules.capture(actor, values={"kind": "fact", "content": "it is tagged", "project_id": "atlas"})
    capsules.capture(other_actor, values={"kind": "decision", "content": "one canary", "project_id": "atlas"})
    twice = bring(actor, lines(*GRAPH, {"kind": "task", "content": "tag it"}))
    assert counts(twice) == (4, 2, 3, 0)
    assert captured.capsule.number in {one.number for one in twice.capsules if not one.new}
    assert counts(bring(actor, lines(*GRAPH), "elsewhere")) == (5, 0, 3, 0)


def test_c9_what_was_forgotten_is_not_there(actor: Actor) -> None:
    bring(actor, lines(*GRAPH))
    capsules.forget(actor, number=2, reason="wrong")
    assert counts(bring(actor, lines(*GRAPH))) == (1, 4, 1, 2)


def test_c1_a_record_superseded_since_gives_only_the_relation_and_the_new_one(actor: Actor) -> None:
    first = bring(actor, RECORDS)
    assert counts(first) == (1, 0, 0, 0)
    assert first.left_out == (("0002-pages.md", "its status is rejected"),)
    assert counts(bring(actor, LATER)) == (1, 1, 1, 0)
    pack = reading.bootstrap(actor, arguments={"project_id": "atlas"}).to_wire()
    assert pack["decisions"] == [{"id": "cap-2", "headline": "Use PostgreSQL"}]


def test_c8_an_import_names_what_it_frees(actor: Actor) -> None:
    bring(actor, lines(*GRAPH[2:4]))
    outcome = bring(actor, lines({"kind": "reference", "content": "the new plan", "supersedes": ["cap-1"]}))
    assert [one.to_wire() for one in outcome.freed] == [{"kind": "blocks", "from": "cap-1", "to": "cap-2"}]


@pytest.mark.parametrize("act", [capsule_imports.plan, capsule_imports.apply])
def test_c7_a_loop_through_stored_capsules_is_refused_or_named(actor: Actor, act: Any) -> None:
    bring(actor, lines(*GRAPH))
    before = everything()
    with pytest.raises(RelationCycle):
        act(actor, files=lines({"id": "x", "content": "two canaries", "kind": "decision", "supersedes": ["cap-2"]}),
            project_id="atlas")  # fmt: skip
    assert everything() == before
    both_ways = lines({"id": "x", "kind": "task", "content": "sign", "blocks": ["cap-4"], "blocked_by": ["cap-4"]})
    outcome = act(actor, files=both_ways, project_id="atlas")
    assert outcome.cycle == ("cap-4", "x" if act is capsule_imports.plan else "cap-6")


def test_c10_a_fault_anywhere_writes_nothing(actor: Actor) -> None:
    before = everything()
    with pytest.raises(InvalidInput) as caught:
        bring(actor, lines(*GRAPH, {"kind": "chore", "content": "x"}))
    assert list(caught.value.errors) == ["lines.6.kind"]
    with pytest.raises(NotFound, match="cap-99"):
        bring(actor, lines(*GRAPH, {"kind": "task", "content": "x", "blocks": ["cap-99"]}))
    assert everything() == before


def test_a_plan_tells_what_apply_does_and_writes_nothing(actor: Actor) -> None:
    bring(actor, lines(*GRAPH[:2]))
    before = everything()
    planned = capsule_imports.plan(actor, files=lines(*GRAPH), project_id="atlas")
    assert everything() == before
    assert [(one.name, one.number) for one in planned.capsules] == [
        ("old", 1), ("new", 2), ("tag", None), ("move", None), ("line 5", None)]  # fmt: skip
    assert counts(planned) == counts(bring(actor, lines(*GRAPH))) == (3, 2, 2, 1)


def test_a_plan_needs_to_read_and_an_import_to_write(actor: Actor) -> None:
    reader = factories.without(actor, *(scope for scope in actor.scopes if scope != "read"))
    assert counts(capsule_imports.plan(reader, files=lines(*GRAPH), project_id="atlas")) == (5, 0, 3, 0)
    with pytest.raises(NotPermitted):
        bring(reader, lines(*GRAPH))


def test_more_lines_than_a_statement_takes_parameters(actor: Actor) -> None:
    """C42: a chain longer than any portion; twice, so that all are looked for."""
    chain = [
        {"id": f"s{n}", "kind": "task", "content": f"step {n}", "blocks": [f"s{n + 1}"] if n < 1_199 else []}
        for n in range(1_200)
    ]
    assert counts(bring(actor, lines(*chain))) == (1_200, 0, 1_199, 0)
    assert counts(bring(actor, lines(*chain))) == (0, 1_200, 0, 1_199)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.txt": b"x"}, "JSON Lines"),
        ({"a.jsonl": b"{}", "b.jsonl": b"{}"}, "JSON Lines"),
        ({"a.jsonl": b'{"kind":"fact"}\n\xff'}, "Line 2 is not UTF-8"),
        ({"0001-a.md": b"# A"}, "--project"),
        ({}, "--project"),
    ],
)
def test_files_of_another_form_are_told_which_forms_there_are(actor: Actor, files: dict[str, bytes], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        bring(actor, files, None)


def test_too_many_bytes_are_refused_before_they_are_read(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.engine.capsule_imports.CAPSULE_IMPORT_MAX_BYTES", 10)
    with pytest.raises(InvalidInput, match="at most 10 bytes"):
        bring(actor, lines(*GRAPH))
