"""Invitations: how a code is written down, read again when somebody types it, and until when it is good.

A code is letters and digits of one alphabet: first a prefix by which it is found and named, then the secret. Making one
and keeping its hash is not here.
"""

from __future__ import annotations

import re
from datetime import datetime

from memories.errors import InvalidInput

PREFIX_CHARS = 8
SECRET_CHARS = 20
_GROUP = 4
_BETWEEN = re.compile(r"[\s\-–—._]+")
_CODE = re.compile(r"[a-z0-9]+", re.ASCII)


def written(letters: str) -> str:
    """`abcd-efgh-…`: in groups that a person can type."""
    return "-".join(letters[place : place + _GROUP] for place in range(0, len(letters), _GROUP))


def read_code(typed: str) -> str:
    """The letters of a code however it was typed: with capitals, spaces or hyphens; "" for what is no code."""
    letters = _BETWEEN.sub("", typed).lower()
    whole = len(letters) == PREFIX_CHARS + SECRET_CHARS and _CODE.fullmatch(letters)
    return letters if whole else ""


def is_open(*, expires_at: datetime, now: datetime) -> bool:
    """Whether a code that was not used yet still lets somebody in."""
    return now < expires_at


def not_accepted() -> InvalidInput:
    """Unknown, used, withdrawn and expired codes are told alike."""
    return InvalidInput.for_field(
        "code",
        "This code is not accepted: it is mistyped, was used already, was withdrawn, or is too old. "
        "Ask an owner of the agent for a new one.",
    )
