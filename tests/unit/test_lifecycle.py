"""What ends by time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memories.engine.lifecycle import bin_cutoff, idempotency_cutoff, working_cutoff

UPDATED = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)


def ended(now: datetime) -> bool:
    return working_cutoff(now) > UPDATED


def test_a_working_memory_lives_seven_days_and_to_the_end_of_that_day() -> None:
    assert not ended(UPDATED + timedelta(days=7))
    assert not ended(datetime(2026, 11, 27, 23, 59, 59, tzinfo=UTC))
    assert ended(datetime(2026, 11, 28, 0, 0, tzinfo=UTC))


def test_p18_within_one_utc_day_nothing_ends() -> None:
    day = datetime(2026, 11, 28, tzinfo=UTC)
    cutoffs = {working_cutoff(day + timedelta(minutes=n)) for n in range(0, 24 * 60, 7)}
    assert len(cutoffs) == 1


def test_p43_a_key_answers_again_for_ten_minutes() -> None:
    assert idempotency_cutoff(UPDATED) == UPDATED - timedelta(minutes=10)


def test_the_bin_holds_thirty_days() -> None:
    assert bin_cutoff(UPDATED) == UPDATED - timedelta(days=30)
