"""Plans for importing capsules (C5, C7, C9, C10)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from memories.engine.adr import Plan, PlannedRelation, plan_json_lines, plan_records
from memories.engine.relations import RelationKind
from memories.errors import InvalidInput
from tests.unit.capsule_rows import DECISION, NOW

BLOCKS, SUPERSEDES = RelationKind.BLOCKS, RelationKind.SUPERSEDES


def lines(*objects: dict) -> str:
    return "\n".join(json.dumps({"kind": "task", "project_id": "nott", "content": f"text {n}", **o})
                     for n, o in enumerate(objects))  # fmt: skip


def plan(text: str, **options) -> Plan:  # type: ignore[no-untyped-def]
    return plan_json_lines(text, now=NOW, **options)


def faults(text: str) -> dict[str, list[str]]:
    with pytest.raises(InvalidInput) as caught:
        plan(text)
    return caught.value.errors


def test_lines_with_local_ids() -> None:
    """C10"""
    found = plan(lines({"id": "a1", "blocks": ["a2", "cap-7"]}, {"id": "a2"}, {"blocked_by": ["a2"]}))
    assert [capsule.name for capsule in found.capsules] == ["a1", "a2", "line 3"]
    assert found.relations == (
        PlannedRelation(BLOCKS, "a1", "a2"),
        PlannedRelation(BLOCKS, "a1", "cap-7"),
        PlannedRelation(BLOCKS, "a2", "line 3"),
    )
    assert found.stored_ids() == ("cap-7",)
    assert found.capsules[0].draft.source == "import"
    assert found.summary() == ["3 capsules: 3 task", "3 relations: 3 blocks", "related to stored capsules: cap-7"]


def test_a_local_id_goes_before_a_stored_one() -> None:
    """C10"""
    found = plan(lines({"id": "cap-1", "blocks": ["cap-2"]}, {"id": "cap-2"}))
    assert found.stored_ids() == ()


def test_the_same_relation_from_both_ends_is_one() -> None:
    """C5"""
    assert len(plan(lines({"id": "a", "blocks": ["b"]}, {"id": "b", "blocked_by": ["a"]})).relations) == 1


def test_blank_lines_marks_and_line_separators() -> None:
    """C10: only line feeds end a line."""
    text = "\ufeff\n" + json.dumps({"kind": "fact", "content": "a\u2028b"}, ensure_ascii=False) + "\r\n\r\n"
    found = plan(text, project_id="nott")
    assert [c.draft.content for c in found.capsules] == ["a\u2028b"]
    assert found.capsules[0].draft.project_id == "nott"
    assert found.capsules[0].origin == "lines.2"


def test_every_fault_is_told_by_line() -> None:
    """C10: all or nothing."""
    text = lines({}, {"kind": "x", "content": ""}, {"blocks": ["nobody"]}, {"id": 5}, {"id": "d"}, {"id": "d"},
                 {"id": "me", "blocks": ["me"]}, {"tier": "archived"})  # fmt: skip
    assert set(faults(text + "\n{\n[1]\n" + "[" * 100_000)) == {
        "lines.2.kind", "lines.2.content", "lines.3.blocks", "lines.4.id", "lines.6.id", "lines.7.blocks",
        "lines.8.tier", "lines.9", "lines.10", "lines.11"}  # fmt: skip


def test_a_line_is_read_as_strictly_as_a_request() -> None:
    """C10: a name that stands twice and a number that is none could mean two things."""
    twice = '{"kind": "fact", "project_id": "nott", "content": "a", "content": "b"}'
    no_number = '{"kind": "fact", "project_id": "nott", "content": "a", "confidence": NaN}'
    told = faults(f"{twice}\n{no_number}")
    assert told == {
        "lines.1": ["This line is not valid JSON: “content” stands twice in one object."],
        "lines.2": ["This line is not valid JSON: NaN is no number of JSON."],
    }


def test_an_empty_text_is_a_fault() -> None:
    """C10"""
    assert list(faults(" \n")) == ["lines"]


def test_a_supersedes_loop_is_refused() -> None:
    """C7"""
    text = lines({"id": "a", "supersedes": ["b"]}, {"id": "b", "supersedes": ["c"]}, {"id": "c", "supersedes": ["a"]})
    assert faults(text) == {"lines.3.supersedes": ["This closes a loop of supersedes: c → a → b → c."]}


def test_a_blocks_loop_is_named_and_not_refused() -> None:
    """C7"""
    found = plan(lines({"id": "a", "blocks": ["b"]}, {"id": "b", "blocks": ["a"]}))
    assert found.cycle == ("a", "b")
    assert "these block each other in a circle: a → b → a" in found.summary()


def test_two_lines_that_are_one_capsule_have_no_relation() -> None:
    """C5, C9"""
    text = lines({"id": "a", "content": "same"}, {"id": "b", "content": "same", "blocks": ["a"]})
    assert "same content" in faults(text)["lines.2.blocks"][0]
    elsewhere = lines({"id": "a", "content": "same"},
                      {"id": "b", "content": "same", "project_id": "other", "blocks": ["a"]})  # fmt: skip
    assert len(plan(elsewhere).relations) == 1


def test_a_loop_through_two_lines_that_are_one_capsule() -> None:
    """C7, C9"""
    text = lines({"id": "a", "content": "same", "supersedes": ["c"]}, {"id": "b", "content": "same"},
                 {"id": "c", "supersedes": ["b"]})  # fmt: skip
    assert list(faults(text)) == ["lines.3.supersedes"]


RECORDS = {
    "doc/0001-record-decisions.md": (
        "# 1. Record decisions\n\nDate: 2016-02-12\n\n## Status\n\nAccepted\n\n## Context\n\nWe need it.\n"
    ),
    "doc/0002-use-mysql.md": (
        "# 2. Use MySQL\n\n## Status\n\nSuperceded by [3. Use PostgreSQL](0003-use-postgresql.md)\n\n## Decision\nx\n"
    ),
    "doc/0003-use-postgresql.md": (
        "---\nstatus: accepted\ndate: 2024-05-06\n---\n# Use PostgreSQL\n\nSupersedes ADR-0002 and 4\n"
    ),
    "doc/0004-use-files.md": (
        "# ADR-0004: Use files\n\n* Status: superseded by ADR-0003\n* Date: 2020-01-02\n\nText.\n"
    ),
    "doc/0005-rewrite.md": "# 5. Rewrite it\n\n## Status\n\nRejected\n",
}


def records(files: dict[str, str]) -> Plan:
    return plan_records(files, now=NOW, project_id="nott")


def record_faults(files: dict[str, str]) -> dict[str, list[str]]:
    with pytest.raises(InvalidInput) as caught:
        records(files)
    return caught.value.errors


def test_decision_records_become_decisions() -> None:
    """C2, C5, C12"""
    found = records(RECORDS)
    heads = [(c.draft.content.split("\n")[0], c.draft.valid_from) for c in found.capsules]
    assert heads == [
        ("Record decisions", datetime(2016, 2, 12, tzinfo=UTC)),
        ("Use MySQL", NOW),
        ("Use PostgreSQL", datetime(2024, 5, 6, tzinfo=UTC)),
        ("Use files", datetime(2020, 1, 2, tzinfo=UTC)),
    ]
    assert {c.draft.kind for c in found.capsules} == {DECISION}
    assert "We need it." in found.capsules[0].draft.content
    assert found.relations == (
        PlannedRelation(SUPERSEDES, "doc/0003-use-postgresql.md", "doc/0002-use-mysql.md"),
        PlannedRelation(SUPERSEDES, "doc/0003-use-postgresql.md", "doc/0004-use-files.md"),
    )
    assert found.left_out == (("doc/0005-rewrite.md", "its status is rejected"),)
    assert found.summary() == [
        "4 capsules: 4 decision",
        "2 relations: 2 supersedes",
        "left out: doc/0005-rewrite.md: its status is rejected",
    ]


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        ("## Status\nAccepted", True),
        ("", True),
        ("**Status:** Approved", True),
        ("- Status: Proposed", False),
        ("## Status\n\nDeprecated\n", False),
        ("Status: draft", False),
        ("Status: superseded", False),
    ],
)
def test_only_what_was_decided_is_imported(status: str, kept: bool) -> None:
    """C2: nothing is dropped without a reason."""
    found = records({"0001-a.md": f"# A\n\n{status}\n\n## Context\nThis was proposed and rejected before.\n"})
    assert len(found.capsules) == kept
    assert len(found.left_out) == (not kept)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## Status\n\nAccepted\n\n", "## Status\n\nSuperseded by [2. B](2-b.md)\n\n"),
        ("* Status: accepted\n* Date: 2020-01-02\n\n", "* Status: superseded by ADR-2\n* Date: 2020-01-02\n\n"),
        ("", "Superseded by ADR-2\n\n"),
        ("**Status:** accepted\n", ""),
    ],
)
def test_a_record_whose_status_changed_is_the_same_capsule(before: str, after: str) -> None:
    """C1, C9: the decision is the same, only a relation is new."""
    contents = [
        records({"1-a.md": f"# A\n\n{status}## Context\n\nText.\n", "2-b.md": "# B\n"}).capsules[0].draft.content
        for status in (before, after)
    ]
    assert contents[0] == contents[1]
    assert "Text." in contents[0]


def test_front_matter_names_the_successor() -> None:
    """C5"""
    found = records({"1-a.md": "---\nsuperseded-by: ADR-2\n---\n# A", "2-b.md": "# B"})
    assert found.relations == (PlannedRelation(SUPERSEDES, "2-b.md", "1-a.md"),)


def test_what_a_record_only_talks_about_is_no_relation() -> None:
    """C5"""
    text = "# A\n\n## Status\nAccepted\n\n## Context\n\nThis idea supersedes 9 others, see ADR-12.\n"
    assert records({"1-a.md": text}).relations == ()


def test_a_record_whose_successor_is_not_in_force_is_not_either() -> None:
    """C6"""
    found = records({"1-a.md": "# A\n\nStatus: superseded by 2\n", "2-b.md": "# B\n\nStatus: rejected\n"})
    assert found.capsules == ()
    assert dict(found.left_out)["1-a.md"] == "it is superseded by 2-b.md, which is left out"


@pytest.mark.parametrize(
    ("files", "where", "said"),
    [
        ({"1-a.md": "# A\n\nStatus: superseded by ADR-9\n"}, "1-a.md", "number 9, which is not among"),
        ({"1-a.md": "# A\n\nStatus: superseded by [x](gone.md)\n"}, "1-a.md", "gone.md, which is not among"),
        ({"1-a.md": "no title"}, "1-a.md", "no title"),
        ({"1-a.md": "# A\n\nSupersedes ADR-1\n"}, "1-a.md", "supersedes itself"),
        ({"1-a.md": "# A\n\nSupersedes ADR-2\n", "2-b.md": "# B\n\nSupersedes ADR-1\n"}, "2-b.md", "in a circle"),
        ({"1-a.md": "# A", "1-b.md": "# B", "2-c.md": "# C\n\nSupersedes 1\n"}, "2-c.md", "any of 1-a.md, 1-b.md"),
        ({"1-a.md": "# A\n\n" + "x" * 20_000}, "1-a.md", "20,000 characters"),
        ({}, "files", "no decision record"),
    ],
)
def test_faults_of_records_are_told_by_file(files: dict[str, str], where: str, said: str) -> None:
    """C7, C10: all or nothing."""
    found = record_faults(files)
    assert where in found
    assert any(said in sentence for sentence in found[where])


def test_records_need_a_good_project() -> None:
    """C4"""
    with pytest.raises(InvalidInput, match="empty segment"):
        plan_records(RECORDS, now=NOW, project_id="nott/")
