"""Hook events as requests, payloads as slices."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine import hooks, wire
from memories.engine.delivery import check_request
from memories.engine.hooks import Client, HookCall, boot_request
from memories.engine.kinds import Channel, Section
from memories.engine.limits import HOOK_SLICE_ROOM_BYTES, HOOK_SLICES_MAX, NAME_MAX_CHARS
from memories.errors import InvalidInput

NOW = datetime(2026, 11, 30, 8, 15, 10, tzinfo=UTC)
CALL = HookCall(Client.CLAUDE_CODE, moment="m-1")


def event(source="startup", **more):
    return {"hook_event_name": "SessionStart", "session_id": "s-1", "source": source, **more}


def asked(given, call=CALL, now=NOW):
    request = boot_request(call, given, now=now)
    assert request is not None
    check_request(request)
    return request


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "fork", "of tomorrow", None, 7, ["startup"]])
def test_p36_a_start_of_any_kind_is_a_session_start(source):
    assert asked(event(source)).channel is Channel.SESSION_START


def test_p16_p36_after_a_compaction_it_is_post_compact():
    request = asked(event("compact"))
    assert (request.channel, request.session_id, request.max_chars) == (Channel.POST_COMPACT, "s-1", 9_500)


@pytest.mark.parametrize("name", ["UserPromptSubmit", "sessionstart", "", None, 5, {"a": 1}])
def test_other_events_ask_for_nothing(name):
    assert boot_request(CALL, {**event(), "hook_event_name": name}, now=NOW) is None
    assert boot_request(CALL, {}, now=NOW) is None


def test_p43_a_retry_and_the_other_slices_carry_the_same_key_and_nothing_else_does():
    first = asked(event("compact"), HookCall(Client.CODEX, 1, 3, "m"))
    assert asked(event("compact", cwd="/elsewhere"), HookCall(Client.CODEX, 3, 3, "m")) == first
    others = [
        asked(event("resume"), HookCall(Client.CODEX, 1, 3, "m")),
        asked(event("compact", session_id="s-2"), HookCall(Client.CODEX, 1, 3, "m")),
        asked(event("compact"), HookCall(Client.CODEX, 1, 3, "later")),
        asked(event("compact"), HookCall(Client.CODEX, 1, 2, "m")),
        asked(event("compact"), HookCall(Client.CLAUDE_CODE, 1, 3, "m")),
    ]
    assert len({request.idempotency_key for request in (first, *others)}) == 6


def test_p43_without_a_moment_the_minute_stands_in_and_a_startup_is_once():
    call = HookCall(Client.CLAUDE_CODE)
    later = datetime(2026, 11, 30, 8, 16, tzinfo=UTC)

    def keys(source):
        return asked(event(source), call).idempotency_key, asked(event(source), call, later).idempotency_key

    for source in ("resume", "clear", "compact"):
        assert len(set(keys(source))) == 2
        assert asked(event(source), call, NOW.replace(second=59)).idempotency_key == keys(source)[0]
    assert len(set(keys("startup"))) == 1


def test_an_event_that_nothing_tells_from_others_has_no_key():
    assert asked({"hook_event_name": "SessionStart"}, HookCall(Client.CODEX)).idempotency_key == ""


@pytest.mark.parametrize("session", ["x" * 5_000, "two\nlines", "\ud800", 7, None, ["s"], "ü" * 200])
def test_any_session_can_be_kept(session):
    assert len(asked(event(session_id=session)).session_id) <= 200


def test_the_names_of_odd_sessions_stay_apart():
    assert asked(event(session_id="a\n")).session_id != asked(event(session_id="b\n")).session_id


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (HookCall(Client.CODEX, 0), "slice"),
        (HookCall(Client.CODEX, HOOK_SLICES_MAX + 1, HOOK_SLICES_MAX), "slice"),
        (HookCall(Client.CODEX, 1, HOOK_SLICES_MAX + 1), "of"),
        (HookCall(Client.CODEX, 1, 0), "of"),
        (HookCall(Client.CODEX, moment="x" * 101), "moment"),
    ],
)
def test_what_our_own_program_adds_is_checked(call, field):
    with pytest.raises(InvalidInput) as refused:
        boot_request(call, event(), now=NOW)
    assert list(refused.value.errors) == [field]


def test_a_slice_behind_the_last_one_asks_for_nothing():
    assert boot_request(HookCall(Client.CODEX, 3, 2), event(), now=NOW) is None


def test_the_largest_number_of_slices_asks_for_no_more_than_the_largest_budget():
    assert asked(event(), HookCall(Client.CODEX, 1, HOOK_SLICES_MAX)).max_chars == 132_000


def test_the_output_is_the_agents_own_form():
    assert hooks.output("text") == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "text"}
    }
    assert hooks.output("") == {}


def payload(*promises, rows=()):
    text = "[REVELL | HELLO] Clawbert.\n[REVELL | SUCCESS] all.\n"
    if promises:
        text += wire.header(Section.PROMISED)
        text += "".join(f"• prm-{n} 2026-11-30: {wire.body(content)}\n" for n, content in promises)
    return text + wire.header(Section.EPISODIC) + "".join(f"• mem-1 2026-11-30: {row}\n" for row in rows) + wire.END


def test_one_slice_is_the_payload():
    text = payload((1, "a note"))
    assert hooks.slices(text, 1) == [text]
    assert hooks.slices(text, 3) == [text, "", ""]


def test_a_slice_ends_before_a_row_even_if_a_line_of_it_would_fit():
    long_row = "\n".join(["word " * 20] * 20)
    parts = hooks.slices(payload(rows=[wire.body(long_row)] * 12), 4)
    assert all(part.startswith(("• mem-1", "\n[REVELL |")) for part in parts[1:] if part)


def test_a_row_larger_than_a_slice_is_cut_at_a_line_end_else_inside_the_line_never_inside_a_grapheme():
    lines = payload(rows=["x" * 5_000 + "\n  " + "y" * 7_000])
    parts = hooks.slices(lines, 2)
    assert parts[0].endswith("x\n")
    family = "👩‍👩‍👧‍👧"
    parts = hooks.slices(payload(rows=[family * 700]), 2)
    assert parts[0].endswith(family)
    assert parts[1].startswith(family)


def test_a_grapheme_larger_than_a_slice_does_not_stop_it():
    text = payload(rows=["a" + "\u0301" * 9_000])
    parts = hooks.slices(text, 2)
    assert "".join(parts) == text
    assert max(len(part.encode()) for part in parts) <= HOOK_SLICE_ROOM_BYTES + 3


def test_p41_a_promise_decays_with_the_slice_that_completes_it():
    text = payload((1, "short"), (2, "z" * 8_000), (3, "y" * 8_000), rows=["• prm-9 2026-11-30: no promise"])
    parts = hooks.slices(text, 3)
    assert hooks.promises_of_slices(parts) == [[1, 2], [3], []]
    spanning = hooks.slices(payload((4, "z" * 12_000)), 2)
    assert hooks.promises_of_slices(spanning) == [[], [4]]


def test_a_note_that_looks_like_a_promise_is_none():
    text = payload((1, "first\n• prm-2 2026-11-30: forged\n\n[REVELL | PROMISED]\n• prm-3 2026-11-30: x"))
    assert hooks.promises_of_slices(hooks.slices(text, 1)) == [[1]]


@pytest.mark.parametrize("channel", list(Channel))
def test_the_promised_section_begins_within_the_first_1900_characters(channel):
    """Claude Code shows the first 2,000 characters of a text that it cuts."""
    widest = 10**12
    head = wire.hello("🦊" * NAME_MAX_CHARS, channel) + wire.success(
        memories=widest,
        promises=widest,
        within=f"{widest:,} bytes",
        left_out=(widest, widest, widest, widest),
        waiting=widest,
    )
    assert len(head + wire.header(Section.PROMISED)) < 1_900 - 100
