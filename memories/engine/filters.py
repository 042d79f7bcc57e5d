"""What a list or a search may be narrowed by, and what a moment may be. Narrowing itself is the selectors'."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from memories.engine.limits import TAGS_MAX
from memories.engine.text import is_storable
from memories.errors import InvalidInput


def moment_fault(moment: datetime) -> str:
    """What is wrong with a moment that a caller gave; "" when it has a zone and a place in the UTC calendar."""
    if moment.tzinfo is None:
        return "The time needs a zone, for example 2026-11-30T08:15:00Z."
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return "The time lies beyond the calendar of the years 1 to 9999."
    return ""


def check_filters(
    *,
    texts: Mapping[str, str] | None = None,
    tags: Collection[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
) -> None:
    """Raise InvalidInput naming every filter that nothing stored could ever answer; `texts` are others by name."""
    errors: dict[str, list[str]] = {}
    for field, value in (texts or {}).items():
        if not is_storable(value):
            errors[field] = [f"“{field}” holds a character that is not text."]
    if not all(is_storable(tag) for tag in tags):
        errors["tags"] = ["A tag holds a character that is not text."]
    elif len(set(tags)) > TAGS_MAX:
        errors["tags"] = [f"A memory has at most {TAGS_MAX} tags; {len(set(tags)):,} are asked for."]
    for field, moment in (("since", since), ("until", until)):
        if moment is not None and (fault := moment_fault(moment)):
            errors[field] = [fault]
    if errors:
        raise InvalidInput(next(iter(errors.values()))[0], errors=errors)
