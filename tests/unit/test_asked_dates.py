"""Dates in questions, and the moments that fit them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.engine.asked_dates import AskedDate, asked_dates


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("What broke on 2026-11-30?", [(2026, 11, 30)]),
        ("What broke on 30 November 2026?", [(2026, 11, 30)]),
        ("what broke on November 30th, 2026", [(2026, 11, 30)]),
        ("what did she say on the 3rd of may", [(None, 5, 3)]),
        ("the release of 2026-11", [(2026, 11, None)]),
        ("Where did we go in July 2022?", [(2022, 7, None)]),
        ("the last week of June", [(None, 6, None)]),
        ("since Sept. 2024", [(2024, 9, None)]),
        ("what happened in 2021", [(2021, None, None)]),
        ("between 1 May, 2022 and 4 May, 2022", [(2022, 5, 1), (2022, 5, 4)]),
        ("29 February", [(None, 2, 29)]),
        ("may I go", []),
        ("30 February 2023", [(2023, 2, None)]),
        ("2023-13-40", []),
        ("port 2021 and build 1999", []),
        ("", []),
    ],
)
def test_what_a_question_names(question, dates):
    assert asked_dates(question) == tuple(AskedDate(*one) for one in dates)


@pytest.mark.parametrize(
    ("asked", "moment", "fit"),
    [
        ((2023, 5, 8), (2023, 5, 8), 1.0),
        ((2023, 5, 8), (2023, 5, 9), 1.0),
        ((2023, 5, 8), (2023, 5, 18), 0.6),
        ((2023, 5, 8), (2023, 5, 5), 0.6),
        ((2023, 5, 8), (2023, 5, 4), 0.0),
        ((2023, 5, 8), (2024, 5, 8), 0.0),
        ((None, 5, 8), (2024, 5, 8), 1.0),
        ((None, 2, 29), (2023, 2, 28), 1.0),
        ((2023, 5, None), (2023, 5, 31), 1.0),
        ((2023, 5, None), (2023, 6, 1), 0.0),
        ((2023, None, None), (2023, 1, 1), 0.5),
    ],
)
def test_how_well_a_moment_fits(asked, moment, fit):
    assert AskedDate(*asked).fit(datetime(*moment, 12, tzinfo=UTC)) == fit


@given(st.text(max_size=60), st.datetimes(timezones=st.just(UTC)))
def test_any_text_and_any_moment_are_answered(question, moment):
    for date in asked_dates(question + " 29 Feb 2024"):
        assert 0 <= date.fit(moment) <= 1
