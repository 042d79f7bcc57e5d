"""Capsules at the level of the services, on the database of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memories.engine.actor import Actor
from memories.errors import InvalidInput, NotFound, NotPermitted, RelationCycle
from memories.models import Capsule, CapsuleRelation, Event, TierChange
from memories.selectors import capsules as reading
from memories.services import capsules
from tests import factories

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).parents[1] / "golden" / "pack-f0.json"


def capture(actor: Actor, kind: str, content: str, project_id: str = "nott", **values: Any) -> Capsule:
    captured, _ = capsules.capture(actor, values={"kind": kind, "content": content, "project_id": project_id, **values})
    return captured.capsule


def worked_example(actor: Actor) -> None:
    capture(actor, "constraint", "never force-push main", confidence=0.9)
    capture(actor, "constraint", "never skip the backup step", confidence=0.5)
    capture(actor, "decision", "we picked sqlite for the local store")
    capture(actor, "failure_pattern", "runner tmp quota makes cargo exit 1 silently")
    capture(actor, "task", "wire the projection")
    capture(actor, "task", "publish the surface", blocked_by=["cap-5"])


def pack(actor: Actor, **arguments: Any) -> dict[str, Any]:
    return reading.bootstrap(actor, arguments=arguments).to_wire()


def test_c35_c43_the_worked_example_is_the_golden_file(actor: Actor) -> None:
    worked_example(actor)
    assert reading.bootstrap(actor, arguments={"project_id": "nott"}).to_json() == GOLDEN.read_text().strip()


@pytest.mark.parametrize("way", ["prove", "supersede", "forget"])
def test_c38_c41_ending_the_blocker_makes_the_next_one_next(actor: Actor, way: str) -> None:
    worked_example(actor)
    if way == "prove":
        capture(actor, "fact", "the projection is wired", proves=["cap-5"])
    elif way == "supersede":
        _, written = capsules.capture(
            actor,
            values={"kind": "reference", "content": "see the new plan", "project_id": "nott", "supersedes": ["cap-5"]},
        )
        assert [one.to_wire() for one in written.freed] == [{"kind": "blocks", "from": "cap-5", "to": "cap-6"}]
    else:
        _, written = capsules.forget(actor, number=5, reason="was a mistake")
        assert [one.to_wire() for one in written.freed] == [{"kind": "blocks", "from": "cap-5", "to": "cap-6"}]
    assert pack(actor, project_id="nott")["ready"]["next_action"]["id"] == "cap-6"


def test_c28_an_archived_constraint_is_neither_listed_nor_counted(actor: Actor) -> None:
    worked_example(actor)
    capture(actor, "constraint", "never on a Friday")
    capsules.set_tier(actor, number=7, tier="archived")
    assert pack(actor, project_id="nott")["constraints_total"] == 2


def test_c3_c57_each_move_between_tiers_is_kept_and_an_event(actor: Actor) -> None:
    capture(actor, "decision", "we chose sqlite")
    for tier in ("archived", "archived", "quarantined", "active"):
        capsules.set_tier(actor, number=1, tier=tier)
    assert list(TierChange.objects.values_list("old", "new")) == [
        ("active", "archived"),
        ("archived", "quarantined"),
        ("quarantined", "active"),
    ]
    assert Event.objects.filter(verb="capsule.tier").count() == 3
    assert len(reading.get_capsule(actor, number=1).tier_changes) == 3


def test_c9_the_same_content_is_one_capsule_per_project(actor: Actor) -> None:
    first = capture(actor, "fact", "the quay is long")
    again, _ = capsules.capture(actor, values={"kind": "fact", "content": "the quay is long", "project_id": "nott"})
    assert again.duplicate
    assert again.capsule.pk == first.pk
    assert capture(actor, "fact", "the quay is long", "other").number == 2
    batch = capsules.capture_many(
        actor, items=[{"kind": "fact", "content": text, "project_id": "b"} for text in ("x", "y", "x")]
    )
    assert [(str(one.capsule), one.duplicate) for one in batch.captured] == [
        ("cap-3", False),
        ("cap-4", False),
        ("cap-3", True),
    ]


def test_c9_a_forgotten_content_may_be_captured_again_as_another(actor: Actor) -> None:
    capture(actor, "fact", "the quay is long")
    capsules.forget(actor, number=1, reason="wrong")
    assert capture(actor, "fact", "the quay is long").number == 2


def test_c10_a_capture_with_an_unknown_link_writes_nothing(actor: Actor) -> None:
    with pytest.raises(NotFound, match="cap-99"):
        capture(actor, "task", "wire it", blocks=["cap-99"])
    assert not Capsule.objects.exists()
    with pytest.raises(InvalidInput, match="cap-12"):
        capture(actor, "task", "wire it", blocks=["task one"])
    assert not Event.objects.filter(verb__startswith="capsule").exists()


def test_c10_a_batch_is_all_or_nothing_and_names_the_place(actor: Actor) -> None:
    items = [
        {"kind": "task", "content": "good", "project_id": "nott"},
        {"kind": "chore", "content": "bad", "project_id": "nott/"},
    ]
    with pytest.raises(InvalidInput) as caught:
        capsules.capture_many(actor, items=items)
    assert set(caught.value.errors) == {"items.1.kind", "items.1.project_id"}
    assert not Capsule.objects.exists()


def test_c7_a_loop_of_supersedes_is_refused_with_its_path(actor: Actor) -> None:
    for text in ("one", "two", "three"):
        capture(actor, "decision", text)
    capsules.relate(actor, kind="supersedes", source="cap-2", target="cap-1")
    capsules.relate(actor, kind="supersedes", source="cap-3", target="cap-2")
    with pytest.raises(RelationCycle) as caught:
        capsules.relate(actor, kind="supersedes", source="cap-1", target="cap-3")
    assert caught.value.data["path"] == ["cap-1", "cap-3", "cap-2", "cap-1"]
    assert CapsuleRelation.objects.count() == 2


def test_c7_c40_a_loop_of_blocks_is_recorded_and_named(actor: Actor) -> None:
    for text in ("one", "two"):
        capture(actor, "task", text)
    capsules.relate(actor, kind="blocks", source="cap-2", target="cap-1")
    _, written = capsules.relate(actor, kind="blocks", source="cap-1", target="cap-2")
    assert written.cycle == (1, 2)
    assert pack(actor)["ready"] == {"ready": [], "ready_total": 0, "cycle": ["cap-1", "cap-2"]}


def test_c5_relations_repeat_harmlessly_and_stay_inside_the_tenant(actor: Actor, other_actor: Actor) -> None:
    capture(actor, "task", "one")
    capture(actor, "task", "two")
    capture(other_actor, "task", "theirs")
    first, _ = capsules.relate(actor, kind="blocks", source="cap-1", target="cap-2")
    again, _ = capsules.relate(actor, kind="blocks", source="cap-1", target="cap-2")
    assert (again.pk, again.created_at) == (first.pk, first.created_at)
    with pytest.raises(InvalidInput, match="itself"):
        capsules.relate(actor, kind="blocks", source="cap-1", target="cap-1")
    with pytest.raises(NotFound):
        capsules.relate(other_actor, kind="blocks", source="cap-1", target="cap-2")


def test_c6_c57_a_tombstone_answers_itself_and_is_listed_nowhere(actor: Actor) -> None:
    capture(actor, "decision", "we chose sqlite")
    capsules.forget(actor, number=1, reason="it was never true")
    whole = reading.get_capsule(actor, number=1)
    assert (whole.capsule.content, whole.capsule.forgotten_reason) == ("", "it was never true")
    assert reading.list_page(actor, arguments={}).to_wire()["total"] == 0
    assert reading.digest(actor, arguments={}).to_wire()["total"] == 0
    with pytest.raises(InvalidInput, match="reason"):
        capsules.forget(actor, number=1, reason=" ")


def test_c52_reading_writes_nothing(actor: Actor, django_assert_num_queries: Any) -> None:
    worked_example(actor)
    events = Event.objects.count()
    for read, queries in ((reading.bootstrap, 5), (reading.digest, 6), (reading.list_page, 3)):
        with django_assert_num_queries(queries) as seen:
            read(actor, arguments={})
        assert all(query["sql"].lstrip("(").startswith("SELECT") for query in seen.captured_queries)
    reading.retrieve(actor, arguments={"terms": ["backup"]})
    assert Event.objects.count() == events


def test_c54_aliases_expand_terms_one_way(actor: Actor) -> None:
    worked_example(actor)
    capsules.alias(actor, term="Safety copy", alias="backup")
    capsules.alias(actor, term="safety  COPY", alias="backup")
    found = reading.retrieve(actor, arguments={"terms": ["safety copy"]}).to_wire()
    assert [row["id"] for row in found["results"]] == ["cap-2"]  # type: ignore[index, union-attr]
    assert found["results"][0]["matched_terms"] == ["alias:safety copy"]  # type: ignore[index]
    assert len(reading.list_aliases(actor)) == 1
    with pytest.raises(InvalidInput):
        capsules.alias(actor, term="!", alias="x")


def test_c24_c25_fences_are_literal_on_this_database(actor: Actor) -> None:
    projects = ["nott", "nott/x", "nott/x/y", "nottx", "nott-old", "Nott", "NOTT/x", "n_tt", "n%", "no%/a", "日本/港"]
    for project in projects:
        capture(actor, "constraint", f"rule of {project}", project)

    def seen(**fence: Any) -> set[str]:
        rows = pack(actor, token_budget=10_000, **fence).get("constraints", [])
        return {row.get("project_id", fence.get("project_id")) for row in rows}

    assert seen(project_prefix="nott") == {"nott", "nott/x", "nott/x/y"}
    assert seen(project_prefix="Nott") == {"Nott"}
    assert seen(project_prefix="n_tt") == {"n_tt"}
    assert seen(project_prefix="n%") == {"n%"}
    assert seen(project_prefix="日本") == {"日本/港"}
    assert seen(project_id="nott/x") == {"nott/x"}
    assert seen(project_id="nott/x", ancestors=True) == {"nott/x", "nott"}
    assert seen(project_id="nottx", project_prefix="nott") == set()
    assert seen(ancestors=True) == set(projects)


def test_c38_a_live_blocker_outside_the_fence_blocks(actor: Actor) -> None:
    capture(actor, "task", "theirs", "other")
    capture(actor, "task", "ours", blocked_by=["cap-1"])
    assert pack(actor, project_id="nott")["ready"] == {"ready": [], "ready_total": 0}
    capsules.forget(actor, number=1, reason="not needed")
    assert pack(actor, project_id="nott")["ready"]["next_action"]["id"] == "cap-2"


def test_writes_need_the_scope(actor: Actor) -> None:
    reader = factories.without(actor, *(scope for scope in actor.scopes if scope != "read"))
    with pytest.raises(NotPermitted):
        capture(reader, "fact", "no")
    with pytest.raises(NotFound):
        reading.get_capsule(reader, number=1)


def test_c50_fifty_nine_constraints_at_the_default_budget(actor: Actor) -> None:
    capsules.capture_many(
        actor,
        items=[
            {"kind": "constraint", "content": f"rule {n:02} ".ljust(100, "x"), "project_id": "nott"} for n in range(59)
        ],
    )
    answer = pack(actor, project_id="nott")
    assert answer["constraints_total"] == 59
    assert len(answer["constraints"]) >= 35
    assert answer["budget"]["used_tokens"] <= 1_500
