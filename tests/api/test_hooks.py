"""The raw event of an agent's hook in, that agent's hook output out."""

from __future__ import annotations

import json

import pytest
from django.db import DatabaseError

from memories.models import Boot, Event, Memory, Promise
from memories.services import boot as boot_service
from tests import factories
from tests.api.conftest import check_refused

# As the agents send them, with the paths shortened.
CLAUDE_CODE = {
    "session_id": "768ade88-b37d-4883-a75c-a778284eeba9",
    "transcript_path": "~/.claude/projects/-boat/768ade88.jsonl",
    "cwd": "boat",
    "hook_event_name": "SessionStart",
    "source": "startup",
}
CODEX = {
    "session_id": "01a22eb5-4f68-7452-a235-2c61d44d2729",
    "transcript_path": None,
    "cwd": "boat",
    "hook_event_name": "SessionStart",
    "model": "gpt-5",
    "permission_mode": "bypassPermissions",
    "source": "startup",
}
EVENTS = [("claude-code", CLAUDE_CODE), ("codex", CODEX)]


def promise(api, content="See this now."):
    assert api.post("promises", {"content": content}).status_code == 201


def output(response):
    """The hook output of an answer that was read to its end."""
    assert response.status_code == 200, response.getvalue()
    assert response["Content-Type"] == "application/json"
    return json.loads(response.getvalue())


