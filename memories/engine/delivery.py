"""What a call may ask of a boot, checked. Assembling the payload is in `boot.py`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memories.engine.kinds import Acknowledge, Channel, Outcome
from memories.engine.limits import (
    BUDGET_TOKENS_MAX,
    BYTES_PER_TOKEN,
    CONTEXT_HINT_MAX_CHARS,
    IDEMPOTENCY_KEY_MAX_CHARS,
    MAX_CHARS_MIN,
    PROJECT_MAX_CHARS,
    SESSION_ID_MAX_CHARS,
)
from memories.engine.text import has_control, is_encodable
from memories.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class BootRequest:
    """The options of one boot; every one has a default, so an empty call is a boot."""

    channel: Channel = Channel.AGENT
    context_hint: str = ""
    project_prefix: str = ""
    session_id: str = ""
    acknowledge: Acknowledge = Acknowledge.AUTO
    idempotency_key: str = ""
    max_chars: int | None = None

    @property
    def recall_query(self) -> str:
        """What RECALLED looks for: the hint, and the words of the project's path."""
        return f"{self.context_hint} {self.project_prefix}".strip()


def check_request(request: BootRequest) -> None:
    """Raise InvalidInput naming every option that is out of its limits."""
    errors: dict[str, list[str]] = {}
    for field, limit in (
        ("context_hint", CONTEXT_HINT_MAX_CHARS),
        ("project_prefix", PROJECT_MAX_CHARS),
        ("session_id", SESSION_ID_MAX_CHARS),
        ("idempotency_key", IDEMPOTENCY_KEY_MAX_CHARS),
    ):
        value = getattr(request, field)
        if len(value) > limit:
            errors[field] = [f"“{field}” has at most {limit:,} characters; this one has {len(value):,}."]
        elif not is_encodable(value) or "\x00" in value or (field != "context_hint" and has_control(value, allowed="")):
            errors[field] = [f"“{field}” holds a character that is not text."]
    most = BUDGET_TOKENS_MAX * BYTES_PER_TOKEN
    if request.max_chars is not None and not MAX_CHARS_MIN <= request.max_chars <= most:
        errors["max_chars"] = [f"“max_chars” is a whole number from {MAX_CHARS_MIN:,} to {most:,}."]
    if errors:
        raise InvalidInput(next(iter(errors.values()))[0], errors=errors)


@dataclass(frozen=True, slots=True)
class Ending:
    """How one promise of a boot ended. `memory` is the number of the memory it became."""

    number: int
    outcome: Outcome
    memory: int | None = None
    ended_at: datetime | None = None
