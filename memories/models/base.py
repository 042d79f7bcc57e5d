"""What every tenant-owned table shares."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db import models
from django.db.models import Q

from memories.engine.actor import Actor

Row = TypeVar("Row", bound=models.Model)


class TenantQuerySet(models.QuerySet[Row]):
    def of(self, actor: Actor) -> TenantQuerySet[Row]:
        """The rows of the actor's tenant. Every read below the skins begins with this."""
        return self.filter(tenant_id=actor.tenant)


class TenantOwned(models.Model):
    """A row of one tenant; it goes when the tenant goes."""

    tenant = models.ForeignKey("memories.Tenant", on_delete=models.CASCADE, related_name="+")

    objects = TenantQuerySet.as_manager()

    class Meta:
        abstract = True


def one_of(name: str, field: str, values: Any) -> models.CheckConstraint:
    """A named check that `field` holds one of a closed list."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": [str(value) for value in values]}), name=name)
