"""What the operator's monitoring asks about the whole installation. Figures only: no name and no content."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Sum

from memories.engine.actor import Actor
from memories.engine.kinds import MemoryType, Scope
from memories.models import Promise, Tenant


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over all tenants; `memories` holds the active ones by type, `boots` all that were ever served."""

    tenants: int
    memories: dict[str, int]
    boots: int
    promises: int
    promise_bytes: int


def get_figures(actor: Actor) -> Figures:
    """The figures of now, for the operator. Two queries whose cost grows with tenants and pending promises only."""
    actor.require(Scope.OPERATE)
    types = [str(kind) for kind in MemoryType]
    sums = Tenant.objects.aggregate(
        tenants=Count("pk"), boots=Sum(F("next_boot") - 1), **{kind: Sum(f"{kind}_count") for kind in types}
    )
    pending = Promise.objects.aggregate(promises=Count("pk"), size=Sum("size_bytes"))
    return Figures(
        tenants=sums["tenants"],
        memories={kind: sums[kind] or 0 for kind in types},
        boots=sums["boots"] or 0,
        promises=pending["promises"],
        promise_bytes=pending["size"] or 0,
    )
