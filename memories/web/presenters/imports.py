"""The plan of an upload as a page shows it: what becomes what, what stays out and why. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memories.engine import capsule_imports, imports
from memories.engine.archives import Archive
from memories.engine.capsules import capsule_id, headline_of
from memories.engine.imports import Change, Step
from memories.engine.kinds import MemoryType
from memories.engine.uploads import UploadKind
from memories.engine.workspace import Remark, shown
from memories.services.uploads import Planned

_SHOWN_CHARS = 120
_SAMPLE = 10
CHANGES = {Change.ADD: "new", Change.REVISE: "revises", Change.SAME: "already there"}
KINDS = {
    UploadKind.WORKSPACE: "a workspace",
    UploadKind.CAPSULES: "capsules of a project",
    UploadKind.ARCHIVE: "an archive of Revell",
}


@dataclass(frozen=True, slots=True)
class StepRow:
    """One memory or capsule. `same` when nothing happens with it."""

    change: str
    same: bool
    name: str
    begin: str
    chars: int


@dataclass(frozen=True, slots=True)
class FileRow:
    path: str
    becomes: str
    css: str
    new: int
    revised: int
    same: int
    steps: tuple[StepRow, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """What stays out, and why."""

    name: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class PlanView:
    """`writes` are how many rows come in or change; 0 when there is nothing to apply."""

    mark: str
    read_as: str
    project: str
    uploaded: int
    faults: tuple[str, ...]
    files: tuple[FileRow, ...]
    facts: tuple[Fact, ...]
    refused: tuple[Left, ...]
    notes: tuple[Left, ...]
    writes: int


def plan_view(planned: Planned) -> PlanView:
    files: tuple[FileRow, ...] = ()
    facts: tuple[Fact, ...] = ()
    refused: tuple[Left, ...] = ()
    notes: tuple[Left, ...] = ()
    writes = 0
    if planned.workspace is not None:
        outcome = planned.workspace
        files = tuple(_file(path, steps) for path, steps in outcome.by_file().items())
        refused = tuple(map(_left, outcome.problems))
        notes = tuple(map(_left, (*outcome.notes, *outcome.not_imported)))
        writes = len(outcome.steps) - outcome.count(Change.SAME)
    elif planned.capsules is not None:
        found = planned.capsules
        files = tuple(_capsules(found))
        facts = tuple(_capsule_facts(found))
        notes = tuple(Left(shown(origin), 0, reason) for origin, reason in found.left_out)
        writes = found.new + found.relations_new
    elif planned.archive is not None:
        files = tuple(_archived(planned.archive))
        facts = tuple(_archive_facts(planned.archive))
        # Settings come in too, so even an archive without rows changes something.
        writes = 1 + sum(row.new for row in files)
    return PlanView(
        mark=planned.mark,
        read_as=KINDS[planned.kind],
        project=planned.project_id,
        uploaded=planned.files,
        faults=planned.faults,
        files=files,
        facts=facts,
        refused=refused,
        notes=notes,
        writes=writes,
    )


def done_told(planned: Planned) -> str:
    """What was done, in a sentence."""
    if planned.workspace is not None:
        done: imports.Outcome = planned.workspace
        told = f"{done.count(Change.ADD):,} memories added, {done.count(Change.REVISE):,} revised"
        out = len(done.problems)
        return f"Imported: {told}.{f' Left out: {out:,} files.' if out else ''}"
    if planned.capsules is not None:
        return f"Imported: {planned.capsules.new:,} capsules and {planned.capsules.relations_new:,} relations."
    assert planned.archive is not None
    whole = planned.archive
    return (
        f"Imported: {len(whole.memories):,} memories, {len(whole.promises):,} promises, "
        f"{len(whole.capsules):,} capsules and the settings."
    )


def _file(path: str, steps: tuple[Step, ...]) -> FileRow:
    memory = steps[0].draft.memory
    core = memory.type is MemoryType.CORE
    count = {change: sum(step.change is change for step in steps) for change in Change}
    return FileRow(
        path=shown(path),
        becomes=f"{memory.type} {memory.category}".rstrip(),
        css=f"s-{memory.category}" if core else f"s-{memory.type}",
        new=count[Change.ADD],
        revised=count[Change.REVISE],
        same=count[Change.SAME],
        steps=tuple(_step(step) for step in steps),
    )


def _step(step: Step) -> StepRow:
    memory = step.draft.memory
    part = f", part {step.draft.part} of {step.draft.parts}" if step.draft.parts > 1 else ""
    when = memory.occurred_at.strftime("%Y-%m-%d %H:%M:%S") if memory.occurred_at else ""
    return StepRow(
        change=CHANGES[step.change],
        same=step.change is Change.SAME,
        name=(memory.key or when) + part,
        begin=_begin(memory.content),
        chars=len(memory.content),
    )


def _capsules(outcome: capsule_imports.Outcome) -> Iterable[FileRow]:
    """One row for each project that the capsules belong to."""
    projects: dict[str, list[capsule_imports.Landed]] = {}
    for landed in outcome.capsules:
        projects.setdefault(landed.draft.project_id, []).append(landed)
    for project, some in projects.items():
        new = sum(one.new for one in some)
        steps = tuple(
            StepRow(
                change="new" if one.new else f"already there, {capsule_id(one.number or 0)}",
                same=not one.new,
                name=f"{one.draft.kind} {shown(one.name)}",
                begin=headline_of(one.draft.content),
                chars=len(one.draft.content),
            )
            for one in some
        )
        yield FileRow(project, "capsules", "s-tools", new, 0, len(some) - new, steps)


def _capsule_facts(outcome: capsule_imports.Outcome) -> Iterable[Fact]:
    yield Fact("Relations", f"{outcome.relations_new:,} new, {outcome.relations_same:,} already there")
    if outcome.freed:
        freed = ", ".join(f"{capsule_id(one.target)} by {capsule_id(one.source)}" for one in outcome.freed)
        yield Fact("No longer blocked", freed)
    if outcome.cycle:
        yield Fact("Block each other", " → ".join((*outcome.cycle, outcome.cycle[0])))


def _archived(archive: Archive) -> Iterable[FileRow]:
    """One row for each type of memory, for promises and for capsules, with the first of them."""
    for kind, count in archive.by_type().items():
        some = [one for one in archive.memories if one.draft.type == kind]
        steps = tuple(
            StepRow("new", False, f"mem-{one.number} {one.draft.key}".rstrip(), _begin(one.draft.content),
                    len(one.draft.content))
            for one in some[:_SAMPLE]
        )  # fmt: skip
        yield FileRow(kind, f"{kind} memories", f"s-{kind}", count, 0, 0, steps)
    if archive.promises:
        steps = tuple(
            StepRow("new", False, f"prm-{one.number}", _begin(one.content), len(one.content))
            for one in archive.promises[:_SAMPLE]
        )
        yield FileRow("promises", "pending promises", "s-promised", len(archive.promises), 0, 0, steps)
    if archive.capsules:
        steps = tuple(
            StepRow(
                "new", False, f"{capsule_id(one.number)} {one.draft.kind}",
                headline_of(one.draft.content) or f"forgotten: {one.forgotten_reason}", len(one.draft.content),
            )
            for one in archive.capsules[:_SAMPLE]
        )  # fmt: skip
        yield FileRow("capsules", "capsules", "s-tools", len(archive.capsules), 0, 0, steps)


def _archive_facts(archive: Archive) -> Iterable[Fact]:
    shares = archive.settings.shares
    yield Fact("Of", f"{archive.name}, made {archive.made_at:%Y-%m-%d %H:%M} UTC")
    yield Fact("Earlier versions", f"{archive.revisions:,}")
    yield Fact("Relations", f"{len(archive.relations):,}")
    yield Fact("Aliases", f"{len(archive.aliases):,}")
    yield Fact(
        "Settings",
        f"{archive.settings.budget_tokens:,} tokens, shares {shares.core} / {shares.working} / {shares.episodic}",
    )
    for what, count in archive.left_behind.items():
        yield Fact("Stays behind", f"{count:,} {what}")


def _left(remark: Remark) -> Left:
    return Left(shown(remark.path), remark.line or 0, remark.text)


def _begin(content: str) -> str:
    line = " ".join(content.split())
    return line if len(line) <= _SHOWN_CHARS else line[:_SHOWN_CHARS] + " …"
