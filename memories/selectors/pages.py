"""Cutting a long list into pages with opaque cursors. What is in the list is the caller's."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet

from memories.engine.limits import PAGE_MAX
from memories.errors import InvalidInput

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, the cursors of the pages beside them ("" where there is none), and how many rows there are in all."""

    results: list[Row]
    next: str
    previous: str
    total: int


def cut_page(rows: QuerySet[Row], *, keys: Sequence[str], limit: int, cursor: str = "") -> Page[Row]:
    """One page of `rows` in the order of `keys`, all in one direction (`-field` or `field`), the last one unique.

    A cursor holds the key values of a row and the side of it that is wanted; the total is counted before cutting.
    InvalidInput for a limit outside 1..200 and for a cursor that was not made here.
    """
    if not 1 <= limit <= PAGE_MAX:
        raise InvalidInput.for_field("limit", f"“limit” is a whole number from 1 to {PAGE_MAX}, not {limit}.")
    fields = [key.lstrip("-") for key in keys]
    descending = keys[0].startswith("-")
    total = rows.count()
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
    told = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps([int(backwards), *told]).encode()).decode().rstrip("=")


def _decode(cursor: str, model: type[Model], fields: Sequence[str]) -> tuple[bool, list[Any]]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        backwards, *told = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        if backwards not in (0, 1) or len(told) != len(fields):
            raise ValueError(cursor)
        values: list[Any] = []
        for field, value in zip(fields, told, strict=True):
            if model._meta.get_field(field).get_internal_type() == "DateTimeField":  # noqa: SLF001 (Django documents _meta)
                moment = datetime.fromisoformat(value)
                if moment.tzinfo is None:
                    raise ValueError(cursor)
                values.append(moment.astimezone(UTC))
            elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
                values.append(value)
            else:
                raise ValueError(cursor)
    except (ValueError, TypeError, binascii.Error, UnicodeError, RecursionError, OverflowError):
        raise InvalidInput.for_field(
            "cursor", "This cursor was not made here. Begin again without one, then follow “next”."
        ) from None
    return bool(backwards), values
