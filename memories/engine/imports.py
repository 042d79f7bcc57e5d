"""A plan against what is there: what is new, what is revised, what stays, and which file passes a cap.

How files become drafts is in `workspace`; reading and writing rows is not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from memories.engine.kinds import MemoryType
from memories.engine.workspace import Draft, Note, Plan, Problem


class Change(StrEnum):
    """What a draft does to the memories that are there."""

    ADD = "add"
    REVISE = "revise"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory that is there, as far as an import has to know it. An archived one counts for no cap."""

    content: str
    tags: tuple[str, ...] = ()
    importance: float | None = None
    occurred_at: datetime | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Existing:
    """What is there: core and working memories by (type, category, key), episodic ones as (UTC date, content).

    `keyed` holds all active memories of the core categories that are asked about, so that caps can be counted.
    """

    keyed: Mapping[tuple[MemoryType, str, str], Stored]
    episodic: frozenset[tuple[date, str]] = frozenset()


def change(draft: Draft, existing: Existing) -> Change:
    """What importing `draft` would do now. What the file does not say (tags, importance, time) is not compared.

    An archived memory with the same text is SAME: whoever archived it meant it. Another text revises it and brings it
    back.
    """
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


@dataclass(frozen=True, slots=True)
class Step:
    """One draft and what happens with it."""

    draft: Draft
    change: Change


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an import does, or would do: the steps of the good files, and all that stays out with its reason."""

    steps: tuple[Step, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    not_imported: tuple[Note, ...] = ()

    def count(self, change: Change) -> int:
        """How many memories are added, revised, or left as they are."""
        return sum(step.change is change for step in self.steps)

    def by_file(self) -> dict[str, tuple[Step, ...]]:
        """The steps by path, in order."""
        files: dict[str, list[Step]] = {}
        for step in self.steps:
            files.setdefault(step.draft.path, []).append(step)
        return {path: tuple(steps) for path, steps in files.items()}


def decide(planned: Plan, existing: Existing, caps: Mapping[str, int]) -> Outcome:
    """What importing `planned` does to what is there; `caps` are characters by core category."""
    kept = within_caps(planned, existing, caps)
    steps = map(Step, kept.drafts, changes(kept.drafts, existing))
    return Outcome(tuple(steps), kept.problems, kept.notes, kept.not_imported)


def within_caps(planned: Plan, existing: Existing, caps: Mapping[str, int]) -> Plan:
    """`planned` without the files that would take a core category over its cap; each becomes a problem that says so.

    `caps` are characters by category. Files count in the order of the plan, so an earlier one may take the room of a
    later one. A file that changes nothing is never over.
    """
    used: dict[str, dict[str, int]] = {}
    for (kind, category, key), stored in existing.keyed.items():
        if kind is MemoryType.CORE and not stored.archived:
            used.setdefault(category, {})[key] = len(stored.content)

    kept: list[Draft] = []
    problems: list[Problem] = []
    for path, drafts in planned.by_file().items():
        if drafts[0].memory.type is MemoryType.CORE:
            category = drafts[0].memory.category
            before = used.get(category, {})
            after = before | {
                draft.memory.key: len(draft.memory.content)
                for draft in drafts
                if draft.memory.key in before or change(draft, existing) is not Change.SAME
            }
            over = sum(after.values()) - caps[category]
            if over > 0 and any(change(draft, existing) is not Change.SAME for draft in drafts):
                new = sum(after[draft.memory.key] for draft in drafts if draft.memory.key in after)
                problems.append(Problem(path, _over(category, new, sum(after.values()) - new, over, caps[category])))
                continue
            used[category] = after
        kept.extend(drafts)
    return replace(planned, drafts=tuple(kept), problems=(*planned.problems, *problems))


def _over(category: str, new: int, there: int, over: int, cap: int) -> str:
    others = f" and {there:,} already there" if there else ""
    return (
        f"{new:,} characters for {category}{others}, {over:,} over its cap of {cap:,}. "
        "Shorten the file, archive a lesser memory, or raise the cap."
    )
