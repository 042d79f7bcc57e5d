"""`manage.py revoke_key SLUG PREFIX`: end an API key at once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memories.management.base import RevellCommand
from memories.services import keys


class Command(RevellCommand):
    help = "Revoke an API key of an agent. Doing it twice is harmless."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", metavar="SLUG", help="The agent's slug.")
        parser.add_argument("prefix", metavar="PREFIX", help="Its first part, as pages show it: rvl_ab12cd34.")

    def handle(self, *args: Any, **options: Any) -> None:
        # Of a whole secret only the public part is used, so that it can stand in no message.
        prefix = options["prefix"].removeprefix("rvl_").split("_", 1)[0]
        key = keys.revoke(self.operator_in(options["slug"]), prefix=prefix)
        if options["json"]:
            self.say_json({"prefix": key.prefix, "revoked_at": key.revoked_at})
            return
        self.say(f"Key {key} of {options['slug']} is revoked.")
