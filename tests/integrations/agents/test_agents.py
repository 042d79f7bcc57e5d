"""Claude Code and Codex themselves: what Revell gives their hooks stands in what they send to their model."""

from __future__ import annotations

import re

import pytest

FIRST = "The lock gate sticks at low water."
SECOND = "Migration is at step 3 of 5."


def with_note(turn, note):
    """The requests of a turn that show the note as a promise; each of them shows it once.

    As an episodic memory it may stand in a later payload of the same conversation.
    """
    promised = re.compile(rf"• prm-\d+ \d{{4}}-\d{{2}}-\d{{2}}: {re.escape(note)}")
    shown = [len(promised.findall(asked)) for asked in turn.asked]
    assert set(shown) <= {0, 1}
    assert turn.code == 0
    return [asked for asked, count in zip(turn.asked, shown, strict=True) if count]


def test_p37_a_promise_is_in_the_first_request_and_becomes_a_memory(agent, memory):
    memory.promise(FIRST)
    turn = agent.start("hello")
    assert with_note(turn, FIRST), turn.told
    assert "[REVELL | PROMISED]" in turn.asked[-1]
    assert (memory.pending(), memory.decayed()) == ([], [FIRST])
    assert memory.channels() == ["session_start"]


def test_a_resumed_session_sees_what_was_promised_meanwhile(agent, memory):
    memory.promise(FIRST)
    session = agent.start("hello").session
    memory.promise(SECOND)
    assert with_note(agent.resume(session, "go on"), SECOND)
    assert (memory.pending(), sorted(memory.decayed())) == ([], sorted([FIRST, SECOND]))
    assert memory.channels() == ["session_start"] * 2


def test_p16_after_a_compaction_the_payload_is_there_again(agent, memory):
    memory.promise(FIRST)
    session = agent.start("hello").session
    turn = agent.compact(session, meanwhile=lambda: memory.promise(SECOND))
    assert "post_compact" in memory.channels()
    holding = with_note(turn, SECOND)
    assert holding
    assert "this text, not the summary, is your memory" in holding[-1]
    assert (memory.pending(), sorted(memory.decayed())) == ([], sorted([FIRST, SECOND]))
    (boot,) = [row for row in memory.call("GET", "boots")["results"] if row["promises"] and row["id"] != "boot-1"]
    assert boot["channel"] == "post_compact"


def test_all_slices_arrive_whole_and_in_order(agent, memory):
    items = [{"type": "episodic", "content": f"entry {n:04d} " + "of the log " * 8} for n in range(400)]
    memory.call("POST", "memories", {"items": items})
    turn = agent.start("hello")
    asked = next(asked for asked in turn.asked if "[REVELL | HELLO]" in asked)
    (boot,) = memory.call("GET", "boots")["results"]
    payload = memory.call("GET", f"boots/{boot['id']}")["payload"]
    assert boot["size_bytes"] > 35_000
    shown = re.findall(r"entry (\d{4}) ", asked)
    assert shown == re.findall(r"entry (\d{4}) ", payload)
    assert asked.count("[REVELL | END]") == 1


@pytest.fixture
def stopped(server):
    """Stops the server for the rest of the test."""
    yield server.stop
    if server.process is None:
        server.start()


def test_without_the_server_the_agent_starts_with_the_cached_payload(agent, memory, stopped):
    memory.promise(FIRST)
    agent.start("hello")
    stopped()
    turn = agent.start("hello again")
    assert with_note(turn, FIRST)
    assert any("[REVELL | CACHED] Revell gave no answer; this is its payload of 20" in asked for asked in turn.asked)


def test_without_a_server_and_without_a_cache_the_agent_starts_all_the_same(agent, memory, stopped):
    stopped()
    turn = agent.start("hello")
    assert turn.code == 0
    assert turn.asked
    assert not any("[REVELL" in asked for asked in turn.asked)


def test_a_wrong_key_does_not_stop_the_agent(agent, memory):
    memory.promise(FIRST)
    agent.environment["REVELL_KEY"] = "rvl_nobody_nothing"
    turn = agent.start("hello")
    assert turn.code == 0
    assert turn.asked
    assert memory.pending() == [FIRST]
