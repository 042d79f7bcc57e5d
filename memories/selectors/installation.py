"""What an installation holds so far, for its operator: people and tenants by name. Figures are in `figures.py`."""

from __future__ import annotations

from dataclasses import dataclass

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.errors import NotFound
from memories.models import Person, Tenant


@dataclass(frozen=True, slots=True)
class Installation:
    """Slugs of all tenants and sign-in names of the active administrators, oldest first; `people` counts everybody."""

    tenants: list[str]
    administrators: list[str]
    people: int

    @property
    def is_empty(self) -> bool:
        return not self.tenants and not self.people


def get_installation(actor: Actor) -> Installation:
    """Who and what is there now. Three queries."""
    actor.require(Scope.OPERATE)
    administrators = Person.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    return Installation(
        tenants=list(Tenant.objects.order_by("pk").values_list("slug", flat=True)),
        administrators=list(administrators.values_list("username", flat=True)),
        people=Person.objects.count(),
    )


def get_person(actor: Actor, *, username: str) -> Person:
    """A person by sign-in name, for the operator; NotFound when there is none."""
    actor.require(Scope.OPERATE)
    person = Person.objects.filter(username=username).first()
    if person is None:
        raise NotFound(f"There is no person “{username}”.")
    return person
