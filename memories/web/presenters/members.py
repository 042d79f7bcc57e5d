"""Members and open invitations in rows, and what each role may do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.engine.kinds import ROLE_SCOPES, Role, Scope

# What a scope lets a person do, in the order in which it is told.
_MAY = {
    Scope.READ: "see everything",
    Scope.WRITE: "change memories, promises and capsules",
    Scope.CONFIGURE: "change the budget and its shares",
    Scope.MANAGE: "hand out keys, invite, change roles",
}


@dataclass(frozen=True, slots=True)
class RoleView:
    value: str
    may: str


@dataclass(frozen=True, slots=True)
class MemberRow:
    """`number` names the member in addresses; `mine` is the person who looks at the page."""

    number: int
    name: str
    role: str
    since: datetime
    mine: bool


@dataclass(frozen=True, slots=True)
class InvitationRow:
    """`name` is what is shown of a code for good: its beginning."""

    prefix: str
    name: str
    role: str
    made_by: str
    made_at: datetime
    expires_at: datetime
    new: bool


def roles() -> tuple[RoleView, ...]:
    return tuple(
        RoleView(str(role), "; ".join(words for scope, words in _MAY.items() if scope in ROLE_SCOPES[role]))
        for role in Role
    )


def member_rows(members: Iterable[Any], *, person_id: int) -> list[MemberRow]:
    """Rows of `selectors.tenants.list_members`, with their people loaded."""
    return [
        MemberRow(
            number=member.pk,
            name=member.person.get_username(),
            role=member.role,
            since=member.created_at,
            mine=member.person_id == person_id,
        )
        for member in members
    ]


def invitation_rows(invitations: Iterable[Any], *, new: str) -> list[InvitationRow]:
    """`new` is the prefix of the one that was made just now."""
    return [
        InvitationRow(
            prefix=one.prefix,
            name=str(one),
            role=one.role,
            made_by=one.created_by,
            made_at=one.created_at,
            expires_at=one.expires_at,
            new=one.prefix == new,
        )
        for one in invitations
    ]
