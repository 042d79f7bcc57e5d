"""A lock that is handed over in the order of arrival. Who takes turns, and why, is `base`'s."""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """Like `threading.Lock`, but whoever came first goes first; it may be released by another thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Event] = deque()

    @property
    def waiting(self) -> int:
        """How many stand in line now."""
        return len(self._waiting)

    def take(self, *, timeout: float) -> bool:
        """Wait for one's turn; False when it did not come within `timeout` seconds."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = threading.Event()
            self._waiting.append(mine)
        if mine.wait(timeout):
            return True
        with self._guard:
            if mine.is_set():  # it came between the end of the wait and here
                return True
            self._waiting.remove(mine)
            return False

    def end(self) -> None:
        """Hand the turn to who has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False
