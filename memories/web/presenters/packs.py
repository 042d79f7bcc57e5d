"""A compiled pack with what each of its rows costs. The pack itself is the selectors' and the engine's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memories.engine.capsules import Row, capsule_id
from memories.engine.limits import PACK_LIST_CAP, PACK_TOKENS_DEFAULT
from memories.engine.pack import Pack
from memories.engine.ranking import Term, mark_matches
from memories.engine.spending import compact
from memories.engine.text import cost_tokens
from memories.errors import InvalidInput
from memories.selectors.packs import Explained
from memories.web.presenters import bars
from memories.web.presenters.bars import Bar, Part, Ruler
from memories.web.presenters.capsules import Entry, entry

BUDGET_SHOWN_MAX = 6_000
_LEFT_OUT_SHOWN = 50
# More rows than this are for machines; the JSON has them all.
_ROWS_SHOWN = 300
# The kind of each section, and its hue in a bar.
_CSS = {
    "Constraints": ("k-constraint", "axioms"),
    "Next action and ready": ("k-task", "working"),
    "Decisions": ("k-decision", "soul"),
    "Traps": ("k-trap", "promised"),
}


@dataclass(frozen=True, slots=True)
class Costed:
    """A row and its tokens: the characters of its JSON / 4, rounded up. `floor` rows are kept at any budget.

    `matched` is the number of terms that stand in it, where terms decide the order; `headline` is in pieces, with the
    words of terms marked.
    """

    entry: Entry
    headline: tuple[tuple[str, bool], ...]
    tokens: int
    floor: bool
    next_action: bool = False
    matched: int | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What one section has no place for, for one reason: the exact number, and the first rows of them."""

    section: str
    css: str
    reason: str
    total: int
    rows: tuple[Costed, ...]

    @property
    def unnamed(self) -> int:
        return self.total - len(self.rows)


