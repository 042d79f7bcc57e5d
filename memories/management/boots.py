"""The options that serving and previewing share on the command line, and how they become a request."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Acknowledge, Channel


def add_boot_options(parser: CommandParser) -> None:
    """One option for each field of a request; an empty call is a boot."""
    parser.add_argument("tenant", metavar="TENANT", help="The agent's slug.")
    parser.add_argument(
        "--channel",
        choices=[str(channel) for channel in Channel],
        default=str(Channel.AGENT),
        help="Why it boots; after a compaction the first line says so.",
    )
    parser.add_argument("--hint", default="", metavar="TEXT", help="What the work is about: adds what recall finds.")
    parser.add_argument("--project", default="", metavar="PATH", help="The project, as a/b/c; recalled like a hint.")
    parser.add_argument("--session-id", default="", metavar="ID", help="The session that the boot belongs to.")
    parser.add_argument(
        "--idempotency-key", default="", metavar="KEY", help="Again within 10 minutes: the same payload, nothing anew."
    )
    parser.add_argument(
        "--acknowledge",
        choices=[str(mode) for mode in Acknowledge],
        default=str(Acknowledge.AUTO),
        help="With explicit, promises decay only when the boot is acknowledged.",
    )
    parser.add_argument("--max-chars", type=int, metavar="N", help="A ceiling of the reader below the budget.")


def request_of(options: dict[str, Any]) -> BootRequest:
    """The request that these options ask for; its limits are checked by the service."""
    return BootRequest(
        channel=Channel(options["channel"]),
        context_hint=options["hint"],
        project_prefix=options["project"],
        session_id=options["session_id"],
        acknowledge=Acknowledge(options["acknowledge"]),
        idempotency_key=options["idempotency_key"],
        max_chars=options["max_chars"],
    )
