"""Threads that act at once, where they meet, and how a test takes the lock away. Nobody sleeps here.

A race is made visible in two halves. The right run: threads are held at a pure decision function, for a moment only, so
that a serialised run goes on. The control: the lock is taken away, all of them meet there, and the fault must be seen.
A test whose control shows no fault proves nothing.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from memories.engine.actor import Actor
from memories.models import Tenant
from memories.services import boot, capsules, keys, memories, promises, retention, tenants
from revell.sqlite3.turns import Turns

# How long the first thread of a serialised run waits for others that cannot come.
A_MOMENT = 0.25
# How long all threads of a control get to arrive on a busy machine.
A_LONG_TIME = 30.0


def at_once(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run each work in a thread of its own, all let go at one moment; what each returned or raised, in order."""
    start = threading.Barrier(len(works))
    results: list[Any] = [None] * len(works)

    def run(place: int) -> None:
        try:
            start.wait(timeout=A_LONG_TIME)
            results[place] = works[place]()
        except Exception as error:  # noqa: BLE001  (the test judges it)
            results[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads), "a thread never came back"
    return results


def errors(results: Sequence[Any]) -> list[Exception]:
    return [result for result in results if isinstance(result, Exception)]


@dataclass
class Meeting:
    """How many threads really stood at the function together."""

    met: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def happened(self) -> None:
        with self._lock:
            self.met += 1


def meet_at(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType | type, name: str, *, parties: int, patience: float = A_MOMENT
) -> Meeting:
    """Hold each caller of `module.name` until `parties` of them are there, or until patience ends; then all go on."""
    barrier = threading.Barrier(parties)
    meeting = Meeting()
    decide = getattr(module, name)

    def meet_first(*args: Any, **kwargs: Any) -> Any:
        try:
            barrier.wait(timeout=patience)
        except threading.BrokenBarrierError:
            pass
        else:
            meeting.happened()
        return decide(*args, **kwargs)

    monkeypatch.setattr(module, name, meet_first)
    return meeting


def take_the_lock_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services read the tenant without locking it. On SQLite, where the transaction is the lock, none is begun.

    Numbers come from a counter that never repeats: the unique numbers would hide the fault that a control looks for.
    """
    numbers = itertools.count(1_000, 1_000)

    def read_only(actor: Actor) -> Tenant:
        tenant = Tenant.objects.get(pk=actor.tenant)
        tenant.next_memory = tenant.next_promise = tenant.next_boot = tenant.next_capsule = next(numbers)
        return tenant

    for module in (boot, capsules, keys, memories, promises, retention, tenants):
        monkeypatch.setattr(module, "lock_tenant", read_only)
    if connection.vendor == "sqlite":
        # Each statement then stands alone; what Django commits or rolls back afterwards finds nothing to do.
        monkeypatch.setattr(type(connections["default"]), "_start_transaction_under_autocommit", _begin_nothing)


def take_the_turns_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers on SQLite no longer queue before they ask for its lock."""
    monkeypatch.setattr(Turns, "take", lambda self, *, timeout: True)
    monkeypatch.setattr(Turns, "end", lambda self: None)


def _begin_nothing(wrapper: BaseDatabaseWrapper) -> None:
    """In the place of BEGIN IMMEDIATE."""
