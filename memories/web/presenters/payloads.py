"""A payload on paper: sections with a byte count beside each row, and the account of its manifest.

Made from a payload just assembled, or from the stored text and manifest of a past boot. All numbers are the manifest's
own or the size of the text shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memories.engine.boot import Payload
from memories.engine.kinds import MemoryType, Pool, Reason, Section
from memories.engine.limits import EPISODIC_WINDOW, LEFT_OUT_LISTED_MAX, WORKING_WINDOW
from memories.engine.text import cut_chars, size_bytes
from memories.engine.wire import SplitSection, count, split
from memories.web.presenters import bars
from memories.web.presenters.bars import FRAME, LETTERS, Bar, Ruler, title_of

# A section with more rows than the second number shows the first number of them; the rest unfolds.
_ROWS_SHOWN, _ROWS_MOST = 6, 8
_ROW_SHOWN_CHARS, _ROW_MOST_CHARS = 900, 1_200
_LEFT_OUT_SHOWN = LEFT_OUT_LISTED_MAX
_NOUNS: dict[str, tuple[str, str]] = {
    Section.PROMISED: ("promise", "promises"),
    Section.AXIOMS: ("axiom", "axioms"),
    FRAME: ("line", "lines"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in the text, without its line end; `bytes` counts that too, and a header's blank line.

    Of a long one `rest` unfolds; `text` and `rest` together are the row.
    """

    bytes: int
    text: str
    rest: str = ""

    @property
    def rest_bytes(self) -> int:
        return size_bytes(self.rest)


@dataclass(frozen=True, slots=True)
class PaperSection:
    id: str
    css: str
    name: str
    letters: str
    count: str
    bytes: int
    header: Row
    rows: tuple[Row, ...]
    folded: tuple[Row, ...]
    folded_bytes: int


@dataclass(frozen=True, slots=True)
class Paper:
    """`head` are the HELLO and SUCCESS lines, `end` is END."""

    head: tuple[Row, ...]
    sections: tuple[PaperSection, ...]
    end: Row


@dataclass(frozen=True, slots=True)
class AllotRow:
    name: str
    share: int
    before: int
    charged: int
    after: int
    used: int
    bar: Bar


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """A line of the table of sections; `empty` ones are shown quiet."""

    id: str
    css: str
    name: str
    bytes: int
    included: int
    left_out: int

    @property
    def empty(self) -> bool:
        return not self.bytes and not self.left_out

    @property
    def letters(self) -> str:
        return LETTERS[self.id]

    @property
    def noun(self) -> str:
        """What `included` counts."""
        return nouns_of(self.id)[0 if self.included == 1 else 1]


@dataclass(frozen=True, slots=True)
class TypeRow:
    """All active memories of a type; `included` and `left_out` together make `active` (P30)."""

    name: str
    active: int
    included: int
    left_out: int


@dataclass(frozen=True, slots=True)
class OutItem:
    id: str
    number: int
    bytes: int


@dataclass(frozen=True, slots=True)
class OutGroup:
    """What one section left out for one reason: the exact number, the first of them by name, how many are not named."""

    css: str
    title: str
    reason: str
    total: int
    items: tuple[OutItem, ...]
    unnamed: int
    promises: bool


@dataclass(frozen=True, slots=True)
class Account:
    """The manifest as tables. Bytes are UTF-8 bytes."""

    bar: Bar
    ruler: Ruler
    size_bytes: int
    budget_bytes: int
    budget_tokens: int
    allotments: tuple[AllotRow, ...]
    moved_bytes: int
    rows: tuple[ManifestRow, ...]
    included: int
    left_out: int
    types: tuple[TypeRow, ...]
    groups: tuple[OutGroup, ...]
    waiting: tuple[OutItem, ...]
    cut: tuple[str, ...]
    recalled: int

    @property
    def free_bytes(self) -> int:
        return self.budget_bytes - self.size_bytes


def paper_of(payload: Payload) -> Paper:
    """The sections of a payload just assembled, row by row as the engine made them."""
    return Paper(
        head=tuple(_row(line) for line in payload.head),
        sections=tuple(
            _section(str(block.section), block.header, [line.text for line in block.lines]) for block in payload.blocks
        ),
        end=_row(payload.end),
    )


def paper_of_text(text: str) -> Paper:
    """The same from the stored text of a past boot."""
    parts = split(text)
    return Paper(
        head=tuple(_row(line) for line in parts.head),
        sections=tuple(_split_section(part) for part in parts.sections),
        end=_row(parts.end),
    )


