"""The shape of an error (RFC 9457), and its own data as JSON. Which error has which status is `memories.problems`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from memories.contracts.base import Shape
from memories.contracts.fields import Plain, shown_moment
from memories.contracts.memories import MemoryOut


class Problem(Shape):
    """What went wrong. Besides these members an error brings its own data, such as `over_bytes`."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="One of the codes in docs/errors.md.")
    detail = serializers.CharField(help_text="A sentence that says what to do.")
    errors = Plain(  # type: ignore[assignment]
        schema={"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        required=False,
        help_text="Sentences by field; `items.3.content` is the content of the fourth item.",
    )


def shown_data(data: dict[str, Any]) -> dict[str, Any]:
    """An error's own data as JSON values: `current` is the memory as it is now."""
    return {name: _shown(value) for name, value in data.items()}


def _shown(value: Any) -> Any:
    if isinstance(value, str | int | float | list | dict | tuple | None):
        return value
    if isinstance(value, datetime):
        return shown_moment(value)
    return dict(MemoryOut(value).data)
