"""The capsule itself: its words, its id, its time, and the lean row by which it is shown (C1 to C6, C11, C12).

What relations make of a capsule is `relations`, what may be captured is `drafts`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from memories.engine.limits import CAPSULE_CONFIDENCE_DEFAULT, HEADLINE_MAX_CHARS
from memories.engine.text import cut_chars, is_blank
from memories.errors import InvalidInput, NotFound

# Constants of every answer with stored text; no stored text can change them (C35, C59).
LABEL = "ADVISORY_NOT_AUTHORITY"
FRAMING = "DATA"


class CapsuleKind(StrEnum):
    """The closed list of C2."""

    CONSTRAINT = "constraint"
    DECISION = "decision"
    FAILURE_PATTERN = "failure_pattern"
    TASK = "task"
    PROCEDURE = "procedure"
    FACT = "fact"
    REFERENCE = "reference"


class Tier(StrEnum):
    """The closed list of C3."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"


class CapsuleRow(NamedTuple):
    """A stored capsule as the engine reads it; a tombstone keeps its place with `forgotten_at` set.

    A named tuple and no dataclass, because a pack may read 10,000 of them and they cost a fifth to make.
    """

    number: int
    content: str
    kind: CapsuleKind
    project_id: str
    valid_from: datetime
    valid_to: datetime | None = None
    confidence: float = CAPSULE_CONFIDENCE_DEFAULT
    tier: Tier = Tier.ACTIVE
    tainted: bool = False
    forgotten_at: datetime | None = None


_ID = re.compile(r"cap-([1-9][0-9]*)", re.ASCII)
_NUMBER_MAX = 2**63 - 1


def capsule_id(number: int) -> str:
    """What callers call the capsule: `cap-12`."""
    return f"cap-{number}"


def number_of(value: object, field: str = "id") -> int:
    """The number behind `cap-12`; InvalidInput for what is no id, NotFound for a number that no capsule can have."""
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        shown = value[:100] if isinstance(value, str) else value
        raise InvalidInput.for_field(field, f"A capsule's id looks like cap-12; {shown!r} does not.")
    # A longer number would not fit a column, and beyond 4,300 digits not even a Python integer.
    if len(match[1]) > len(str(_NUMBER_MAX)) or int(match[1]) > _NUMBER_MAX:
        raise NotFound("There is no capsule with this id.")
    return int(match[1])


def content_hash(content: str) -> str:
    """SHA-256 of the content's UTF-8 bytes in hexadecimal; equal hashes in one project are one capsule (C9)."""
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


def is_expired(capsule: CapsuleRow, now: datetime) -> bool:
    """Whether `now` is after valid_to; at the very moment it is still valid (C6)."""
    return capsule.valid_to is not None and now > capsule.valid_to


def headline_of(content: str) -> str:
    """The first non-blank line without white space at its ends, at most 140 characters, `…` if anything follows (C12).

    It is cut at the end of a grapheme. Blank lines behind it are nothing.
    """
    rest = content.lstrip()
    lines = rest.split("\n", 1)[0].splitlines() or [""]
    while is_blank(lines[0]) and rest:
        # Lines of invisible characters only, or ended by something else than a line feed, are rare.
        pieces = rest.splitlines()
        visible = next((place for place, line in enumerate(pieces) if not is_blank(line)), None)
        if visible is None:
            return ""
        rest = "\n".join(pieces[visible:])
        lines = [pieces[visible]]
    line = lines[0].strip()
    cut = cut_chars(line, HEADLINE_MAX_CHARS)
    follows = cut != line or not is_blank(rest[len(lines[0]) :])
    return cut.rstrip() + "…" if follows else cut


@dataclass(frozen=True, slots=True)
class Row:
    """The lean form of a capsule (C11). None and False say nothing and are left out of the wire form."""

    number: int
    headline: str
    project_id: str | None = None
    kind: CapsuleKind | None = None
    tier: Tier | None = None
    expired: bool = False
    superseded: bool = False
    done: bool = False
    tainted: bool = False

    def to_wire(self) -> dict[str, object]:
        """The row as JSON-ready values, keys in the order of C11."""
        wire: dict[str, object] = {"id": capsule_id(self.number), "headline": self.headline}
        if self.project_id is not None:
            wire["project_id"] = self.project_id
        if self.kind is not None:
            wire["kind"] = str(self.kind)
        if self.tier is not None:
            wire["tier"] = str(self.tier)
        for marker in ("expired", "superseded", "done", "tainted"):
            if getattr(self, marker):
                wire[marker] = True
        return wire