def account_of(manifest: Mapping[str, Any], *, name: str, height: int = 36) -> Account:
    """The tables of a manifest; `name` makes the ids of its pictures unique in the page, its bar is `height` high."""
    size, budget = manifest["size_bytes"], manifest["budget_bytes"]
    sections = manifest["sections"]
    parts = bars.by_section(sections, manifest["frame_bytes"])
    told = ", ".join(f"{part.title} {part.bytes:,}" for part in parts if part.bytes)
    rows = [
        ManifestRow(
            id=one["name"],
            css=f"s-{one['name']}",
            name=title_of(one["name"]),
            bytes=one["bytes"],
            included=len(one["included"]),
            left_out=one["left_out_total"],
        )
        for one in sections
    ]
    waiting = next(one for one in sections if one["name"] == Section.PROMISED)
    recalled = next(one for one in sections if one["name"] == Section.RECALLED)
    allotments = _allotments(manifest["allocations"], name=name)
    return Account(
        bar=bars.bar(f"{name}-bar", f"Payload {size:,} of {budget:,} bytes: {told}", parts, whole=budget, height=height,
                     letters=True),
        ruler=bars.ruler(budget),
        size_bytes=size,
        budget_bytes=budget,
        budget_tokens=manifest["budget_tokens"],
        allotments=allotments,
        moved_bytes=sum(max(row.used - row.after, 0) for row in allotments),
        rows=(ManifestRow(FRAME, "s-frame", "Frame lines", manifest["frame_bytes"], 0, 0), *rows),
        included=sum(row.included for row in rows),
        left_out=sum(row.left_out for row in rows),
        types=tuple(
            TypeRow(str(kind).capitalize(), **manifest["totals"][kind])
            for kind in MemoryType
            if kind in manifest["totals"]
        ),
        groups=tuple(_groups(sections)),
        waiting=tuple(_items(waiting, Reason.NO_ROOM)),
        cut=tuple(manifest["cut"]),
        recalled=len(recalled["included"]),
    )  # fmt: skip


def nouns_of(section: str) -> tuple[str, str]:
    """What stands in a section: one of it, many of it."""
    return _NOUNS.get(section, ("memory", "memories"))


def _row(text: str) -> Row:
    shown = text.removeprefix("\n").removesuffix("\n")
    if len(shown) <= _ROW_MOST_CHARS:
        return Row(size_bytes(text), shown)
    begin = cut_chars(shown, _ROW_SHOWN_CHARS)
    # After a line end or a space, so that no word is torn; a row without either is cut between two characters.
    end = max(begin.rfind("\n"), begin.rfind(" ")) + 1 or len(begin)
    return Row(size_bytes(text), shown[:end], shown[end:])


def _split_section(part: SplitSection) -> PaperSection:
    return _section(part.name, part.header, part.rows)


def _section(name: str, header: str, lines: Sequence[str]) -> PaperSection:
    rows = tuple(_row(line) for line in lines)
    shown = len(rows) if len(rows) <= _ROWS_MOST or name == Section.PROMISED else _ROWS_SHOWN
    one, many = nouns_of(name)
    return PaperSection(
        id=name,
        css=f"s-{name}",
        name=title_of(name),
        letters=LETTERS[name],
        count=count(len(rows), one, many),
        bytes=size_bytes(header) + sum(row.bytes for row in rows),
        header=_row(header),
        rows=rows[:shown],
        folded=rows[shown:],
        folded_bytes=sum(row.bytes for row in rows[shown:]),
    )


def _allotments(allocations: Mapping[str, Mapping[str, int]], *, name: str) -> tuple[AllotRow, ...]:
    scale = max((max(part["after"], part["used"]) for part in allocations.values()), default=0)
    rows = []
    for pool in Pool:
        part = allocations[pool]
        title = f"{part['used']:,} bytes used of an allocation of {part['after']:,}"
        picture = bars.allocation_bar(
            f"{name}-{pool}", title, pool, used=part["used"], after=part["after"], scale=scale
        )
        rows.append(
            AllotRow(
                name=str(pool).capitalize(),
                share=part["share"],
                before=part["before"],
                charged=part["charged"],
                after=part["after"],
                used=part["used"],
                bar=picture,
            )
        )
    return tuple(rows)


def _groups(sections: Iterable[Mapping[str, Any]]) -> Iterable[OutGroup]:
    for one in sections:
        name = one["name"]
        for reason, total in one["left_out_reasons"].items():
            items = _items(one, reason)
            yield OutGroup(
                css=f"s-{name}",
                title=title_of(name),
                reason=_told(Reason(reason), name),
                total=total,
                items=tuple(items[:_LEFT_OUT_SHOWN]),
                unnamed=total - len(items[:_LEFT_OUT_SHOWN]),
                promises=name == Section.PROMISED,
            )


def _items(section: Mapping[str, Any], reason: str) -> list[OutItem]:
    return [
        OutItem(one["id"], int(one["id"].partition("-")[2]), one["bytes"])
        for one in section["left_out"]
        if one["reason"] == reason
    ]


def _told(reason: Reason, section: str) -> str:
    window = WORKING_WINDOW if section == Section.WORKING else EPISODIC_WINDOW
    return {
        Reason.NO_ROOM: "no room, stays pending" if section == Section.PROMISED else "no room",
        Reason.TOO_LARGE: "larger than all the room it could get",
        Reason.REPEATS_RECALLED: "already in Recalled",
        Reason.BEYOND_WINDOW: f"older than the {window:,} that a boot looks at",
    }[reason]
