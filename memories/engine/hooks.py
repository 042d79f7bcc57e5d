"""An agent's hook event → what to serve; a payload → the slices that this agent's hooks can carry.

Two agents call hooks with JSON of their own when a session starts and after a compaction. What they send besides the
few fields read here is theirs to change, so nothing in it is ever refused. Serving and decaying are elsewhere; so is
the program that runs in the agent (`integrations/`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from memories.engine import wire
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Channel, Section
from memories.engine.limits import (
    BUDGET_TOKENS_MAX,
    BYTES_PER_TOKEN,
    HOOK_MOMENT_MAX_CHARS,
    HOOK_SLICE_CHARS,
    HOOK_SLICE_ROOM_BYTES,
    HOOK_SLICES_MAX,
    SESSION_ID_MAX_CHARS,
)
from memories.engine.text import grapheme_ends, has_control, is_encodable
from memories.errors import InvalidInput

SESSION_START = "SessionStart"
STARTUP = "startup"
COMPACT = "compact"

_PROMISE = re.compile(re.escape(wire.BULLET) + r"prm-([0-9]+) ")
# Where a slice ends best: before a row, or before the blank line of a header.
_ROW_ENDS = tuple(f"\n{start}".encode() for start in (wire.BULLET, "\n[REVELL |"))


class Client(StrEnum):
    """The agents whose hooks are understood; both send and read the same few fields."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


@dataclass(frozen=True, slots=True)
class HookCall:
    """What the agent's event comes with: which of how many hooks of one event calls, and the event's own moment.

    Neither agent sends a moment. The program in the agent does: the same text for all hooks of one event and for a
    retry, another one for the next event. Without it the minute stands in for it.
    """

    client: Client
    slice: int = 1
    of: int = 1
    moment: str = ""


def boot_request(call: HookCall, event: Mapping[str, Any], *, now: datetime) -> BootRequest | None:
    """The serve that this event asks for; None when it asks for none.

    A start of a session, whatever its source, is a `session_start` serve, and after a compaction a `post_compact`
    serve. A retried hook and the other slices of the same event carry the same idempotency key (P43). A slice behind
    the last one asks for nothing.
    """
    _check(call)
    if event.get("hook_event_name") != SESSION_START or call.slice > call.of:
        return None
    source = _text(event.get("source"))
    session = _text(event.get("session_id"))
    return BootRequest(
        channel=Channel.POST_COMPACT if source == COMPACT else Channel.SESSION_START,
        session_id=_line(session),
        idempotency_key=_key(call, session=session, source=source, now=now),
        max_chars=min(call.of * HOOK_SLICE_CHARS, BUDGET_TOKENS_MAX * BYTES_PER_TOKEN),
    )


def output(text: str) -> dict[str, Any]:
    """What the agent reads from a hook of a session's start: `text` for its context, or nothing at all."""
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": SESSION_START, "additionalContext": text}}


def slices(payload: str, of: int) -> list[str]:
    """`payload` in `of` parts, which joined are the payload; the last ones may be empty.

    None is larger than the room of a slice when `payload` is within the `max_chars` of `boot_request`. A part ends
    before a row where it can, else at a line end, else inside a line but not inside a grapheme.
    """
    rest = payload.encode()
    parts = []
    for further in range(of - 1, -1, -1):
        end = _slice_end(rest, further)
        parts.append(rest[:end].decode())
        rest = rest[end:]
    return parts


def promises_of_slices(parts: Sequence[str]) -> list[list[int]]:
    """For each slice the numbers of the promises that are complete with it, and so decay when it has left."""
    payload = "".join(parts)
    found: list[list[int]] = [[] for _ in parts]
    ends = [sum(map(len, parts[: n + 1])) for n in range(len(parts))]
    split = wire.split(payload)
    at = sum(map(len, split.head))
    for section in split.sections:
        at += len(section.header)
        for row in section.rows:
            at += len(row)
            promise = _PROMISE.match(row) if section.name == Section.PROMISED else None
            if promise:
                found[next(n for n, end in enumerate(ends) if end >= at)].append(int(promise[1]))
    return found


def _check(call: HookCall) -> None:
    errors: dict[str, list[str]] = {}
    if not 1 <= call.of <= HOOK_SLICES_MAX:
        errors["of"] = [f"“of” is a whole number from 1 to {HOOK_SLICES_MAX}."]
    if not 1 <= call.slice <= HOOK_SLICES_MAX:
        errors["slice"] = [f"“slice” is a whole number from 1 to {HOOK_SLICES_MAX}."]
    if len(call.moment) > HOOK_MOMENT_MAX_CHARS:
        errors["moment"] = [f"“moment” has at most {HOOK_MOMENT_MAX_CHARS} characters."]
    if errors:
        raise InvalidInput(next(iter(errors.values()))[0], errors=errors)


def _key(call: HookCall, *, session: str, source: str, now: datetime) -> str:
    if not (session or call.moment) and call.of == 1:
        return ""  # nothing tells this event from any other
    # A session starts up once, so a second call is a retry; it can be resumed, cleared and compacted again and again.
    moment = call.moment or (source if source == STARTUP else now.strftime("%Y-%m-%dT%H:%M"))
    told = "\n".join((call.client, session, source, str(call.of), moment))
    return f"hook:{call.client}:{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _line(text: str) -> str:
    """`text` as a session's name can be kept: as it is, or a short stand-in for what cannot stand there."""
    if len(text) <= SESSION_ID_MAX_CHARS and is_encodable(text) and not has_control(text, allowed=""):
        return text
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _slice_end(rest: bytes, further: int) -> int:
    """How many bytes of `rest` go into this slice when `further` ones follow."""
    room = HOOK_SLICE_ROOM_BYTES
    if len(rest) <= room:
        return len(rest)
    least = max(1, len(rest) - further * room)  # with less, the rest would not fit into what follows
    if least > room:
        return len(rest)  # the payload is larger than was asked for; nothing is lost
    end = max(rest.rfind(mark, least - 1, room - 1 + len(mark)) for mark in _ROW_ENDS) + 1
    if end < least:
        end = rest.rfind(b"\n", least - 1, room) + 1
    if end < least:
        end = _grapheme_end(rest[:room].decode("utf-8", "ignore"), least)
    if end < least:
        end = next(n for n in range(least, len(rest) + 1) if n == len(rest) or rest[n] & 0xC0 != 0x80)
    return end


def _grapheme_end(text: str, least: int) -> int:
    """The last byte of `text`, but for its last grapheme, which may go on behind it; 0 when that is before `least`."""
    ends = grapheme_ends(text)
    end = len(text[: ends[-2]].encode()) if len(ends) > 1 else 0
    return end if end >= least else 0
