"""Bars, rulers and meters: bytes turned into percents of a width. Colours and patterns are the stylesheet's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memories.engine.kinds import Section

# The two letters of a section and, outside core, its pattern.
LETTERS = {
    "frame": "FR", "promised": "PR", "soul": "SO", "identity": "ID", "relationship": "RE", "operations": "OP",
    "tools": "TO", "routine": "RO", "reorient": "RT", "accounts": "AC", "axioms": "AX", "working": "WO",
    "recalled": "RC", "episodic": "EP",
}  # fmt: skip
PATTERNS = {
    "promised": "p-hatch", "axioms": "p-rule", "working": "p-dots", "recalled": "p-cross", "episodic": "p-lines",
}  # fmt: skip
FRAME = "frame"
# Narrower segments have no room for two letters; the table beside a bar names them all.
_LETTERS_FROM_PERCENT = 2.6
_CORE = frozenset((
    Section.SOUL, Section.IDENTITY, Section.RELATIONSHIP, Section.OPERATIONS,
    Section.TOOLS, Section.ROUTINE, Section.REORIENT, Section.ACCOUNTS,
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes of one section or pool, in the order in which a bar shows them."""

    name: str
    bytes: int
    label: str = ""

    @property
    def title(self) -> str:
        return self.label or title_of(self.name)


@dataclass(frozen=True, slots=True)
class Segment:
    css: str
    title: str
    x: str
    width: str
    pattern: str
    letters: str
    letters_x: str


@dataclass(frozen=True, slots=True)
class Bar:
    """`id` names its title; `excess` and `mark` are where something is over a limit."""

    id: str
    title: str
    height: int
    segments: tuple[Segment, ...]
    track: str = "100%"
    excess_x: str = ""
    excess_width: str = ""
    mark: str = ""

    @property
    def letters_y(self) -> int:
        return self.height // 2 + 4

    @property
    def mark_y1(self) -> int:
        return -self.height // 2

    @property
    def mark_y2(self) -> int:
        return self.height + self.height // 2


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    length: int


@dataclass(frozen=True, slots=True)
class Mark:
    x: str
    text: str
    css: str


@dataclass(frozen=True, slots=True)
class Ruler:
    ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]


def title_of(section: str) -> str:
    """How pages write a section's name."""
    return "Frame lines" if section == FRAME else section.capitalize()


def percent(part: float, whole: float) -> str:
    """`12.34%` of `whole`, never more than all of it."""
    return f"{min(100.0, 100 * part / whole) if whole > 0 else 0:.2f}%"


def bar(
    name: str,
    title: str,
    parts: Iterable[Part],
    *,
    whole: int,
    height: int,
    letters: bool = False,
    limit: int = 0,
    unit: str = "B",
) -> Bar:
    """Parts side by side on a scale of `whole` bytes; beyond `limit`, where there is one, the excess is marked."""
    shown = [part for part in parts if part.bytes > 0]
    total = sum(part.bytes for part in shown)
    over = limit and total > limit
    scale = max(whole, total)
    segments = []
    at = 0
    for part in shown:
        width = min(part.bytes, max(limit - at, 0)) if over else part.bytes
        if width:
            share = 100 * width / scale
            segments.append(
                Segment(
                    css=f"s-{part.name}",
                    title=f"{part.title}, {part.bytes:,} {unit}",
                    x=percent(at, scale),
                    width=percent(width, scale),
                    pattern=PATTERNS.get(part.name, ""),
                    letters=LETTERS.get(part.name, "") if letters and share >= _LETTERS_FROM_PERCENT else "",
                    letters_x=percent(at + width / 2, scale),
                )
            )
        at += part.bytes
    return Bar(
        id=name,
        title=title,
        height=height,
        segments=tuple(segments),
        excess_x=percent(limit, scale) if over else "",
        excess_width=percent(total - limit, scale) if over else "",
        mark=percent(limit, scale) if over else "",
    )


def allocation_bar(name: str, title: str, pool: str, *, used: int, after: int, scale: int) -> Bar:
    """A pool's use over its allocation; the mark shows its own part where it got unspent bytes of others (P26)."""
    segment = Segment(f"s-{pool}", title, "0%", percent(used, scale), PATTERNS.get(pool, ""), "", "")
    return Bar(
        id=name,
        title=title,
        height=8,
        segments=(segment,) if used else (),
        track=percent(after, scale),
        mark=percent(after, scale) if used > after else "",
    )


def ruler(whole: int, *, start: int = 0, unit: str = " B") -> Ruler:
    """Twenty steps from `start` to `whole`, a figure at every fifth."""
    ticks = tuple(Tick(percent(step, 20), 8 if step % 5 == 0 else 4) for step in range(21))
    marks = []
    for quarter, css in enumerate(("from", "mid", "mid", "mid", "to")):
        value = start + (whole - start) * quarter // 4
        marks.append(Mark(percent(quarter, 4), f"{value:,}{unit if css == 'to' else ''}", css))
    return Ruler(ticks, tuple(marks))


def by_section(sections: Sequence[dict[str, object]], frame_bytes: int) -> list[Part]:
    """The parts of a manifest in payload order, the frame first."""
    return [Part(FRAME, frame_bytes), *(Part(str(one["name"]), int(str(one["bytes"]))) for one in sections)]


def by_pool(parts: Iterable[Part]) -> list[Part]:
    """The eight core sections as one, Recalled with Episodic: what a small bar can show."""
    sums: dict[str, int] = {}
    for part in parts:
        name = "core" if part.name in _CORE else "episodic" if part.name == Section.RECALLED else part.name
        sums[name] = sums.get(name, 0) + part.bytes
    return [Part(name, size) for name, size in sums.items()]
