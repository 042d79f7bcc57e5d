"""`manage.py issue_key SLUG --name N`: an API key of an agent, shown once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memories.engine.kinds import KEY_SCOPES, Scope
from memories.errors import InvalidInput
from memories.management.base import RevellCommand
from memories.services import keys

_SCOPES_DEFAULT = ",".join((Scope.READ, Scope.WRITE, Scope.BOOT))
_DAYS_MAX = 36_500


class Command(RevellCommand):
    help = "Issue an API key for an agent. It is shown once and can never be read again."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", metavar="SLUG", help="The agent's slug.")
        parser.add_argument("--name", required=True, help="What the key is for; pages show it.")
        parser.add_argument(
            "--scopes",
            default=_SCOPES_DEFAULT,
            help=f"Some of {','.join(KEY_SCOPES)}, with commas between; {_SCOPES_DEFAULT} if not given.",
        )
        parser.add_argument("--expires-in-days", type=int, metavar="N", help="It ends by itself; never if not given.")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["expires_in_days"]
        if days is not None and not 1 <= days <= _DAYS_MAX:
            raise InvalidInput.for_field("expires_in_days", f"A key lives for 1 to {_DAYS_MAX:,} days, not {days:,}.")
        issued = keys.issue(
            self.operator_in(options["slug"]),
            name=options["name"],
            scopes=[scope for part in options["scopes"].split(",") if (scope := part.strip())],
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        if options["json"]:
            self.say_json({"key": issued.secret, "prefix": issued.key.prefix})
            return
        until = f"{issued.key.expires_at:%Y-%m-%d %H:%M} UTC" if issued.key.expires_at else "revoked"
        self.say(f"Key {issued.key} of {options['slug']}: {', '.join(issued.key.scopes)}; valid until {until}.")
        self.say("This is the only time that it is shown:")
        self.say()
        self.say(issued.secret)
