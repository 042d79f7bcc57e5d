"""The options of a boot in; payload, manifest and past boots out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memories.contracts.base import Contract, Query, Shape
from memories.contracts.fields import OneOf, Plain, Text, TextOrNull, When, Whole
from memories.contracts.pages import PageShape
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Acknowledge, Channel, Outcome, Reason, Section
from memories.engine.limits import (
    BUDGET_TOKENS_MAX,
    BUDGET_TOKENS_MIN,
    BYTES_PER_TOKEN,
    CONTEXT_HINT_MAX_CHARS,
    IDEMPOTENCY_KEY_MAX_CHARS,
    LEFT_OUT_LISTED_MAX,
    MAX_CHARS_MIN,
    PROJECT_MAX_CHARS,
    SESSION_ID_MAX_CHARS,
)
from memories.services.boot import WhatIf


def _line(most: int, text: str) -> Text:
    return Text(schema={"maxLength": most, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*$"}, required=False, help_text=text)


class _Options(serializers.Serializer):
    """What a serve and a preview have in common."""

    channel = OneOf(Channel, required=False, help_text="Why it is served; `agent` when not given.")
    context_hint = Text(
        schema={"maxLength": CONTEXT_HINT_MAX_CHARS},
        required=False,
        help_text="What the session is about; what recall finds for it stands in RECALLED.",
    )
    project_prefix = _line(PROJECT_MAX_CHARS, "The path of the project at hand; its words count as a hint.")
    session_id = _line(SESSION_ID_MAX_CHARS, "The agent's own name for its session, kept with the boot.")
    acknowledge = OneOf(
        Acknowledge, required=False, help_text="`explicit`: promises decay only when the boot is acknowledged."
    )
    idempotency_key = _line(
        IDEMPOTENCY_KEY_MAX_CHARS,
        "The same key within 10 minutes gives the same payload and consumes nothing. May be the header "
        "`Idempotency-Key` instead.",
    )
    max_chars = Whole(
        required=False,
        minimum=MAX_CHARS_MIN,
        maximum=BUDGET_TOKENS_MAX * BYTES_PER_TOKEN,
        help_text="A ceiling of the client below the budget, in bytes.",
    )


class BootIn(_Options, Contract):
    """How to serve; every option has a default."""

    null_is_missing = True


class PreviewQuery(_Options, Query):
    """How to serve, and settings to try; of shares that are not given the agent's own count."""

    budget_tokens = Whole(required=False, minimum=BUDGET_TOKENS_MIN, maximum=BUDGET_TOKENS_MAX)
    share_core = Whole(required=False, minimum=0, maximum=100)
    share_working = Whole(required=False, minimum=0, maximum=100)
    share_episodic = Whole(required=False, minimum=0, maximum=100)


class LeftOutOut(Shape):
    """One row that is not in the payload, and why."""

    id = serializers.CharField()
    reason = serializers.ChoiceField(choices=[(reason.value, reason.value) for reason in Reason])
    bytes = serializers.IntegerField()


class SectionOut(Shape):
    """One section of the payload. `left_out` names the first rows, `left_out_total` counts all."""

    name = serializers.ChoiceField(choices=[(section.value, section.value) for section in Section])
    bytes = serializers.IntegerField()
    included = serializers.ListField(child=serializers.CharField())
    left_out = LeftOutOut(many=True, help_text=f"At most {LEFT_OUT_LISTED_MAX}.")
    left_out_total = serializers.IntegerField()
    left_out_reasons = Plain(schema={"type": "object", "additionalProperties": {"type": "integer"}})


class AllocationOut(Shape):
    """What one share of the budget came to, in bytes; `charged` is its part of the promises."""

    share = serializers.IntegerField()
    before = serializers.IntegerField()
    charged = serializers.IntegerField()
    after = serializers.IntegerField()
    used = serializers.IntegerField()


class AllocationsOut(Shape):
    """The three allocations (P23)."""

    core = AllocationOut()
    working = AllocationOut()
    episodic = AllocationOut()


class TotalOut(Shape):
    """The active memories of one type: those in the payload and those left out are all of them (P30)."""

    active = serializers.IntegerField()
    included = serializers.IntegerField()
    left_out = serializers.IntegerField()


