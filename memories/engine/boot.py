"""The boot payload: which rows go in, in which order, and the account of what did not (P15 to P33).

Two pure steps, because contents are large and most of them stay out:

    plan(rows, options)      sizes in, a Plan out: what stands in the payload and why the rest does not
    compose(plan, contents)  the contents of the planned rows in, a Payload out: text, blocks, manifest

`assemble` is both. Preview and serve call the same two with the same rows, so they give the same bytes (P35).
Reading the rows, and everything that happens after a payload was served, is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple

from memories.engine import wire
from memories.engine.budget import Allocation, Filler, Item, Shares, allocate, budget_bytes
from memories.engine.kinds import Category, Channel, MemoryType, Pool, Reason, Section
from memories.engine.limits import IMPORTANCE_DEFAULT, LEFT_OUT_LISTED_MAX
from memories.engine.memories import axiom_allowance_bytes
from memories.engine.promises import PromiseRow
from memories.engine.text import grapheme_ends, size_bytes

# Below this a cut memory would be a mark and little else.
_CUT_MIN_BYTES = 120

_CORE_SECTIONS = tuple(Section(category.value) for category in Category)
_CATEGORY_RANK: dict[str, int] = {category.value: rank for rank, category in enumerate(Category)}
POOL_OF_SECTION = {
    **dict.fromkeys(_CORE_SECTIONS, Pool.CORE),
    Section.WORKING: Pool.WORKING,
    Section.RECALLED: Pool.EPISODIC,
    Section.EPISODIC: Pool.EPISODIC,
}


# Number and wire_bytes: all that filling needs of an episodic memory, of which a boot looks at 2,000.
EpisodicRow = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """What filling needs of any other memory, and of one that a hint recalled."""

    number: int
    type: MemoryType
    wire_bytes: int
    category: str = ""
    key: str = ""
    importance: float = IMPORTANCE_DEFAULT
    archived: bool = False


class Content(NamedTuple):
    """What composing needs of a memory. `at` dates its line: updated_at for working, else occurred_at, in UTC."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class BootConfig:
    """The tenant's part in a payload."""

    name: str
    budget_tokens: int
    shares: Shares = field(default_factory=Shares)


@dataclass(frozen=True, slots=True)
class BootOptions:
    """The call's part. `max_chars` is a client's own ceiling below the budget."""

    channel: Channel = Channel.AGENT
    max_chars: int | None = None


