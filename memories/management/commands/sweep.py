"""`manage.py sweep`: what time ends, for the whole installation; for a nightly cron job."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from memories.management.base import RevellCommand
from memories.services import retention


class Command(RevellCommand):
    help = (
        "Archive working memories that ended, empty the bin after its 30 days, prune old payload texts, drop expired "
        "invitations."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        swept = retention.sweep(self.operator())
        if options["json"]:
            self.say_json(asdict(swept))
            return
        self.say(
            f"Archived {swept.archived:,} working memories, destroyed {swept.destroyed:,} from the bin, "
            f"pruned {swept.pruned:,} payload texts, dropped {swept.expired:,} expired invitations."
        )
