"""When things end by time alone: working memories, the bin, idempotency keys. All moments are aware UTC datetimes."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.engine.limits import BIN_LIFETIME, IDEMPOTENCY_WINDOW, WORKING_LIFETIME


def working_cutoff(now: datetime) -> datetime:
    """A working memory last updated before this moment has ended.

    Seven full days and then to the end of the UTC day: within one day the set of live rows does not change by time
    passing, so neither does a payload (P18).
    """
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - WORKING_LIFETIME


def bin_cutoff(now: datetime) -> datetime:
    """What was forgotten before this moment is destroyed by the next sweep."""
    return now - BIN_LIFETIME


def idempotency_cutoff(now: datetime) -> datetime:
    """A boot made at or after this moment answers again for its idempotency key (P43)."""
    return now - IDEMPOTENCY_WINDOW
