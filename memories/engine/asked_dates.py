"""Dates that a question names: a day, a month, a year, in English or as ISO. What they do to a score is `recall.py`."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(_MONTHS, start=1)}
_NUMBERS |= {name[:3]: number for name, number in _NUMBERS.items()} | {"sept": 9}
_MONTH = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
# The exact ones first: the first form that is found is what was meant.
_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"\b{_YEAR}-(?P<month>\d{{2}})-(?P<day>\d{{2}})\b",
        rf"\b{_DAY}(?: of)? (?P<month>{_MONTH})\b\.?,?(?: {_YEAR})?",
        rf"\b(?P<month>{_MONTH})\b\.? {_DAY}\b,?(?: {_YEAR})?",
        rf"\b{_YEAR}-(?P<month>\d{{2}})\b",
        rf"\b(?P<month>{_MONTH})\b\.?,? {_YEAR}\b",
        rf"\b(?:in|of|during|since|until|before|after|last|early|mid|late) (?P<month>{_MONTH})\b",
        rf"\b(?:in|of|during|since|until|before|after|year) {_YEAR}\b",
    )
)
# People tell of a day on that day or soon after; they are also wrong by a few days.
_DAYS_BEFORE, _DAYS_AFTER = 3, 10
_NEARLY, _YEAR_ALONE = 0.6, 0.5


@dataclass(frozen=True, slots=True)
class AskedDate:
    """What of a date was named; a month without a year means that month of any year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def fit(self, moment: datetime) -> float:
        """How well a moment in UTC fits, from 0 to 1."""
        if self.year is not None and moment.year != self.year:
            return 0.0
        if self.month is None:
            return _YEAR_ALONE
        if self.day is None:
            return 1.0 if moment.month == self.month else 0.0
        year = self.year or moment.year
        # 29 February of a year that has none is its last day.
        asked = date(year, self.month, min(self.day, monthrange(year, self.month)[1]))
        days = (moment.date() - asked).days
        if 0 <= days <= 1:
            return 1.0
        return _NEARLY if -_DAYS_BEFORE <= days <= _DAYS_AFTER else 0.0


def asked_dates(question: str) -> tuple[AskedDate, ...]:
    """The dates that `question` names, in the most exact form that it uses; what is no date in a calendar is none."""
    for form in _FORMS:
        if found := tuple(_dates(form, question)):
            return found
    return ()


def _dates(form: re.Pattern[str], question: str) -> Iterator[AskedDate]:
    for match in form.finditer(question):
        given = match.groupdict()
        month = given.get("month")
        found = AskedDate(
            year=int(given["year"]) if given.get("year") else None,
            month=None if month is None else _NUMBERS.get(month.lower()) or int(month),
            day=int(given["day"]) if given.get("day") else None,
        )
        if _is_real(found):
            yield found


def _is_real(found: AskedDate) -> bool:
    try:
        # A leap year, so that 29 February without a year is one.
        date(found.year or 2024, found.month or 1, found.day or 1)
    except ValueError:
        return False
    return True
