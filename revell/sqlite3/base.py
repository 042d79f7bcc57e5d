"""The connection: Django's, and writers stand in line.

SQLite lets one transaction write at a time. Whoever finds it taken sleeps and tries again, longer each time, so of many
threads a few wait for many seconds while others come and go. Here the threads of a process take turns before they ask
SQLite. Several processes still meet at SQLite's own lock, with one thread of each at most.

Statements outside a transaction do not queue: they hold the lock for themselves and no longer.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from revell.sqlite3.turns import Turns

_turns_of_file: defaultdict[str, Turns] = defaultdict(Turns)


def turns_of(file: object) -> Turns:
    """The one line of this process before a database file."""
    return _turns_of_file[str(file)]


class DatabaseWrapper(base.DatabaseWrapper):
    """A turn is taken before BEGIN. Commit, rollback and a closed connection end it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turns | None = None

    def _start_transaction_under_autocommit(self) -> None:
        turns = turns_of(self.settings_dict["NAME"])
        if not turns.take(timeout=self.settings_dict["OPTIONS"].get("timeout", 5.0)):
            raise OperationalError("database is locked")
        self._turn = turns
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.end()
