"""The picture of what blocks what, and the same as rows of a table. Where things stand is computed in `layers`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memories.engine.blocks import BlocksMap, Part, State
from memories.engine.capsules import capsule_id, headline_of
from memories.engine.text import cut_chars
from memories.selectors.blocks import Blocks
from memories.web.presenters.layers import HEIGHT, WIDTH, Drawn, lay_out

WORDS = {
    State.CYCLE: "loop",
    State.NEXT: "next",
    State.READY: "ready",
    State.BLOCKED: "blocked",
    State.DONE: "done ✓",
}
# With a loop in reach a pack names nothing, so nothing is called ready.
_FREE = "free"
_LABEL_COLUMNS = 20
_NAMED_MOST = 12


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A box of 176 × 54 pixels. `label` is the beginning of the headline, `told` all of it."""

    number: int
    css: str
    word: str
    label: str
    told: str
    x: int
    y: int

    @property
    def right(self) -> int:
        return self.x + WIDTH - 12

    @property
    def text_x(self) -> int:
        return self.x + 12

    @property
    def text_y(self) -> int:
        return self.y + 21

    @property
    def label_y(self) -> int:
        return self.y + 28

    @property
    def ring(self) -> tuple[int, int]:
        return self.x + 4, self.y + 4


@dataclass(frozen=True, slots=True)
class GraphArrow:
    """SVG paths of the line and of its tip."""

    line: str
    tip: str
    loop: bool


@dataclass(frozen=True, slots=True)
class GraphRow:
    """A node in words."""

    number: int
    headline: str
    project: str
    css: str
    word: str
    blocked_by: tuple[int, ...]
    blocks: tuple[int, ...]
    outside: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """`hidden` says how many nodes are not shown, by state; `alone` how many have no relation."""

    title: str
    width: int
    height: int
    nodes: tuple[GraphNode, ...]
    arrows: tuple[GraphArrow, ...]
    rows: tuple[GraphRow, ...]
    hidden: str
    hidden_total: int
    tied: int
    alone: int
    undrawn: int
    cycle: tuple[int, ...]


def graph_of(blocks: Blocks) -> Graph | None:
    """The picture of what was read; None where nothing blocks anything."""
    part, whole = blocks.part, blocks.map
    if not part.numbers:
        return None
    layout = lay_out(part.numbers, part.arrows)
    headlines = {number: headline_of(row.content) for number, row in blocks.rows.items()}
    words = {number: _word(whole, number) for number in part.numbers}
    nodes = tuple(
        GraphNode(
            number=at.number,
            css=str(whole.states[at.number]),
            word=words[at.number],
            label=cut_columns(headlines.get(at.number, ""), _LABEL_COLUMNS),
            told=f"{capsule_id(at.number)}, {words[at.number].removesuffix(' ✓')}: {headlines.get(at.number, '')}",
            x=at.x + 1,
            y=at.y + 1,
        )
        for at in layout.nodes
    )
    tied = whole.tied()
    return Graph(
        title=_title(part, whole),
        width=layout.width + 2,
        height=layout.height + 2,
        nodes=nodes,
        arrows=tuple(_arrow(drawn) for drawn in layout.arrows),
        rows=tuple(_rows(part, blocks, headlines, words)),
        hidden=", ".join(f"{count:,} {_told(whole, state)}" for state, count in part.hidden),
        hidden_total=part.hidden_total,
        tied=len(tied),
        alone=len(whole.states) - len(tied),
        undrawn=layout.undrawn,
        cycle=whole.cycle or (),
    )


def _word(whole: BlocksMap, number: int) -> str:
    return _told(whole, whole.states[number]) if whole.states[number] is State.READY else WORDS[whole.states[number]]


def _told(whole: BlocksMap, state: State) -> str:
    if state is State.READY and whole.cycle:
        return _FREE
    return {State.CYCLE: "in a loop", State.DONE: "done"}.get(state, str(state))


def _title(part: Part, whole: BlocksMap) -> str:
    """What the picture shows in one sentence for each state."""
    told = []
    for state in State:
        numbers = [number for number in part.numbers if whole.states[number] is state]
        if numbers:
            named = ", ".join(map(capsule_id, numbers[:_NAMED_MOST]))
            more = f" and {len(numbers) - _NAMED_MOST:,} more" if len(numbers) > _NAMED_MOST else ""
            told.append(f"{_told(whole, state).capitalize()}: {named}{more}.")
    return " ".join(told)


def _rows(part: Part, blocks: Blocks, headlines: Mapping[int, str], words: Mapping[int, str]) -> Iterable[GraphRow]:
    """By state, the loops first, then by number."""
    sources: dict[int, list[int]] = {}
    targets: dict[int, list[int]] = {}
    for source, target in blocks.map.arrows:
        targets.setdefault(source, []).append(target)
        sources.setdefault(target, []).append(source)
    order = list(State)
    states = blocks.map.states
    for number in sorted(part.numbers, key=lambda n: (order.index(states[n]), n)):
        row = blocks.rows.get(number)
        yield GraphRow(
            number=number,
            headline=headlines.get(number, ""),
            project=row.project_id if row else "",
            css=str(states[number]),
            word=words[number].removesuffix(" ✓"),
            blocked_by=tuple(sources.get(number, ())),
            blocks=tuple(targets.get(number, ())),
            outside=number in blocks.map.outside,
        )


def _arrow(drawn: Drawn) -> GraphArrow:
    """A curve from point to point, and the tip at its end."""
    points = [(x + 1, y + 1) for x, y in drawn.points]
    if drawn.loop:
        (x, y), (_, end) = points
        side = 1 if end > y else -1
        out = x + side * (20 + min(abs(end - y) // (HEIGHT * 2), 5) * 4)
        foot = end + (6 if end < y else -6)
        line = f"M{x} {y}C{out} {y} {out} {foot} {x + side * 8} {foot}"
        return GraphArrow(line, f"M{x + side * 8} {foot - 5}l{-8 * side} 5 {8 * side} 5z", loop=True)
    x, y = points[0]
    line = f"M{x} {y}"
    for at, (to_x, to_y) in enumerate(points[1:]):
        last = at == len(points) - 2
        end = to_x - 7 if last else to_x
        if at % 2:
            line += f"L{to_x} {to_y}"
        else:
            middle = (x + to_x) // 2
            line += f"C{middle} {y} {middle} {to_y} {end} {to_y}"
        x, y = to_x, to_y
    return GraphArrow(line, f"M{x - 8} {y - 5}l8 5-8 5z", loop=False)


def cut_columns(text: str, columns: int) -> str:
    """The beginning of `text` that is at most so many letters wide, `…` at a cut; letters of East Asia count twice."""
    width = 0
    for at, char in enumerate(text):
        width += 2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1
        if width > columns:
            return cut_chars(text, at).rstrip() + "…" if at else "…"
    return text
