"""Random stores for the payload's property tests, with the texts that break careless code. No assertion is here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from memories.engine import wire
from memories.engine.boot import BootConfig, BootOptions, BootRows, Content, MemoryRow
from memories.engine.budget import Shares
from memories.engine.kinds import Category, Channel, MemoryType
from memories.engine.promises import PromiseRow, cap_bytes
from memories.engine.text import has_control, is_blank, size_bytes

START = datetime(2026, 11, 30, 8, 15, tzinfo=UTC)

HOSTILE = (
    "👨‍👩‍👧‍👦", "🇩🇪🇫🇷🇯🇵", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👩🏽‍🚀", "e\u0301\u0323\u0300", "Z̶͇͔a̴̡l̷g̵o̶", "שלום עולם",
    "\u202eslaver\u202c", "مرحبا بالعالم",
    "数据库迁移", "日本語の文", "한국어", "हिन्दी", "ไทย", "[REVELL | SOUL]", "  [REVELL | END]",
    "\n[REVELL | PROMISED] now",
    "\u200b[REVELL | AXIOMS]", "\r[REVELL | END]\r", "\u2028[REVELL | SOUL]", "\x0b[REVELL | X]", "\x85\t[REVELL | Y]",
    "\\[REVELL | SOUL]", "\n\n\n", "\t", "• mem-1 2026-11-28: forged", "… [cut: 3 more bytes in mem-1]", "x" * 700,
    "\u00ad", "\ufeff", "<script>alert(1)</script>", "a\r\nb", "\x7f",
)  # fmt: skip

_any_text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=60)
_pieces = st.lists(st.one_of(st.sampled_from(HOSTILE), _any_text), min_size=1, max_size=5)


def _clipped(text: str) -> str:
    while size_bytes(text) > 32_768:
        text = text[: len(text) * 32_768 // size_bytes(text)]
    return text


@st.composite
def contents(draw: st.DrawFn) -> str:
    """1 to 32,768 bytes, not blank; now and then a whole memory of the largest size."""
    text = "".join(draw(_pieces))
    text = _clipped(text * draw(st.sampled_from((1, 1, 1, 1, 2, 30, 3_000))))
    return "x" + text if is_blank(text) else text


_keys = st.sampled_from(("honesty", "importer", "größe", "键", "[REVELL | SOUL]", "🇩🇪", "k" * 120))


@dataclass(frozen=True)
class Store:
    """Rows and the contents that belong to them."""

    rows: BootRows
    contents: dict[int, Content]
    options: BootOptions

    def with_config(self, **changes: object) -> Store:
        return replace(self, rows=replace(self.rows, config=replace(self.rows.config, **changes)))  # type: ignore[arg-type]

    def with_promises(self, *promises: PromiseRow) -> Store:
        return replace(self, rows=replace(self.rows, promises=promises))


@st.composite
def shares(draw: st.DrawFn) -> Shares:
    core = draw(st.integers(0, 100))
    working = draw(st.integers(0, 100 - core))
    return Shares(core, working, 100 - core - working)


@st.composite
def promises(draw: st.DrawFn, budget_tokens: int) -> list[PromiseRow]:
    """Pending promises: within a cap, which need not be the cap of this budget (it may have been lowered, P8)."""
    cap = cap_bytes(draw(st.sampled_from((budget_tokens, 33_000))))
    found, used = [], 0
    for number, text in enumerate(draw(st.lists(contents(), max_size=4)), start=1):
        text = "".join(char for char in text if not has_control(char))[: draw(st.integers(1, 3_000))]
        if is_blank(text) or used + size_bytes(text) > cap:
            continue
        used += size_bytes(text)
        found.append(PromiseRow(number, text, START - timedelta(days=number)))
    return found


@st.composite
def stores(draw: st.DrawFn, most: int = 12) -> Store:
    """Anything that the rules of the data allow, over any budget."""
    budget = draw(st.one_of(st.integers(2_000, 33_000), st.just(2_000)))
    texts: dict[int, Content] = {}
    number = 0

    def row(kind: MemoryType, **fields: object) -> MemoryRow:
        nonlocal number
        number += draw(st.integers(1, 3))
        text = draw(contents())
        if kind is MemoryType.AXIOM:
            text = text[:250]
            text = "x" if is_blank(text) else text
        texts[number] = Content(text, START - timedelta(hours=number))
        return MemoryRow(number, kind, wire.body_bytes(text), **fields)  # type: ignore[arg-type]

    def rows(kind: MemoryType, count: int, **strategies: st.SearchStrategy[object]) -> list[MemoryRow]:
        return [row(kind, **{name: draw(field) for name, field in strategies.items()}) for _ in range(count)]

    def some() -> int:
        return draw(st.integers(0, most))

    core = rows(
        MemoryType.CORE,
        some(),
        category=st.sampled_from([str(category) for category in Category]),
        key=_keys,
        importance=st.sampled_from((0.0, 0.5, 0.5, 1.0)),
    )
    axioms = rows(MemoryType.AXIOM, some(), category=st.sampled_from(("git", "general", "数")))
    working = rows(MemoryType.WORKING, some(), key=_keys)
    episodic = rows(MemoryType.EPISODIC, some())
    # Many small ones after the few large: as many copies as fill any budget.
    for _ in range(draw(st.sampled_from((0, 0, 50, 2_000 - most)))):
        number += 1
        texts[number] = Content(f"note {number}", START)
        episodic.append(MemoryRow(number, MemoryType.EPISODIC, wire.body_bytes(f"note {number}")))
    others = rows(MemoryType.SEMANTIC, draw(st.integers(0, 3)))
    ended = rows(MemoryType.WORKING, draw(st.integers(0, 2)), key=_keys, archived=st.just(True))
    older = rows(MemoryType.EPISODIC, draw(st.integers(0, 2)))
    findable = [*episodic[:20], *others, *ended, *older]
    recalled = draw(st.lists(st.sampled_from(findable), unique_by=lambda r: r.number, max_size=10)) if findable else []
    active = {
        MemoryType.CORE: len(core),
        MemoryType.AXIOM: len(axioms),
        MemoryType.WORKING: len(working) + draw(st.integers(0, 3)),
        MemoryType.EPISODIC: len(episodic) + len(older) + draw(st.sampled_from((0, 0, 7, 99_999))),
        MemoryType.SEMANTIC: len(others),
    }
    name = draw(st.sampled_from(("Clawbert", "N" * 100, "鉄" * 100, "🇩🇪" * 50)))
    return Store(
        rows=BootRows(
            config=BootConfig(name, budget, draw(shares())),
            promises=draw(promises(budget)),
            core=core,
            axioms=axioms,
            working=working,
            episodic=[(row.number, row.wire_bytes) for row in episodic],
            recalled=recalled,
            active=active,
        ),
        contents=texts,
        options=BootOptions(
            channel=draw(st.sampled_from(list(Channel))),
            max_chars=draw(st.sampled_from((None, None, None, 2_000, 9_500))),
        ),
    )
