"""The clock of the tests of the services: it stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest


class Clock:
    """What `timezone.now` answers."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 8, 15, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> datetime:
        """Move on, in the units of `timedelta`."""
        self.now += timedelta(**time)
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """2026-11-30 08:15 UTC, until it is moved."""
    clock = Clock()
    monkeypatch.setattr("django.utils.timezone.now", clock)
    return clock
