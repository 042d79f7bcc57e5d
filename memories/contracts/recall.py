"""A question in, the best hits out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rest_framework import serializers

from memories.contracts.base import Contract, Shape
from memories.contracts.fields import Moment, Number, OneOf, Plain, Several, Text, Whole, shown_moment
from memories.contracts.memories import MemoryOut
from memories.engine.kinds import MemoryType
from memories.engine.limits import RECALL_LIMIT_DEFAULT, RECALL_LIMIT_MAX, RECALL_QUERY_MAX_CHARS
from memories.selectors.recall import RecallQuery


class RecallIn(Contract):
    """What to look for, and where. No types and no tags mean all of them."""

    null_is_missing = True

    query = Text(
        schema={"minLength": 1, "maxLength": RECALL_QUERY_MAX_CHARS, "pattern": r"^[^\x00]*[^\s\x00][^\x00]*$"}
    )
    limit = Whole(
        required=False,
        minimum=1,
        maximum=RECALL_LIMIT_MAX,
        help_text=f"{RECALL_LIMIT_DEFAULT} when not given.",
    )
    types = Several(OneOf(MemoryType), required=False)
    tags = Several(Text(), required=False, help_text="A hit has all of them.")
    min_importance = Number(minimum=0, maximum=1, required=False)
    since = Moment(required=False)
    until = Moment(required=False, end=True)


class HitOut(MemoryOut):
    """A memory and how well it answers; scores compare within one answer only."""

    score = serializers.FloatField()
    why = serializers.CharField(help_text="In a few words: which words, the time, the neighbour that made it a hit.")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """`instance` is a `selectors.recall.Hit`."""
        return {**MemoryOut(instance.memory).data, "score": instance.score, "why": instance.why}


class RecallOut(Shape):
    """Best first. `scope` says what was searched, so that an empty answer explains itself."""

    results = HitOut(many=True, source="hits")
    scope = Plain(schema={"type": "object", "additionalProperties": True})
    total_matched = serializers.IntegerField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        shown["scope"] = {
            name: shown_moment(value) if isinstance(value, datetime) else value
            for name, value in instance.scope.items()
        }
        return shown


def query(values: Mapping[str, Any]) -> RecallQuery:
    """The query that `RecallIn` read."""
    return RecallQuery(**values)
