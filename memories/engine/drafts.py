"""What may be captured: plain JSON values in, a draft with its defaults or teaching errors out (C1, C2, C4, C10).

Storing a draft, and finding that it is there already (C9), is the services' work.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from memories.engine.capsules import CapsuleKind
from memories.engine.faults import Faults, meant
from memories.engine.fences import project_fault
from memories.engine.limits import CAPSULE_CONFIDENCE_DEFAULT, CAPSULE_CONTENT_MAX_CHARS, SOURCE_MAX_CHARS
from memories.engine.relations import Relation, RelationKind
from memories.engine.text import has_control, is_blank, is_encodable

# Each list of ids that a capture takes, and whether the new capsule is the source or the target of the relation (C10).
LINKS: dict[str, tuple[RelationKind, bool]] = {
    "supersedes": (RelationKind.SUPERSEDES, True),
    "blocks": (RelationKind.BLOCKS, True),
    "blocked_by": (RelationKind.BLOCKS, False),
    "proves": (RelationKind.PROVES, True),
    "derived_from": (RelationKind.DERIVED_FROM, True),
}
FIELDS = ("content", "kind", "project_id", "confidence", "valid_from", "valid_to", "source", "tainted", *LINKS)
SOURCE_DEFAULT = "agent"
_MOMENT = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:(?P<time>[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2})?)?"
)


@dataclass(frozen=True, slots=True)
class CapsuleDraft:
    """A capsule that is not stored yet. `links` are pairs of a field of `LINKS` and an id as the caller wrote it."""

    content: str
    kind: CapsuleKind
    project_id: str
    valid_from: datetime
    valid_to: datetime | None = None
    confidence: float = CAPSULE_CONFIDENCE_DEFAULT
    source: str = SOURCE_DEFAULT
    tainted: bool = False
    links: tuple[tuple[str, str], ...] = ()


def read_capture(values: object, *, now: datetime) -> CapsuleDraft:
    """The draft of one capture, or InvalidInput naming every fault by field."""
    faults = Faults()
    draft = collect_draft(values, now=now, faults=faults)
    faults.raise_any()
    assert draft is not None
    return draft


def collect_draft(
    values: object,
    *,
    now: datetime,
    faults: Faults,
    at: str = "",
    defaults: Mapping[str, object] | None = None,
) -> CapsuleDraft | None:
    """As `read_capture`, with the faults put into `faults` below `at` (such as `items.3.`); None when there is one.

    `defaults` stand for fields that are left out or null.
    """
    if not isinstance(values, Mapping):
        faults.add(at.rstrip(".") or "capsule", "A capsule is an object with content, kind and project_id.")
        return None
    found = {**(defaults or {}), **{name: value for name, value in values.items() if value is not None}}
    mine = Faults()
    for name in values:
        if name not in FIELDS:
            shown = ascii(str(name)[:100])
            nearest = meant(str(name), FIELDS)
            more = f"It has {', '.join(FIELDS)}." if nearest is None else f"Did you mean {nearest}?"
            mine.add(str(name) if is_encodable(str(name)) else shown, f"A capsule has no field {shown}. {more}")
    content = _content(found.get("content"), mine)
    kind = found.get("kind")
    if not isinstance(kind, str) or kind not in list(CapsuleKind):
        given = f"{kind[:100]!a} is no kind. " if isinstance(kind, str) else ""
        mine.add("kind", f"{given}A capsule needs a kind: one of {', '.join(CapsuleKind)}.")
    fault = project_fault(found.get("project_id", ""))
    if "project_id" not in found:
        fault = "A capsule needs a project_id: the project that it is about, such as atlas or atlas/api."
    if fault is not None:
        mine.add("project_id", fault)
    confidence = _confidence(found.get("confidence", CAPSULE_CONFIDENCE_DEFAULT), mine)
    valid_from = _moment("valid_from", found.get("valid_from"), mine) or now
    valid_to = _moment("valid_to", found.get("valid_to"), mine, end=True)
    if valid_to is not None and "valid_from" not in mine and valid_to < valid_from:
        without = "" if "valid_from" in found else ", which is now when left out"
        mine.add("valid_to", f"valid_to must not be before valid_from{without}.")
    source = _source(found.get("source", SOURCE_DEFAULT), mine)
    tainted = found.get("tainted", False)
    if not isinstance(tainted, bool):
        mine.add("tainted", "tainted is true or false: whether the content may try to instruct its reader.")
    links = tuple(link for field in LINKS for link in ((field, text) for text in _ids(field, found.get(field), mine)))
    if mine:
        for field, sentences in mine.by_field.items():
            for sentence in sentences:
                faults.add(at + field, sentence)
        return None
    return CapsuleDraft(
        content=content,
        kind=CapsuleKind(str(kind)),
        project_id=str(found["project_id"]),
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
        source=source,
        tainted=bool(tainted),
        links=links,
    )


def relation_of(field: str, own: int, other: int) -> Relation:
    """The relation that a capture's `field` makes between its capsule `own` and the named `other` (C5, C10)."""
    kind, is_source = LINKS[field]
    return Relation(kind, own, other) if is_source else Relation(kind, other, own)


