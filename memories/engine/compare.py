"""The difference between two payloads, section by section. Reading past boots and drawing it are elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from memories.engine.kinds import Section
from memories.engine.text import size_bytes
from memories.engine.wire import split

FRAME = "frame"


class Sign(StrEnum):
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Change:
    """One row of either text, without its line end. Rows that stayed are given only beside ones that did not."""

    sign: Sign
    text: str


@dataclass(frozen=True, slots=True)
class SectionChange:
    """`before_bytes` and `after_bytes` count the whole section, its header included; 0 where it is absent."""

    name: str
    before_bytes: int
    after_bytes: int
    changes: tuple[Change, ...]


def compare(before: str, after: str) -> list[SectionChange]:
    """Every section that one of two payload texts has, the frame first; a section without `changes` is equal (P44)."""
    old, new = _rows(before), _rows(after)
    found = []
    for name in (FRAME, *map(str, Section)):
        mine, theirs = old.get(name, []), new.get(name, [])
        if mine or theirs:
            found.append(SectionChange(name, _size(mine), _size(theirs), tuple(_changes(mine, theirs))))
    return found


def _rows(text: str) -> dict[str, list[str]]:
    parts = split(text)
    return {FRAME: [*parts.head, parts.end]} | {part.name: [part.header, *part.rows] for part in parts.sections}


def _size(rows: Sequence[str]) -> int:
    return sum(map(size_bytes, rows))


def _changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    if before == after:
        return []
    found: list[Change] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(1):
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                found += [_change(Sign.SAME, row) for row in before[i1:i2]]
                continue
            found += [_change(Sign.REMOVED, row) for row in before[i1:i2]]
            found += [_change(Sign.ADDED, row) for row in after[j1:j2]]
    return found


def _change(sign: Sign, row: str) -> Change:
    return Change(sign, row.strip("\n"))
