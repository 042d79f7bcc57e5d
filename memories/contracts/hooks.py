"""The events of agents' hooks in, these agents' own hook output out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memories.contracts.base import Contract, Query, Shape, refusal
from memories.contracts.fields import Plain, Text, Whole
from memories.engine.hooks import Client, HookCall
from memories.engine.limits import HOOK_MOMENT_MAX_CHARS, HOOK_SLICES_MAX


class HookEvent(Contract):
    """What the agent gave its hook, unchanged. Its fields are the agent's: nothing in it is refused."""

    hook_event_name = Plain(required=False, schema={}, help_text="`SessionStart` asks for a payload; others for none.")
    session_id = Plain(required=False, schema={}, help_text="The agent's own name for its session.")
    source = Plain(  # type: ignore[assignment]
        required=False, schema={}, help_text="`startup`, `resume`, `clear`, `fork` or `compact`."
    )

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            raise refusal({"": ["A hook event is an object."]})
        return dict(data)

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "additionalProperties": True}


class HookQuery(Query):
    """What the program in the agent adds to the event."""

    slice = Whole(
        required=False, minimum=1, maximum=HOOK_SLICES_MAX, help_text="Which part of the payload; 1 when not given."
    )
    of = Whole(
        required=False,
        minimum=1,
        maximum=HOOK_SLICES_MAX,
        help_text="In how many parts the payload goes; 1 when not given.",
    )
    moment = Text(
        required=False,
        schema={"maxLength": HOOK_MOMENT_MAX_CHARS, "pattern": r"^[^\x00]*$"},
        help_text="The moment of the event, the same for all its hooks and for a retry; any text.",
    )


class HookSpecificOut(Shape):
    """The text for the agent's context."""

    hookEventName = serializers.CharField()  # noqa: N815 (the agents' own names)
    additionalContext = serializers.CharField()  # noqa: N815


class HookOut(Shape):
    """The agent's own hook output; an empty object adds nothing."""

    hookSpecificOutput = HookSpecificOut(required=False)  # noqa: N815


def hook_call(client: Client, values: Mapping[str, Any]) -> HookCall:
    """The call that `HookQuery` read."""
    return HookCall(client=client, **values)
