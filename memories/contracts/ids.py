"""The short ids that agents read and type: `mem-41`, `prm-7`, `boot-9`."""

from __future__ import annotations

import re
from enum import StrEnum

from memories.errors import NotFound

PATTERN = r"[1-9][0-9]{0,15}"
_NUMBER = re.compile(PATTERN)


class Prefix(StrEnum):
    """What an id begins with, by noun."""

    MEMORY = "mem"
    PROMISE = "prm"
    BOOT = "boot"
    CAPSULE = "cap"


def number_of(prefix: Prefix, text: str) -> int:
    """The number in an id of exactly this form; NotFound for any other text, as for a number that nobody has."""
    head, _, digits = text.partition("-")
    if head != prefix or not _NUMBER.fullmatch(digits):
        raise NotFound(f"Nothing has this id. It looks like {prefix}-7.")
    return int(digits)
