"""Boots that race with boots, with releases, with failing writes and with the end of their own process."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.models import QuerySet

from memories.engine import boot as engine
from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import DECAY_TAG, Acknowledge, Outcome
from memories.models import Boot, Memory, Promise, ServedPromise
from memories.models.base import TenantQuerySet
from memories.services import boot, memories, promises
from tests import factories
from tests.concurrency.crowd import A_LONG_TIME, at_once, errors, meet_at, take_the_lock_away

pytestmark = pytest.mark.django_db(transaction=True)

BOOTS = 12


def decayed_contents() -> list[str]:
    return sorted(Memory.objects.filter(tag_rows__tag=DECAY_TAG).values_list("content", flat=True))


def outcomes(number: int) -> list[str]:
    """How promise `number` ended in each boot that showed it."""
    return sorted(ServedPromise.objects.filter(number=number).values_list("outcome", flat=True))


def claim_by_looking(monkeypatch: pytest.MonkeyPatch, *, parties: int) -> None:
    """The fault that the claim prevents: look whether the promise is there, then delete it."""
    barrier = threading.Barrier(parties)

    def look_then_delete(rows: TenantQuerySet[Any]) -> tuple[int, dict[str, int]]:
        there = rows.count()
        barrier.wait(timeout=A_LONG_TIME)
        QuerySet.delete(rows)
        return there, {}

    monkeypatch.setattr(TenantQuerySet, "delete", look_then_delete)


def serve_then_decay(actor: Actor, parties: int) -> Callable[[], tuple[boot.Served, list[Any]]]:
    """One whole delivery; all deliveries wait for each other between the payload and the decay."""
    between = threading.Barrier(parties)

    def deliver() -> tuple[boot.Served, list[Any]]:
        served = boot.serve(actor, request=BootRequest())
        between.wait(timeout=A_LONG_TIME)
        return served, boot.decay(actor, boot=served.boot)

    return deliver


def test_p40_twelve_boots_at_once_make_one_memory_of_each_promise(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = ["First note.", "Second note.", "Third note."]
    for content in contents:
        promises.make(actor, content=content)
    meeting = meet_at(monkeypatch, engine, "plan", parties=BOOTS)
    results = at_once([serve_then_decay(actor, BOOTS)] * BOOTS)
    assert errors(results) == []
    assert meeting.met == 0
    assert all("• prm-1 " in served.payload and "• prm-3 " in served.payload for served, _ in results)
    assert decayed_contents() == sorted(contents)
    assert Promise.objects.count() == 0
    for number in (1, 2, 3):
        assert outcomes(number) == [Outcome.DECAYED] + [Outcome.DECAYED_ELSEWHERE] * (BOOTS - 1)
        # Every boot names the one memory that its promise became.
        assert ServedPromise.objects.filter(number=number).values("memory").distinct().count() == 1
    assert sorted(served.boot for served, _ in results) == list(range(1, BOOTS + 1))


def test_p40_the_same_boot_decayed_twice_at_once_makes_one_memory(actor: Actor) -> None:
    promises.make(actor, content="First note.")
    served = boot.serve(actor, request=BootRequest())
    results = at_once([lambda: boot.decay(actor, boot=served.boot)] * 6)
    assert errors(results) == []
    assert decayed_contents() == ["First note."]
    assert outcomes(1) == [Outcome.DECAYED]


def test_p40_control_without_the_claim_a_promise_becomes_two_memories(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    promises.make(actor, content="First note.")
    deliver = serve_then_decay(actor, 2)
    take_the_lock_away(monkeypatch)
    claim_by_looking(monkeypatch, parties=2)
    index = next(c for c in ServedPromise._meta.constraints if c.name == "servedpromise_decays_once")
    with connection.schema_editor() as schema:
        schema.remove_constraint(ServedPromise, index)
    try:
        results = at_once([deliver] * 2)
        assert errors(results) == []
        assert decayed_contents() == ["First note.", "First note."]
    finally:
        ServedPromise.objects.all().update(outcome=Outcome.SHOWN, memory=None)
        with connection.schema_editor() as schema:
            schema.add_constraint(ServedPromise, index)


def test_p40_the_database_itself_refuses_the_second_memory(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the lock and the claim both wrong, the constraint still turns the second decay into a failure."""
    promises.make(actor, content="First note.")
    take_the_lock_away(monkeypatch)
    claim_by_looking(monkeypatch, parties=2)
    results = at_once([serve_then_decay(actor, 2)] * 2)
    assert errors(results) == []
    assert outcomes(1) == [Outcome.DECAYED, Outcome.FAILED]


