"""`manage.py import_capsules TENANT PATH`: bring the findings of a project into Revell, all or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memories.engine.capsule_imports import Landed, Outcome, told_faults
from memories.engine.capsules import capsule_id, headline_of
from memories.errors import InvalidInput
from memories.management import capsule_files
from memories.management.base import RevellCommand
from memories.services import capsule_imports


class Command(RevellCommand):
    help = (
        "Import capsules: a JSON Lines file, or a folder (or one file) of Markdown decision records. All or nothing; "
        "running it again adds nothing. Exit code 0: all is in; 1: nothing is, the message says why; 75: try again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant", metavar="TENANT", help="The slug of the agent.")
        parser.add_argument("path", metavar="PATH", type=Path, help="The file, or the folder of decision records.")
        parser.add_argument(
            "--project", default=None, help="The project of the decision records, or of lines that name none."
        )
        parser.add_argument("--dry-run", action="store_true", help="Show the plan, write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        dry_run: bool = options["dry_run"]
        actor = self.operator_in(options["tenant"])
        act = capsule_imports.plan if dry_run else capsule_imports.apply
        try:
            outcome = act(actor, files=capsule_files.read(options["path"]), project_id=options["project"])
        except InvalidInput as error:
            told = "\n".join(told_faults(error.errors)) or error.detail
            raise InvalidInput(f"Nothing was imported.\n{told}", errors=error.errors, **error.data) from None
        if options["json"]:
            self.say_json(_as_json(outcome, dry_run=dry_run))
            return
        for line in _as_text(outcome, dry_run=dry_run):
            self.say(line)


def _as_text(outcome: Outcome, *, dry_run: bool) -> list[str]:
    lines = ["Plan, nothing is written."] if dry_run else []
    if dry_run:
        lines += [_line(landed) for landed in outcome.capsules]
    lines += [f"left out: {origin}: {reason}" for origin, reason in outcome.left_out]
    if outcome.freed:
        freed = ", ".join(f"{capsule_id(one.source)} → {capsule_id(one.target)}" for one in outcome.freed)
        lines.append(f"no longer blocked, because what blocked them is superseded: {freed}")
    if outcome.cycle:
        lines.append(f"these block each other in a circle: {' → '.join((*outcome.cycle, outcome.cycle[0]))}")
    lines.append(
        f"In all: {outcome.new:,} new {'capsule' if outcome.new == 1 else 'capsules'}, "
        f"{outcome.same:,} already there; "
        f"{outcome.relations_new:,} new {'relation' if outcome.relations_new == 1 else 'relations'}, "
        f"{outcome.relations_same:,} already there."
    )
    return lines


def _line(landed: Landed) -> str:
    change = "add " if landed.new else "same"
    named = "" if landed.number is None else f"{capsule_id(landed.number)} "
    draft = landed.draft
    return f"{change} {named}{draft.kind} {draft.project_id}: {headline_of(draft.content)} ({landed.name})"


def _as_json(outcome: Outcome, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "new": outcome.new,
        "same": outcome.same,
        "relations_new": outcome.relations_new,
        "relations_same": outcome.relations_same,
        "capsules": [
            {
                "id": None if landed.number is None else capsule_id(landed.number),
                "name": landed.name,
                "new": landed.new,
                "kind": str(landed.draft.kind),
                "project_id": landed.draft.project_id,
                "headline": headline_of(landed.draft.content),
            }
            for landed in outcome.capsules
        ],
        "freed": [relation.to_wire() for relation in outcome.freed],
        "cycle": list(outcome.cycle),
        "left_out": [{"name": origin, "reason": reason} for origin, reason in outcome.left_out],
    }