@dataclass(frozen=True, slots=True)
class BootRows:
    """Everything a payload is made of but the contents of memories.

    Working rows come last updated first, episodic rows newest first, each the window of P25; recalled rows best first;
    the order of the others does not matter. `active` are the exact numbers of active memories by type (P30).
    """

    config: BootConfig
    promises: Sequence[PromiseRow] = ()
    core: Sequence[MemoryRow] = ()
    axioms: Sequence[MemoryRow] = ()
    working: Sequence[MemoryRow] = ()
    episodic: Sequence[EpisodicRow] = ()
    recalled: Sequence[MemoryRow] = ()
    active: Mapping[MemoryType, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """One memory that is shown in part, within `room` bytes, its header included (P28)."""

    item: Item
    room: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a section left out: how many for each reason, and the first of them by name."""

    listed: tuple[tuple[Item, Reason], ...]
    reasons: Mapping[Reason, int]

    @property
    def total(self) -> int:
        return sum(self.reasons.values())


@dataclass(frozen=True, slots=True)
class Plan:
    """What stands in the payload, and the account of what does not."""

    rows: BootRows
    options: BootOptions
    included: Mapping[Section, Sequence[Item]]
    left_out: Mapping[Section, LeftOut]
    allocations: Mapping[Pool, Allocation]
    cuts: Sequence[Cut]
    head: tuple[str, str]
    frame_reserved: int
    totals: Mapping[MemoryType, Mapping[str, int]]

    def numbers(self) -> list[int]:
        """The memories whose contents `compose` needs."""
        return [
            item.number for section, items in self.included.items() if section is not Section.PROMISED for item in items
        ]

    def promised(self) -> tuple[PromiseRow, ...]:
        """The promises that this payload shows, and only these, decay (P41)."""
        return tuple(item.row for item in self.included[Section.PROMISED])


class Line(NamedTuple):
    """One memory or promise as it stands in the text, its line end included."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """One section: its header with the blank line before it, and its rows."""

    section: Section
    header: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return self.header + "".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Payload:
    """The text in its parts, and the manifest as plain JSON values (its shape: `docs/payload.md`)."""

    head: tuple[str, str]
    blocks: tuple[Block, ...]
    end: str
    manifest: dict[str, Any]

    @property
    def text(self) -> str:
        return "".join((*self.head, *(block.text for block in self.blocks), self.end))


def assemble(rows: BootRows, options: BootOptions, contents: Mapping[int, Content]) -> Payload:
    """The payload when all contents are at hand, by number."""
    return compose(plan(rows, options), contents)


# Planning ------------------------------------------------------------------------------------------------------------


def plan(rows: BootRows, options: BootOptions) -> Plan:
    """Choose what goes in (P22 to P33). The payload is at most B bytes, whatever the rows are (P21).

    The SUCCESS line counts what the filling decides, so the room for it is not known before. It starts at its widest;
    then the narrowest line that still holds its own numbers is taken, so no byte is lost to the unknown.
    """
    attempt = _Attempt(rows, options)
    reserve = attempt.widest_frame()
    best = attempt.fill(reserve)
    narrow = attempt.frame_bytes(best)
    while narrow < reserve:
        candidate = attempt.fill(narrow)
        needed = attempt.frame_bytes(candidate)
        if needed <= narrow:
            reserve, best = narrow, candidate
            break
        narrow = needed
    return attempt.plan(best, reserve)


@dataclass(slots=True)
class _Filled:
    """One filling: per type what went in and what did not, each in the order of its type."""

    shares: Mapping[Pool, Allocation]
    promised: list[Item]
    waiting: list[Item]
    core: list[Item]
    no_core: list[Item]
    axioms: list[Item]
    no_axioms: list[Item]
    working: list[Item]
    no_working: list[Item]
    recalled: list[Item]
    no_recalled: list[Item]
    episodic: list[Item]
    no_episodic: list[Item]
    could_get: Mapping[MemoryType, int]
    cuts: list[Cut]

    def memories(self) -> Iterable[Item]:
        return (*self.core, *self.axioms, *self.working, *self.recalled, *self.episodic)


class _Attempt:
    """The prepared rows of one plan; `fill` tries them with a given room for the frame."""

    def __init__(self, rows: BootRows, options: BootOptions) -> None:
        self.rows = rows
        self.options = options
        self.budget = budget_bytes(rows.config.budget_tokens, max_chars=options.max_chars)
        self.hello = wire.hello(rows.config.name, options.channel)
        self.fixed = size_bytes(self.hello) + size_bytes(wire.END)
        self.headers = {section: size_bytes(wire.header(section)) for section in Section}
        self.promises = [_promise_item(row) for row in sorted(rows.promises, key=lambda row: row.number)]
        self.core = [
            _item(wire.core_section(row.category), row)
            for row in sorted(rows.core, key=lambda row: (_CATEGORY_RANK[row.category], -row.importance, row.number))
        ]
        self.axioms = [_item(Section.AXIOMS, row) for row in sorted(rows.axioms, key=lambda row: row.number)]
        self.working = [_item(Section.WORKING, row) for row in rows.working]
        self.recalled = [_item(Section.RECALLED, row) for row in rows.recalled]
        self.episodic = _episodic_items(rows.episodic)
        self.cheapest = min((item.bytes for item in self.episodic), default=0)
        self.allowed_axioms, self.further_axioms = _within_allowance(
            self.axioms, axiom_allowance_bytes(rows.config.budget_tokens)
        )

    def fill(self, frame: int) -> _Filled:
        filler = Filler(self.headers)
        room = max(0, self.budget - frame)

        promised, waiting, promised_bytes = filler.fill(self.promises, room)
        axioms, no_axioms, axiom_bytes = filler.fill(self.allowed_axioms, room - promised_bytes)
        shares = allocate(pool=room - axiom_bytes, promised=promised_bytes, shares=self.rows.config.shares)

        core, no_core, core_bytes = filler.fill(self.core, shares[Pool.CORE].after)
        working, no_working, working_bytes = filler.fill(self.working, shares[Pool.WORKING].after)
        most = shares[Pool.EPISODIC].after
        recalled, no_recalled, recalled_bytes = filler.fill(self.recalled, most // 2)
        shown = {item.number for item in recalled}
        fresh = [item for item in self.episodic if item.number not in shown] if shown else self.episodic
        episodic, no_episodic, episodic_bytes = filler.fill(fresh, most - recalled_bytes, cheapest=self.cheapest)

        # P26: what no type used, as one sum, offered in this order.
        spent = core_bytes + working_bytes + recalled_bytes + episodic_bytes
        unspent = sum(part.after for part in shares.values()) - spent
        could_get = {
            MemoryType.CORE: unspent + core_bytes,
            MemoryType.AXIOM: unspent + axiom_bytes,
            MemoryType.WORKING: unspent + working_bytes,
            MemoryType.EPISODIC: unspent + episodic_bytes,
        }
        cuts: list[Cut] = []

        more, no_core, used = filler.fill(no_core, unspent)
        core, unspent = _in_order(self.core, core, more), unspent - used
        if no_core and not core:
            # Working keeps its own part, where it would otherwise end up empty for a core memory shown only in part.
            kept = shares[Pool.WORKING].after if no_working and not working else 0
            if cut := self._cut(filler, no_core[0], unspent - kept):
                cuts.append(cut)
                core, no_core, unspent = [cut.item], no_core[1:], unspent - cut.room

        more, no_axioms, used = filler.fill([*no_axioms, *self.further_axioms], unspent)
        axioms, unspent = _in_order(self.axioms, axioms, more), unspent - used

        more, no_working, used = filler.fill(no_working, unspent)
        working, unspent = _in_order(self.working, working, more), unspent - used
        if no_working and not working and (cut := self._cut(filler, no_working[0], unspent)):
            cuts.append(cut)
            working, no_working, unspent = [cut.item], no_working[1:], unspent - cut.room

        more, no_episodic, used = filler.fill(no_episodic, unspent, cheapest=self.cheapest)
        episodic = _in_order(self.episodic, episodic, more)

        return _Filled(
            shares, promised, waiting, core, no_core, axioms, no_axioms, working, no_working,
            recalled, no_recalled, episodic, no_episodic, could_get, cuts,
        )  # fmt: skip

    def _cut(self, filler: Filler, item: Item, room: int) -> Cut | None:
        """`item` within `room`, its header included; None where too little of it would be seen."""
        if room < self.headers[item.section] + (item.bytes - item.row.wire_bytes) + _CUT_MIN_BYTES:
            return None
        filler.open(item.section)
        return Cut(item, room)

    # The frame

    def widest_frame(self) -> int:
        """The frame in bytes with every number as wide as it can get and every noun in the plural."""
        rows = self.rows
        looked_at = sum(map(len, (rows.core, rows.axioms, rows.working, rows.episodic, rows.recalled)))
        widest = [max(rows.active.get(kind, 0), looked_at, 2) for kind in _COUNTED]
        promises = max(len(rows.promises), 2)
        return self.fixed + size_bytes(
            self._success(
                memories=max(looked_at, 2),
                promises=promises,
                left_out=(widest[0], widest[1], widest[2], widest[3]),
                waiting=promises if rows.promises else 0,
            )
        )

    def frame_bytes(self, filled: _Filled) -> int:
        return self.fixed + size_bytes(self.success(filled))

    def success(self, filled: _Filled) -> str:
        counted = self.totals(filled)
        core, axioms, working, episodic = (counted[kind]["left_out"] for kind in _COUNTED)
        return self._success(
            memories=len(list(filled.memories())),
            promises=len(filled.promised),
            left_out=(core, axioms, working, episodic),
            waiting=len(filled.waiting),
        )

    def _success(self, *, memories: int, promises: int, left_out: tuple[int, int, int, int], waiting: int) -> str:
        tokens = self.rows.config.budget_tokens
        within = f"{tokens:,} tokens" if self.budget == budget_bytes(tokens) else f"{self.budget:,} bytes"
        return wire.success(memories=memories, promises=promises, within=within, left_out=left_out, waiting=waiting)

    # The account

    def totals(self, filled: _Filled) -> dict[MemoryType, dict[str, int]]:
        """Per type: active rows, those that stand in the payload, those left out; the latter two make the first (P30).

        A recalled memory counts once, as included. Archived memories that a hint recalled are not active and count
        nowhere here. Semantic memories reach a payload only through a hint.
        """
        included = dict.fromkeys(MemoryType, 0)
        included[MemoryType.CORE] = len(filled.core)
        included[MemoryType.AXIOM] = len(filled.axioms)
        included[MemoryType.WORKING] = len(filled.working)
        included[MemoryType.EPISODIC] = len(filled.episodic)
        for item in filled.recalled:
            included[item.row.type] += not item.row.archived
        active = self.rows.active
        return {
            kind: {
                "active": max(active.get(kind, 0), included[kind]),
                "included": included[kind],
                "left_out": max(active.get(kind, 0) - included[kind], 0),
            }
            for kind in MemoryType
        }

    def plan(self, filled: _Filled, reserve: int) -> Plan:
        included: dict[Section, list[Item]] = {section: [] for section in Section}
        for item in (*filled.promised, *filled.memories()):
            included[item.section].append(item)
        return Plan(
            rows=self.rows,
            options=self.options,
            included=included,
            left_out=self._left_out(filled),
            allocations=filled.shares,
            cuts=filled.cuts,
            head=(self.hello, self.success(filled)),
            frame_reserved=reserve,
            totals=self.totals(filled),
        )

    def _left_out(self, filled: _Filled) -> dict[Section, LeftOut]:
        listed: dict[Section, list[tuple[Item, Reason]]] = {section: [] for section in Section}
        reasons: dict[Section, dict[Reason, int]] = {section: {} for section in Section}

        def leave(section: Section, items: Sequence[Item], reason: Reason) -> None:
            if items:
                reasons[section][reason] = reasons[section].get(reason, 0) + len(items)
                listed[section].extend((item, reason) for item in items[:LEFT_OUT_LISTED_MAX])

        leave(Section.PROMISED, filled.waiting, Reason.NO_ROOM)
        leave(Section.RECALLED, filled.no_recalled, Reason.NO_ROOM)
        repeated = [item for item in filled.recalled if item.row.type is MemoryType.EPISODIC]
        leave(Section.EPISODIC, repeated, Reason.REPEATS_RECALLED)
        for kind, items in (
            (MemoryType.CORE, filled.no_core),
            (MemoryType.AXIOM, filled.no_axioms),
            (MemoryType.WORKING, filled.no_working),
            (MemoryType.EPISODIC, filled.no_episodic),
        ):
            most = filled.could_get[kind]
            sections = dict.fromkeys(map(_SECTION_OF, items))
            for section in sections:
                here = items if len(sections) == 1 else [item for item in items if item.section is section]
                limit = most - self.headers[section]
                too_large = [item for item in here if item.bytes > limit]
                leave(section, too_large, Reason.TOO_LARGE)
                leave(section, [item for item in here if item.bytes <= limit] if too_large else here, Reason.NO_ROOM)

        active = self.rows.active
        window = {item.number for item in self.episodic} if repeated else set()
        older = sum(item.number not in window for item in repeated)
        for section, beyond in (
            (Section.WORKING, active.get(MemoryType.WORKING, 0) - len(self.working)),
            (Section.EPISODIC, active.get(MemoryType.EPISODIC, 0) - len(self.episodic) - older),
        ):
            if beyond > 0:
                reasons[section][Reason.BEYOND_WINDOW] = beyond
        return {section: LeftOut(tuple(listed[section][:LEFT_OUT_LISTED_MAX]), reasons[section]) for section in Section}


_SECTION_OF = attrgetter("section")
_COUNTED = (MemoryType.CORE, MemoryType.AXIOM, MemoryType.WORKING, MemoryType.EPISODIC)


def _in_order(order: Sequence[Item], first: list[Item], more: list[Item]) -> list[Item]:
    """What two passes chose, in the one order of its type."""
    if not more:
        return first
    numbers = {item.number for items in (first, more) for item in items}
    return [item for item in order if item.number in numbers]


def _within_allowance(axioms: Sequence[Item], allowance: int) -> tuple[list[Item], list[Item]]:
    """The axioms that fill before everything else, and those that a lowered budget sends to the second pass."""
    first: list[Item] = []
    further: list[Item] = []
    used = 0
    for item in axioms:
        if used + item.row.wire_bytes <= allowance:
            used += item.row.wire_bytes
            first.append(item)
        else:
            further.append(item)
    return first, further


# A lead's size does not depend on its date (ISO dates are ten bytes), so costs are known before dates are read.
_ANY_DAY = date(2000, 1, 1)


def _item(section: Section, row: MemoryRow) -> Item:
    lead = wire.lead(section, number=row.number, key=row.key, category=row.category, day=_ANY_DAY)
    return Item(section, row.number, size_bytes(lead) + row.wire_bytes + 1, row)


def _episodic_items(rows: Sequence[EpisodicRow]) -> list[Item]:
    """Thousands of items, most of which are only compared with the room that is left: made without calls in Python."""
    lead = wire.lead(Section.EPISODIC, number=0, key="", category="", day=_ANY_DAY)
    rest = size_bytes(lead) - 1 + 1  # the one digit of number 0 goes, the line end comes
    numbers = [number for number, _ in rows]
    costs = [rest + len(str(number)) + wire_bytes for number, wire_bytes in rows]
    make = partial(tuple.__new__, Item)
    return list(map(make, zip(repeat(Section.EPISODIC), numbers, costs, rows)))  # type: ignore[arg-type]


def _promise_item(row: PromiseRow) -> Item:
    lead = wire.lead(Section.PROMISED, number=row.number, key="", category="", day=_ANY_DAY)
    return Item(Section.PROMISED, row.number, size_bytes(lead) + wire.body_bytes(row.content) + 1, row)


# Composing -----------------------------------------------------------------------------------------------------------


def compose(plan: Plan, contents: Mapping[int, Content]) -> Payload:
    """Text and manifest of a plan. `contents` are the contents of `plan.numbers()`, by number."""
    rooms = {cut.item.number: cut.room for cut in plan.cuts}
    blocks = []
    for section in Section:
        items = plan.included[section]
        if not items:
            continue
        header = wire.header(section)
        lines = []
        for item in items:
            row = item.row
            key = category = ""
            if section is Section.PROMISED:
                text, at = row.content, row.created_at
            else:
                content = contents[item.number]
                text, at = content.text, content.at
                if isinstance(row, MemoryRow):
                    key, category = row.key, row.category
            lead = wire.lead(section, number=item.number, key=key, category=category, day=at.astimezone(UTC).date())
            if rooms and item.number in rooms and section is not Section.PROMISED:
                shown = _cut_body(text, item.number, rooms[item.number] - size_bytes(header) - size_bytes(lead) - 1)
            else:
                shown = wire.body(text)
            lines.append(Line(item.id, f"{lead}{shown}\n"))
        blocks.append(Block(section, header, tuple(lines)))
    return Payload(plan.head, tuple(blocks), wire.END, _manifest(plan, blocks))


def _cut_body(content: str, number: int, room: int) -> str:
    """The longest beginning of `content` that fits with its mark, never ending inside a grapheme (P28)."""
    whole = size_bytes(content)
    # The mark is widest when everything is missing; measuring with that keeps the search monotone.
    room -= size_bytes(wire.cut_mark(whole, number))
    ends = [0, *grapheme_ends(content)]
    low, high = 0, len(ends) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if wire.body_bytes(content[: ends[middle]]) <= room:
            low = middle
        else:
            high = middle - 1
    kept = content[: ends[low]]
    return wire.body(kept) + wire.cut_mark(whole - size_bytes(kept), number)


def _manifest(plan: Plan, blocks: Sequence[Block]) -> dict[str, Any]:
    spent = dict.fromkeys(Section, 0)
    for block in blocks:
        spent[block.section] = size_bytes(block.text)
    used = dict.fromkeys(Pool, 0)
    for section, pool in POOL_OF_SECTION.items():
        used[pool] += spent[section]
    frame = sum(map(size_bytes, (*plan.head, wire.END)))
    config = plan.rows.config
    return {
        "budget_tokens": config.budget_tokens,
        "budget_bytes": budget_bytes(config.budget_tokens, max_chars=plan.options.max_chars),
        "size_bytes": frame + sum(spent.values()),
        "frame_bytes": frame,
        "frame_reserved_bytes": plan.frame_reserved,
        "sections": [
            {
                "name": str(section),
                "bytes": spent[section],
                "included": [item.id for item in plan.included[section]],
                "left_out": [
                    {"id": item.id, "reason": str(reason), "bytes": item.bytes}
                    for item, reason in plan.left_out[section].listed
                ],
                "left_out_total": plan.left_out[section].total,
                "left_out_reasons": {str(reason): n for reason, n in plan.left_out[section].reasons.items()},
            }
            for section in Section
        ],
        "allocations": {
            str(pool): {
                "share": part.share,
                "before": part.before,
                "charged": part.charged,
                "after": part.after,
                "used": used[pool],
            }
            for pool, part in plan.allocations.items()
        },
        "totals": {str(kind): dict(numbers) for kind, numbers in plan.totals.items()},
        "cut": [cut.item.id for cut in plan.cuts],
    }