@dataclass(frozen=True, slots=True)
class Line:
    """A row that only one of two packs has: `ins` in this one, `del` in the other."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """How a pack differs from the same one at the usual budget; sections without a difference are left out."""

    sections: tuple[tuple[str, str, tuple[Line, ...]], ...]
    same: int
    used_tokens: int
    more: int
    fewer: int


@dataclass(frozen=True, slots=True)
class PackSection:
    name: str
    css: str
    hue: str
    rows: tuple[Costed, ...]
    count: int
    total: int
    tokens: int
    by_cap: int
    by_budget: int

    @property
    def unshown(self) -> int:
        return self.count - len(self.rows)


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
    compares: bool
    usual: int = PACK_TOKENS_DEFAULT
    most: int = BUDGET_SHOWN_MAX


@dataclass(frozen=True, slots=True)
class PackView:
    sections: tuple[PackSection, ...]
    frame_tokens: int
    left_out: tuple[LeftOut, ...]
    left_out_total: int
    changes: Changes | None
    handles: tuple[int, ...]
    handles_tokens: int
    terms: int
    rows_shown: int
    cycle: tuple[int, ...]
    token_budget: int
    used_tokens: int
    trimmed_by_budget: int
    over: int
    json: str
    bar: Bar
    ruler: Ruler


def pack_view(explained: Explained, *, compares: bool) -> PackView:
    """Each figure is rounded by itself, so they may add up to a few tokens more than the whole, rounded once."""
    pack = explained.pack
    shown = _rows(pack)
    terms, matched = explained.terms, explained.matched
    sections = (
        _section("Constraints", shown[0], pack.constraints_total, terms, floor=1, cap=None, matched=matched),
        _section(
            "Next action and ready", shown[1], pack.ready_total, terms, floor=1, cap=PACK_LIST_CAP + 1, first=True
        ),
        _section("Decisions", shown[2], pack.decisions_total, terms, floor=0, cap=PACK_LIST_CAP, matched=matched),
        _section("Traps", shown[3], pack.traps_total, terms, floor=0, cap=PACK_LIST_CAP, matched=matched),
    )
    left_out = tuple(_left_out(explained, sections))
    handles = cost_tokens(compact([f"cap-{number}" for number in pack.handles])) if pack.handles else 0
    rest = max(pack.used_tokens - sum(section.tokens for section in sections) - handles, 0)
    parts = [Part("frame", rest, "Frame and totals")]
    parts += [Part(section.hue, section.tokens, section.name) for section in sections]
    parts.append(Part("identity", handles, "Handles"))
    scale = max(pack.token_budget, pack.used_tokens, 1)
    return PackView(
        sections=sections,
        frame_tokens=rest,
        left_out=left_out,
        left_out_total=sum(one.total for one in left_out),
        changes=_changes(explained) if compares else None,
        handles=pack.handles,
        handles_tokens=handles,
        terms=len(explained.terms),
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


def _rows(pack: Pack) -> tuple[tuple[Row, ...], ...]:
    """The rows of each section as people see them, the next action with the ready ones."""
    ready = (pack.next_action, *pack.ready) if pack.next_action else pack.ready
    return pack.constraints, ready, pack.decisions, pack.traps


def _left_out(explained: Explained, sections: Sequence[PackSection]) -> Iterable[LeftOut]:
    past = ((), *(explained.past_cap[name] for name in ("ready", "decisions", "traps")))
    for section, rows, kept, beyond in zip(sections, _rows(explained.whole), _rows(explained.pack), past, strict=True):
        if section.by_budget:
            dropped = tuple(_costed(row, explained.terms) for row in rows[len(kept) :][:_LEFT_OUT_SHOWN])
            yield LeftOut(section.name, section.css, "no room in the token budget", section.by_budget, dropped)
        if section.by_cap:
            cap = f"past the {PACK_LIST_CAP} that the list holds"
            yield LeftOut(
                section.name, section.css, cap, section.by_cap, tuple(_costed(row, explained.terms) for row in beyond)
            )


def _changes(explained: Explained) -> Changes:
    found, same = [], 0
    for name, now, usual in zip(_CSS, _rows(explained.pack), _rows(explained.usual), strict=True):
        there, there_usually = {row.number for row in now}, {row.number for row in usual}
        lines = [
            Line(tag, f"{capsule_id(row.number)} {row.headline}")
            for tag, rows, others in (("del", usual, there), ("ins", now, there_usually))
            for row in rows
            if row.number not in others
        ]
        same += len(there & there_usually)
        if lines:
            found.append((name, _CSS[name][1], tuple(lines)))
    tags = [line.tag for *_, lines in found for line in lines]
    return Changes(tuple(found), same, explained.usual.used_tokens, tags.count("ins"), tags.count("del"))


def _costed(
    row: Row,
    terms: Sequence[Term],
    *,
    floor: bool = False,
    next_action: bool = False,
    matched: int | None = None,
) -> Costed:
    headline = mark_matches(row.headline, terms)
    return Costed(entry(row, ()), headline, cost_tokens(compact(row.to_wire())), floor, next_action, matched)


def _section(
    name: str,
    rows: Sequence[Row],
    total: int,
    terms: Sequence[Term],
    *,
    floor: int,
    cap: int | None,
    first: bool = False,
    matched: Mapping[int, int] | None = None,
) -> PackSection:
    costed = tuple(
        _costed(
            row,
            terms,
            floor=place < floor,
            next_action=first and place == 0,
            matched=matched.get(row.number) if matched else None,
        )
        for place, row in enumerate(rows)
    )
    listed = total if cap is None else min(total, cap)
    css, hue = _CSS[name]
    return PackSection(
        name=name,
        css=css,
        hue=hue,
        rows=costed[:_ROWS_SHOWN],
        count=len(costed),
        total=total,
        tokens=sum(row.tokens for row in costed),
        by_cap=total - listed,
        by_budget=max(listed - len(rows), 0),
    )


def asked_of(given: dict[str, str], error: InvalidInput | None, *, compares: bool = False) -> Asked:
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
        compares=compares,
    )
