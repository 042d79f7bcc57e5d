"""Capsules that are captured and related at the same instant: one capsule a content, never a loop of supersedes."""

from __future__ import annotations

import pytest
from django.db import IntegrityError

from memories.engine.actor import Actor
from memories.engine.relations import Relation, RelationKind, find_supersedes_loop
from memories.errors import RelationCycle
from memories.models import Capsule, CapsuleRelation, Event
from memories.services import capsules
from tests.concurrency.crowd import A_LONG_TIME, at_once, errors, meet_at, take_the_lock_away

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 6


def capture(actor: Actor, content: str) -> capsules.Captured:
    values = {"kind": "fact", "content": content, "project_id": "nott"}
    return capsules.capture(actor, values=values)[0]


def closes_a_loop() -> bool:
    stored = CapsuleRelation.objects.values_list("kind", "source_number", "target_number")
    return find_supersedes_loop((), (Relation(RelationKind(kind), *ends) for kind, *ends in stored)) is not None


def three_in_a_ring(actor: Actor) -> list[object]:
    """Each of three relations is right alone; all three together are a loop."""
    for text in ("one", "two", "three"):
        capture(actor, text)
    numbers = [capsule.number for capsule in Capsule.objects.order_by("number")]
    pairs = zip(numbers, [*numbers[1:], numbers[0]], strict=True)
    return at_once([
        lambda s=source, t=target: capsules.relate(actor, kind="supersedes", source=f"cap-{s}", target=f"cap-{t}")
        for source, target in pairs
    ])  # fmt: skip


def test_c9_the_same_content_at_once_is_one_capsule(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = meet_at(monkeypatch, capsules, "place_drafts", parties=WRITERS)
    results = at_once([lambda: capture(actor, "the quay is long")] * WRITERS)
    assert errors(results) == []
    assert meeting.met == 0
    assert sorted(one.duplicate for one in results) == [False] + [True] * (WRITERS - 1)
    assert {one.capsule.number for one in results} == {1}
    assert Capsule.objects.count() == 1
    assert Event.objects.filter(verb="capsule.captured").count() == 1


def test_c9_control_without_the_lock_a_capture_fails(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = meet_at(monkeypatch, capsules, "place_drafts", parties=WRITERS, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    results = at_once([lambda: capture(actor, "the quay is long")] * WRITERS)
    assert meeting.met == WRITERS
    assert {type(error) for error in errors(results)} == {IntegrityError}
    assert len(errors(results)) == WRITERS - 1


def test_different_contents_at_once_get_numbers_without_a_gap(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meet_at(monkeypatch, capsules, "place_drafts", parties=WRITERS)
    results = at_once([lambda n=n: capture(actor, f"quay {n}") for n in range(WRITERS)])
    assert errors(results) == []
    assert sorted(one.capsule.number for one in results) == list(range(1, WRITERS + 1))


def test_c7_relations_at_once_never_close_a_loop_together(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = meet_at(monkeypatch, capsules, "join_relations", parties=3)
    results = three_in_a_ring(actor)
    assert meeting.met == 0
    assert [type(error) for error in errors(results)] == [RelationCycle]
    assert CapsuleRelation.objects.count() == 2
    assert not closes_a_loop()


def test_c7_control_without_the_lock_the_loop_is_closed(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as unlocked:
        meeting = meet_at(unlocked, capsules, "join_relations", parties=3, patience=A_LONG_TIME)
        take_the_lock_away(unlocked)
        results = three_in_a_ring(actor)
    assert errors(results) == []
    assert meeting.met == 3
    assert closes_a_loop()


def test_c5_the_same_relation_at_once_is_one(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    capture(actor, "one")
    capture(actor, "two")
    meet_at(monkeypatch, capsules, "join_relations", parties=4)
    results = at_once([lambda: capsules.relate(actor, kind="blocks", source="cap-1", target="cap-2")] * 4)
    assert errors(results) == []
    assert CapsuleRelation.objects.count() == 1
    assert Event.objects.filter(verb="capsule.related").count() == 1


def test_c6_the_same_forgetting_at_once_keeps_one_reason(actor: Actor) -> None:
    capture(actor, "one")
    results = at_once([lambda n=n: capsules.forget(actor, number=1, reason=f"reason {n}") for n in range(4)])
    assert errors(results) == []
    assert Event.objects.filter(verb="capsule.forgotten").count() == 1
    kept = Capsule.objects.get().forgotten_reason
    assert {capsule.forgotten_reason for capsule, _ in results} == {kept}
