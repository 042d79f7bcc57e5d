"""Promises over REST."""

from __future__ import annotations

import pytest

from memories.models import Event, Promise
from tests.api.conftest import check_refused


def test_p9_a_promise_is_made_and_its_use_of_the_cap_is_told(api, tenant):
    content = "  Migration is at step 3 of 5.\n\tünïcode 🦊  \n"
    response = api.post("promises", {"content": content})
    assert response.status_code == 201
    made = response.json()
    size = len(content.encode())
    assert made.pop("created_at").endswith("Z")
    assert made == {
        "id": "prm-1",
        "content": content,
        "size_bytes": size,
        "cap_bytes": 8800,
        "used_bytes": size,
        "free_bytes": 8800 - size,
        "already_pending": False,
    }
    assert response["Location"] == "http://testserver/api/v1/promises/prm-1"
    assert Promise.objects.get().content == content


def test_p10_the_same_content_again_is_harmless(api):
    first = api.post("promises", {"content": "Again."})
    second = api.post("promises", {"content": "Again."})
    assert (second.status_code, second.json()["already_pending"]) == (200, True)
    assert second.json()["id"] == first.json()["id"]
    assert "Location" not in second
    assert api.get("promises").json()["total"] == 1


def test_p11_the_list_is_oldest_first_with_cap_and_budget(api):
    for text in ("one", "two", "three"):
        api.post("promises", {"content": text})
    listed = api.get("promises").json()
    assert [row["content"] for row in listed["results"]] == ["one", "two", "three"]
    assert set(listed["results"][0]) == {"id", "content", "size_bytes", "created_at"}
    del listed["results"]
    assert listed == {
        "total": 3,
        "cap_bytes": 8800,
        "used_bytes": 11,
        "free_bytes": 8789,
        "over_bytes": 0,
        "budget_tokens": 22_000,
        "note": None,
    }


def test_p6_p7_one_byte_over_the_cap_is_refused_and_exactly_full_is_not(api):
    api.patch("boot/config", {"budget_tokens": 2_000})
    assert api.post("promises", {"content": "x" * 1_000}).status_code == 201
    problem = check_refused(api.post("promises", {"content": "y" * 25}), 409, "promise_cap_exceeded")
    figures = {name: problem[name] for name in ("cap_bytes", "used_bytes", "requested_bytes", "over_bytes")}
    assert figures == {"cap_bytes": 1024, "used_bytes": 1000, "requested_bytes": 25, "over_bytes": 1}
    assert Promise.objects.count() == 1
    assert api.post("promises", {"content": "y" * 24}).json()["free_bytes"] == 0


def test_p8_a_lowered_budget_leaves_what_is_pending_and_says_so(api):
    api.post("promises", {"content": "x" * 5_000})
    config = api.patch("boot/config", {"budget_tokens": 2_000}).json()
    listed = api.get("promises").json()
    for told in (config, listed):
        assert (told["cap_bytes"], told["used_bytes"], told["over_bytes"]) == (1024, 5000, 3976)
        assert "3,976 bytes over the cap of 1,024" in told["note"]
    assert listed["free_bytes"] == 0
    assert listed["total"] == 1
    check_refused(api.post("promises", {"content": "y"}), 409, "promise_cap_exceeded")


def test_p12_release_withdraws_once(api, actor):
    api.post("promises", {"content": "Not needed."})
    assert api.delete("promises/prm-1").status_code == 204
    check_refused(api.delete("promises/prm-1"), 404, "not_found")
    assert api.get("promises").json()["total"] == 0
    assert api.get("memories").json()["total"] == 0, "released is not decayed"


def test_p12_unknown_decayed_released_and_foreign_promises_look_alike(api, other_api):
    api.post("promises", {"content": "decays"})
    b"".join(api.post("boot").streaming_content)
    api.post("promises", {"content": "is released"})
    api.delete("promises/prm-2")
    for number in range(1, 4):
        other_api.post("promises", {"content": f"foreign {number}"})
    problems = [check_refused(api.delete(f"promises/prm-{number}"), 404, "not_found") for number in (1, 2, 3, 99)]
    told = {
        problem["detail"].replace(f"prm-{number}", "it")
        for problem, number in zip(problems, (1, 2, 3, 99), strict=True)
    }
    assert len(told) == 1
    assert other_api.get("promises").json()["total"] == 3


@pytest.mark.parametrize(
    "content", [" \n\t", "", "a\x00b", "bell\x07", "\u200b\u200d", "lone \ud800", 7, None, ["x"], True]
)
def test_p9_what_is_no_note_is_refused_by_field(api, content):
    check_refused(api.post("promises", {"content": content}), 400, "invalid_input", "content")
    assert not Promise.objects.exists()


def test_p13_no_address_promotes_a_promise(api):
    api.post("promises", {"content": "I am brave."})
    for path in ("promises/prm-1/promote", "promises/prm-1/core", "promises/prm-1/soul", "promises/prm-1/axiom"):
        assert api.post(path).status_code == 404
    for method in ("PATCH", "PUT", "POST"):
        assert api.call(method, "promises/prm-1", {"type": "core"}).status_code == 405


def test_p13_p14_the_help_says_why_and_what_belongs_where(api):
    text = api.get("help/promises").json()["text"]
    for said in ("core", "axiom", "episodic", "working", "costs budget", "Nothing lifts a promise into core or axioms"):
        assert said in text
    schema = api.client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    told = schema["paths"]["/api/v1/promises"]["post"]["description"]
    for said in ("core", "axiom", "episodic", "working", "costs budget"):
        assert said in told


def test_events_say_what_was_done_and_never_the_content(api, tenant):
    api.post("promises", {"content": "a secret matter"})
    api.delete("promises/prm-1")
    events = Event.objects.filter(tenant=tenant, verb__startswith="promise.").order_by("id")
    assert [(event.verb, event.via, event.what["promise"]) for event in events] == [
        ("promise.made", "rest", "prm-1"),
        ("promise.released", "rest", "prm-1"),
    ]
    assert "secret matter" not in str([event.what for event in events])