def test_p41_a_release_between_payload_and_decay_wins(actor: Actor) -> None:
    promises.make(actor, content="First note.")
    served = boot.serve(actor, request=BootRequest())
    (released,) = at_once([lambda: promises.release(actor, number=1)])
    assert released is None
    endings = boot.decay(actor, boot=served.boot)
    assert [ending.outcome for ending in endings] == [Outcome.RELEASED]
    assert decayed_contents() == []


def test_p41_a_decay_and_releases_at_once_each_end_a_promise_once(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P12, P40: either it became a memory and the release found nothing, or it was withdrawn and nothing decayed."""
    count = 8
    for number in range(1, count + 1):
        promises.make(actor, content=f"note {number}")
    served = boot.serve(actor, request=BootRequest())
    meet_at(monkeypatch, boot, "decay_draft", parties=2)
    results = at_once(
        [
            lambda: boot.decay(actor, boot=served.boot),
            *(lambda n=n: promises.release(actor, number=n) for n in range(1, count + 1)),
        ]
    )
    endings, released = results[0], results[1:]
    assert [ending.number for ending in endings] == list(range(1, count + 1))
    for ending, release in zip(endings, released, strict=True):
        withdrawn = release is None
        assert (ending.outcome is Outcome.RELEASED) == withdrawn
        assert (f"note {ending.number}" in decayed_contents()) != withdrawn
    assert Promise.objects.count() == 0


def test_p41_control_without_the_claim_a_released_promise_still_decays(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    promises.make(actor, content="First note.")
    served = boot.serve(actor, request=BootRequest())
    take_the_lock_away(monkeypatch)
    claim_by_looking(monkeypatch, parties=2)
    decayed, released = at_once(
        [lambda: boot.decay(actor, boot=served.boot), lambda: promises.release(actor, number=1)]
    )
    assert released is None
    assert [ending.outcome for ending in decayed] == [Outcome.DECAYED]


def test_p41_a_promise_made_between_payload_and_decay_stays(actor: Actor) -> None:
    promises.make(actor, content="First note.")
    served = boot.serve(actor, request=BootRequest())
    at_once([lambda: promises.make(actor, content="Second note.")])
    boot.decay(actor, boot=served.boot)
    assert list(Promise.objects.values_list("content", flat=True)) == ["Second note."]


def test_p39_boots_at_once_while_one_promise_cannot_be_written(
    actor: Actor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The others decay, exactly once each; the one that fails stays, is logged by its id and shown again."""
    for content in ("good one", "broken one", "good two"):
        promises.make(actor, content=content)

    def broken(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("INSERT") and '"memories_memory"' in sql and "broken one" in (params or ()):
            raise DatabaseError("the disk is full")
        return execute(sql, params, many, context)

    deliver = serve_then_decay(actor, 4)

    def deliver_broken() -> Any:
        with connection.execute_wrapper(broken):
            return deliver()

    caplog.set_level(logging.ERROR)
    results = at_once([deliver_broken] * 4)
    assert errors(results) == []
    assert decayed_contents() == ["good one", "good two"]
    assert list(Promise.objects.values_list("number", "content")) == [(2, "broken one")]
    assert outcomes(2) == [Outcome.FAILED] * 4
    assert "prm-2" in caplog.text
    assert "broken one" not in caplog.messages

    again = boot.serve(actor, request=BootRequest())
    assert "broken one" in again.payload
    assert "good one" not in again.payload.split("[REVELL | EPISODIC]")[0]
    assert [ending.outcome for ending in boot.decay(actor, boot=again.boot)] == [Outcome.DECAYED]
    assert decayed_contents() == ["broken one", "good one", "good two"]


def test_p43_parallel_calls_with_one_key_are_one_serve(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    promises.make(actor, content="First note.")
    meeting = meet_at(monkeypatch, engine, "plan", parties=BOOTS)
    request = BootRequest(idempotency_key="the-same")
    results = at_once([lambda: boot.serve(actor, request=request)] * BOOTS)
    assert errors(results) == []
    assert meeting.met == 0
    assert {(served.boot, served.payload, served.sha256) for served in results} == {
        (1, results[0].payload, results[0].sha256)
    }
    assert sorted(served.repeat for served in results) == [False] + [True] * (BOOTS - 1)
    assert Boot.objects.count() == 1
    assert ServedPromise.objects.count() == 1


def test_p43_control_without_the_lock_each_call_serves(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meet_at(monkeypatch, engine, "plan", parties=BOOTS, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    request = BootRequest(idempotency_key="the-same")
    results = at_once([lambda: boot.serve(actor, request=request)] * BOOTS)
    assert errors(results) == []
    assert Boot.objects.count() == BOOTS


def test_p42_acknowledging_at_once_decays_once(actor: Actor) -> None:
    promises.make(actor, content="First note.")
    served = boot.serve(actor, request=BootRequest(acknowledge=Acknowledge.EXPLICIT))
    results = at_once([lambda: boot.acknowledge(actor, number=served.boot)] * 6)
    assert errors(results) == []
    assert decayed_contents() == ["First note."]
    assert len({result.acknowledged_at for result in results}) == 1


# One state -----------------------------------------------------------------------------------------------------------


def change_between_rows_and_contents(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Another connection changes the rows after they were chosen and before their contents are read."""
    plan = engine.plan

    def plan_then_change(*args: Any) -> Any:
        made = plan(*args)
        assert errors(at_once([change])) == []
        return made

    monkeypatch.setattr(engine, "plan", plan_then_change)


def test_p34_a_preview_sees_one_state(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """P35: what is destroyed while a preview reads is still whole in it."""
    factories.remember(actor, "core", "I say what I know.", key="honesty")
    change_between_rows_and_contents(monkeypatch, Memory.objects.all().delete)
    assert "• honesty: I say what I know.\n" in boot.preview(actor, request=BootRequest()).text


def test_p34_control_without_one_state_a_preview_breaks(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.remember(actor, "core", "I say what I know.", key="honesty")
    change_between_rows_and_contents(monkeypatch, Memory.objects.all().delete)
    monkeypatch.setattr(boot, "one_state", nullcontext)
    with pytest.raises(KeyError):
        boot.preview(actor, request=BootRequest())


def test_p34_a_preview_waits_for_no_writer(actor: Actor) -> None:
    """The tenant is locked by a write that does not end; a preview answers all the same."""
    promises.make(actor, content="First note.")
    locked, done = threading.Event(), threading.Event()
    seen: list[str] = []

    def write_slowly() -> None:
        with memories.transaction.atomic():
            memories.lock_tenant(actor)
            locked.set()
            assert done.wait(timeout=A_LONG_TIME)

    def preview() -> None:
        assert locked.wait(timeout=A_LONG_TIME)
        try:
            seen.append(boot.preview(actor, request=BootRequest(context_hint="note")).text)
        finally:
            done.set()

    assert errors(at_once([write_slowly, preview])) == []
    assert "First note." in seen[0]


# The end of a process ------------------------------------------------------------------------------------------------

CHILD = """
import sys, django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
from memories.engine.actor import Actor, Via
from memories.engine.delivery import BootRequest
from memories.engine.kinds import KEY_SCOPES
from memories.services import boot
actor = Actor(int(sys.argv[2]), frozenset(KEY_SCOPES), Via.COMMAND, "child")
served = boot.serve(actor, request=BootRequest())
sys.stdout.write(served.payload)
sys.stdout.flush()
sys.stdin.read()  # killed here, where the decay would follow
boot.decay(actor, boot=served.boot)
"""


def test_p39_a_process_killed_between_payload_and_decay_loses_nothing(actor: Actor) -> None:
    """P38, P40: the promise is pending, the next boot shows it, and it decays once."""
    promises.make(actor, content="First note.")
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(connection.settings_dict["NAME"]), str(actor.tenant)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "revell.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    with child:
        assert child.stdout is not None
        lines = []
        try:
            for line in child.stdout:
                lines.append(line)
                if line == "[REVELL | END]\n":
                    break
        finally:
            child.send_signal(signal.SIGKILL)
        assert child.wait(timeout=A_LONG_TIME) == -signal.SIGKILL
    assert any("First note." in line for line in lines)

    assert [promise.content for promise in Promise.objects.all()] == ["First note."]
    assert decayed_contents() == []
    assert outcomes(1) == [Outcome.SHOWN]

    again = boot.serve(actor, request=BootRequest())
    assert "First note." in again.payload
    boot.decay(actor, boot=again.boot)
    boot.decay(actor, boot=1)
    assert decayed_contents() == ["First note."]
    assert outcomes(1) == [Outcome.DECAYED, Outcome.DECAYED_ELSEWHERE]
