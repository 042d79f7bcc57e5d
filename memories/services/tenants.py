"""Making and configuring tenants, and who belongs to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.db import IntegrityError, transaction
from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.budget import Shares
from memories.engine.kinds import Role, Scope
from memories.engine.memories import category_caps as caps_of
from memories.engine.tenants import Settings, check_settings, check_slug, checked_name, merge_settings
from memories.errors import Conflict, NotFound, StaleVersion
from memories.models import Membership, Person, Tenant
from memories.services import events
from memories.services.locks import lock_tenant


def create(actor: Actor, *, slug: str, name: str = "", owner: Person | None = None) -> Tenant:
    """A new tenant with default settings, and its `owner` where one is given; the name is the slug when none is given.

    Conflict when the slug is taken.
    """
    actor.require(Scope.OPERATE)
    name = checked_name(name or slug)
    check_slug(slug)
    now = timezone.now()
    try:
        with transaction.atomic():
            tenant = Tenant.objects.create(slug=slug, name=name, created_at=now)
            inside = replace(actor, tenant_id=tenant.pk)
            events.record(inside, at=now, verb="tenant.created", slug=slug)
            if owner is not None:
                set_member(inside, person=owner, role=Role.OWNER)
    except IntegrityError:
        raise Conflict(f"There is an agent “{slug}” already. Choose another slug.", slug=slug) from None
    return tenant


@transaction.atomic
def configure(
    actor: Actor,
    *,
    budget_tokens: int | None = None,
    share_core: int | None = None,
    share_working: int | None = None,
    share_episodic: int | None = None,
    category_caps: Mapping[str, int] | None = None,
    seen: Settings | None = None,
) -> Tenant:
    """Change what is given, all or nothing (P45, P46); it takes effect at the next boot.

    `seen`, with the cap of every category, is what stood before the person who sends a whole form: a value that they
    left alone stays as it is now, and one that somebody else changed in between raises StaleVersion.

    Pending promises above a lowered cap stay pending (P8); memories above a lowered cap stay, new ones are refused.
    """
    actor.require(Scope.CONFIGURE)
    now = timezone.now()
    tenant = lock_tenant(actor)
    settings = Settings(
        budget_tokens=tenant.budget_tokens if budget_tokens is None else budget_tokens,
        shares=Shares(
            tenant.share_core if share_core is None else share_core,
            tenant.share_working if share_working is None else share_working,
            tenant.share_episodic if share_episodic is None else share_episodic,
        ),
        category_caps={**tenant.category_caps, **(category_caps or {})},
    )
    check_settings(settings)
    if seen is not None:
        settings = _meant(tenant, seen, settings)
    old = _told(tenant)
    tenant.budget_tokens = settings.budget_tokens
    tenant.share_core = settings.shares.core
    tenant.share_working = settings.shares.working
    tenant.share_episodic = settings.shares.episodic
    tenant.category_caps = dict(settings.category_caps)
    new = _told(tenant)
    if new != old:
        tenant.save(update_fields=("budget_tokens", "share_core", "share_working", "share_episodic", "category_caps"))
        events.record(actor, at=now, verb="config.changed", old=old, new=new)
    return tenant


def _meant(tenant: Tenant, seen: Settings, wanted: Settings) -> Settings:
    caps = caps_of(tenant.category_caps)
    current = Settings(
        tenant.budget_tokens, Shares(tenant.share_core, tenant.share_working, tenant.share_episodic), caps
    )
    merged, clashes = merge_settings(seen, current, replace(wanted, category_caps={**caps, **wanted.category_caps}))
    if clashes:
        raise StaleVersion(
            f"Somebody else changed {', '.join(clashes)} while you looked. Look at what is saved now, then save again.",
            current=_told(tenant),
            fields=list(clashes),
        )
    changed = {category: cap for category, cap in merged.category_caps.items() if cap != caps[category]}
    return replace(merged, category_caps={**tenant.category_caps, **changed})


def _told(tenant: Tenant) -> dict[str, object]:
    return {
        "budget_tokens": tenant.budget_tokens,
        "shares": [tenant.share_core, tenant.share_working, tenant.share_episodic],
        "category_caps": dict(tenant.category_caps),
    }


@transaction.atomic
def set_member(actor: Actor, *, person: Person, role: Role) -> Membership:
    """Give a person a role in the actor's tenant, or change it. Conflict when no owner would be left."""
    actor.require(Scope.MANAGE)
    now = timezone.now()
    lock_tenant(actor)
    before = Membership.objects.of(actor).filter(person=person).first()
    if before is not None and before.role == role:
        return before
    if role is not Role.OWNER:
        _check_an_owner_stays(actor, person)
    membership, created = Membership.objects.update_or_create(
        tenant_id=actor.tenant, person=person, defaults={"role": role}
    )
    events.record(
        actor,
        at=now,
        verb="member.added" if created else "member.changed",
        person=person.get_username(),
        role=str(role),
    )
    return membership


@transaction.atomic
def remove_member(actor: Actor, *, person: Person) -> None:
    """Take a person out of the actor's tenant. NotFound for who is not in it, Conflict when no owner would be left."""
    actor.require(Scope.MANAGE)
    now = timezone.now()
    lock_tenant(actor)
    _check_an_owner_stays(actor, person)
    removed, _ = Membership.objects.of(actor).filter(person=person).delete()
    if not removed:
        raise NotFound(f"“{person.get_username()}” is no member of this agent.")
    events.record(actor, at=now, verb="member.removed", person=person.get_username())


def _check_an_owner_stays(actor: Actor, person: Person) -> None:
    """An owner who takes away their own last ownership could not undo it; the operator can."""
    owners = set(Membership.objects.of(actor).filter(role=Role.OWNER).values_list("person", flat=True))
    if owners == {person.pk} and not actor.can(Scope.OPERATE):
        raise Conflict(f"“{person.get_username()}” is the only owner of this agent. Make somebody else an owner first.")
