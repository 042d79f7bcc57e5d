"""Budget, shares and caps of a tenant, in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memories.contracts.base import Contract, Shape
from memories.contracts.fields import Note, Plain, Text, Value, Whole
from memories.engine.kinds import Category
from memories.engine.limits import (
    BUDGET_TOKENS_MAX,
    BUDGET_TOKENS_MIN,
    CATEGORY_CAP_CHARS_MAX,
    CATEGORY_CAP_CHARS_MIN,
)

_CHARS = {
    "type": "object",
    "properties": {category.value: {"type": "integer"} for category in Category},
    "required": [category.value for category in Category],
}


class SharesIn(Contract):
    """Whole percents that together make 100; what is not named stays as it is."""

    core = Whole(required=False, minimum=0, maximum=100)
    working = Whole(required=False, minimum=0, maximum=100)
    episodic = Whole(required=False, minimum=0, maximum=100)


class CapsIn(Value):
    """Whole numbers by category; which categories there are is the engine's to say."""

    default_error_messages = {"invalid": "This must be an object: a number of characters for each category."}

    def __init__(self, **options: Any) -> None:
        cap = {"type": "integer", "minimum": CATEGORY_CAP_CHARS_MIN, "maximum": CATEGORY_CAP_CHARS_MAX}
        properties = {category.value: cap for category in Category}
        super().__init__(schema={"type": "object", "properties": properties, "additionalProperties": False}, **options)

    def to_internal_value(self, data: Any) -> dict[str, int]:
        if not isinstance(data, Mapping):
            self.fail("invalid")
        caps, errors = {}, {}
        for category, cap in data.items():
            try:
                caps[Text().run_validation(category)] = Whole().run_validation(cap)
            except serializers.ValidationError as error:
                errors[str(category)] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return caps


class ConfigChange(Contract):
    """What is to be different; all or nothing, from the next boot on."""

    least = 1

    budget_tokens = Whole(required=False, minimum=BUDGET_TOKENS_MIN, maximum=BUDGET_TOKENS_MAX)
    shares = SharesIn(required=False)
    category_caps = CapsIn(required=False, help_text="Characters that each core category may hold.")


class SharesOut(Shape):
    """Whole percents that make 100."""

    core = serializers.IntegerField()
    working = serializers.IntegerField()
    episodic = serializers.IntegerField()


class ConfigOut(Shape):
    """The settings, and what follows from them. `over_bytes` and `note` tell of promises above a lowered cap (P8)."""

    budget_tokens = serializers.IntegerField()
    budget_bytes = serializers.IntegerField()
    shares = SharesOut()
    cap_bytes = serializers.IntegerField()
    used_bytes = serializers.IntegerField()
    over_bytes = serializers.IntegerField()
    axiom_allowance_bytes = serializers.IntegerField()
    axiom_used_bytes = serializers.IntegerField()
    category_caps = Plain(schema=_CHARS)
    category_used = Plain(schema=_CHARS)
    note = Note()


def changes(values: Mapping[str, Any]) -> dict[str, Any]:
    """What `ConfigChange` read, as `services.tenants.configure` takes it."""
    shares = {f"share_{pool}": percent for pool, percent in values.get("shares", {}).items()}
    return {**{name: value for name, value in values.items() if name != "shares"}, **shares}
