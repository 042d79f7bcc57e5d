"""People who sign in. Their roles in tenants are in `tenants.py`."""

from __future__ import annotations

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.errors import Conflict
from memories.models import Person


def create_administrator(actor: Actor, *, username: str, password: str) -> Person:
    """A person who may use the admin. Conflict when the name is taken."""
    actor.require(Scope.OPERATE)
    if Person.objects.filter(username=username).exists():
        raise Conflict(f"There is a person “{username}” already.")
    return Person.objects.create_superuser(username=username, password=password)
