"""What a memory may be: the rules of the five types, the caps, the allowance. No rows are read or written here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from memories.engine.filters import moment_fault
from memories.engine.kinds import AXIOM_CATEGORY_DEFAULT, Category, MemoryType, Source
from memories.engine.limits import (
    AXIOM_ALLOWANCE_DIVISOR,
    AXIOM_ALLOWANCE_FLOOR_BYTES,
    AXIOM_MAX_CHARS,
    BYTES_PER_TOKEN,
    CATEGORY_CAP_CHARS,
    CATEGORY_CAP_CHARS_DEFAULT,
    CATEGORY_MAX_CHARS,
    CONTENT_MAX_BYTES,
    IMPORTANCE_DEFAULT,
    KEY_MAX_CHARS,
    TAG_MAX_CHARS,
    TAGS_MAX,
    TERM_MAX_CHARS,
)
from memories.engine.text import has_control, is_blank, is_encodable, size_bytes
from memories.errors import (
    AxiomAllowanceExceeded,
    AxiomTooLong,
    CategoryCapExceeded,
    ContentTooLong,
    InvalidInput,
)


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory that is not stored yet. Only `checked` says that it obeys the rules.

    `tags` and `importance` None mean: keep what an upsert finds, else the default.
    """

    type: MemoryType
    content: str = ""
    category: str = ""
    key: str = ""
    tags: tuple[str, ...] | None = None
    importance: float | None = None
    source: Source = Source.AGENT
    occurred_at: datetime | None = None
    subject: str = ""
    predicate: str = ""
    object: str = ""
    context: str = ""


def checked(draft: MemoryDraft) -> MemoryDraft:
    """`draft` with its defaults filled in, or InvalidInput naming every fault by field."""
    faults = _Faults()
    kind = draft.type
    category = draft.category.strip()
    key = draft.key.strip()
    content = draft.content

    if kind is MemoryType.SEMANTIC:
        for field in ("subject", "predicate", "object"):
            faults.line(field, getattr(draft, field), TERM_MAX_CHARS, required=True)
        faults.line("context", draft.context, TERM_MAX_CHARS)
        if not content:
            content = derived_content(draft)
    else:
        for field in ("subject", "predicate", "object", "context"):
            if getattr(draft, field):
                faults.add(field, f"Only semantic memories have “{field}”; this one is {kind}.")

    if kind is MemoryType.CORE:
        if category not in list(Category):
            faults.add("category", f"A core memory needs one of the categories {', '.join(Category)}.")
    elif kind is MemoryType.AXIOM:
        category = category or AXIOM_CATEGORY_DEFAULT
    faults.line("category", category, CATEGORY_MAX_CHARS)

    if kind in (MemoryType.CORE, MemoryType.WORKING):
        faults.line("key", key, KEY_MAX_CHARS, required=True)
    elif key:
        faults.add("key", f"Only core and working memories have a key; this one is {kind}.")

    check_content(kind, content, faults)
    tags = None if draft.tags is None else faults.tags(draft.tags)
    if draft.importance is not None and not 0 <= draft.importance <= 1:
        faults.add("importance", "Importance is a number from 0 to 1.")
    occurred_at = draft.occurred_at
    if occurred_at is not None:
        if fault := moment_fault(occurred_at):
            faults.add("occurred_at", fault)
        else:
            occurred_at = occurred_at.astimezone(UTC)
    faults.raise_any()
    return MemoryDraft(
        type=kind,
        content=content,
        category=category,
        key=key,
        tags=tags,
        importance=draft.importance,
        source=draft.source,
        occurred_at=occurred_at,
        subject=draft.subject,
        predicate=draft.predicate,
        object=draft.object,
        context=draft.context,
    )


def derived_content(draft: MemoryDraft) -> str:
    """The content of a semantic memory that was given none."""
    text = f"{draft.subject} {draft.predicate} {draft.object}"
    return f"{text} ({draft.context})" if draft.context else text


