"""`manage.py export_tenant TENANT`: everything that an agent holds, in one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memories.errors import InvalidInput
from memories.management import archive_files
from memories.management.base import RevellCommand
from memories.services import archive


class Command(RevellCommand):
    help = (
        "Write everything that an agent holds into one zip of JSON Lines: memories with their earlier versions, "
        "promises, boots, capsules, relations, aliases, events, settings. No keys and no passwords."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant", metavar="TENANT", help="The slug of the agent.")
        parser.add_argument(
            "--to", metavar="FILE", default="", help="Where to; TENANT.zip in this folder if not given, - for output."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        actor = self.operator_in(options["tenant"])
        if options["to"] == "-":
            if options["json"]:
                raise InvalidInput.for_field("to", "With --to - the archive itself is the output; leave out --json.")
            archive.export(actor, out=sys.stdout.buffer)
            return
        path = Path(options["to"] or f"{options['tenant']}.zip")
        with archive_files.new_file(path) as file:
            counts = archive.export(actor, out=file)
        size = path.stat().st_size
        if options["json"]:
            self.say_json({"file": str(path), "size_bytes": size, "rows": counts})
            return
        for name, count in counts.items():
            self.say(f"{name:20} {count:>9,} rows")
        self.say(f"Written to {path}, {size:,} bytes.")
