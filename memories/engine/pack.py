"""The cold-start pack of `memory_bootstrap`: which rows, in which order, within which budget (C28 to C49).

Rows come in, a pack goes out; reading them, and reading the call (`calls`), is done elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.engine.capsules import FRAMING, LABEL, CapsuleKind, CapsuleRow, Row, Tier, capsule_id, is_expired
from memories.engine.fences import EVERYWHERE, Fence
from memories.engine.limits import PACK_LIST_CAP, PACK_TOKENS_DEFAULT
from memories.engine.ranking import Term, count_matches, fold_terms, strength
from memories.engine.ready import Projection, project
from memories.engine.relations import Relation, Standing, lean_row, standing_of
from memories.engine.spending import Ledger, compact

# The kinds whose sections terms and decay put in order.
RANKED = (CapsuleKind.CONSTRAINT, CapsuleKind.DECISION, CapsuleKind.FAILURE_PATTERN)


@dataclass(frozen=True, slots=True)
class Pack:
    """A compiled pack. Totals are exact and taken before cap and budget (C33)."""

    fence: Fence
    token_budget: int
    constraints: tuple[Row, ...] = ()
    constraints_total: int = 0
    next_action: Row | None = None
    ready: tuple[Row, ...] = ()
    ready_total: int = 0
    cycle: tuple[int, ...] | None = None
    decisions: tuple[Row, ...] = ()
    decisions_total: int = 0
    traps: tuple[Row, ...] = ()
    traps_total: int = 0
    handles: tuple[int, ...] = ()
    used_tokens: int = 0
    trimmed_by_budget: int = 0

    def rows(self) -> Iterator[Row]:
        """All rows shown, in order of appearance (C32)."""
        yield from self.constraints
        if self.next_action is not None:
            yield self.next_action
        yield from self.ready
        yield from self.decisions
        yield from self.traps

    def to_wire(self) -> dict[str, object]:
        """The pack as JSON-ready values, keys in the order of C35, empty lists left out (C36)."""
        ready: dict[str, object] = {}
        if self.next_action is not None:
            ready["next_action"] = self.next_action.to_wire()
        ready["ready"] = _wires(self.ready)
        ready["ready_total"] = self.ready_total
        if self.cycle is not None:
            ready["cycle"] = [capsule_id(number) for number in self.cycle]

        wire: dict[str, object] = {"label": LABEL, "framing": FRAMING, "scope": self.fence.scope()}
        if self.constraints:
            wire["constraints"] = _wires(self.constraints)
        wire["constraints_total"] = self.constraints_total
        wire["ready"] = ready
        if self.decisions:
            wire["decisions"] = _wires(self.decisions)
        wire["decisions_total"] = self.decisions_total
        if self.traps:
            wire["traps"] = _wires(self.traps)
        wire["traps_total"] = self.traps_total
        if self.handles:
            wire["handles"] = [capsule_id(number) for number in self.handles]
        wire["budget"] = {
            "token_budget": self.token_budget,
            "used_tokens": self.used_tokens,
            "trimmed_by_budget": self.trimmed_by_budget,
        }
        return wire

    def to_json(self) -> str:
        """The pack as compact JSON: the text whose cost is `used_tokens` (C43)."""
        return compact(self.to_wire())


def compile_pack(
    capsules: Iterable[CapsuleRow],
    relations: Iterable[Relation],
    *,
    now: datetime,
    terms: Iterable[str] = (),
    fence: Fence = EVERYWHERE,
    token_budget: int = PACK_TOKENS_DEFAULT,
) -> Pack:
    """The pack for the tenant's `capsules` and `relations` at `now`, costing at most `token_budget` or its floor.

    Both are wanted whole: other projects, because a blocker outside the fence blocks (C38), and tombstones, because a
    forgotten blocker does not. Their order does not matter (C51).
    """
    rows = list(capsules)
    standing = standing_of(rows, relations)
    selection = select(rows, standing, project(rows, standing, fence), now=now, terms=terms, fence=fence)
    whole = {row.number: row for row in rows}
    return fill(selection, whole, standing, now=now, fence=fence, token_budget=token_budget)


@dataclass(frozen=True, slots=True)
class Selection:
    """The numbers of what may stand in a pack, ranked and complete, before cap and budget."""

    constraints: tuple[int, ...]
    ready: tuple[int, ...]
    cycle: tuple[int, ...] | None
    decisions: tuple[int, ...]
    traps: tuple[int, ...]

    def sections(self) -> dict[str, tuple[int, ...]]:
        """What the caps leave, in the order of the pack (C28 to C31, C39)."""
        return {
            "constraints": self.constraints,
            "next_action": self.ready[:1],
            "ready": self.ready[1 : 1 + PACK_LIST_CAP],
            "decisions": self.decisions[:PACK_LIST_CAP],
            "traps": self.traps[:PACK_LIST_CAP],
        }


def select(
    capsules: Iterable[CapsuleRow],
    standing: Standing,
    projection: Projection,
    *,
    now: datetime,
    terms: Iterable[str],
    fence: Fence,
) -> Selection:
    """The sections before cap and budget (C28 to C31), ranked (C14); ready is whole and in its own order (C39).

    Of `capsules` only constraints, decisions and failure patterns are looked at, and contents only for `terms`.
    """
    capsules = list(capsules)
    inside = fence.inside(capsule.project_id for capsule in capsules)
    constraints, decisions, traps = [], [], []
    for capsule in capsules:
        kind = capsule.kind
        if kind not in RANKED or capsule.project_id not in inside or capsule.forgotten_at:
            continue
        if kind is CapsuleKind.FAILURE_PATTERN:
            traps.append(capsule)
        elif capsule.number not in standing.superseded and not is_expired(capsule, now):
            if kind is CapsuleKind.DECISION:
                decisions.append(capsule)
            elif capsule.tier is Tier.ACTIVE:
                constraints.append(capsule)
    folded = fold_terms(terms)
    return Selection(
        constraints=ranked(constraints, folded, now),
        ready=projection.ready,
        cycle=projection.cycle,
        decisions=ranked(decisions, folded, now),
        traps=ranked(traps, folded, now),
    )


def ranked(capsules: Iterable[CapsuleRow], terms: Sequence[Term], now: datetime) -> tuple[int, ...]:
    """The numbers of `capsules`: matched terms descending, decay descending, number ascending (C14)."""

    if not terms:
        decayed = sorted([(-strength(c.confidence, c.valid_from, now), c.number) for c in capsules])
        return tuple([number for _, number in decayed])
    matched = sorted(
        [(-count_matches(c.content, terms), -strength(c.confidence, c.valid_from, now), c.number) for c in capsules]
    )
    return tuple([number for *_, number in matched])


def fill(
    selection: Selection,
    rows: Mapping[int, CapsuleRow],
    standing: Standing,
    *,
    now: datetime,
    fence: Fence,
    token_budget: int,
) -> Pack:
    """The pack of what was selected, within the budget (C43 to C48). `rows` holds all of `selection.sections()`."""
    sections = {name: [rows[number] for number in numbers] for name, numbers in selection.sections().items()}
    shown: dict[str, list[Row]] = {name: [] for name in sections}
    handles: list[int] = []

    def pack(used_tokens: int, trimmed: int) -> Pack:
        return Pack(
            fence=fence,
            token_budget=token_budget,
            constraints=tuple(shown["constraints"]),
            constraints_total=len(selection.constraints),
            next_action=shown["next_action"][0] if shown["next_action"] else None,
            ready=tuple(shown["ready"]),
            ready_total=len(selection.ready),
            cycle=selection.cycle,
            decisions=tuple(shown["decisions"]),
            decisions_total=len(selection.decisions),
            traps=tuple(shown["traps"]),
            traps_total=len(selection.traps),
            handles=tuple(handles),
            used_tokens=used_tokens,
            trimmed_by_budget=trimmed,
        )

    planned = sum(map(len, sections.values()))
    if token_budget == 0:
        return pack(0, planned)

    empty = pack(0, 0).to_json()
    ledger = Ledger(len(empty) - len("0") - len("0"), planned, token_budget)

    def price(name: str, capsule: CapsuleRow) -> tuple[Row, int]:
        row = lean_row(capsule, standing, fence, now, with_kind=name in ("next_action", "ready"))
        text = compact(row.to_wire())
        if name == "next_action":
            return row, len('"next_action":,') + len(text)
        if shown[name]:
            return row, len(",") + len(text)
        return row, len(text) + (0 if name == "ready" else len(f'"{name}":[],'))

    floor = [("constraints", capsule) for capsule in sections["constraints"][:1]]
    floor += [("next_action", capsule) for capsule in sections["next_action"]]
    for name, capsule in floor:
        row, chars = price(name, capsule)
        ledger.charge_row(chars)
        shown[name].append(row)

    for name, capsule in _behind_floor(sections):
        row, chars = price(name, capsule)
        if not ledger.take_row(chars):
            break
        shown[name].append(row)

    # A constraint that blocks something stands under `constraints` and under `ready`, and is named once (C32).
    for number in dict.fromkeys(row.number for row in pack(0, 0).rows()):
        chars = len(f'"{capsule_id(number)}"') + (len(",") if handles else len('"handles":[],'))
        if not ledger.take_extra(chars):
            break
        handles.append(number)
    return pack(ledger.used_tokens, ledger.trimmed)


def _behind_floor(sections: Mapping[str, Sequence[CapsuleRow]]) -> Iterator[tuple[str, CapsuleRow]]:
    for name, capsules in sections.items():
        if name == "next_action":
            continue
        for capsule in capsules[1:] if name == "constraints" else capsules:
            yield name, capsule


def _wires(rows: Iterable[Row]) -> list[dict[str, object]]:
    return [row.to_wire() for row in rows]
