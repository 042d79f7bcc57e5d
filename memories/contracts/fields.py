"""The values of a contract, one class for each kind. Each refuses what only looks like its kind: `true` is not 1.

The schema that a field carries is for readers and tools; what it adds to the type (a length, a range, a pattern) is
checked by the engine, so that every skin refuses with the same words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any

from drf_spectacular.drainage import get_override, set_override
from rest_framework import serializers

from memories.engine.promises import over_cap_note
from memories.engine.text import is_encodable

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
_MOMENT = re.compile(rf"{_DATE}(?:(?P<time>{_TIME})(?P<zone>[Zz]|[+-][0-9]{{2}}:[0-9]{{2}})?)?")
# Patterns for the schema: text has no NUL, a line has no control character and no line end, something in it is visible.
# The engine knows a few more characters without a shape; naming them all would help no reader.
SEEN = r"[^\s\x00-\x1f\x7f-\x9f]"
_LINE = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]"
TEXT = r"^[^\x00]*$"
VISIBLE_TEXT = rf"^[^\x00]*{SEEN}[^\x00]*$"
VISIBLE_NOTE = rf"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*{SEEN}[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$"
LINE = rf"^{_LINE}*$"
VISIBLE_LINE = rf"^{_LINE}*{SEEN}{_LINE}*$"
_WHOLE_MAX = 2**53  # beyond it JSON numbers lose their last digits in most readers


class Value(serializers.Field):
    """A value with its JSON schema. `from_query` reads it from an address, where everything is text."""

    default_error_messages = {"required": "This field is required.", "null": "Null is no value here. Leave it out."}
    repeated = False

    def __init__(self, *, schema: dict[str, Any], **options: Any) -> None:
        super().__init__(**options)
        set_override(self, "field", schema)

    def from_query(self, text: str) -> Any:
        return text

    def to_representation(self, value: Any) -> Any:
        return value


class Text(Value):
    """Text as it was sent: nothing is trimmed, nothing is turned into text."""

    default_error_messages = {
        "invalid": "This must be a text, in quotes.",
        "nul": "The text holds a NUL character.",
        "surrogate": "The text is not valid UTF-8 (it holds a lone surrogate).",
    }

    def __init__(self, *, schema: dict[str, Any] | None = None, **options: Any) -> None:
        super().__init__(schema={"type": "string", "pattern": TEXT, **(schema or {})}, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if "\x00" in data:
            self.fail("nul")
        if not is_encodable(data):
            self.fail("surrogate")
        return str(data)


class Filter(Text):
    """Text that a list is narrowed by; an empty one would silently not narrow it."""

    default_error_messages = {"blank": "This filter is empty. Give it a value or leave it out."}

    def __init__(self, *, schema: dict[str, Any] | None = None, **options: Any) -> None:
        super().__init__(schema={"minLength": 1, **(schema or {})}, **options)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text:
            self.fail("blank")
        return text


class Whole(Value):
    """A whole number. `2.0` is one in JSON; `true`, `"2"` and `2.5` are not."""

    default_error_messages = {"invalid": "This must be a whole number.", "range": "This number is far out of range."}

    def __init__(self, *, minimum: int | None = None, maximum: int | None = None, **options: Any) -> None:
        schema: dict[str, Any] = {"type": "integer"}
        if minimum is not None:
            schema["minimum"] = minimum
        if maximum is not None:
            schema["maximum"] = maximum
        super().__init__(schema=schema, **options)

    def from_query(self, text: str) -> Any:
        return int(text) if _WHOLE.fullmatch(text) else text

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, float) and data.is_integer():
            data = int(data)
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        if abs(data) > _WHOLE_MAX:
            self.fail("range")
        return int(data)


class Number(Value):
    """A finite number."""

    default_error_messages = {"invalid": "This must be a number.", "range": "This number is far out of range."}

    def __init__(self, *, minimum: float, maximum: float, **options: Any) -> None:
        super().__init__(schema={"type": "number", "minimum": minimum, "maximum": maximum}, **options)

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        if not math.isfinite(data) if isinstance(data, float) else abs(data) > _WHOLE_MAX:
            self.fail("range")
        return float(data)


class YesNo(Value):
    """`true` or `false`."""

    default_error_messages = {"invalid": "This must be true or false."}

    def __init__(self, **options: Any) -> None:
        super().__init__(schema={"type": "boolean"}, **options)

    def from_query(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text, text)

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return bool(data)


class OneOf(Value):
    """A word of a closed list."""

    default_error_messages = {"invalid": "This must be one of {words}."}

    def __init__(self, words: type[StrEnum], **options: Any) -> None:
        super().__init__(schema={"type": "string", "enum": [word.value for word in words]}, **options)
        self.words = words

    def to_internal_value(self, data: Any) -> StrEnum:
        if not isinstance(data, str) or data not in list(self.words):
            self.fail("invalid", words=", ".join(self.words))
        return self.words(data)


class Moment(Value):
    """A point in time: a date, or a date and time with its zone; out comes an aware UTC datetime.

    Answers show whole seconds, so what ends a span (`end`) covers the whole second or the whole day that it names.
    """

    default_error_messages = {
        "invalid": "This must be a date such as 2026-11-30, or a time with its zone such as 2026-11-30T08:15:00Z.",
        "zone": "The time needs a zone, for example 2026-11-30T08:15:00Z.",
    }

    def __init__(self, *, end: bool = False, **options: Any) -> None:
        shape = {"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}
        super().__init__(schema=shape, **options)
        self.end = end

    def to_internal_value(self, data: Any) -> datetime:
        found = _MOMENT.fullmatch(data) if isinstance(data, str) else None
        if found is None:
            self.fail("invalid")
        if found["time"] and not found["zone"]:
            self.fail("zone")
        try:
            moment = datetime.fromisoformat(data.upper())
            moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
            if self.end and not found["time"]:
                moment = datetime.combine(moment, time.max, tzinfo=UTC)
            elif self.end and not moment.microsecond:
                moment += timedelta(microseconds=999_999)
        except (ValueError, OverflowError):
            self.fail("invalid")
        return moment


class Several(Value):
    """A list of values of one kind. Errors name the place: `tags.2`."""

    default_error_messages = {"invalid": "This must be a list."}
    repeated = True

    def __init__(self, child: Value, *, schema: dict[str, Any] | None = None, **options: Any) -> None:
        of = get_override(child, "field")
        super().__init__(schema={"type": "array", "items": of, **(schema or {})}, **options)
        self.child = child

    def from_query(self, text: str) -> Any:
        return self.child.from_query(text)

    def to_internal_value(self, data: Any) -> tuple[Any, ...]:
        if not isinstance(data, Sequence) or isinstance(data, str):
            self.fail("invalid")
        kept = []
        errors: dict[str, Any] = {}
        for place, one in enumerate(data):
            try:
                kept.append(self.child.run_validation(one))
            except serializers.ValidationError as error:
                errors[str(place)] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return tuple(kept)


# What comes out ------------------------------------------------------------------------------------------------------


class When(Value):
    """A moment in an answer: UTC, whole seconds, `2026-11-30T08:15:00Z`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(schema={"type": "string", "format": "date-time"}, **options)

    def to_representation(self, value: datetime) -> str:
        return shown_moment(value)


class TextOrNull(Value):
    """A text that may be missing: null, never the empty text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(schema={"type": "string"}, allow_null=True, **options)

    def to_representation(self, value: str) -> str | None:
        return value or None


class Note(Value):
    """A sentence for the reader, or null when there is nothing to say: P8, pending promises above the cap."""

    def __init__(self, **options: Any) -> None:
        super().__init__(schema={"type": "string"}, allow_null=True, source="*", **options)

    def to_representation(self, value: Any) -> str | None:
        return over_cap_note(cap_bytes=value.cap_bytes, used_bytes=value.used_bytes) or None


class Plain(Value):
    """JSON values that are ready to go out."""


def shown_moment(moment: datetime) -> str:
    """`moment` as every answer shows it."""
    return moment.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"
