"""Writers on SQLite stand in line: one at a time asks for the file's lock, in the order in which they came."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.db.backends.sqlite3 import base as django_base

from memories.engine.actor import Actor
from memories.engine.kinds import MemoryType
from memories.engine.memories import MemoryDraft
from memories.services import memories
from revell.sqlite3.base import turns_of
from revell.sqlite3.turns import Turns
from tests.concurrency.crowd import A_LONG_TIME, at_once, errors, meet_at, take_the_turns_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]

WRITERS = 8


def remember(actor: Actor, content: str) -> int:
    draft = MemoryDraft(MemoryType.EPISODIC, content)
    return memories.remember(actor, draft=draft).memory.number


def writers(actor: Actor, count: int) -> list[Callable[[], int]]:
    return [partial(remember, actor, f"writer {n}") for n in range(count)]


@pytest.fixture
def turns(actor: Actor) -> Iterator[Turns]:
    """The line before this database, free before and after."""
    line = turns_of(connection.settings_dict["NAME"])
    yield line
    assert line.take(timeout=0), "a turn was never ended"
    line.end()


def arrive(turns: Turns, thread: threading.Thread, *, place: int) -> None:
    """Start `thread` and see it stand in line."""
    thread.start()
    while turns.waiting < place:
        assert thread.is_alive()


def test_who_comes_first_writes_first(actor: Actor, turns: Turns) -> None:
    written: dict[int, int] = {}

    def write(place: int) -> None:
        written[place] = remember(actor, f"writer {place}")
        connections.close_all()

    threads = [threading.Thread(target=write, args=(place,), daemon=True) for place in range(1, WRITERS + 1)]
    with transaction.atomic():
        for place, thread in enumerate(threads, start=1):
            arrive(turns, thread, place=place)
    for thread in threads:
        thread.join(timeout=A_LONG_TIME)
    assert written == {place: place for place in range(1, WRITERS + 1)}


def test_one_at_a_time_asks_for_the_lock(actor: Actor, turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = meet_at(monkeypatch, django_base.DatabaseWrapper, "_start_transaction_under_autocommit", parties=2)
    assert errors(at_once(writers(actor, WRITERS))) == []
    assert meeting.met == 0


def test_one_at_a_time_control_without_turns_they_meet_at_the_lock(
    actor: Actor, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        take_the_turns_away(without)
        meeting = meet_at(
            without, django_base.DatabaseWrapper, "_start_transaction_under_autocommit", parties=2, patience=A_LONG_TIME
        )
        assert errors(at_once(writers(actor, 2))) == []
    assert meeting.met > 0


def test_whatever_ends_a_transaction_ends_the_turn(actor: Actor, turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside, a connection closed inside, a BEGIN that fails: the fixture looks at the line afterwards."""
    with pytest.raises(ZeroDivisionError), transaction.atomic(), transaction.atomic():
        raise ZeroDivisionError
    assert turns.take(timeout=0)
    turns.end()

    with transaction.atomic():
        connection.close()
    assert turns.take(timeout=0)
    turns.end()

    def fail(wrapper: django_base.DatabaseWrapper) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(django_base.DatabaseWrapper, "_start_transaction_under_autocommit", fail)
    with pytest.raises(OperationalError), transaction.atomic():
        pass


def test_nobody_waits_longer_than_the_timeout(actor: Actor, turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn that never ends is told as SQLite itself tells it, and the line is left."""
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.01)
    assert turns.take(timeout=0)
    with pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
        pass
    assert turns.waiting == 0
    turns.end()
