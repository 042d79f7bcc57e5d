"""Memories in a list, one memory with its versions, and what it means for the next boot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from memories.engine.kinds import Category, MemoryType
from memories.engine.lifecycle import working_cutoff
from memories.errors import RevellError, StaleVersion

_SHOWN_CHARS = 160
_FIELDS = ("category", "key", "subject", "predicate", "object", "context", "tags", "importance")
_MOMENTS = ("archived_at", "forgotten_at")
TYPES = (
    ("", "All"),
    (MemoryType.CORE, "Core"),
    (MemoryType.AXIOM, "Axioms"),
    (MemoryType.WORKING, "Working"),
    (MemoryType.EPISODIC, "Episodic"),
    (MemoryType.SEMANTIC, "Semantic"),
)
CSS = {MemoryType.AXIOM: "s-axioms", MemoryType.CORE: "s-core", MemoryType.WORKING: "s-working",
       MemoryType.EPISODIC: "s-episodic", MemoryType.SEMANTIC: "s-semantic"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tab:
    type: str
    name: str
    count: int
    here: bool


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """`state` is what the next boot does with it; `title` its key, or its id where it has none; `why` of a hit."""

    id: str
    number: int
    title: str
    kind: str
    css: str
    begin: str
    tags: tuple[str, ...]
    bytes: int
    at: datetime
    state: str
    in_next: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version and how it differs from the one before: lines of the content, and sentences about all else.

    The first has no difference.
    """

    number: int
    at: datetime | None
    by: str
    lines: tuple[Word, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryView:
    row: MemoryRow
    content: str
    category: str
    key: str
    importance: float
    source: str
    subject: str
    predicate: str
    object: str
    context: str
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None
    archived: bool
    version: int
    versions: tuple[Version, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """The form of a memory: its values as typed, the fields that its type has, and what was wrong.

    `stale` are the lines by which what is stored now differs from what was typed (a change that came too late), and
    `stale_facts` the other fields that differ; `stored` is the whole text that is stored now.
    """

    type: str
    name: str
    number: int
    version: str
    values: Mapping[str, str]
    errors: Mapping[str, Sequence[str]]
    code: str
    detail: str
    stale: tuple[Word, ...]
    stale_facts: tuple[str, ...]
    stored: str
    keyed: bool
    categories: tuple[str, ...]
    types: tuple[tuple[str, str], ...] = TYPES[1:]


def draft_of(
    kind: MemoryType, given: Mapping[str, str], *, memory: Any | None = None, error: RevellError | None = None
) -> Draft:
    """`given` is what was sent; `memory` is what is stored and fills what was not."""
    stored = {} if memory is None else _stored(memory)
    version = given.get("version", "") or str(memory.version if memory else 0)
    stale: tuple[Word, ...] = ()
    facts: tuple[str, ...] = ()
    current: Any = memory
    if isinstance(error, StaleVersion):
        current = error.data["current"]
        # Saving again is meant for the text that is shown now, and for no later one.
        version = str(current.version)
        typed = given.get("content", "").replace("\r\n", "\n")
        stale = tuple(line_changes(current.content, typed))
        facts = tuple(_field_changes(_stored(current), {**_stored(current), **_as_typed(given)}, also_state=False))
    return Draft(
        type=str(kind),
        name=dict(TYPES)[kind],
        number=memory.number if memory else 0,
        version=version,
        values={**stored, **given},
        errors=error.errors if error else {},
        code=error.code if error else "",
        detail=error.detail if error else "",
        stale=stale,
        stale_facts=facts,
        stored=current.content if stale or facts else "",
        keyed=kind in (MemoryType.CORE, MemoryType.WORKING),
        categories=tuple(map(str, Category)) if kind is MemoryType.CORE else (),
    )


def _stored(memory: Any) -> dict[str, str]:
    names = ("content", "category", "key", "subject", "predicate", "object", "context", "importance")
    return {name: str(getattr(memory, name)) for name in names} | {"tags": "\n".join(memory.tags)}


def tabs(totals: Mapping[str, Mapping[str, int]], *, chosen: str) -> list[Tab]:
    """One for each type with the exact number of active memories, as the manifest of the next payload counts them."""
    every = sum(numbers["active"] for numbers in totals.values())
    return [
        Tab(str(kind), name, totals[kind]["active"] if kind else every, chosen == str(kind)) for kind, name in TYPES
    ]


def included_ids(manifest: Mapping[str, Any]) -> frozenset[str]:
    """The ids that stand in a payload."""
    return frozenset(one for section in manifest["sections"] for one in section["included"])


def is_archived(memory: Any, now: datetime) -> bool:
    """Out of the payload: archived, or a working memory whose week is over."""
    ended = memory.type == MemoryType.WORKING and memory.updated_at < working_cutoff(now)
    return memory.archived_at is not None or ended


def memory_row(memory: Any, *, included: frozenset[str], archived: bool, why: str = "") -> MemoryRow:
    kind = MemoryType(memory.type)
    core = kind is MemoryType.CORE
    in_next = str(memory) in included
    if in_next:
        state = "next boot"
    elif archived:
        state = "archived"
    elif kind is MemoryType.SEMANTIC:
        state = "recall only"
    else:
        state = "left out"
    line = " ".join(memory.content.split())
    return MemoryRow(
        id=str(memory),
        number=memory.number,
        title=memory.key or str(memory),
        kind=(memory.category if core else "axiom" if kind is MemoryType.AXIOM else str(kind)).capitalize(),
        css=f"s-{memory.category}" if core else CSS[kind],
        begin=line if len(line) <= _SHOWN_CHARS else line[:_SHOWN_CHARS] + " …",
        tags=tuple(memory.tags),
        bytes=memory.size_bytes,
        at=memory.updated_at if kind is MemoryType.WORKING else memory.occurred_at,
        state=state,
        in_next=in_next,
        why=why,
    )


def memory_view(memory: Any, revisions: Sequence[Any], *, included: frozenset[str], archived: bool) -> MemoryView:
    """`revisions` are the earlier versions, newest first."""
    return MemoryView(
        row=memory_row(memory, included=included, archived=archived),
        content=memory.content,
        category=memory.category,
        key=memory.key,
        importance=memory.importance,
        source=memory.source,
        subject=memory.subject,
        predicate=memory.predicate,
        object=memory.object,
        context=memory.context,
        occurred_at=memory.occurred_at,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        archived_at=memory.archived_at,
        archived=archived,
        version=memory.version,
        versions=tuple(_versions(memory, revisions)),
    )


def _versions(memory: Any, revisions: Sequence[Any]) -> Iterable[Version]:
    """Newest first. A version that was made at all was made when the one before it was replaced."""
    states = [_state(memory), *(_of_revision(revision.data) for revision in revisions)]
    numbers = [memory.version, *(revision.version for revision in revisions)]
    for place, number in enumerate(numbers):
        made = revisions[place] if place < len(revisions) else None
        before = states[place + 1] if made else None
        yield Version(
            number=number,
            at=made.replaced_at if made else memory.created_at,
            by=made.replaced_by if made else "",
            lines=() if before is None else tuple(line_changes(before["content"], states[place]["content"])),
            facts=() if before is None else tuple(_field_changes(before, states[place], also_state=True)),
        )


def _state(memory: Any) -> dict[str, str]:
    moments = {name: "" if (at := getattr(memory, name)) is None else at.isoformat() for name in _MOMENTS}
    return _stored(memory) | moments


def _of_revision(data: Mapping[str, Any]) -> dict[str, str]:
    texts = {name: str(data.get(name) or "") for name in (*_FIELDS, "content", *_MOMENTS)}
    return texts | {"tags": "\n".join(data.get("tags", ())), "importance": str(data.get("importance", ""))}


def _as_typed(given: Mapping[str, str]) -> dict[str, str]:
    """What was sent, as it would be stored; the content is compared by lines elsewhere."""
    typed = {name: given[name].strip() for name in _FIELDS if name in given}
    if "tags" in typed:
        typed["tags"] = "\n".join(filter(None, map(str.strip, typed["tags"].splitlines())))
    return typed


def _field_changes(before: Mapping[str, str], after: Mapping[str, str], *, also_state: bool) -> Iterable[str]:
    """What differs besides the content, each in some words."""
    if also_state:
        gone, back = ("forgotten_at", "forgotten"), ("archived_at", "archived")
        for moment, word in (gone, back):
            if after[moment] and not before[moment]:
                yield word
        if any(before[moment] and not after[moment] for moment in _MOMENTS):
            yield "restored"
    for name in _FIELDS:
        old, new = before[name], after[name]
        if name == "importance" and _number(old) == _number(new):
            continue
        if name == "tags" and old != new:
            went, came = old.split("\n"), new.split("\n")
            told = [f"+ {tag}" for tag in came if tag and tag not in went]
            told += [f"− {tag}" for tag in went if tag and tag not in came]
            yield f"tags: {', '.join(told) or 'in another order'}"
        elif old != new:
            yield f"{name}: {old or 'none'} → {new or 'none'}"


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def line_changes(before: str, after: str) -> Iterable[Word]:
    """The lines that went and came, as `del` and `ins`; lines that stayed are left out."""
    old, new = before.split("\n"), after.split("\n")
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (Word("del", line) for line in old[i1:i2])
            yield from (Word("ins", line) for line in new[j1:j2])
