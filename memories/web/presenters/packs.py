"""A compiled pack with what each of its rows costs. The pack itself is the selectors' and the engine's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memories.engine.capsules import Row
from memories.engine.limits import PACK_LIST_CAP, PACK_TOKENS_DEFAULT
from memories.engine.pack import Pack
from memories.engine.spending import compact
from memories.engine.text import cost_tokens
from memories.errors import InvalidInput
from memories.web.presenters import bars
from memories.web.presenters.bars import Bar, Part, Ruler
from memories.web.presenters.capsules import Entry, entry

BUDGET_SHOWN_MAX = 6_000


@dataclass(frozen=True, slots=True)
class Costed:
    """A row and its tokens: the characters of its JSON / 4, rounded up. `floor` rows are kept at any budget."""

    entry: Entry
    tokens: int
    floor: bool
    next_action: bool = False


@dataclass(frozen=True, slots=True)
class PackSection:
    name: str
    css: str
    rows: tuple[Costed, ...]
    total: int
    tokens: int
    by_cap: int
    by_budget: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The form as it was sent, and what was wrong with it by field."""

    project_prefix: str
    project_id: str
    terms: str
    ancestors: bool
    token_budget: str
    errors: dict[str, list[str]]
    detail: str
    usual: int = PACK_TOKENS_DEFAULT
    most: int = BUDGET_SHOWN_MAX


@dataclass(frozen=True, slots=True)
class PackView:
    sections: tuple[PackSection, ...]
    handles: tuple[int, ...]
    handles_tokens: int
    rows_shown: int
    cycle: tuple[int, ...]
    token_budget: int
    used_tokens: int
    trimmed_by_budget: int
    over: int
    json: str
    bar: Bar
    ruler: Ruler


def pack_view(pack: Pack) -> PackView:
    """Each figure is rounded by itself, so they may add up to a few tokens more than the whole, rounded once."""
    ready = (pack.next_action, *pack.ready) if pack.next_action else pack.ready
    sections = (
        _section("Constraints", "k-constraint", pack.constraints, pack.constraints_total, floor=1, cap=None),
        _section(
            "Next action and ready", "k-task", ready, pack.ready_total, floor=1, cap=PACK_LIST_CAP + 1, first=True
        ),
        _section("Decisions", "k-decision", pack.decisions, pack.decisions_total, floor=0, cap=PACK_LIST_CAP),
        _section("Traps", "k-trap", pack.traps, pack.traps_total, floor=0, cap=PACK_LIST_CAP),
    )
    handles = cost_tokens(compact([f"cap-{number}" for number in pack.handles])) if pack.handles else 0
    rest = max(pack.used_tokens - sum(section.tokens for section in sections) - handles, 0)
    hues = ("axioms", "working", "soul", "promised")
    parts = [Part("frame", rest, "Frame and totals")]
    parts += [Part(hue, section.tokens, section.name) for hue, section in zip(hues, sections, strict=True)]
    parts.append(Part("identity", handles, "Handles"))
    scale = max(pack.token_budget, pack.used_tokens, 1)
    return PackView(
        sections=sections,
        handles=pack.handles,
        handles_tokens=handles,
        rows_shown=len({row.number for row in pack.rows()}),
        cycle=pack.cycle or (),
        token_budget=pack.token_budget,
        used_tokens=pack.used_tokens,
        trimmed_by_budget=pack.trimmed_by_budget,
        over=max(pack.used_tokens - pack.token_budget, 0),
        json=pack.to_json(),
        bar=bars.bar(
            "pack-bar",
            f"Pack of {pack.used_tokens:,} of {pack.token_budget:,} tokens",
            parts,
            whole=scale,
            height=28,
            unit="tokens",
        ),
        ruler=bars.ruler(scale, unit=" tokens"),
    )


def _section(
    name: str, css: str, rows: Sequence[Row], total: int, *, floor: int, cap: int | None, first: bool = False
) -> PackSection:
    costed = tuple(
        Costed(entry(row, ()), cost_tokens(compact(row.to_wire())), place < floor, first and place == 0)
        for place, row in enumerate(rows)
    )
    listed = total if cap is None else min(total, cap)
    return PackSection(
        name=name,
        css=css,
        rows=costed,
        total=total,
        tokens=sum(row.tokens for row in costed),
        by_cap=total - listed,
        by_budget=max(listed - len(rows), 0),
    )


def asked_of(given: dict[str, str], error: InvalidInput | None) -> Asked:
    """`given` are the fields as typed. A fault of one term is shown at the field of all terms."""
    errors: dict[str, list[str]] = {}
    for field, texts in (error.errors if error else {}).items():
        errors.setdefault(field.split(".")[0], []).extend(texts)
    return Asked(
        project_prefix=given["project_prefix"],
        project_id=given["project_id"],
        terms=given["terms"],
        ancestors=bool(given["ancestors"]),
        token_budget=given["token_budget"],
        errors=errors,
        detail=error.detail if error else "",
    )