def check_content(kind: MemoryType, content: str, faults: _Faults) -> None:
    """1 to 32,768 bytes, not blank, no NUL, valid UTF-8; an axiom at most 250 characters."""
    if not is_encodable(content):
        faults.add("content", "The content is not valid UTF-8 text (it holds a lone surrogate).")
    elif "\x00" in content:
        faults.add("content", "The content holds a NUL character.")
    elif is_blank(content):
        faults.add("content", "The content is blank.")
    elif kind is MemoryType.AXIOM and len(content) > AXIOM_MAX_CHARS:
        faults.add(
            "content",
            f"An axiom has at most {AXIOM_MAX_CHARS} characters; this one has {len(content):,}. "
            "Shorten it to the rule itself, or keep the story as an episodic memory.",
            AxiomTooLong,
        )
    elif (size := size_bytes(content)) > CONTENT_MAX_BYTES:
        faults.add(
            "content",
            f"A memory has at most {CONTENT_MAX_BYTES:,} bytes; this one has {size:,}. Split it.",
            ContentTooLong,
        )


class _Faults:
    """Collects what is wrong by field, so that one answer names everything."""

    def __init__(self) -> None:
        self.errors: dict[str, list[str]] = {}
        self.kinds: set[type[InvalidInput]] = set()

    def add(self, field: str, text: str, kind: type[InvalidInput] = InvalidInput) -> None:
        self.errors.setdefault(field, []).append(text)
        self.kinds.add(kind)

    def line(self, field: str, value: str, limit: int, *, required: bool = False) -> None:
        """One line of text: these stand in the payload's own lines, so no line end of any kind may be in them."""
        if not value.strip():
            if required:
                self.add(field, f"“{field}” is required here.")
            return
        if not is_encodable(value) or has_control(value, allowed="") or len(value.splitlines()) > 1:
            self.add(field, f"“{field}” is one line of text without control characters.")
        elif len(value) > limit:
            self.add(field, f"“{field}” has at most {limit:,} characters; this one has {len(value):,}.")

    def tags(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Trimmed, in order, each once."""
        kept = tuple(dict.fromkeys(tag.strip() for tag in tags))
        for tag in kept:
            if not tag:
                self.add("tags", "A tag is blank.")
            else:
                self.line("tags", tag, TAG_MAX_CHARS)
        if len(kept) > TAGS_MAX:
            self.add("tags", f"A memory has at most {TAGS_MAX} tags; this one has {len(kept)}.")
        return kept

    def raise_any(self) -> None:
        if not self.errors:
            return
        # A code of its own only when it is the one thing that is wrong.
        kind = self.kinds.pop() if len(self.kinds) == 1 else InvalidInput
        first = next(iter(self.errors.values()))[0]
        raise kind(first, errors=self.errors)


def default_importance(importance: float | None) -> float:
    """The importance of a memory whose writer gave none."""
    return IMPORTANCE_DEFAULT if importance is None else importance


def category_caps(changed: dict[str, int]) -> dict[str, int]:
    """The character cap of each core category, `changed` being what a tenant set itself."""
    return {
        str(category): changed.get(category, CATEGORY_CAP_CHARS.get(category, CATEGORY_CAP_CHARS_DEFAULT))
        for category in Category
    }


def axiom_allowance_bytes(budget_tokens: int) -> int:
    """The content bytes that all active axioms may have together: a fifth of the budget, at least 2,048."""
    return max(AXIOM_ALLOWANCE_FLOOR_BYTES, budget_tokens * BYTES_PER_TOKEN // AXIOM_ALLOWANCE_DIVISOR)


def check_category_cap(category: str, *, cap_chars: int, used_chars: int, requested_chars: int) -> None:
    """Raise CategoryCapExceeded when the category's active memories would pass its cap."""
    over = used_chars + requested_chars - cap_chars
    if over <= 0:
        return
    raise CategoryCapExceeded(
        f"{used_chars:,} of {cap_chars:,} characters of “{category}” are in use and this memory needs "
        f"{requested_chars:,}: {over:,} too many. Archive a lesser memory of this category, or shorten this one.",
        category=category,
        cap_chars=cap_chars,
        used_chars=used_chars,
        requested_chars=requested_chars,
        over_chars=over,
    )


def check_axiom_allowance(*, budget_tokens: int, used_bytes: int, requested_bytes: int) -> None:
    """Raise AxiomAllowanceExceeded when all active axioms together would pass their allowance."""
    allowance = axiom_allowance_bytes(budget_tokens)
    over = used_bytes + requested_bytes - allowance
    if over <= 0:
        return
    raise AxiomAllowanceExceeded(
        f"{used_bytes:,} of {allowance:,} bytes for axioms are in use and this one needs {requested_bytes:,}: "
        f"{over:,} too many. Archive a lesser axiom, or shorten this one.",
        allowance_bytes=allowance,
        used_bytes=used_bytes,
        requested_bytes=requested_bytes,
        over_bytes=over,
    )
