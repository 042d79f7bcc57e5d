"""The tools about capsules, from the first finding to the pack (C54 to C59)."""

from __future__ import annotations

import json

import pytest

LABELS = {"label": "ADVISORY_NOT_AUTHORITY", "framing": "DATA"}


@pytest.fixture
def project(mcp):
    """F0, the worked example of the contract."""
    for kind, content, more in (
        ("constraint", "never force-push main", {"confidence": 0.9}),
        ("constraint", "never skip the backup step", {"confidence": 0.5}),
        ("decision", "we picked sqlite for the local store", {}),
        ("failure_pattern", "runner tmp quota makes cargo exit 1 silently", {}),
        ("task", "wire the projection", {}),
        ("task", "publish the surface", {"blocked_by": ["cap-5"]}),
    ):
        mcp.told("memory_capture", {"kind": kind, "content": content, "project_id": "nott", **more})
    return mcp


def test_c17_the_pack_of_the_worked_example_comes_in_its_order(project):
    result = project.call("memory_bootstrap", {"project_id": "nott"})
    text = result["content"][0]["text"]
    assert list(json.loads(text)) == [
        *("label", "framing", "scope", "constraints", "constraints_total", "ready", "decisions", "decisions_total"),
        *("traps", "traps_total", "handles", "budget"),
    ]
    pack = result["structuredContent"]
    assert pack["handles"] == ["cap-1", "cap-2", "cap-5", "cap-3", "cap-4"]
    assert len(text) <= pack["budget"]["used_tokens"] * 4
    assert project.told("memory_bootstrap")["scope"] == {}
    refused = project.refused("memory_bootstrap", {"intent": "x", "token_budget": -1})
    assert set(refused["errors"]) == {"intent", "token_budget"}


def test_c9_c10_capture_answers_the_capsule_and_what_it_did(project):
    again = project.told("memory_capture", {"kind": "task", "content": "wire the projection", "project_id": "nott"})
    assert (again["id"], again["duplicate"]) == ("cap-5", True)
    new = {"kind": "task", "content": "wire it anew", "project_id": "nott", "supersedes": ["cap-5"]}
    made = project.told("memory_capture", new)
    assert (made["id"], made["duplicate"]) == ("cap-7", False)
    assert made["freed"] == [{"kind": "blocks", "from": "cap-5", "to": "cap-6"}]
    assert {name: made[name] for name in LABELS} == LABELS


def test_c7_relations_tell_of_loops(project):
    loop = project.told("memory_relate", {"kind": "blocks", "from": "cap-6", "to": "cap-5"})
    assert loop["cycle"] == ["cap-5", "cap-6"]
    project.told("memory_relate", {"kind": "supersedes", "from": "cap-2", "to": "cap-1"})
    refused = project.refused("memory_relate", {"kind": "supersedes", "from": "cap-1", "to": "cap-2"})
    assert refused["code"] == "relation_cycle"
    assert refused["data"]["path"]
    assert set(project.refused("memory_relate")["errors"]) == {"kind", "from", "to"}


def test_c54_c58_retrieve_follows_aliases(project):
    assert project.told("memory_retrieve", {"terms": ["database"]})["missing"] is True
    assert project.told("memory_alias", {"term": "Database", "alias": "sqlite"})["alias"] == "sqlite"
    found = project.told("memory_retrieve", {"terms": ["database"]})
    assert [row["id"] for row in found["results"]] == ["cap-3"]
    aliases = project.told("memory_alias")
    assert (aliases["results"], aliases["total"]) == ([{"term": "database", "alias": "sqlite"}], 1)
    assert project.refused("memory_retrieve")["code"] == "invalid_input"


def test_c55_c56_digest_and_list(project):
    digest = project.told("memory_digest", {"project_prefix": "nott"})
    assert (digest["total"], digest["ready"]["ready_total"], digest["ready"]["blocked_total"]) == (6, 1, 1)
    page = project.told("memory_list", {"kind": "task", "limit": 1})
    assert ([row["id"] for row in page["results"]], page["total"], page["next"]) == (["cap-6"], 2, "cap-6")
    earlier = project.told("memory_list", {"kind": "task", "limit": 1, "cursor": page["next"]})
    assert [row["id"] for row in earlier["results"]] == ["cap-5"]


def test_c3_c6_c57_one_whole_through_its_life(project):
    assert project.told("memory_tier", {"id": "cap-5", "tier": "archived"})["tier"] == "archived"
    whole = project.told("memory_get", {"id": "cap-5"})
    assert (whole["content"], whole["confidence"]) == ("wire the projection", 0.6)
    assert [(one["kind"], one["from"], one["to"]) for one in whole["relations"]] == [("blocks", "cap-5", "cap-6")]
    assert [(one["from"], one["to"]) for one in whole["tiers"]] == [("active", "archived")]
    gone = project.told("memory_forget", {"id": "cap-5", "reason": "a mistake"})
    assert (gone["forgotten"], gone["reason"]) == (True, "a mistake")
    assert gone["freed"] == [{"kind": "blocks", "from": "cap-5", "to": "cap-6"}]
    tombstone = project.told("memory_get", {"id": "cap-5"})
    assert "content" not in tombstone
    assert tombstone["reason"] == "a mistake"


@pytest.mark.parametrize(
    ("tool", "more"), [("memory_get", {}), ("memory_tier", {"tier": "archived"}), ("memory_forget", {"reason": "x"})]
)
def test_c57_unknown_and_foreign_capsules_look_alike(project, other_mcp, tool, more):
    foreign = other_mcp.refused(tool, {"id": "cap-5", **more})
    assert foreign["code"] == "not_found"
    assert project.refused(tool, {"id": "cap-99", **more})["code"] == "not_found"
    for wrong in ({"id": "5"}, {"id": 5}, {}):
        assert project.refused(tool, {**wrong, **more})["errors"].keys() == {"id"}
