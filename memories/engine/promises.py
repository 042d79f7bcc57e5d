"""The promise limit and what a served promise becomes. Rows are plain values; making and deleting them is not here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memories.engine.kinds import DECAY_TAG, MemoryType, Source
from memories.engine.limits import (
    BYTES_PER_TOKEN,
    IMPORTANCE_DEFAULT,
    PROMISE_CAP_DIVISOR,
    PROMISE_CAP_FLOOR_BYTES,
)
from memories.engine.memories import MemoryDraft
from memories.engine.text import has_control, is_blank, is_encodable, size_bytes
from memories.errors import InvalidInput, PromiseCapExceeded


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """A pending promise."""

    number: int
    content: str
    created_at: datetime


def cap_bytes(budget_tokens: int) -> int:
    """The bytes that all pending promises of a tenant may have together (P3)."""
    return max(PROMISE_CAP_FLOOR_BYTES, budget_tokens * BYTES_PER_TOKEN // PROMISE_CAP_DIVISOR)


def check_content(content: str) -> int:
    """The size in bytes of an acceptable promise, else InvalidInput (P9)."""
    if not is_encodable(content):
        raise InvalidInput.for_field("content", "The promise is not valid UTF-8 text (it holds a lone surrogate).")
    if is_blank(content):
        raise InvalidInput.for_field("content", "The promise is blank. Write the note that the next boot should show.")
    if has_control(content):
        raise InvalidInput.for_field(
            "content", "The promise holds a control character. Only new lines and tabs are allowed besides text."
        )
    return size_bytes(content)


def check_cap(*, budget_tokens: int, used_bytes: int, requested_bytes: int) -> None:
    """Raise PromiseCapExceeded when the new promise would pass the cap; exactly full is allowed (P6, P7)."""
    cap = cap_bytes(budget_tokens)
    over = used_bytes + requested_bytes - cap
    if over <= 0:
        return
    raise PromiseCapExceeded(
        f"{used_bytes:,} of {cap:,} bytes are in use and this promise needs {requested_bytes:,}: {over:,} too many. "
        f"Shorten it by {over:,} bytes, or release earlier promises.",
        cap_bytes=cap,
        used_bytes=used_bytes,
        requested_bytes=requested_bytes,
        over_bytes=over,
    )


def over_cap_note(*, cap_bytes: int, used_bytes: int) -> str:
    """What list, settings and config say while pending promises are above a lowered cap; else nothing (P8)."""
    over = used_bytes - cap_bytes
    if over <= 0:
        return ""
    return (
        f"Pending promises are {over:,} bytes over the cap of {cap_bytes:,}, because the budget was lowered. "
        "They stay pending; new ones are refused until some are served or released."
    )


def decay(content: str, *, served_at: datetime) -> MemoryDraft:
    """The episodic memory that a served promise becomes (P37)."""
    return MemoryDraft(
        type=MemoryType.EPISODIC,
        content=content,
        tags=(DECAY_TAG,),
        importance=IMPORTANCE_DEFAULT,
        source=Source.AGENT,
        occurred_at=served_at,
    )
