"""API keys in rows, and when a client last used one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Connection:
    """The keys that work now, and the last use of any key; a use is written down once a minute at most."""

    keys: int
    last_at: datetime | None
    last_name: str


def connection_of(keys: Iterable[Any]) -> Connection:
    """From rows of `selectors.keys.list_keys`."""
    rows = list(keys)
    used = [row for row in rows if row.last_used_at is not None]
    last = max(used, key=lambda row: row.last_used_at, default=None)
    return Connection(
        keys=sum(row.revoked_at is None for row in rows),
        last_at=last.last_used_at if last else None,
        last_name=last.name if last else "",
    )
