"""Past boots: the history, its picture, one boot's facts, and its difference to another payload."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Any

from memories.engine.budget import budget_bytes
from memories.engine.compare import SectionChange, Sign, compare
from memories.web.presenters.agents import CHANNELS
from memories.web.presenters.bars import percent, title_of
from memories.web.presenters.promises import ServedRow, served_rows

_CHART_HEIGHT, _CHART_TOP = 128, 14
# A bar of the picture and the gap after it, as parts of one step.
_BAR_PART = 0.56
_OTHERS_OFFERED = 5


@dataclass(frozen=True, slots=True)
class HistoryRow:
    id: str
    number: int
    at: datetime
    channel: str
    actor: str
    bytes: int
    promised: int
    promised_bytes: int
    failed: bool


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    rows: tuple[HistoryRow, ...]


@dataclass(frozen=True, slots=True)
class Column:
    x: str
    width: str
    y: str
    height: str
    part_height: str
    last: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """Payload sizes, oldest first, on a scale up to the largest budget among them."""

    title: str
    columns: tuple[Column, ...]
    limit_bytes: int
    smallest: int
    largest: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class BootFacts:
    """One boot. `pruned` says that its text is kept no longer."""

    id: str
    number: int
    at: datetime
    channel: str
    actor: str
    via: str
    session_id: str
    context_hint: str
    project_prefix: str
    acknowledge: str
    acknowledged_at: datetime | None
    size_bytes: int
    budget_bytes: int
    sha256: str
    pruned: bool
    served: tuple[ServedRow, ...]


@dataclass(frozen=True, slots=True)
class DiffLine:
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class DiffSection:
    css: str
    name: str
    before: int
    after: int
    lines: tuple[DiffLine, ...]

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Difference:
    """All sections of two payloads; `changed` are those that differ. `other` names what it is compared with."""

    other: str
    sections: tuple[DiffSection, ...]
    before: int
    after: int

    @property
    def changed(self) -> tuple[DiffSection, ...]:
        return tuple(section for section in self.sections if section.lines)

    @property
    def change(self) -> int:
        return self.after - self.before


def history(boots: Iterable[Any]) -> list[Day]:
    """Boots by UTC day, as given; each with its served promises loaded."""
    by_day = groupby(history_rows(boots), key=lambda row: row.at.astimezone(UTC).date())
    return [Day(day, tuple(group)) for day, group in by_day]


def history_rows(boots: Iterable[Any]) -> list[HistoryRow]:
    """Boots as given, each with its served promises loaded."""
    return [
        HistoryRow(
            id=str(boot),
            number=boot.number,
            at=boot.created_at,
            channel=CHANNELS.get(boot.channel, boot.channel),
            actor=boot.actor,
            bytes=boot.size_bytes,
            promised=len(boot.served.all()),
            promised_bytes=sum(served.size_bytes for served in boot.served.all()),
            failed=any(served.outcome == "failed" for served in boot.served.all()),
        )
        for boot in boots
    ]


def chart(boots: Sequence[Any]) -> Chart | None:
    """The picture of boots given newest first; None without any."""
    shown = list(reversed(boots))
    if not shown:
        return None
    sizes = [boot.size_bytes for boot in shown]
    limit = max(budget_bytes(boot.budget_tokens) for boot in shown)
    step = 1 / max(len(shown) - 1 + _BAR_PART, 1)
    height = _CHART_HEIGHT - _CHART_TOP
    columns = []
    for place, boot in enumerate(shown):
        tall = height * boot.size_bytes / limit
        promised = sum(served.size_bytes for served in boot.served.all())
        columns.append(
            Column(
                x=percent(place * step, 1),
                width=percent(_BAR_PART * step, 1),
                y=f"{_CHART_HEIGHT - tall:.1f}",
                height=f"{tall:.1f}",
                part_height=f"{max(2.0, height * promised / limit):.1f}" if promised else "",
                last=place == len(shown) - 1,
            )
        )
    return Chart(
        title=f"Payload size of {len(shown)} boots, from {min(sizes):,} to {max(sizes):,} bytes; "
        f"the budget is {limit:,} bytes",
        columns=tuple(columns),
        limit_bytes=limit,
        smallest=min(sizes),
        largest=max(sizes),
        first=str(shown[0]),
        last=str(shown[-1]),
    )


def facts_of(boot: Any) -> BootFacts:
    return BootFacts(
        id=str(boot),
        number=boot.number,
        at=boot.created_at,
        channel=CHANNELS.get(boot.channel, boot.channel),
        actor=boot.actor,
        via=boot.via,
        session_id=boot.session_id,
        context_hint=boot.context_hint,
        project_prefix=boot.project_prefix,
        acknowledge=boot.acknowledge,
        acknowledged_at=boot.acknowledged_at,
        size_bytes=boot.size_bytes,
        budget_bytes=boot.manifest["budget_bytes"],
        sha256=boot.sha256,
        pruned=not boot.payload,
        served=tuple(served_rows(boot.served.all())),
    )


def difference(before: str, after: str, *, other: str) -> Difference:
    """From `before` to `after`, section by section (P44)."""
    sections = tuple(_section(section) for section in compare(before, after))
    return Difference(
        other, sections, sum(section.before for section in sections), sum(section.after for section in sections)
    )


def offered(boots: Iterable[Any], *, number: int) -> list[str]:
    """The boots before this one that the page offers to compare with."""
    return [str(boot) for boot in boots if boot.number < number][:_OTHERS_OFFERED]


def _section(section: SectionChange) -> DiffSection:
    tags = {Sign.SAME: "span", Sign.ADDED: "ins", Sign.REMOVED: "del"}
    lines = tuple(DiffLine(tags[change.sign], change.text) for change in section.changes)
    return DiffSection(f"s-{section.name}", title_of(section.name), section.before_bytes, section.after_bytes, lines)
