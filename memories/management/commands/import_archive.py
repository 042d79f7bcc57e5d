"""`manage.py import_archive TENANT FILE`: what `export_tenant` wrote, into an empty agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memories.engine.archives import Archive
from memories.errors import InvalidInput
from memories.management import archive_files
from memories.management.base import RevellCommand
from memories.services import archive


class Command(RevellCommand):
    help = (
        "Bring an archive that export_tenant wrote into an empty agent: memories, earlier versions, promises, "
        "capsules, relations, aliases, settings, under the same ids. All or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant", metavar="TENANT", help="The slug of the agent, which must be empty.")
        parser.add_argument("path", metavar="FILE", type=Path, help="The archive.")
        parser.add_argument("--dry-run", action="store_true", help="Show what would come in, write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = self.operator_in(options["tenant"])
        act = archive.plan if options["dry_run"] else archive.apply
        try:
            read = act(actor, files=archive_files.read(options["path"]))
        except InvalidInput as error:
            faults = [f"{place}: {text}" for place, texts in error.errors.items() for text in texts]
            lines = "\n".join(faults or [error.detail])
            raise InvalidInput(f"Nothing was imported.\n{lines}", errors=error.errors) from None
        told = _counts(read)
        if options["json"]:
            self.say_json({"dry_run": options["dry_run"], **told, "left_behind": dict(read.left_behind)})
            return
        if options["dry_run"]:
            self.say("Plan, nothing is written.")
        for what, count in told.items():
            self.say(f"{what:12} {count:>9,}")
        for what, count in read.left_behind.items():
            self.say(f"Left behind: {count:,} {what}.")


def _counts(read: Archive) -> dict[str, int]:
    return {
        "memories": len(read.memories),
        "revisions": read.revisions,
        "promises": len(read.promises),
        "capsules": len(read.capsules),
        "relations": len(read.relations),
        "aliases": len(read.aliases),
    }
