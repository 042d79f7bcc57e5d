"""Boots over REST: serve, preview, acknowledge, look back, and the order of payload and decay."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.db import DatabaseError, OperationalError

from memories.models import Boot, Event, Memory, Promise
from memories.services import boot as boot_service
from memories.services.handover import PIECE_MAX_BYTES
from tests import factories
from tests.api.conftest import check_refused


def served(response):
    """The JSON of a boot that was read to its end."""
    assert response.status_code == 200, response.getvalue()
    return json.loads(response.getvalue())


def hang_up(response):
    """What a server does when the connection broke: it closes the iterator."""
    response._iterator.close()


def promise(api, content="See this now."):
    assert api.post("promises", {"content": content}).status_code == 201


def test_p36_p37_a_boot_returns_the_payload_and_its_promises_decay(api):
    promise(api)
    response = api.post("boot")
    assert response["Content-Type"] == "application/json"
    assert "Content-Length" not in response
    body = served(response)
    assert set(body) == {"boot_id", "payload", "size_bytes", "sha256", "repeat", "manifest"}
    assert (body["boot_id"], body["repeat"]) == ("boot-1", False)
    raw = body["payload"].encode()
    assert (len(raw), hashlib.sha256(raw).hexdigest()) == (body["size_bytes"], body["sha256"])
    assert "• prm-1" in body["payload"]
    assert api.get("promises").json()["total"] == 0
    memory = api.get("memories").json()["results"][0]
    assert (memory["content"], memory["type"], memory["tags"]) == (
        "See this now.",
        "episodic",
        ["payload-promise-decayed"],
    )
    assert (memory["importance"], memory["source"]) == (0.5, "agent")
    assert memory["occurred_at"] == api.get("boots/boot-1").json()["created_at"]


def test_p48_p49_what_decayed_is_found_at_once_and_is_an_ordinary_memory(api):
    promise(api, "The encrypter has a ceiling.")
    api.post("boot").getvalue()
    by_words = api.post("recall", {"query": "encrypter"}).json()["results"]
    by_tag = api.get("memories?tag=payload-promise-decayed").json()["results"]
    assert [hit["id"] for hit in by_words] == [row["id"] for row in by_tag] == ["mem-1"]
    assert api.patch("memories/mem-1", {"tags": ["encrypter"]}).status_code == 200
    assert api.delete("memories/mem-1").status_code == 204


def test_text_plain_is_the_bare_payload(api):
    promise(api)
    shown = api.get("boot/preview", Accept="text/plain")
    response = api.raw("POST", "boot", b"", Accept="text/plain", Idempotency_Key="k1")
    text = response.getvalue()
    assert shown["Content-Type"] == response["Content-Type"] == "text/plain; charset=utf-8"
    assert (response["X-Revell-Boot"], response["X-Revell-Repeat"]) == ("boot-1", "false")
    assert response["X-Revell-Sha256"] == hashlib.sha256(text).hexdigest() == shown["X-Revell-Sha256"]
    assert text == shown.content
    assert text.startswith(b"[REVELL | HELLO]")
    again = api.raw("POST", "boot", b"", Accept="text/plain", Idempotency_Key="k1")
    assert (again.getvalue(), again["X-Revell-Repeat"]) == (text, "true")


def test_an_error_is_a_problem_whatever_form_was_asked_for(api):
    check_refused(api.raw("POST", "boot", b'{"max_chars": 1}', Accept="text/plain"), 400, "invalid_input", "max_chars")
    problem = check_refused(api.post("boot", Accept="text/html"), 406, "not_acceptable")
    assert problem["available"] == ["application/json", "text/plain"]
    check_refused(api.get("memories", Accept="text/plain"), 406, "not_acceptable")


def test_p34_a_preview_changes_nothing(api, tenant, actor):
    factories.remember(actor)
    promise(api)
    before = list(Memory.objects.values()), list(Promise.objects.values()), list(Event.objects.values())
    for query in (
        "",
        "?channel=post_compact",
        "?context_hint=happened&budget_tokens=2000",
        "?share_core=20&share_working=50",
    ):
        assert api.get(f"boot/preview{query}").status_code == 200
    after = list(Memory.objects.values()), list(Promise.objects.values()), list(Event.objects.values())
    assert after == before
    assert not Boot.objects.exists()


def test_p35_preview_and_serve_give_the_same_bytes(api, actor):
    factories.remember(actor, "core", "I say what I know.", importance=0.9)
    factories.remember(actor, content="the importer broke\n[REVELL | END]")
    promise(api)
    options = {"channel": "post_compact", "context_hint": "importer", "project_prefix": "a/b", "max_chars": 5_000}
    query = "&".join(f"{name}={value}" for name, value in options.items())
    shown = api.get(f"boot/preview?{query}").json()
    given = served(api.post("boot", options))
    assert {name: given[name] for name in shown} == shown
    assert "just compacted" in given["payload"]


def test_p47_a_what_if_preview_uses_the_own_shares_for_those_that_are_not_given(api):
    shares = lambda query: [  # noqa: E731
        part["share"] for part in api.get(f"boot/preview?{query}").json()["manifest"]["allocations"].values()
    ]
    assert shares("") == [50, 20, 30]
    assert shares("share_core=40&share_working=30") == [40, 30, 30]
    assert shares("share_core=0&share_working=0&share_episodic=100") == [0, 0, 100]
    assert api.get("boot/preview?budget_tokens=2000").json()["manifest"]["budget_bytes"] == 8_000
    check_refused(api.get("boot/preview?share_core=60"), 400, "shares_not_100", "shares")
    check_refused(api.get("boot/preview?budget_tokens=1999"), 400, "budget_out_of_range", "budget_tokens")
    check_refused(api.get("boot/preview?budget_tokens=2000.0"), 400, "invalid_input", "budget_tokens")
    check_refused(api.get("boot/preview?budget=2000"), 400, "invalid_input", "budget")
    assert api.get("boot/config").json()["shares"] == {"core": 50, "working": 20, "episodic": 30}


def test_p38_the_payload_is_handed_over_before_anything_decays(api):
    promise(api, "x" * 6_000)
    pieces = api.post("boot").streaming_content
    body = b""
    for piece in pieces:
        assert len(piece) <= PIECE_MAX_BYTES
        assert Promise.objects.count() == 1, "nothing decays while a piece is on its way"
        body += piece
    assert json.loads(body)["boot_id"] == "boot-1"
    assert (Promise.objects.count(), Memory.objects.count()) == (0, 1)


def test_p38_a_connection_that_breaks_leaves_the_promise_pending(api):
    promise(api, "x" * 6_000)
    for taken in range(4):
        response = api.post("boot")
        pieces = response.streaming_content
        for _ in range(taken):
            assert next(pieces)
        hang_up(response)
        assert (Promise.objects.count(), Memory.objects.count()) == (1, 0), f"broken after {taken} pieces"
    promises = api.get("boots/boot-1").json()["promises"]
    assert [(one["id"], one["outcome"], one["memory_id"]) for one in promises] == [("prm-1", "shown", None)]
    assert "prm-1" in served(api.post("boot"))["payload"], "it is served again"
    assert Promise.objects.count() == 0


def test_p38_a_break_at_the_very_end_of_the_payload_still_counts(api):
    promise(api)
    response = api.post("boot")
    pieces = response.streaming_content
    body = b""
    while piece := next(pieces):
        body += piece
    hang_up(response)
    assert json.loads(body)["boot_id"] == "boot-1", "the whole payload was handed over, and then the server hung up"
    assert Promise.objects.count() == 1


@pytest.mark.parametrize("fault", [DatabaseError("disk"), OperationalError("gone"), RuntimeError("a bug")])
def test_p39_a_decay_that_fails_does_not_harm_the_answer(api, monkeypatch, caplog, fault):
    promise(api)

    def fail(*args, **options):
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(boot_service, "decay", fail)
        body = served(api.post("boot"))
    assert "prm-1" in body["payload"]
    assert "boot-1" in caplog.text
    assert Promise.objects.count() == 1
    assert "prm-1" in served(api.post("boot"))["payload"]
    assert Promise.objects.count() == 0


def test_p42_with_explicit_acknowledgement_promises_stay_until_it_comes(api):
    promise(api)
    first = served(api.post("boot", {"acknowledge": "explicit"}))
    assert Promise.objects.count() == 1
    assert "prm-1" in served(api.post("boot", {"acknowledge": "explicit"}))["payload"]
    told = api.post(f"boots/{first['boot_id']}/acknowledge")
    assert told.status_code == 200
    assert told.json()["acknowledged_at"] is not None
    assert [(one["outcome"], one["memory_id"]) for one in told.json()["promises"]] == [("decayed", "mem-1")]
    assert api.post("boots/boot-1/acknowledge").json() == told.json(), "twice is harmless"
    assert api.post("boots/boot-2/acknowledge").json()["promises"][0]["outcome"] == "decayed_elsewhere"
    assert Memory.objects.count() == 1
    check_refused(api.post("boots/boot-9/acknowledge"), 404, "not_found")
    check_refused(api.post("boots/boot-1/acknowledge", {"sure": True}), 400, "invalid_input", "sure")


def test_p43_an_idempotency_key_repeats_byte_for_byte(api):
    promise(api)
    first = served(api.post("boot", {"idempotency_key": "k-1"}))
    promise(api, "Made since.")
    second = served(api.post("boot", Idempotency_Key="k-1"))
    assert (first.pop("repeat"), second.pop("repeat")) == (False, True)
    assert first == second
    assert api.get("boots").json()["total"] == 1
    assert api.get("promises").json()["total"] == 1
    assert served(api.post("boot", {"idempotency_key": "k-1"}, Idempotency_Key="k-1"))["repeat"] is True
    check_refused(
        api.post("boot", {"idempotency_key": "k-1"}, Idempotency_Key="k-2"), 400, "invalid_input", "idempotency_key"
    )
    check_refused(api.post("boot", Idempotency_Key="k" * 201), 400, "invalid_input", "idempotency_key")


def test_p43_a_repeat_settles_what_a_broken_connection_left(api):
    promise(api)
    hang_up(api.post("boot", Idempotency_Key="k"))
    assert Promise.objects.count() == 1
    assert served(api.post("boot", Idempotency_Key="k"))["repeat"] is True
    assert (Promise.objects.count(), Memory.objects.count()) == (0, 1)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"channel": "dashboard"}, "channel"),
        ({"acknowledge": True}, "acknowledge"),
        ({"max_chars": 1_999}, "max_chars"),
        ({"max_chars": "9500"}, "max_chars"),
        ({"max_chars": True}, "max_chars"),
        ({"max_chars": 9500.5}, "max_chars"),
        ({"max_chars": 10**30}, "max_chars"),
        ({"context_hint": "x" * 1_001}, "context_hint"),
        ({"context_hint": "a\x00b"}, "context_hint"),
        ({"context_hint": ["a"]}, "context_hint"),
        ({"session_id": "two\nlines"}, "session_id"),
        ({"project_prefix": "x" * 201}, "project_prefix"),
        ({"budget_tokens": 2_000}, "budget_tokens"),
    ],
)
def test_a_wrong_option_is_refused_by_name_and_nothing_is_served(api, body, field):
    promise(api)
    check_refused(api.post("boot", body), 400, "invalid_input", field)
    assert Promise.objects.count() == 1
    assert not Boot.objects.exists()


def test_p33_a_hint_of_operators_breaks_nothing(api):
    for hint in ('" OR 1=1 --', "* NEAR(a) ^", "'\"()", "🦊", "", None):
        body = served(api.post("boot", {"context_hint": hint}))
        assert "RECALLED" not in body["payload"]


def test_p44_past_boots_tell_who_when_how_and_what_became_of_the_promises(api):
    promise(api)
    served(
        api.post(
            "boot", {"session_id": "s-1", "context_hint": "importer", "channel": "session_start", "max_chars": 9_000}
        )
    )
    served(api.post("boot"))
    listed = api.get("boots?limit=1").json()
    assert (listed["total"], [row["id"] for row in listed["results"]]) == (2, ["boot-2"])
    first = api.get(listed["next"]).json()["results"][0]
    assert first["served_to"].startswith("key rvl_")
    assert {name: first[name] for name in ("id", "channel", "session_id", "context_hint", "max_chars", "via")} == {
        "id": "boot-1", "channel": "session_start", "session_id": "s-1", "context_hint": "importer",
        "max_chars": 9_000, "via": "rest",
    }  # fmt: skip
    assert first["promises"][0] | {"ended_at": None} == {
        "id": "prm-1", "size_bytes": 13, "outcome": "decayed", "memory_id": "mem-1", "ended_at": None,
    }  # fmt: skip
    one = api.get("boots/boot-1").json()
    assert {name: one[name] for name in first} == first
    assert hashlib.sha256(one["payload"].encode()).hexdigest() == one["sha256"]
    assert one["manifest"]["size_bytes"] == one["size_bytes"]
    Boot.objects.filter(number=1).update(payload="")
    assert api.get("boots/boot-1").json()["payload"] is None


@pytest.mark.parametrize(
    "wrong", ["9", "boot-0", "boot-01", "Boot-1", "mem-1", "boot-99999999999999999999", "boot-1.0"]
)
def test_only_an_id_of_its_form_names_a_boot(api, wrong):
    served(api.post("boot"))
    check_refused(api.get(f"boots/{wrong}"), 404, "not_found")
    check_refused(api.post(f"boots/{wrong}/acknowledge"), 404, "not_found")


def test_a_manifest_accounts_for_every_memory(api, actor):
    """P30: included and left out are all; the first 200 left out are named and the rest counted."""
    api.patch("boot/config", {"budget_tokens": 2_000})
    factories.remember_many(actor, 300, size=500)
    manifest = served(api.post("boot"))["manifest"]
    episodic = next(section for section in manifest["sections"] if section["name"] == "episodic")
    total = manifest["totals"]["episodic"]
    assert total["active"] == 300 == total["included"] + total["left_out"]
    assert len(episodic["included"]) == total["included"]
    assert episodic["left_out_total"] == total["left_out"] > 200
    assert len(episodic["left_out"]) == 200
    assert set(episodic["left_out"][0]) == {"id", "reason", "bytes"}
    assert set(manifest["allocations"]["core"]) == {"share", "before", "charged", "after", "used"}
