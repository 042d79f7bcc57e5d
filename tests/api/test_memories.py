"""Memories over REST."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from memories.models import Memory, MemoryRevision
from tests import factories
from tests.api.conftest import check_refused

FIELDS = {
    "id", "type", "content", "category", "key", "tags", "importance", "source", "occurred_at", "created_at",
    "updated_at", "archived_at", "version",
}  # fmt: skip
TERMS = {"subject", "predicate", "object", "context"}


def test_a_new_memory_is_created_with_its_address_and_version(api):
    response = api.post(
        "memories",
        {
            "type": "episodic",
            "content": "  kept to the byte \n",
            "tags": [" git ", "git", "deploy"],
            "importance": 1,
            "occurred_at": "2026-11-28T10:15:00+02:00",
        },
    )
    assert (response.status_code, response["ETag"]) == (201, '"1"')
    assert response["Location"] == "http://testserver/api/v1/memories/mem-1"
    body = response.json()
    assert set(body) == FIELDS
    assert body["content"] == "  kept to the byte \n"
    assert body["tags"] == ["git", "deploy"]
    assert body["occurred_at"] == "2026-11-28T08:15:00Z"
    assert (body["importance"], body["source"], body["version"]) == (1.0, "agent", 1)
    assert (body["category"], body["key"], body["archived_at"]) == (None, None, None)
    again = api.get(urlsplit(response["Location"]).path.removeprefix("/api/v1/"))
    assert (again.json(), again["ETag"]) == (body, '"1"')


def test_a_semantic_memory_shows_its_terms(api):
    body = api.post(
        "memories", {"type": "semantic", "subject": "Importer", "predicate": "runs on", "object": "n8"}
    ).json()
    assert set(body) == FIELDS | TERMS
    assert (body["content"], body["context"]) == ("Importer runs on n8", None)


@pytest.mark.parametrize("kind", ["core", "working"])
def test_writing_a_key_again_revises(api, kind):
    place = {"type": kind, "key": "honesty", **({"category": "soul"} if kind == "core" else {})}
    first = api.post("memories", {**place, "content": "I say what I know.", "tags": ["a"]})
    second = api.post("memories", {**place, "content": "I say what I do not know."})
    assert (first.status_code, second.status_code) == (201, 200)
    assert second["ETag"] == '"2"'
    assert "Location" not in second
    assert second.json()["id"] == first.json()["id"]
    assert second.json()["tags"] == ["a"]
    assert MemoryRevision.objects.get().data["content"] == "I say what I know."


def test_null_and_not_given_are_the_same_when_something_is_made(api):
    nothing = dict.fromkeys(("category", "key", "tags", "importance", "occurred_at", "subject"))
    body = api.post("memories", {"type": "episodic", "content": "x", **nothing}).json()
    assert (body["tags"], body["importance"]) == ([], 0.5)


def test_a_batch_is_stored_in_the_order_sent(api):
    items = [{"type": "episodic", "content": f"turn {n}", "occurred_at": f"2026-01-{n:02}"} for n in range(1, 29)]
    response = api.post("memories", {"items": items})
    assert response.status_code == 201
    assert list(response.json()) == ["results"]
    assert [one["content"] for one in response.json()["results"]] == [item["content"] for item in items]
    assert [one["id"] for one in response.json()["results"]] == [f"mem-{n}" for n in range(1, 29)]


def test_a_batch_is_all_or_nothing_and_names_the_place(api):
    good = {"type": "episodic", "content": "good"}
    wrong_type = api.post("memories", {"items": [good, {"type": "episodic", "content": 7}, {"tpye": "core"}]})
    check_refused(wrong_type, 400, "invalid_input", "items.1.content", "items.2.tpye", "items.2.type")
    wrong_rule = api.post("memories", {"items": [good, {"type": "axiom", "content": "x" * 251}]})
    check_refused(wrong_rule, 400, "invalid_input", "items.1.content")
    cap = api.post(
        "memories",
        {
            "items": [
                good,
                *[{"type": "core", "category": "tools", "key": f"{n}", "content": "x" * 2_000} for n in "ab"],
            ]
        },
    )
    check_refused(cap, 409, "category_cap_exceeded", "items.2")
    assert not Memory.objects.exists()


def test_a_batch_of_one_names_the_place_too(api):
    too_much = {"type": "core", "category": "tools", "key": "a", "content": "x" * 2_501}
    check_refused(api.post("memories", {"items": [too_much]}), 409, "category_cap_exceeded", "items.0")
    check_refused(api.post("memories", too_much), 409, "category_cap_exceeded")
    assert not Memory.objects.exists()


def test_a_batch_has_1_to_500_items_and_nothing_beside_them(api):
    item = {"type": "episodic", "content": "x"}
    check_refused(api.post("memories", {"items": []}), 400, "invalid_input", "items")
    check_refused(api.post("memories", {"items": [item] * 501}), 400, "invalid_input", "items")
    check_refused(api.post("memories", {"items": [item], "type": "core"}), 400, "invalid_input", "type")
    check_refused(api.post("memories", {"items": item}), 400, "invalid_input", "items")
    assert api.post("memories", {"items": [item] * 500}).status_code == 201


@pytest.mark.parametrize(
    ("body", "code", "fields"),
    [
        ({}, "invalid_input", ["type"]),
        ({"type": "dream", "content": "x"}, "invalid_input", ["type"]),
        ({"type": "episodic"}, "invalid_input", ["content"]),
        ({"type": "episodic", "content": " \n"}, "invalid_input", ["content"]),
        ({"type": "episodic", "content": "a\x00b"}, "invalid_input", ["content"]),
        ({"type": "episodic", "content": "\udc00"}, "invalid_input", ["content"]),
        ({"type": "episodic", "content": "x" * 32_769}, "content_too_long", ["content"]),
        ({"type": "axiom", "content": "é" * 251}, "axiom_too_long", ["content"]),
        ({"type": "core", "content": "x"}, "invalid_input", ["category", "key"]),
        ({"type": "core", "content": "x", "category": "mood", "key": "k"}, "invalid_input", ["category"]),
        ({"type": "working", "content": "x"}, "invalid_input", ["key"]),
        ({"type": "working", "content": "x", "key": "two\nlines"}, "invalid_input", ["key"]),
        ({"type": "episodic", "content": "x", "key": "k"}, "invalid_input", ["key"]),
        ({"type": "episodic", "content": "x", "subject": "s"}, "invalid_input", ["subject"]),
        ({"type": "semantic", "subject": "s"}, "invalid_input", ["object", "predicate"]),
        ({"type": "episodic", "content": "x", "importance": 1.1}, "invalid_input", ["importance"]),
        ({"type": "episodic", "content": "x", "importance": "0.5"}, "invalid_input", ["importance"]),
        ({"type": "episodic", "content": "x", "importance": True}, "invalid_input", ["importance"]),
        ({"type": "episodic", "content": "x", "tags": "git"}, "invalid_input", ["tags"]),
        ({"type": "episodic", "content": "x", "tags": ["a", 7]}, "invalid_input", ["tags.1"]),
        ({"type": "episodic", "content": "x", "tags": [" "]}, "invalid_input", ["tags"]),
        ({"type": "episodic", "content": "x", "tags": [f"{n}" for n in range(51)]}, "invalid_input", ["tags"]),
        ({"type": "episodic", "content": "x", "occurred_at": "2026-11-30T08:15:00"}, "invalid_input", ["occurred_at"]),
        ({"type": "episodic", "content": "x", "occurred_at": 1764490500}, "invalid_input", ["occurred_at"]),
        (
            {"type": "episodic", "content": "x", "occurred_at": "0001-01-01T00:00:00+10:00"},
            "invalid_input",
            ["occurred_at"],
        ),
        ({"type": "episodic", "content": "x", "source": "human"}, "invalid_input", ["source"]),
        ({"type": "episodic", "content": "x", "tenant": "other", "id": "mem-1"}, "invalid_input", ["id", "tenant"]),
    ],
)
def test_what_is_no_memory_is_refused_by_field(api, body, code, fields):
    check_refused(api.post("memories", body), 400, code, *fields)
    assert not Memory.objects.exists()


def test_a_patch_changes_what_it_names(api):
    api.post("memories", {"type": "working", "key": "importer", "content": "Step 3.", "tags": ["x"]})
    response = api.patch("memories/mem-1", {"content": "Step 4."}, If_Match='"1"')
    assert (response.status_code, response["ETag"]) == (200, '"2"')
    body = response.json()
    assert (body["content"], body["key"], body["tags"], body["version"]) == ("Step 4.", "importer", ["x"], 2)


@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', '"0"', '"01"', '"abc"', '""', '"99999999999999999999"'])
@pytest.mark.parametrize("write", ["patch", "delete", "archive", "restore"])
def test_a_stale_write_is_a_conflict_with_the_present_state(api, write, tag):
    body = {"type": "episodic", "content": "first"}
    api.post("memories", body)
    api.patch("memories/mem-1", {"content": "second"})
    response = {
        "patch": lambda: api.patch("memories/mem-1", {"content": "third"}, If_Match=tag),
        "delete": lambda: api.delete("memories/mem-1", If_Match=tag),
        "archive": lambda: api.post("memories/mem-1/archive", If_Match=tag),
        "restore": lambda: api.post("memories/mem-1/restore", If_Match=tag),
    }[write]()
    problem = check_refused(response, 409, "stale_version")
    assert problem["current"] == api.get("memories/mem-1").json()
    assert problem["current"]["content"] == "second"


@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', "1", "*", " * ", None])
def test_a_matching_precondition_or_none_lets_the_write_through(api, tag):
    api.post("memories", {"type": "episodic", "content": "first"})
    headers = {} if tag is None else {"If_Match": tag}
    assert api.patch("memories/mem-1", {"content": "second"}, **headers).status_code == 200


@pytest.mark.parametrize("tag", ["v1", '"1', '"1", "2"', "version 1", "W/1", '"a"b"'])
def test_a_malformed_precondition_is_no_precondition(api, tag):
    api.post("memories", {"type": "episodic", "content": "first"})
    check_refused(api.patch("memories/mem-1", {"content": "second"}, If_Match=tag), 400, "invalid_input", "If-Match")
    assert api.get("memories/mem-1").json()["version"] == 1


def test_a_patch_of_nothing_or_with_null_is_refused(api):
    api.post("memories", {"type": "episodic", "content": "first"})
    check_refused(api.patch("memories/mem-1", {}), 400, "invalid_input", "")
    check_refused(api.patch("memories/mem-1"), 400, "invalid_input", "")
    check_refused(api.patch("memories/mem-1", {"category": None}), 400, "invalid_input", "category")
    check_refused(api.patch("memories/mem-1", {"type": "core"}), 400, "invalid_input", "type")
    check_refused(api.patch("memories/mem-1", {"key": "k"}), 400, "invalid_input", "key")


def test_archive_and_restore(api):
    api.post("memories", {"type": "core", "category": "tools", "key": "k", "content": "x"})
    archived = api.post("memories/mem-1/archive")
    assert (archived.status_code, archived["ETag"]) == (200, '"2"')
    assert archived.json()["archived_at"] is not None
    assert api.post("memories/mem-1/archive")["ETag"] == '"2"', "twice is harmless"
    assert api.get("memories").json()["total"] == 0
    assert api.get("memories?archived=true").json()["total"] == 1
    restored = api.post("memories/mem-1/restore")
    assert (restored.json()["archived_at"], restored["ETag"]) == (None, '"3"')
    check_refused(api.post("memories/mem-1/archive", {"force": True}), 400, "invalid_input", "force")


def test_forget_puts_into_the_bin_and_restore_brings_back(api):
    api.post("memories", {"type": "episodic", "content": "a matter"})
    assert api.delete("memories/mem-1").status_code == 204
    check_refused(api.get("memories/mem-1"), 404, "not_found")
    check_refused(api.delete("memories/mem-1"), 404, "not_found")
    assert api.post("recall", {"query": "matter"}).json()["results"] == []
    assert api.post("memories/mem-1/restore").status_code == 200
    assert api.post("recall", {"query": "matter"}).json()["total_matched"] == 1


@pytest.mark.parametrize(
    "wrong", ["41", "mem-0", "mem-01", "mem-x", "MEM-1", "prm-1", "mem-1 ", "mem-" + "9" * 40, "mem--1", "mem-١"]
)
def test_only_an_id_of_its_form_names_something(api, wrong):
    body = {"type": "episodic", "content": "x"}
    api.post("memories", body)
    check_refused(api.get(f"memories/{wrong}"), 404, "not_found")


class TestList:
    """Filters, order and pages."""

    @pytest.fixture(autouse=True)
    def rows(self, actor):
        for day in range(1, 8):
            factories.remember(
                actor,
                content=f"day {day}",
                occurred_at=datetime(2026, 11, day, 12, tzinfo=UTC),
                tags=("git", "odd" if day % 2 else "even"),
            )
        factories.remember(
            actor, "axiom", "Never force-push main.", category="git", occurred_at=datetime(2026, 10, 1, tzinfo=UTC)
        )
        factories.remember(actor, "working", "Step 3.", key="importer", occurred_at=datetime(2026, 10, 2, tzinfo=UTC))

    def contents(self, api, query):
        response = api.get(f"memories?{query}")
        assert response.status_code == 200, response.content
        body = response.json()
        assert set(body) == {"results", "next", "previous", "total"}
        return [one["content"] for one in body["results"]]

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("type=axiom", ["Never force-push main."]),
            ("category=git", ["Never force-push main."]),
            ("key=importer", ["Step 3."]),
            ("tag=git&tag=even", ["day 6", "day 4", "day 2"]),
            ("tag=gi", []),
            ("source=human", []),
            ("since=2026-11-06", ["day 7", "day 6"]),
            ("since=2026-11-07T12:00:00Z", ["day 7"]),
            ("since=2026-11-05&until=2026-11-06", ["day 6", "day 5"]),
            ("until=2026-11-01T13:00:00%2B01:00&tag=git", ["day 1"]),
            ("until=2026-11-01T11:59:59Z&tag=git", []),
            ("archived=true", []),
            ("archived=false&type=episodic&limit=2", ["day 7", "day 6"]),
        ],
    )
    def test_a_filter_holds_what_it_says(self, api, query, expected):
        assert self.contents(api, query) == expected

    def test_pages_lead_on_and_back_with_their_filters(self, api):
        pages, address = [], "memories?tag=git&limit=3"
        while address:
            body = api.get(address).json()
            assert body["total"] == 7
            pages.append([one["content"] for one in body["results"]])
            back, address = body["previous"], body["next"]
        assert pages == [["day 7", "day 6", "day 5"], ["day 4", "day 3", "day 2"], ["day 1"]]
        assert back.startswith("http://testserver/api/v1/memories?tag=git&limit=3&cursor=")
        assert [one["content"] for one in api.get(back).json()["results"]] == pages[1]

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("limit=-1", "limit"),
            ("limit=1.5", "limit"),
            ("limit=ten", "limit"),
            ("limit=%D9%A3", "limit"),
            ("limit=" + "9" * 5000, "limit"),
            ("limit=5&limit=6", "limit"),
            ("cursor=", "cursor"),
            ("cursor=nonsense", "cursor"),
            ("cursor=n-1", "cursor"),
            ("cursor=n-1--1", "cursor"),
            ("cursor=n-%D9%A3-1", "cursor"),
            ("cursor=%00", "cursor"),
            ("type=dream", "type"),
            ("type=", "type"),
            ("key=", "key"),
            ("key=%00", "key"),
            ("tag=", "tag.0"),
            ("archived=1", "archived"),
            ("archived=yes", "archived"),
            ("since=2026-11-30T08:15:00", "since"),
            ("since=yesterday", "since"),
            ("until=2026-02-30", "until"),
            ("sort=importance", "sort"),
            ("tenant=other", "tenant"),
        ],
    )
    def test_an_unknown_or_wrong_parameter_is_an_error_and_never_a_lie(self, api, query, field):
        check_refused(api.get(f"memories?{query}"), 400, "invalid_input", field)

    @pytest.mark.parametrize("cursor", ["n-0-0", "p-0-0", "n-" + "9" * 18 + "-" + "9" * 18, "p-" + "9" * 18 + "-0"])
    def test_every_cursor_of_the_form_in_the_schema_is_a_place_in_the_list(self, api, cursor):
        assert api.get(f"memories?cursor={cursor}").json()["total"] == 9

    def test_a_time_without_a_zone_is_told_how_to_mend_it(self, api):
        problem = api.get("memories?since=2026-11-30T08:15:00").json()
        assert "2026-11-30T08:15:00Z" in problem["detail"]

    def test_what_is_shown_at_a_second_is_found_until_that_second(self, api, actor):
        at = datetime(2026, 11, 9, 9, 0, 0, 750_000, tzinfo=UTC)
        factories.remember(actor, content="late", occurred_at=at)
        shown = api.get("memories?limit=1").json()["results"][0]
        assert shown["occurred_at"] == "2026-11-09T09:00:00Z"
        assert self.contents(api, "since=2026-11-09T09:00:00Z&until=2026-11-09T09:00:00Z") == ["late"]
