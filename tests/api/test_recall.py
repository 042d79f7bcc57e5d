"""Recall and help over REST."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.help import TOPICS
from tests import factories
from tests.api.conftest import check_refused


@pytest.fixture
def stored(actor):
    factories.remember(actor, content="The importer broke at chunk seven", tags=("importer",), importance=0.9,
                       occurred_at=datetime(2026, 11, 1, 9, tzinfo=UTC))  # fmt: skip
    factories.remember(actor, content="Lunch with Fivel", occurred_at=datetime(2026, 11, 2, 9, tzinfo=UTC))
    factories.remember(actor, "axiom", "Never restart the importer twice.", category="ops")


def test_hits_are_memories_with_a_score(api, stored):
    answer = api.post("recall", {"query": "why did the importer break at chunk seven?"}).json()
    assert set(answer) == {"results", "scope", "total_matched"}
    assert answer["total_matched"] == 2
    best = answer["results"][0]
    score = best.pop("score")
    assert best.pop("why") == "words: importer, chunk, seven"
    assert best == api.get("memories/mem-1").json()
    assert score > answer["results"][1]["score"] > 0


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        ({"types": ["axiom"]}, ["mem-3"]),
        ({"types": []}, ["mem-1", "mem-3"]),
        ({"tags": ["importer"]}, ["mem-1"]),
        ({"min_importance": 0.9}, ["mem-1"]),
        ({"until": "2026-11-01"}, ["mem-1"]),
        ({"since": "2026-11-02"}, ["mem-3"]),
        ({"limit": 1}, ["mem-1"]),
        ({"limit": None, "types": None, "since": None}, ["mem-1", "mem-3"]),
    ],
)
def test_recall_is_narrowed_and_says_by_what(api, stored, narrowed, expected):
    answer = api.post("recall", {"query": "importer chunk", **narrowed}).json()
    assert sorted(hit["id"] for hit in answer["results"]) == expected
    assert answer["scope"]["query"] == "importer chunk"
    if "until" in narrowed:
        assert answer["scope"]["until"] == "2026-11-01T23:59:59Z"


def test_nothing_found_is_an_answer(api, stored):
    answer = api.post("recall", {"query": "zeppelin"}).json()
    assert (answer["results"], answer["total_matched"], answer["scope"]["words"]) == ([], 0, ["zeppelin"])


@pytest.mark.parametrize(
    "query", ['"', 'importer" OR tenant_id:*', "* NOT x", "a:b(", "'; DROP TABLE x --", "🦊", "%%"]
)
def test_no_query_is_hostile(api, stored, query):
    assert api.post("recall", {"query": query}).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n"}, "query"),
        ({"query": "x" * 1_001}, "query"),
        ({"query": "a\x00b"}, "query"),
        ({"query": "\ud800"}, "query"),
        ({"query": 7}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 51}, "limit"),
        ({"query": "x", "limit": "10"}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "types": ["dream"]}, "types.0"),
        ({"query": "x", "types": "core"}, "types"),
        ({"query": "x", "tags": ["a\x00"]}, "tags.0"),
        ({"query": "x", "min_importance": 2}, "min_importance"),
        ({"query": "x", "min_importance": 10**400}, "min_importance"),
        ({"query": "x", "since": "2026-11-30T08:15"}, "since"),
        ({"query": "x", "k": 5}, "k"),
    ],
)
def test_a_wrong_question_is_refused_by_field(api, body, field):
    check_refused(api.post("recall", body), 400, "invalid_input", field)


def test_help_has_every_topic_and_names_them_when_asked_for_another(api):
    listed = api.get("help").json()["topics"]
    assert [topic["name"] for topic in listed] == [topic.name for topic in TOPICS]
    for topic in listed:
        assert api.get(f"help/{topic['name']}").json() == topic
    problem = check_refused(api.get("help/soup"), 404, "not_found")
    assert "promises" in problem["detail"]