class TotalsOut(Shape):
    """The account by type."""

    core = TotalOut()
    working = TotalOut()
    episodic = TotalOut()
    semantic = TotalOut()
    axiom = TotalOut()


class ManifestOut(Shape):
    """What went in, what was left out and why. The engine makes it as JSON; this only describes it."""

    budget_tokens = serializers.IntegerField()
    budget_bytes = serializers.IntegerField()
    size_bytes = serializers.IntegerField()
    frame_bytes = serializers.IntegerField()
    frame_reserved_bytes = serializers.IntegerField()
    sections = SectionOut(many=True)
    allocations = AllocationsOut()
    totals = TotalsOut()
    cut = serializers.ListField(child=serializers.CharField())

    def to_representation(self, instance: Any) -> Any:
        return instance


class PreviewOut(Shape):
    """The bytes that the next boot with these options would give (P35)."""

    payload = serializers.CharField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    manifest = ManifestOut()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """`instance` is an `engine.boot.Payload`."""
        text = instance.text
        raw = text.encode()
        return {
            "payload": text,
            "size_bytes": len(raw),
            "sha256": hashlib.sha256(raw).hexdigest(),
            "manifest": instance.manifest,
        }


class BootOut(PreviewOut):
    """One delivery. `repeat`: an idempotency key answered again, and nothing new was recorded."""

    boot_id = serializers.CharField()
    repeat = serializers.BooleanField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """`instance` is a `services.boot.Served`."""
        return {
            "boot_id": f"boot-{instance.boot}",
            "payload": instance.payload,
            "size_bytes": instance.size_bytes,
            "sha256": instance.sha256,
            "repeat": instance.repeat,
            "manifest": instance.manifest,
        }


class ServedPromiseOut(Shape):
    """A promise that the boot showed, and how it ended; `memory_id` is the memory it became."""

    id = serializers.SerializerMethodField()
    size_bytes = serializers.IntegerField()
    outcome = serializers.ChoiceField(choices=[(outcome.value, outcome.value) for outcome in Outcome])
    memory_id = serializers.SerializerMethodField()
    ended_at = When(allow_null=True)

    def get_id(self, served: Any) -> str:
        return f"prm-{served.number}"

    def get_memory_id(self, served: Any) -> str | None:
        return str(served.memory) if served.memory else None


class PastBootOut(Shape):
    """A past boot: who, when, with which options, and what became of the promises it showed (P44)."""

    id = serializers.CharField(source="__str__")
    channel = serializers.ChoiceField(choices=[(channel.value, channel.value) for channel in Channel])
    acknowledge = serializers.ChoiceField(choices=[(mode.value, mode.value) for mode in Acknowledge])
    session_id = TextOrNull()
    idempotency_key = TextOrNull()
    context_hint = TextOrNull()
    project_prefix = TextOrNull()
    max_chars = serializers.IntegerField(allow_null=True)
    budget_tokens = serializers.IntegerField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    served_to = serializers.CharField(source="actor")
    via = serializers.CharField()
    created_at = When()
    acknowledged_at = When(allow_null=True)
    promises = ServedPromiseOut(many=True, source="served.all")


class PastBootWithTextOut(PastBootOut):
    """With the exact text, which is kept for the last 100 boots, and the manifest."""

    payload = TextOrNull()
    manifest = ManifestOut()


class PastBootPage(PageShape):
    """Past boots, newest first."""

    results = PastBootOut(many=True)


_WHAT_IF = ("budget_tokens", "share_core", "share_working", "share_episodic")


def request(values: Mapping[str, Any]) -> BootRequest:
    """The options that `BootIn` or `PreviewQuery` read."""
    return BootRequest(**{name: value for name, value in values.items() if name not in _WHAT_IF})


def what_if(values: Mapping[str, Any]) -> WhatIf:
    """The settings to try that `PreviewQuery` read."""
    shares = {name.removeprefix("share_"): values[name] for name in _WHAT_IF[1:] if name in values}
    return WhatIf(budget_tokens=values.get("budget_tokens"), some_shares=shares or None)
