"""API keys in rows, what each scope allows, and when a client last used one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memories.engine.kinds import Scope

# What a scope lets a program do, in the order in which it is offered.
_MAY = {
    Scope.BOOT: "get real payloads, which serves promises",
    Scope.READ: "read memories, capsules and previews",
    Scope.WRITE: "write memories, promises and capsules",
    Scope.CONFIGURE: "change the budget, its shares and caps",
}
_USUAL = frozenset((Scope.BOOT, Scope.READ, Scope.WRITE))
_LONG_UNUSED = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class ScopeView:
    value: str
    may: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class KeyRow:
    """`name` is what people call it, `id` what is shown of the key for good. `state` is "", "revoked" or "expired"."""

    name: str
    id: str
    prefix: str
    scopes: tuple[str, ...]
    made_at: datetime
    made_by: str
    last_at: datetime | None
    long_unused: bool
    expires_at: datetime | None
    state: str
    new: bool


@dataclass(frozen=True, slots=True)
class Connection:
    """How many keys work now, and the last use of any key; a use is written down once a minute at most."""

    keys: int
    last_at: datetime | None
    last_name: str


def scope_views(chosen: Collection[str] = _USUAL) -> tuple[ScopeView, ...]:
    return tuple(ScopeView(str(scope), may, scope in chosen) for scope, may in _MAY.items())


def key_rows(keys: Iterable[Any], *, now: datetime, new: str = "") -> list[KeyRow]:
    """Rows of `selectors.keys.list_keys`, in their order; `new` is the prefix of the one that was made just now."""
    return [
        KeyRow(
            name=key.name,
            id=str(key),
            prefix=key.prefix,
            scopes=tuple(key.scopes),
            made_at=key.created_at,
            made_by=key.created_by,
            last_at=key.last_used_at,
            long_unused=(key.last_used_at or key.created_at) < now - _LONG_UNUSED,
            expires_at=key.expires_at,
            state="revoked" if key.revoked_at else "" if key.works(now) else "expired",
            new=key.prefix == new,
        )
        for key in keys
    ]


def connection_of(keys: Iterable[Any], *, now: datetime) -> Connection:
    """From rows of `selectors.keys.list_keys`."""
    rows = list(keys)
    used = [row for row in rows if row.last_used_at is not None]
    last = max(used, key=lambda row: row.last_used_at, default=None)
    return Connection(
        keys=sum(row.works(now) for row in rows),
        last_at=last.last_used_at if last else None,
        last_name=last.name if last else "",
    )
