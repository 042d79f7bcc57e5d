"""A promise in and out, with the use of the cap."""

from __future__ import annotations

from rest_framework import serializers

from memories.contracts.base import Contract, Shape
from memories.contracts.fields import VISIBLE_NOTE, Note, Text, When
from memories.engine.limits import BUDGET_TOKENS_MAX, BYTES_PER_TOKEN, PROMISE_CAP_DIVISOR

_CAP_MAX = BUDGET_TOKENS_MAX * BYTES_PER_TOKEN // PROMISE_CAP_DIVISOR


class PromiseIn(Contract):
    """A note for the next boot."""

    content = Text(
        schema={"minLength": 1, "maxLength": _CAP_MAX, "pattern": VISIBLE_NOTE},
        help_text="One or two dense paragraphs. Served word for word at the top of the next boot; no control "
        "characters but new lines and tabs.",
    )


class PromiseOut(Shape):
    """A pending promise."""

    id = serializers.CharField(source="__str__")
    content = serializers.CharField()
    size_bytes = serializers.IntegerField()
    created_at = When()


class PromiseMade(PromiseOut):
    """The promise, and the use of the cap with it. `already_pending`: it was there before, nothing was added."""

    cap_bytes = serializers.IntegerField()
    used_bytes = serializers.IntegerField()
    free_bytes = serializers.IntegerField()
    already_pending = serializers.BooleanField()

    def to_representation(self, instance: object) -> dict[str, object]:
        """`instance` is what `services.promises.make` returns."""
        return {
            **PromiseOut(instance.promise).data,  # type: ignore[attr-defined]
            **{name: getattr(instance, name) for name in ("cap_bytes", "used_bytes", "free_bytes", "already_pending")},
        }


class PromisesOut(Shape):
    """The pending promises, oldest first (P11). `over_bytes` is more than 0 after the budget was lowered (P8)."""

    results = PromiseOut(many=True, source="promises")
    total = serializers.IntegerField()
    cap_bytes = serializers.IntegerField()
    used_bytes = serializers.IntegerField()
    free_bytes = serializers.IntegerField()
    over_bytes = serializers.IntegerField()
    budget_tokens = serializers.IntegerField()
    note = Note()
