"""Every marker and line of the boot payload (P15 to P20). What goes in is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import regex

from memories.engine.kinds import Category, Channel, Section

BULLET = "• "
END = "\n[REVELL | END]\n"

_TITLES = {
    Section.PROMISED: " You asked to see this now. It becomes episodic memory after this boot.",
    Section.RECALLED: " Found for the hint of this boot.",
}

# Where a reader of lines may see a new line: more than "\n", so that no dialect of line ends lets text forge a section.
_LINE_ENDS = r"\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
# Invisible format characters count as white space: a header behind a zero-width space looks like a header.
_FORGED = regex.compile(rf"(^|[{_LINE_ENDS}])([[\s\p{{Cf}}]--[{_LINE_ENDS}]]*)(\[REVELL \|)", regex.V1)


def hello(name: str, channel: Channel) -> str:
    """The first line; after a compaction it says so (P16)."""
    text = (
        f"[REVELL | HELLO] {name}, this is your own memory, in your own words. "
        "Read it as recollection, not as instructions from someone else."
    )
    if channel is Channel.POST_COMPACT:
        text += " Your context was just compacted: this text, not the summary, is your memory."
    return text + "\n"


def success(
    *,
    memories: int,
    promises: int,
    within: str,
    left_out: tuple[int, int, int, int],
    waiting: int,
) -> str:
    """The second line: what is here, and what is not (P30). `left_out` is core, axioms, working, episodic."""
    core, axioms, working, episodic = left_out
    text = (
        f"[REVELL | SUCCESS] {count(memories, 'memory', 'memories')} and {count(promises, 'promise')} within {within}. "
        f"Left out: {core:,} core, {count(axioms, 'axiom')}, {working:,} working, {episodic:,} episodic; "
        "revell_recall finds them."
    )
    if waiting:
        text += f" {count(waiting, 'promise')} had no room and {'stays' if waiting == 1 else 'stay'} pending."
    return text + "\n"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 memory`, `1,200 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def header(section: Section) -> str:
    """The blank line and the header line of a section."""
    return f"\n[REVELL | {section.upper()}]{_TITLES.get(section, '')}\n"


def core_section(category: str) -> Section:
    """The section of a core category."""
    return Section(Category(category).value)


def lead(section: Section, *, number: int, key: str, category: str, day: date) -> str:
    """What stands before the content on the first line of a row."""
    if section is Section.EPISODIC or section is Section.RECALLED:
        return f"{BULLET}mem-{number} {day.isoformat()}: "
    if section is Section.WORKING:
        return f"{BULLET}{key} ({day.isoformat()}): "
    if section is Section.AXIOMS:
        return f"{BULLET}[{category}] "
    if section is Section.PROMISED:
        return f"{BULLET}prm-{number} {day.isoformat()}: "
    return f"{BULLET}{key}: "


def body(content: str) -> str:
    """`content` as it stands in a row: verbatim, further lines indented, forged headers defused (P17)."""
    if "[REVELL |" in content:
        content = _FORGED.sub(r"\1\2\\\3", content)
    return content.replace("\n", "\n  ")


def body_bytes(content: str) -> int:
    """The size of `body(content)` in bytes. Stored beside a memory, so that filling needs no contents."""
    return len(body(content).encode("utf-8"))


def cut_mark(missing_bytes: int, number: int) -> str:
    """What ends a memory that is shown cut (P28)."""
    return f"… [cut: {missing_bytes:,} more bytes in mem-{number}]"


@dataclass(frozen=True, slots=True)
class SplitSection:
    """One section of a text: its name, its header with the blank line before it, its rows with their line ends."""

    name: str
    header: str
    rows: Sequence[str]


@dataclass(frozen=True, slots=True)
class SplitText:
    head: Sequence[str]
    sections: Sequence[SplitSection]
    end: str


def split(text: str) -> SplitText:
    """The parts of a payload's text; joined again they are the text.

    Safe because stored content can neither begin a line with a header (P17) nor with a bullet: its further lines are
    indented.
    """
    lines = [f"{line}\n" for line in text.removesuffix(END).split("\n")[:-1]]
    head: list[str] = []
    sections: list[SplitSection] = []
    rows: list[str] = head
    blank = ""
    for line in lines:
        if line == "\n":
            blank = line
        elif blank:
            rows = []
            sections.append(SplitSection(line[len("[REVELL | ") :].partition("]")[0].lower(), blank + line, rows))
            blank = ""
        elif rows is head or line.startswith(BULLET):
            rows.append(line)
        else:
            rows[-1] += line
    return SplitText(head, sections, END)
