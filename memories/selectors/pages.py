"""Cutting a long list into pages with opaque cursors. What is in the list is the caller's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet

from memories.engine.limits import PAGE_MAX
from memories.errors import InvalidInput


def _cursor(keys: int) -> str:
    return rf"[np](-[0-9]{{1,18}}){{{keys}}}"


# What every cursor of a list with one key, or with two, looks like, and nothing else does.
CURSOR_OF_ONE_KEY = _cursor(1)
CURSOR_OF_TWO_KEYS = _cursor(2)

_FIRST_MOMENT = datetime.min.replace(tzinfo=UTC)
_LAST_MOMENT = datetime.max.replace(tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, the cursors of the pages beside them ("" where there is none), and how many rows there are in all."""

    results: list[Row]
    next: str
    previous: str
    total: int


def cut_page(
    rows: QuerySet[Row], *, keys: Sequence[str], limit: int, cursor: str = "", total: int | None = None
) -> Page[Row]:
    """One page of `rows` in the order of `keys`, all in one direction (`-field` or `field`), the last one unique.

    A cursor is the side of a row that is wanted and the row's key values; the total is counted before cutting,
    where the caller does not know it.
    InvalidInput for a limit outside 1..200 and for a cursor that was not made here.
    """
    if not 1 <= limit <= PAGE_MAX:
        raise InvalidInput.for_field("limit", f"“limit” is a whole number from 1 to {PAGE_MAX}, not {limit}.")
    fields = [key.lstrip("-") for key in keys]
    descending = keys[0].startswith("-")
    total = rows.count() if total is None else total
    backwards = False
    if cursor:
        backwards, values = _decode(cursor, rows.model, fields)
        rows = rows.filter(_beyond(fields, values, smaller=descending != backwards))
    order = [_flip(key) for key in keys] if backwards else list(keys)
    found = list(rows.order_by(*order)[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    if backwards:
        found.reverse()
    has_next = bool(found) and (more or backwards)
    has_previous = bool(found) and (bool(cursor) if not backwards else more)
    return Page(
        results=found,
        next=_encode(found[-1], fields, backwards=False) if has_next else "",
        previous=_encode(found[0], fields, backwards=True) if has_previous else "",
        total=total,
    )


def _flip(key: str) -> str:
    return key[1:] if key.startswith("-") else f"-{key}"


def _beyond(fields: Sequence[str], values: Sequence[Any], *, smaller: bool) -> Q:
    """Rows on the far side of `values` in the order of `fields`."""
    side = "lt" if smaller else "gt"
    condition = Q()
    for position, field in enumerate(fields):
        tie = dict(zip(fields[:position], values[:position], strict=True))
        condition |= Q(**tie, **{f"{field}__{side}": values[position]})
    return condition


def _encode(row: Model, fields: Sequence[str], *, backwards: bool) -> str:
    values = [getattr(row, field) for field in fields]
    numbers = [(v - _FIRST_MOMENT) // _MICROSECOND if isinstance(v, datetime) else v for v in values]
    return "-".join(("p" if backwards else "n", *map(str, numbers)))


def _decode(cursor: str, model: type[Model], fields: Sequence[str]) -> tuple[bool, list[Any]]:
    if not re.fullmatch(_cursor(len(fields)), cursor):
        raise InvalidInput.for_field(
            "cursor", "This cursor was not made here. Begin again without one, then follow “next”."
        )
    side, *told = cursor.split("-")
    values: list[Any] = []
    for field, number in zip(fields, map(int, told), strict=True):
        if model._meta.get_field(field).get_internal_type() == "DateTimeField":  # noqa: SLF001 (Django documents _meta)
            # Whatever is later than all times that there are is the last of them.
            values.append(_FIRST_MOMENT + min(number * _MICROSECOND, _LAST_MOMENT - _FIRST_MOMENT))
        else:
            values.append(number)
    return side == "p", values
