"""What may be captured (C1, C2, C4, C10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memories.engine.drafts import CapsuleDraft, read_capture, relation_of
from memories.engine.relations import Relation, RelationKind
from memories.errors import InvalidInput
from tests.unit.capsule_rows import NOW, TASK

LEAST = {"content": "wire it", "kind": "task", "project_id": "nott"}


def faults(**changes: object) -> dict[str, list[str]]:
    with pytest.raises(InvalidInput) as caught:
        read_capture({**LEAST, **changes}, now=NOW)
    return caught.value.errors


def test_the_least_capture_and_its_defaults() -> None:
    """C1"""
    assert read_capture(LEAST, now=NOW) == CapsuleDraft("wire it", TASK, "nott", NOW, None, 0.6, "agent", False, ())
    nulls = dict.fromkeys(["confidence", "valid_from", "valid_to", "source", "blocks"])
    assert read_capture({**LEAST, **nulls}, now=NOW) == read_capture(LEAST, now=NOW)


def test_a_full_capture() -> None:
    """C1, C10"""
    draft = read_capture({
        **LEAST, "confidence": 1, "valid_from": "2026-11-30T09:15:00+01:00", "valid_to": "2027-01-01T00:00:00Z",
        "source": " ci ", "blocked_by": ["cap-2", "cap-1", "cap-2"], "supersedes": ["cap-3"],
    }, now=NOW + timedelta(1))  # fmt: skip
    assert draft.confidence == 1.0
    assert draft.valid_from == NOW
    assert draft.valid_to == datetime(2027, 1, 1, tzinfo=UTC)
    assert draft.source == "ci"
    assert draft.links == (("supersedes", "cap-3"), ("blocked_by", "cap-2"), ("blocked_by", "cap-1"))


@pytest.mark.parametrize("content", [None, "", " \n", "\u200b", 5, "a\x00b", "\ud800", "x" * 20_001])
def test_content(content: object) -> None:
    """C1"""
    assert list(faults(content=content)) == ["content"]


def test_content_may_be_long() -> None:
    """C1"""
    assert read_capture({**LEAST, "content": "日" * 20_000}, now=NOW).content == "日" * 20_000


@pytest.mark.parametrize("kind", [None, "rule", "Task", 1, ""])
def test_the_kind_is_required_and_from_the_list(kind: object) -> None:
    """C2"""
    assert "failure_pattern" in faults(kind=kind)["kind"][0]


@pytest.mark.parametrize("project", [None, "", "nott/", "a//b"])
def test_the_project_is_required_and_a_name(project: object) -> None:
    """C4"""
    assert list(faults(project_id=project)) == ["project_id"]


@pytest.mark.parametrize("confidence", [-0.1, 1.1, "0.5", True, float("nan"), float("inf"), []])
def test_confidence(confidence: object) -> None:
    """C1"""
    assert list(faults(confidence=confidence)) == ["confidence"]


@pytest.mark.parametrize(
    "moment",
    [
        *("2026-11-30T08:15:00", "2026-02-30", "2026-W49-1", "20261130", "2026-11-30T25:00:00Z", "soon", 5, ""),
        *("0001-01-01T00:00:00+14:00", NOW.replace(tzinfo=None)),
    ],
)
def test_times_need_a_zone(moment: object) -> None:
    """C1"""
    assert list(faults(valid_from=moment)) == ["valid_from"]


def test_a_date_is_its_whole_day() -> None:
    """C1: valid from its beginning, valid to its end, in UTC."""
    draft = read_capture({**LEAST, "valid_from": "2026-11-30", "valid_to": "2026-11-30"}, now=NOW)
    assert draft.valid_from.isoformat() == "2026-11-30T00:00:00+00:00"
    assert draft.valid_to is not None
    assert draft.valid_to.isoformat() == "2026-11-30T23:59:59.999999+00:00"


@pytest.mark.parametrize("tainted", [True, False, None])
def test_who_captures_says_whether_it_is_tainted(tainted: object) -> None:
    """C1, C53"""
    assert read_capture({**LEAST, "tainted": tainted}, now=NOW).tainted is bool(tainted)
    assert list(faults(tainted="yes")) == ["tainted"]


def test_valid_to_is_not_before_valid_from() -> None:
    """C1"""
    past = (NOW - timedelta(seconds=1)).isoformat()
    assert "now when left out" in faults(valid_to=past)["valid_to"][0]
    assert read_capture({**LEAST, "valid_from": past, "valid_to": past}, now=NOW).valid_to is not None
    assert read_capture({**LEAST, "valid_to": NOW}, now=NOW).valid_to == NOW
    assert list(faults(valid_from=NOW, valid_to=NOW.astimezone(timezone(timedelta(hours=2))) - timedelta(1))) == [
        "valid_to"]  # fmt: skip


@pytest.mark.parametrize("ids", ["cap-1", [1], {"a": 1}, [None], ["\ud800"]])
def test_relations_are_lists_of_ids(ids: object) -> None:
    """C10"""
    assert list(faults(blocks=ids)) == ["blocks"]


def test_unknown_fields_are_refused_and_all_faults_told() -> None:
    """C1, C18"""
    assert set(faults(content="", tier="archived", kind="x")) == {"content", "tier", "kind"}


@pytest.mark.parametrize("source", ["", "a\nb", 3, "x" * 201])
def test_source(source: object) -> None:
    """C1"""
    assert list(faults(source=source)) == ["source"]


@pytest.mark.parametrize("values", [None, [], "text", 5])
def test_a_capture_is_an_object(values: object) -> None:
    """C1"""
    with pytest.raises(InvalidInput, match="is an object"):
        read_capture(values, now=NOW)


def test_which_way_a_relation_goes() -> None:
    """C5, C10"""
    assert relation_of("blocks", 9, 1) == Relation(RelationKind.BLOCKS, 9, 1)
    assert relation_of("blocked_by", 9, 1) == Relation(RelationKind.BLOCKS, 1, 9)
    assert relation_of("supersedes", 9, 1) == Relation(RelationKind.SUPERSEDES, 9, 1)
    assert relation_of("proves", 9, 1) == Relation(RelationKind.PROVES, 9, 1)
    assert relation_of("derived_from", 9, 1) == Relation(RelationKind.DERIVED_FROM, 9, 1)


def test_what_is_missing_and_what_is_nearly_right_is_told_apart() -> None:
    """C1, C2"""
    found = faults(kind="rule", project_id=None, supercedes=["cap-1"], text="x")
    assert found["kind"][0].startswith("'rule' is no kind. A capsule needs a kind: one of constraint, ")
    assert found["project_id"][0].startswith("A capsule needs a project_id")
    assert found["supercedes"] == ["A capsule has no field 'supercedes'. Did you mean supersedes?"]
    assert "It has content, kind, project_id" in found["text"][0]
