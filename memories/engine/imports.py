"""A plan against what is there: what is new, what is revised, what stays, and which file passes a cap.

How files become drafts is in `workspace`; reading and writing rows is not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from memories.engine.kinds import MemoryType
from memories.engine.workspace import Draft, Plan, Problem


class Change(StrEnum):
    """What a draft does to the memories that are there."""

    ADD = "add"
    REVISE = "revise"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory that is there, as far as an import has to know it."""

    content: str
    tags: tuple[str, ...] = ()
    importance: float | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Existing:
    """What is there: active core and working memories by (type, category, key), episodic ones as (UTC date, content).

    `keyed` holds all active core memories, so that the caps can be counted.
    """

    keyed: Mapping[tuple[MemoryType, str, str], Stored]
    episodic: frozenset[tuple[date, str]] = frozenset()


def change(draft: Draft, existing: Existing) -> Change:
    """What importing `draft` would do now. What the file does not say (tags, importance, time) is not compared."""
    memory = draft.memory
    if memory.type is MemoryType.EPISODIC:
        return Change.SAME if fingerprint(draft) in existing.episodic else Change.ADD
    found = existing.keyed.get((memory.type, memory.category, memory.key))
    if found is None:
        return Change.ADD
    same = (
        found.content == memory.content
        and (memory.tags is None or set(memory.tags) == set(found.tags))
        and memory.importance in (None, found.importance)
        and memory.occurred_at in (None, found.occurred_at)
    )
    return Change.SAME if same else Change.REVISE


def changes(drafts: Iterable[Draft], existing: Existing) -> tuple[Change, ...]:
    """`change` for each in turn; an episodic draft that repeats an earlier one of the same date is SAME as well."""
    seen = set(existing.episodic)
    found: list[Change] = []
    for draft in drafts:
        if draft.memory.type is MemoryType.EPISODIC:
            mark = fingerprint(draft)
            found.append(Change.SAME if mark in seen else Change.ADD)
            seen.add(mark)
        else:
            found.append(change(draft, existing))
    return tuple(found)


def fingerprint(draft: Draft) -> tuple[date, str]:
    """By what an episodic draft is found again: its UTC date and its content."""
    moment = draft.memory.occurred_at
    assert moment is not None, "`plan` gives every episodic draft its moment"
    return moment.date(), draft.memory.content


def within_caps(planned: Plan, existing: Existing, caps: Mapping[str, int]) -> Plan:
    """`planned` without the files that would take a core category over its cap; each becomes a problem that says so.

    `caps` are characters by category. Files count in the order of the plan, so an earlier one may take the room of a
    later one. A file that changes nothing is never over.
    """
    used: dict[str, dict[str, int]] = {}
    for (kind, category, key), stored in existing.keyed.items():
        if kind is MemoryType.CORE:
            used.setdefault(category, {})[key] = len(stored.content)

    kept: list[Draft] = []
    problems: list[Problem] = []
    for path, drafts in planned.by_file().items():
        core = [draft.memory for draft in drafts if draft.memory.type is MemoryType.CORE]
        changed = any(change(draft, existing) is not Change.SAME for draft in drafts)
        category = core[0].category if core else ""
        before = used.get(category, {})
        after = before | {memory.key: len(memory.content) for memory in core}
        over = sum(after.values()) - caps[category] if core else 0
        if changed and over > 0:
            new = sum(len(memory.content) for memory in core)
            problems.append(Problem(path, _over(category, new, sum(after.values()) - new, over, caps[category])))
            continue
        if core:
            used[category] = after
        kept.extend(drafts)
    return replace(planned, drafts=tuple(kept), problems=(*planned.problems, *problems))


def _over(category: str, new: int, there: int, over: int, cap: int) -> str:
    others = f" and {there:,} already there" if there else ""
    return (
        f"{new:,} characters for {category}{others}, {over:,} over its cap of {cap:,}. "
        "Shorten the file, archive a lesser memory, or raise the cap."
    )
