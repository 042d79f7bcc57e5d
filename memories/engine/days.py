"""A day's file of a workspace: when each section happened, and its text in contents that fit a memory.

What a file's name or its frontmatter says about the day is in `workspace`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta

from memories.engine.limits import CONTENT_MAX_BYTES
from memories.engine.markdown import Block, Heading, Section
from memories.engine.text import is_blank, size_bytes
from memories.errors import InvalidInput

_TIME = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?![0-9:])(?:\s*([ap])\.?m\b)?"
_TIME_FIRST = re.compile(r"\W*" + _TIME, re.IGNORECASE)
_SECOND = timedelta(seconds=1)


class Clock:
    """Gives the sections of one day their moments, in the order of the file.

    A heading that states a time sets it; without one a section is a second later than the one before it. Two that
    state the same minute are a second apart as well. No moment leaves the day: at its end seconds stand still.
    """

    def __init__(self, day: date, start: datetime | None = None) -> None:
        self._day = day
        self._next = start or datetime.combine(day, time.min, UTC)
        self._last = datetime.combine(day, time(23, 59, 59), UTC)
        self._previous: datetime | None = None
        self._told: set[int] = set()

    def moment(self, headings: Sequence[Heading]) -> datetime:
        """When the next memory happened, standing below `headings` (UTC)."""
        moment = self._next
        for heading in headings:
            # A heading tells its time once, to the first memory below it.
            if heading.line not in self._told and (stated := _time_in(heading.text, self._day)) is not None:
                moment = self._at(*stated)
            self._told.add(heading.line)
        self._previous = moment
        self._next = min(moment + _SECOND, self._last)
        return moment

    def _at(self, stated: time, precision: timedelta) -> datetime:
        moment = datetime.combine(self._day, stated, UTC)
        if self._previous is not None and moment <= self._previous < moment + precision:
            return self._next
        return moment


def spoken(section: Section, title: Heading | None, day: date) -> tuple[Heading, ...]:
    """The headings that a memory of this section begins with: not the file's title unless it is the section's own,
    and none that only repeats the date.
    """
    return tuple(
        heading
        for heading in section.headings
        if (heading is not title or heading is section.headings[-1]) and heading.text.strip() != day.isoformat()
    )


def parts(headings: Sequence[Heading], section: Section) -> Iterator[tuple[int, str]]:
    """The section as contents of at most 32,768 bytes, each under its headings, with the line each begins at.

    Blocks stay whole where they fit. Raises InvalidInput with the line for a single line that does not.
    """
    whole = section.under(headings, section.text)
    if size_bytes(whole) <= CONTENT_MAX_BYTES:
        yield section.line, whole
        return
    # Each line is counted with its line end, and the last one of a content has none.
    room = CONTENT_MAX_BYTES - size_bytes(section.under(headings, "")) + 1
    begin, used = section.line, 0
    text: list[str] = []
    for piece in _pieces(section.blocks, room):
        if text and used + _size(_without_end(piece.lines)) > room:
            if content := _trimmed(text):
                yield begin, section.under(headings, content)
            text, begin, used = [], piece.line, 0
        text.extend(piece.lines)
        used += _size(piece.lines)
    if content := _trimmed(text):
        yield begin, section.under(headings, content)


def _pieces(blocks: Sequence[Block], room: int) -> Iterator[Block]:
    """The blocks, one that fits nowhere as its lines."""
    for block in blocks:
        if _size(_without_end(block.lines)) <= room:
            yield block
            continue
        for line, text in enumerate(block.lines, block.line):
            piece = Block(line, (text,))
            if _size(piece.lines) > room:
                raise InvalidInput(f"This line does not fit into {CONTENT_MAX_BYTES:,} bytes; break it.", line=line)
            yield piece


def _size(lines: Sequence[str]) -> int:
    return sum(size_bytes(line) + 1 for line in lines)


def _without_end(lines: Sequence[str]) -> Sequence[str]:
    """The lines without the blank ones at the end."""
    last = len(lines)
    while last and is_blank(lines[last - 1]):
        last -= 1
    return lines[:last]


def _trimmed(lines: Sequence[str]) -> str:
    first = next((n for n, line in enumerate(lines) if not is_blank(line)), len(lines))
    return "\n".join(_without_end(lines[first:]))


def _time_in(heading: str, day: date) -> tuple[time, timedelta] | None:
    """The time of day a heading states, at its start or after the day's own date, and how exactly."""
    found = _TIME_FIRST.match(heading) or re.search(
        re.escape(day.isoformat()) + r"[T,\s]+" + _TIME, heading, re.IGNORECASE
    )
    if found is None:
        return None
    hour, minute, second, half = int(found[1]), int(found[2]), int(found[3] or 0), (found[4] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return time(hour, minute, second), _SECOND if found[3] else timedelta(minutes=1)
