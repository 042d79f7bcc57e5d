"""Moments as whole numbers: cheaper to store in an index, to compare and to read by the hundred than dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """Since 1970 in UTC, exactly; negative before."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """The same moment again, in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)
