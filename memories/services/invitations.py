"""Invitations: an owner makes a code, somebody types it and becomes a member. There is no mail server.

An invitation is open while its row exists: using, withdrawing and sweeping delete it, and events tell what became of
it. The code itself is shown once; only its keyed hash is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from memories.engine import invitations as engine
from memories.engine.actor import Actor, Via
from memories.engine.kinds import Role, Scope, Source
from memories.engine.limits import INVITATION_LIFETIME
from memories.errors import Conflict, NotFound
from memories.models import Invitation, Membership, Person
from memories.services import events, people
from memories.services.codes import draw, keyed_hash
from memories.services.locks import lock_tenant

_PURPOSE = "memories.Invitation"


@dataclass(frozen=True, slots=True)
class Made:
    """A new invitation and its code, written to be typed. This is the only moment at which the code exists."""

    invitation: Invitation
    code: str


@transaction.atomic
def make(actor: Actor, *, role: Role) -> Made:
    """A code that gives one person `role` in the actor's tenant, good for 7 days."""
    actor.require(Scope.MANAGE)
    now = timezone.now()
    lock_tenant(actor)
    prefix = draw(engine.PREFIX_CHARS)
    letters = prefix + draw(engine.SECRET_CHARS)
    invitation = Invitation.objects.create(
        tenant_id=actor.tenant,
        role=role,
        prefix=prefix,
        code_hash=keyed_hash(_PURPOSE, letters, settings.SECRET_KEY),
        created_at=now,
        created_by=actor.label,
        expires_at=now + INVITATION_LIFETIME,
    )
    events.record(actor, at=now, verb="invitation.made", invitation=str(invitation), role=str(role))
    return Made(invitation, engine.written(letters))


@transaction.atomic
def withdraw(actor: Actor, *, prefix: str) -> None:
    """End an invitation before somebody uses it. NotFound when it is not open here, for whatever reason."""
    actor.require(Scope.MANAGE)
    now = timezone.now()
    lock_tenant(actor)
    found = Invitation.objects.of(actor).filter(prefix=prefix, expires_at__gt=now)
    withdrawn, _ = found.delete()
    if not withdrawn:
        raise NotFound(f"There is no open invitation {engine.written(prefix)}.")
    events.record(actor, at=now, verb="invitation.withdrawn", invitation=engine.written(prefix))


def check(*, code: str) -> None:
    """InvalidInput unless `code` would let somebody in now. It says nothing about where to."""
    _find(code, now=timezone.now())


def accept(*, code: str, person: Person) -> Membership:
    """Let `person` in with the role of the code, which then is used up.

    Conflict for who is a member already, whose role a code never changes: the code stays good for somebody else.
    """
    now = timezone.now()
    invitation = _find(code, now=now)
    with transaction.atomic():
        return _let_in(invitation, person, now=now)


def accept_as_new(*, code: str, username: str, password: str) -> Membership:
    """Let somebody in who has no sign-in yet: the person is made in the same transaction, or not at all.

    InvalidInput for a password that is too easy, Conflict for a name that is taken; the code stays good then.
    """
    now = timezone.now()
    invitation = _find(code, now=now)
    actor = _guest(invitation, username)
    with transaction.atomic():
        return _let_in(invitation, people.register(actor, username=username, password=password), now=now)


def _find(code: str, *, now: datetime) -> Invitation:
    letters = engine.read_code(code)
    invitation = Invitation.objects.filter(prefix=letters[: engine.PREFIX_CHARS]).first() if letters else None
    known = invitation.code_hash if invitation else ""
    # Hashing also for unknown prefixes: the answer takes as long either way.
    right = any(
        constant_time_compare(keyed_hash(_PURPOSE, letters, key), known)
        for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    )
    if invitation is None or not right or not engine.is_open(expires_at=invitation.expires_at, now=now):
        raise engine.not_accepted()
    return invitation


def _let_in(invitation: Invitation, person: Person, *, now: datetime) -> Membership:
    actor = _guest(invitation, person.get_username(), person)
    lock_tenant(actor)
    if Membership.objects.of(actor).filter(person=person).exists():
        raise Conflict(
            "You are a member of this agent already, and a code does not change your role: an owner does, on the "
            "Members page. The code is still good for somebody else."
        )
    if not _claim(invitation):
        raise engine.not_accepted()
    membership = Membership.objects.create(tenant_id=actor.tenant, person=person, role=invitation.role)
    events.record(
        actor,
        at=now,
        verb="member.joined",
        person=person.get_username(),
        role=invitation.role,
        invitation=str(invitation),
    )
    return membership


def _claim(invitation: Invitation) -> bool:
    """Whoever deletes the row has used the code; of several at once exactly one does."""
    used, _ = Invitation.objects.filter(pk=invitation.pk).delete()
    return bool(used)


def _guest(invitation: Invitation, name: str, person: Person | None = None) -> Actor:
    """Who holds the code, as events show them. They may do nothing yet but come in."""
    return Actor(
        tenant_id=invitation.tenant_id,
        scopes=frozenset(),
        via=Via.PAGE,
        label=name,
        source=Source.HUMAN,
        person_id=person.pk if person else None,
    )