def text(response):
    told = output(response)
    assert list(told) == ["hookSpecificOutput"]
    assert sorted(told["hookSpecificOutput"]) == ["additionalContext", "hookEventName"]
    assert told["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    return told["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(("client", "event"), EVENTS)
@pytest.mark.parametrize(
    ("source", "channel"),
    [
        ("startup", "session_start"),
        ("resume", "session_start"),
        ("clear", "session_start"),
        ("fork", "session_start"),
        ("compact", "post_compact"),
    ],
)
def test_p36_p37_a_start_of_a_session_is_a_real_serve(api, client, event, source, channel):
    promise(api)
    given = text(api.post(f"hooks/{client}", {**event, "source": source}))
    row = Boot.objects.get()
    assert (row.channel, row.session_id, row.payload, row.max_chars) == (channel, event["session_id"], given, 9_500)
    assert "• prm-1" in given
    assert ("just compacted" in given) is (channel == "post_compact")
    assert not Promise.objects.exists()
    memory = Memory.objects.get()
    assert (memory.content, memory.tags) == ("See this now.", ["payload-promise-decayed"])


@pytest.mark.parametrize("client", ["claude-code", "codex"])
@pytest.mark.parametrize(
    "event",
    [
        {},
        {"hook_event_name": "PreCompact", "session_id": "s"},
        {"hook_event_name": "OfTomorrow", "fields": [1, {"deep": None}]},
        {"hook_event_name": ["SessionStart"]},
        {"hook_event_name": None, "source": "startup"},
        {"session_id": "s", "source": "startup"},
    ],
)
def test_any_other_event_is_answered_with_nothing_and_changes_nothing(api, client, event):
    promise(api)
    assert output(api.post(f"hooks/{client}", event)) == {}
    assert Promise.objects.exists()
    assert not Boot.objects.exists()


@pytest.mark.parametrize(
    "more",
    [
        {"of_tomorrow": {"a": [1, None, True]}},
        {"session_id": 7},
        {"session_id": "x" * 1_000},
        {"session_id": "a\nb\x00c"},
        {"session_id": "\ud800"},
        {"source": 5},
        {"source": "of tomorrow"},
        {"transcript_path": None},
        {"cwd": {"not": "a path"}},
    ],
)
def test_a_field_of_the_agent_is_never_refused(api, more):
    assert "[REVELL | HELLO]" in text(api.post("hooks/claude-code", {**CLAUDE_CODE, **more}))


@pytest.mark.parametrize("raw", [b"{", b"nonsense", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff", b"[]", b"3", b'"x"'])
def test_a_body_that_is_no_object_of_json_is_refused(api, raw):
    problem = api.raw("POST", "hooks/codex", raw)
    assert (problem.status_code, problem.json()["code"]) == (400, "invalid_input")
    assert not Boot.objects.exists()


def test_an_unknown_agent_is_not_found_and_told_who_is_known(api):
    problem = check_refused(api.post("hooks/emacs", CODEX), 404, "not_found")
    assert "claude-code" in problem["detail"]
    assert "codex" in problem["detail"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("slice=0", "slice"),
        ("slice=15&of=14", "slice"),
        ("of=0", "of"),
        ("of=15", "of"),
        ("of=two", "of"),
        (f"moment={'x' * 101}", "moment"),
        ("slices=2", "slices"),
    ],
)
def test_what_our_own_program_adds_is_checked(api, query, field):
    promise(api)
    check_refused(api.post(f"hooks/codex?{query}", CODEX), 400, "invalid_input", field)
    assert Promise.objects.exists()


def test_only_a_key_that_may_boot_gets_a_payload(api, tenant):
    api.key = factories.issue_key(tenant, "read", "write", "configure")
    check_refused(api.post("hooks/codex", CODEX), 403, "not_permitted")
    api.key = ""
    check_refused(api.post("hooks/codex", CODEX), 401, "not_authenticated")
    assert not Boot.objects.exists()


@pytest.mark.parametrize("source", ["startup", "compact"])
def test_p43_a_retried_hook_is_a_repeat_and_the_next_event_is_not(api, source):
    event = {**CLAUDE_CODE, "source": source}
    promise(api, "first")
    first = api.post("hooks/claude-code?moment=1", event).getvalue()
    promise(api, "second")
    assert api.post("hooks/claude-code?moment=1", event).getvalue() == first
    assert Promise.objects.count() == 1
    later = text(api.post("hooks/claude-code?moment=2", event))
    assert "second" in later
    assert "• prm-1 " not in later
    assert Boot.objects.count() == 2


def test_p43_a_retry_settles_what_a_broken_connection_left(api):
    promise(api)
    api.post("hooks/codex?moment=1", CODEX)._iterator.close()
    assert Promise.objects.count() == 1
    assert "prm-1" in text(api.post("hooks/codex?moment=1", CODEX))
    assert (Promise.objects.count(), Memory.objects.count()) == (0, 1)


def test_p38_nothing_decays_while_the_payload_is_on_its_way(api):
    promise(api, "x" * 6_000)
    for piece in api.post("hooks/codex", CODEX).streaming_content:
        assert Promise.objects.count() == 1, piece
    assert Promise.objects.count() == 0


def test_p39_a_decay_that_fails_does_not_harm_the_answer(api, monkeypatch):
    promise(api)

    def fail(*args, **options):
        raise DatabaseError("disk")

    monkeypatch.setattr(boot_service, "decay", fail)
    assert "prm-1" in text(api.post("hooks/codex", CODEX))
    assert Promise.objects.count() == 1


def slice_of(api, number, of, moment="m", event=CLAUDE_CODE):
    told = output(api.post(f"hooks/claude-code?slice={number}&of={of}&moment={moment}", event))
    return told["hookSpecificOutput"]["additionalContext"] if told else ""


def test_slices_are_parts_of_one_boot_cut_at_line_ends(api, actor):
    factories.remember_many(actor, 400)
    promise(api, "a note 🦊")
    parts = [slice_of(api, number, 4) for number in (1, 2, 3, 4)]
    row = Boot.objects.get()
    assert "".join(parts) == row.payload
    assert 28_500 < row.size_bytes <= 38_000 == row.max_chars
    assert all(len(part) <= 10_000 and part.endswith("\n") for part in parts)
    assert parts[0].index("[REVELL | PROMISED]") < 1_900
    assert Event.objects.filter(verb="boot.served").count() == 1
    assert Memory.objects.filter(content="a note 🦊").count() == 1


def test_a_slice_behind_the_end_of_the_payload_is_empty(api):
    assert slice_of(api, 1, 3)
    assert slice_of(api, 3, 3) == ""
    assert Boot.objects.count() == 1
    assert slice_of(api, 3, 2, moment="other") == ""
    assert Boot.objects.count() == 1, "there is no third of two, so nothing is served for it"


def test_p41_a_promise_decays_with_its_own_slice_whatever_order_they_come_in(api):
    api.patch("boot/config", {"budget_tokens": 33_000})
    promise(api, "a" * 6_000)
    promise(api, "b" * 6_000)

    def pending():
        return [row["id"] for row in api.get("promises").json()["results"]]

    assert slice_of(api, 3, 3) == ""
    assert pending() == ["prm-1", "prm-2"]
    assert "prm-2" in slice_of(api, 2, 3)
    assert pending() == ["prm-1"]
    assert "prm-1" in slice_of(api, 1, 3)
    assert pending() == []
    assert Boot.objects.count() == 1
    assert Memory.objects.count() == 2


def test_p29_what_has_no_room_in_the_slices_stays_pending(api):
    api.patch("boot/config", {"budget_tokens": 33_000})
    promise(api, "a" * 6_000)
    promise(api, "b" * 6_000)
    given = slice_of(api, 1, 1)
    assert "1 promise had no room and stays pending" in given
    assert [row["id"] for row in api.get("promises").json()["results"]] == ["prm-2"]
