"""The promises page: the cap, what is pending, the form with what was typed, what was served last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.engine.kinds import Outcome
from memories.engine.text import size_bytes
from memories.errors import PromiseCapExceeded, RevellError
from memories.selectors.promises import Pending
from memories.web.presenters import bars
from memories.web.presenters.bars import Bar, Part, Ruler

# A longer note shows its beginning; the rest unfolds.
_SHOWN_CHARS = 280
_SHOWN_LINES = 3
ENDINGS = {
    Outcome.SHOWN: "shown, still pending",
    Outcome.DECAYED: "became",
    Outcome.DECAYED_ELSEWHERE: "became, through another boot,",
    Outcome.RELEASED: "was released before it could become a memory",
    Outcome.FAILED: "could not become a memory yet; it stays pending and is served again",
}


@dataclass(frozen=True, slots=True)
class Words:
    """A note as a list shows it: `rest_bytes` of it unfold; `whole` is what then stands there."""

    begin: str
    whole: str
    rest_bytes: int


@dataclass(frozen=True, slots=True)
class PendingRow:
    id: str
    number: int
    words: Words
    bytes: int
    made_at: datetime
    made_by: str


@dataclass(frozen=True, slots=True)
class ServedRow:
    """How a served promise ended; `memory` is the number of what it became, 0 where it became nothing that is there."""

    id: str
    words: Words
    bytes: int
    boot: str
    boot_number: int
    boot_at: datetime
    ending: str
    failed: bool
    memory: int


@dataclass(frozen=True, slots=True)
class Draft:
    """The form: what was typed, and what was wrong with it. `over_bytes` only when the cap is passed (P6)."""

    content: str
    bytes: int
    error: str
    over_bytes: int
    bar: Bar


@dataclass(frozen=True, slots=True)
class CapView:
    """The cap and its use in bytes; `over_bytes` after the budget was lowered below it (P8)."""

    cap_bytes: int
    used_bytes: int
    free_bytes: int
    over_bytes: int
    budget_bytes: int
    bar: Bar
    ruler: Ruler
    rows: tuple[PendingRow, ...]


def cap_view(pending: Pending) -> CapView:
    cap, used = pending.cap_bytes, pending.used_bytes
    count = len(pending.promises)
    noun = "promise" if count == 1 else "promises"
    parts = [Part("promised", promise.size_bytes, str(promise)) for promise in pending.promises]
    return CapView(
        cap_bytes=cap,
        used_bytes=used,
        free_bytes=pending.free_bytes,
        over_bytes=pending.over_bytes,
        budget_bytes=pending.budget_tokens * 4,
        bar=bars.bar(
            "cap", f"{used:,} of {cap:,} bytes pending in {count} {noun}", parts, whole=cap, height=28, limit=cap
        ),
        ruler=bars.ruler(max(cap, used)),
        rows=tuple(
            PendingRow(
                id=str(promise),
                number=promise.number,
                words=words_of(promise.content),
                bytes=promise.size_bytes,
                made_at=promise.created_at,
                made_by=promise.created_by,
            )
            for promise in pending.promises
        ),
    )


def draft_of(content: str, pending: Pending, error: RevellError | None) -> Draft:
    size = size_bytes(content) if content else 0
    used, cap = pending.used_bytes, pending.cap_bytes
    return Draft(
        content=content,
        bytes=size,
        error=error.detail if error else "",
        over_bytes=int(error.data["over_bytes"]) if isinstance(error, PromiseCapExceeded) else 0,
        bar=bars.bar(
            "draft",
            f"{used:,} bytes pending and {size:,} bytes new against a cap of {cap:,} bytes",
            [Part("promised", used, "Pending"), Part("promised plain", size, "This one")],
            whole=cap,
            height=10,
            limit=cap,
        ),
    )


def served_rows(served: Iterable[Any]) -> list[ServedRow]:
    """Rows of `selectors.promises.list_served`, or of one boot, with its boot and memories loaded."""
    return [served_row(row) for row in served]


def served_row(row: Any) -> ServedRow:
    memory = row.memory
    outcome = Outcome(row.outcome)
    return ServedRow(
        id=f"prm-{row.number}",
        words=words_of(row.content),
        bytes=row.size_bytes,
        boot=str(row.boot),
        boot_number=row.boot.number,
        boot_at=row.boot.created_at,
        ending="became a memory that is no longer there" if outcome is Outcome.DECAYED and not memory
        else ENDINGS[outcome],
        failed=outcome is Outcome.FAILED,
        memory=memory.number if memory and memory.forgotten_at is None else 0,
    )  # fmt: skip


def words_of(content: str) -> Words:
    begin = "\n".join(content.split("\n")[:_SHOWN_LINES])[:_SHOWN_CHARS]
    if begin == content:
        return Words(content, "", 0)
    return Words(begin + " …", content, size_bytes(content) - size_bytes(begin))
