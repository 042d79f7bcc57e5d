"""`manage.py boot TENANT`: a real serve, for cron jobs and agents that live in a shell."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memories.management.base import RevellCommand
from memories.management.boots import add_boot_options, request_of
from memories.services import boot


class Command(RevellCommand):
    help = "Serve a boot: the payload, and nothing else, on standard output. Its promises decay once it is written."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_boot_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        actor = self.operator_in(options["tenant"])
        served = boot.serve(actor, request=request_of(options))
        if options["json"]:
            self.say_json(
                {
                    "boot_id": f"boot-{served.boot}",
                    "payload": served.payload,
                    "size_bytes": served.size_bytes,
                    "sha256": served.sha256,
                    "repeat": served.repeat,
                    "manifest": served.manifest,
                }
            )
        else:
            self.write_exactly(served.payload)
        # Only now: when writing failed, the promises have to be there for the next boot (P38).
        boot.decay(actor, boot=served.boot)
