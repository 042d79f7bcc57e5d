"""Dividing a budget and filling it: shares, allocations, whole rows into room. What a row says is not known here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memories.engine.kinds import Pool, Section
from memories.engine.limits import BUDGET_TOKENS_MAX, BUDGET_TOKENS_MIN, BYTES_PER_TOKEN, SHARES_DEFAULT
from memories.errors import BudgetOutOfRange, SharesNot100


@dataclass(frozen=True, slots=True)
class Shares:
    """Whole percents of the three pools (P31)."""

    core: int = SHARES_DEFAULT[0]
    working: int = SHARES_DEFAULT[1]
    episodic: int = SHARES_DEFAULT[2]


@dataclass(frozen=True, slots=True)
class Allocation:
    """What one pool may spend, in bytes (P23). `charged` is its part of the promised section."""

    share: int
    before: int
    charged: int

    @property
    def after(self) -> int:
        return self.before - self.charged


def check_budget(budget_tokens: int) -> None:
    """Raise BudgetOutOfRange unless the budget is in its range (P2)."""
    if BUDGET_TOKENS_MIN <= budget_tokens <= BUDGET_TOKENS_MAX:
        return
    detail = (
        f"The budget is a whole number of tokens from {BUDGET_TOKENS_MIN:,} to {BUDGET_TOKENS_MAX:,}, "
        f"not {budget_tokens:,}."
    )
    raise BudgetOutOfRange(
        detail, errors={"budget_tokens": [detail]}, minimum=BUDGET_TOKENS_MIN, maximum=BUDGET_TOKENS_MAX
    )


def check_shares(shares: Shares) -> None:
    """Raise SharesNot100 unless each share is 0..100 and together they are 100 (P31)."""
    values = (shares.core, shares.working, shares.episodic)
    if all(0 <= value <= 100 for value in values) and sum(values) == 100:
        return
    detail = (
        "The shares of core, working and episodic are whole percents from 0 to 100 that together make 100; "
        f"these are {values[0]}, {values[1]} and {values[2]}, together {sum(values)}."
    )
    raise SharesNot100(detail, errors={"shares": [detail]}, total=sum(values))


def budget_bytes(budget_tokens: int, *, max_chars: int | None = None) -> int:
    """B (P1), or the smaller ceiling of a client; a character is at least one byte, so the ceiling holds in both."""
    whole = budget_tokens * BYTES_PER_TOKEN
    return whole if max_chars is None else min(whole, max_chars)


def allocate(*, pool: int, promised: int, shares: Shares) -> dict[Pool, Allocation]:
    """Divide `pool` bytes by share and charge the promised section in the same proportion (P23).

    All in whole bytes, the odd ones to core. `pool >= promised >= 0`; the `after` sum to `pool - promised` exactly and
    none is negative.
    """
    percents = {Pool.CORE: shares.core, Pool.WORKING: shares.working, Pool.EPISODIC: shares.episodic}
    before = _divide(pool, percents)
    charged = _divide(promised, percents)
    # An odd byte can be charged to a pool with no byte of its own: it moves to one that has.
    for poor in percents:
        for rich in percents:
            move = min(charged[poor] - before[poor], before[rich] - charged[rich])
            if move > 0:
                charged[poor] -= move
                charged[rich] += move
    return {name: Allocation(percents[name], before[name], charged[name]) for name in percents}


def _divide(total: int, percents: dict[Pool, int]) -> dict[Pool, int]:
    parts = {name: total * percent // 100 for name, percent in percents.items()}
    parts[Pool.CORE] += total - sum(parts.values())
    return parts


class Item(NamedTuple):
    """One row on its way into a payload: its section, what its lines cost, and the row itself.

    A tuple, not a dataclass: a boot makes thousands of them and most are only compared with the room that is left.
    """

    section: Section
    number: int
    bytes: int
    row: Any

    @property
    def id(self) -> str:
        return f"prm-{self.number}" if self.section is Section.PROMISED else f"mem-{self.number}"


class Filler:
    """Whole items into rooms, in order; one that does not fit is passed over and the next is tried (P25).

    The first item of a section also pays for the section's header (P24). One filler is one attempt at a payload.
    """

    def __init__(self, headers: Mapping[Section, int]) -> None:
        self._headers = headers
        self._open: set[Section] = set()

    def fill(self, items: Sequence[Item], room: int, *, cheapest: int = 0) -> tuple[list[Item], list[Item], int]:
        """Items that fit, items that did not, and the bytes used; both lists in the given order.

        When no item costs less than `cheapest`, the walk ends as soon as not even that would fit.
        """
        taken: list[Item] = []
        left: list[Item] = []
        free = room
        for place, item in enumerate(items):
            if free < cheapest:
                left.extend(items[place:])
                break
            section, _, price, _ = item
            if section not in self._open:
                price += self._headers[section]
            if price > free:
                left.append(item)
                continue
            self._open.add(section)
            free -= price
            taken.append(item)
        return taken, left, room - free

    def open(self, section: Section) -> None:
        """Record that the header is paid by something outside `fill` (a memory that is shown cut)."""
        self._open.add(section)