def content_fault(content: object) -> str | None:
    """What is wrong with `content` as that of a capsule, as a sentence; None when nothing is (C1)."""
    if not isinstance(content, str):
        return "A capsule needs a content: a text."
    if not is_encodable(content):
        return "The content is not valid UTF-8 text (it holds a lone surrogate)."
    if "\x00" in content:
        return "The content holds a NUL character."
    if is_blank(content):
        return "The content is blank."
    if len(content) > CAPSULE_CONTENT_MAX_CHARS:
        return (
            f"A capsule has at most {CAPSULE_CONTENT_MAX_CHARS:,} characters; this one has {len(content):,}. "
            "Split it, or keep the long text elsewhere and capture a reference to it."
        )
    return None


def _content(value: object, faults: Faults) -> str:
    fault = content_fault(value)
    if fault is not None:
        faults.add("content", fault)
    return str(value)


def _confidence(value: object, faults: Faults) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1 or math.isnan(value):
        faults.add("confidence", "confidence is a number from 0 to 1, such as 0.6.")
        return CAPSULE_CONFIDENCE_DEFAULT
    return float(value)


def _moment(field: str, value: object, faults: Faults, *, end: bool = False) -> datetime | None:
    """A time with its zone; a date means the beginning of its day in UTC, or the end of it."""
    if value is None:
        return None
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        faults.add(field, f"{field} is a date such as 2026-11-30, or a time such as 2026-11-30T08:15:00Z.")
    elif match["time"] and not match["zone"]:
        faults.add(field, f"{field} needs a zone, for example {match['date']}T08:15:00Z.")
    else:
        try:
            if match["time"]:
                return datetime.fromisoformat(str(value).upper()).astimezone(UTC)
            return datetime.combine(date.fromisoformat(str(value)), time.max if end else time.min, UTC)
        except (ValueError, OverflowError):
            faults.add(field, f"{field} is no time that there is; one looks like 2026-11-30T08:15:00Z.")
    return None


def _source(value: object, faults: Faults) -> str:
    if not isinstance(value, str) or not is_encodable(value) or is_blank(value) or has_control(value, allowed=""):
        faults.add("source", "source is one line of text that says where this comes from.")
    elif len(value) > SOURCE_MAX_CHARS:
        faults.add("source", f"source has at most {SOURCE_MAX_CHARS} characters.")
    else:
        return value.strip()
    return SOURCE_DEFAULT


def _ids(field: str, value: object, faults: Faults) -> Iterable[str]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) and is_encodable(text) for text in value):
        faults.add(field, f'{field} is a list of ids, such as ["cap-12"].')
        return ()
    return dict.fromkeys(value)
