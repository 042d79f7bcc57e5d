"""`manage.py boot_preview TENANT`: the bytes of the next boot, or the account of them; nothing is changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from memories.engine.budget import Shares
from memories.errors import InvalidInput
from memories.management.base import RevellCommand
from memories.management.boots import add_boot_options, request_of
from memories.services import boot
from memories.services.boot import WhatIf

_NAMED_MAX = 20


class Command(RevellCommand):
    help = "Show the payload of the next boot to the byte, also with another budget. Nothing is consumed or recorded."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_boot_options(parser)
        parser.add_argument("--budget-tokens", type=int, metavar="N", help="As if the budget were this.")
        parser.add_argument(
            "--shares", metavar="C,W,E", help="As if the shares of core, working, episodic were these: 50,20,30."
        )
        parser.add_argument(
            "--manifest", action="store_true", help="Print what goes in, what stays out and why, instead of the text."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        what_if = WhatIf(budget_tokens=options["budget_tokens"], shares=_shares(options["shares"]))
        payload = boot.preview(self.operator_in(options["tenant"]), request=request_of(options), what_if=what_if)
        if options["json"]:
            raw = payload.text.encode("utf-8")
            told: dict[str, Any] = {} if options["manifest"] else {"payload": payload.text}
            told |= {"size_bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest(), "manifest": payload.manifest}
            self.say_json(told)
        elif options["manifest"]:
            self.say("\n".join(_account(payload.manifest)))
        else:
            self.write_exactly(payload.text)


def _shares(text: str | None) -> Shares | None:
    if text is None:
        return None
    try:
        core, working, episodic = (int(part) for part in text.split(","))
    except ValueError:
        raise InvalidInput.for_field(
            "shares", "Write the shares as three whole numbers with commas between: 50,20,30."
        ) from None
    return Shares(core, working, episodic)


def _account(manifest: dict[str, Any]) -> Iterator[str]:
    """The manifest in lines for a person (its shape: docs/payload.md)."""
    yield (
        f"{manifest['size_bytes']:,} of {manifest['budget_bytes']:,} bytes ({manifest['budget_tokens']:,} tokens), "
        f"{manifest['frame_bytes']:,} of them frame"
    )
    yield ""
    yield f"{'share':<12}{'percent':>8}{'before':>10}{'promised':>10}{'after':>10}{'used':>10}"
    for pool, part in manifest["allocations"].items():
        numbers = (part["before"], part["charged"], part["after"], part["used"])
        yield f"{pool:<12}{part['share']:>8}" + "".join(f"{number:>10,}" for number in numbers)
    yield ""
    yield f"{'type':<12}{'active':>8}{'included':>10}{'left out':>10}"
    for kind, total in manifest["totals"].items():
        yield f"{kind:<12}{total['active']:>8,}{total['included']:>10,}{total['left_out']:>10,}"
    for section in manifest["sections"]:
        if not section["included"] and not section["left_out_total"]:
            continue
        yield ""
        yield f"{section['name'].upper()}: {section['bytes']:,} bytes"
        if section["included"]:
            yield f"  in: {_named(section['included'], len(section['included']))}"
        for reason, number in section["left_out_reasons"].items():
            ids = [f"{one['id']} ({one['bytes']:,})" for one in section["left_out"] if one["reason"] == reason]
            yield f"  out, {reason}: {_named(ids, number)}"
    if manifest["cut"]:
        yield ""
        yield f"Shown cut: {', '.join(manifest['cut'])}"


def _named(ids: list[str], number: int) -> str:
    """The first of the ids and how many there are besides."""
    shown = ids[:_NAMED_MAX]
    rest = number - len(shown)
    if not shown:
        return f"{number:,}"
    return ", ".join(shown) + (f" and {rest:,} more" if rest else "")
