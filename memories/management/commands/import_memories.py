"""`import_memories TENANT FOLDER`: bring an agent's workspace folder into Revell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memories.engine.imports import Change, Outcome, Step
from memories.engine.workspace import Remark, shown
from memories.errors import InvalidInput
from memories.management import folders
from memories.management.base import RevellCommand
from memories.services import workspaces


class Command(RevellCommand):
    help = (
        "Import an agent's workspace folder: SOUL.md, IDENTITY.md, USER.md, AGENTS.md, TOOLS.md, HEARTBEAT.md, "
        "MEMORY.md and memory/YYYY-MM-DD*.md. Running it again adds nothing twice. "
        "Exit code 0: all is in; 1: something was left out, the message says what; 75: try again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant", metavar="TENANT", help="The slug of the agent.")
        parser.add_argument("folder", metavar="FOLDER", type=Path, help="The workspace folder.")
        parser.add_argument("--dry-run", action="store_true", help="Show the plan, write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        dry_run: bool = options["dry_run"]
        actor = self.operator_in(options["tenant"])
        read = folders.read(options["folder"])
        outcome = (workspaces.plan if dry_run else workspaces.apply)(actor, files=read.files)
        outcome = Outcome(
            outcome.steps,
            (*read.problems, *outcome.problems),
            (*read.notes, *outcome.notes),
            outcome.not_imported,
        )
        if options["json"]:
            self.say_json(_as_json(outcome, dry_run=dry_run))
        else:
            self.say(_as_text(outcome, dry_run=dry_run))
        if outcome.problems:
            count = len(outcome.problems)
            told = "\n".join(str(problem) for problem in outcome.problems)
            left = "would be left out" if dry_run else "left out"
            raise InvalidInput(f"{count:,} {'file' if count == 1 else 'files'} {left}:\n{told}")


def _as_text(outcome: Outcome, *, dry_run: bool) -> str:
    lines = ["Plan, nothing is written."] if dry_run else []
    for path, steps in outcome.by_file().items():
        memory = steps[0].draft.memory
        place = f"{memory.type} {memory.category}".rstrip()
        lines.append(f"{shown(path)} → {place}: {_counts(steps)}")
        if dry_run:
            lines += [f"  {_line(step)}" for step in steps]
    lines += [f"{note}" for note in (*outcome.notes, *outcome.not_imported)]
    lines.append(f"In all: {_counts(outcome.steps)}.")
    return "\n".join(lines)


def _counts(steps: tuple[Step, ...]) -> str:
    count = {change: sum(step.change is change for step in steps) for change in Change}
    return f"{count[Change.ADD]:,} new, {count[Change.REVISE]:,} revised, {count[Change.SAME]:,} already there"


def _line(step: Step) -> str:
    memory = step.draft.memory
    part = f", part {step.draft.part} of {step.draft.parts}" if step.draft.parts > 1 else ""
    where = f"line {step.draft.line}{part}"
    return f"{step.change:6} {memory.key or _when(step)} ({len(memory.content):,} characters, {where})"


def _when(step: Step) -> str:
    moment = step.draft.memory.occurred_at
    return moment.isoformat().replace("+00:00", "Z") if moment else ""


def _as_json(outcome: Outcome, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "added": outcome.count(Change.ADD),
        "revised": outcome.count(Change.REVISE),
        "same": outcome.count(Change.SAME),
        "memories": [_memory(step) for step in outcome.steps],
        "problems": [_remark(problem) for problem in outcome.problems],
        "notes": [_remark(note) for note in outcome.notes],
        "not_imported": [_remark(note) for note in outcome.not_imported],
    }


def _memory(step: Step) -> dict[str, Any]:
    memory = step.draft.memory
    return {
        "path": shown(step.draft.path),
        "line": step.draft.line,
        "change": str(step.change),
        "type": str(memory.type),
        "category": memory.category,
        "key": memory.key,
        "occurred_at": _when(step) or None,
        "characters": len(memory.content),
    }


def _remark(remark: Remark) -> dict[str, Any]:
    return {"path": shown(remark.path), "line": remark.line, "text": remark.text}
