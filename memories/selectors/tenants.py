"""Reading tenants: their settings with what follows from them, the list a person sees, and a person's actor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

from memories.engine.actor import Actor, Via
from memories.engine.budget import Shares, budget_bytes
from memories.engine.kinds import ROLE_SCOPES, Role, Scope, Source
from memories.engine.limits import PAGE_DEFAULT
from memories.engine.memories import axiom_allowance_bytes, category_caps
from memories.engine.promises import cap_bytes
from memories.engine.text import is_storable
from memories.errors import NotAuthenticated, NotFound
from memories.models import Boot, Capsule, Membership, Person, Promise, Tenant
from memories.selectors.memories import get_use


@dataclass(frozen=True, slots=True)
class Config:
    """Budget and everything that follows from it (P45). Bytes are UTF-8 bytes, caps of categories are characters."""

    budget_tokens: int
    budget_bytes: int
    shares: Shares
    cap_bytes: int
    used_bytes: int
    axiom_allowance_bytes: int
    axiom_used_bytes: int
    category_caps: dict[str, int]
    category_used: dict[str, int]

    @property
    def over_bytes(self) -> int:
        """How far pending promises are above a cap that was lowered under them (P8)."""
        return max(self.used_bytes - self.cap_bytes, 0)


@dataclass(frozen=True, slots=True)
class Contents:
    """`capsules` without the forgotten ones."""

    capsules: int
    members: int


def get_config(actor: Actor) -> Config:
    """The settings of the actor's tenant with all derived numbers. Who may change them may see them too."""
    if not actor.can(Scope.CONFIGURE):
        actor.require(Scope.READ)
    tenant = get_tenant(actor)
    used = Promise.objects.of(actor).aggregate(n=Sum("size_bytes"))["n"] or 0
    use = get_use(actor)
    caps = category_caps(tenant.category_caps)
    return Config(
        budget_tokens=tenant.budget_tokens,
        budget_bytes=budget_bytes(tenant.budget_tokens),
        shares=Shares(tenant.share_core, tenant.share_working, tenant.share_episodic),
        cap_bytes=cap_bytes(tenant.budget_tokens),
        used_bytes=used,
        axiom_allowance_bytes=axiom_allowance_bytes(tenant.budget_tokens),
        axiom_used_bytes=use.axiom_bytes,
        category_caps=caps,
        category_used={category: use.category_chars.get(category, 0) for category in caps},
    )


def get_tenant(actor: Actor) -> Tenant:
    """The actor's tenant."""
    tenant = Tenant.objects.filter(pk=actor.tenant).first()
    if tenant is None:
        raise NotFound("There is no such agent.")
    return tenant


def get_tenant_by_slug(actor: Actor, *, slug: str) -> Tenant:
    """A tenant by its slug, for the operator's commands."""
    actor.require(Scope.OPERATE)
    tenant = Tenant.objects.filter(slug=slug).first() if is_storable(slug) else None
    if tenant is None:
        raise NotFound(f"There is no agent “{slug}”.")
    return tenant


def actor_of(person: Person, *, slug: str) -> tuple[Actor, Tenant]:
    """The actor that a signed-in person is in one tenant, by their role there; NotFound for everybody else.

    With `keys.authenticate`, the only place where an actor begins.
    """
    if not person.is_active:
        raise NotAuthenticated("Sign in first.")
    mine = Membership.objects.select_related("tenant").filter(person=person)
    membership = mine.filter(tenant__slug=slug).first() if is_storable(slug) else None
    if membership is None:
        raise NotFound(f"There is no agent “{slug}” that you may see.")
    role = Role(membership.role)
    actor = Actor(
        tenant_id=membership.tenant_id,
        scopes=ROLE_SCOPES[role],
        via=Via.PAGE,
        label=person.get_username(),
        source=Source.HUMAN,
        person_id=person.pk,
        role=role,
    )
    return actor, membership.tenant


def actor_outside(person: Person) -> Actor:
    """The actor that a signed-in person is in no tenant: administrators operate, others may do nothing there."""
    if not person.is_active:
        raise NotAuthenticated("Sign in first.")
    return Actor(
        tenant_id=None,
        scopes=frozenset((Scope.OPERATE, Scope.MANAGE)) if person.is_superuser else frozenset(),
        via=Via.PAGE,
        label=person.get_username(),
        source=Source.HUMAN,
        person_id=person.pk,
    )


def list_members(actor: Actor) -> list[Membership]:
    """Everybody who belongs to the actor's tenant, owners first, then editors, each by name."""
    actor.require(Scope.READ)
    order = {role: place for place, role in enumerate(Role)}
    rows = Membership.objects.of(actor).select_related("person").order_by("person__username")
    return sorted(rows, key=lambda row: order[Role(row.role)])


def get_member(actor: Actor, *, number: int) -> Membership:
    """One member with their person. NotFound when they do not belong to the actor's tenant."""
    actor.require(Scope.READ)
    membership = Membership.objects.of(actor).select_related("person").filter(pk=number).first()
    if membership is None:
        raise NotFound("There is no such member of this agent.")
    return membership


@dataclass(frozen=True, slots=True)
class Seen:
    """A tenant as the list of agents shows it."""

    tenant: Tenant
    role: Role
    used_bytes: int
    pending: int
    last_boot: Boot | None

    @property
    def cap_bytes(self) -> int:
        return cap_bytes(self.tenant.budget_tokens)


def count_for_person(person: Person) -> int:
    """How many tenants a person belongs to."""
    return Membership.objects.filter(person=person).count()


def list_neighbours(person: Person, *, but: Tenant, limit: int) -> list[Tenant]:
    """The first other tenants of a person, by name."""
    rows = Tenant.objects.filter(memberships__person=person).exclude(pk=but.pk)
    return list(rows.order_by("name", "slug")[:limit])


def count_contents(actor: Actor) -> Contents:
    """How many capsules and members the actor's tenant has: what no counter on its row says. One query."""
    actor.require(Scope.READ)

    def of_it(rows: Any) -> Coalesce:
        counted = rows.filter(tenant=OuterRef("pk")).order_by().values("tenant").annotate(n=Count("pk")).values("n")
        return Coalesce(Subquery(counted), 0)

    capsules, members = (
        Tenant.objects.filter(pk=actor.tenant)
        .values_list(of_it(Capsule.objects.filter(forgotten_at__isnull=True)), of_it(Membership.objects.all()))
        .get()
    )
    return Contents(capsules=capsules, members=members)


def list_for_person(person: Person, *, start: int = 0, limit: int = PAGE_DEFAULT) -> list[Seen]:
    """`limit` of the tenants a person belongs to, by name, with their caps and last boots. Two queries."""
    promises = Promise.objects.filter(tenant=OuterRef("tenant")).order_by().values("tenant")
    last = Boot.objects.filter(tenant=OuterRef("tenant")).order_by("-number").values("pk")[:1]
    rows = (
        Membership.objects.filter(person=person)
        .select_related("tenant")
        .annotate(
            used=Coalesce(Subquery(promises.annotate(n=Sum("size_bytes")).values("n")), 0),
            pending=Coalesce(Subquery(promises.annotate(n=Count("pk")).values("n")), 0),
            last_boot=Subquery(last),
        )
        .order_by("tenant__name", "tenant__slug")
    )
    found = list(rows[start : start + limit])
    boots = Boot.objects.defer("payload", "manifest").in_bulk([row.last_boot for row in found if row.last_boot])
    return [Seen(row.tenant, Role(row.role), row.used, row.pending, boots.get(row.last_boot)) for row in found]
