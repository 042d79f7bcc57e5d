"""The one lock. Whatever must agree within a tenant (caps, counters, numbers) is written under it, tenant first."""

from __future__ import annotations

from memories.engine.actor import Actor
from memories.errors import NotFound
from memories.models import Tenant


def lock_tenant(actor: Actor) -> Tenant:
    """The actor's tenant, locked until the transaction ends.

    PostgreSQL locks the row; on SQLite the immediate transaction already holds the one write lock.
    """
    tenant = Tenant.objects.select_for_update().filter(pk=actor.tenant).first()
    if tenant is None:
        raise NotFound("There is no such agent.")
    return tenant
