"""What time ends: working memories, the bin, texts of old boots, invitations. `sweep` does it everywhere at once."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

from django.db import transaction
from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.engine.lifecycle import bin_cutoff
from memories.engine.limits import BOOT_TEXTS_KEPT
from memories.models import Boot, Invitation, Memory, Tenant, Upload
from memories.services import events, memories
from memories.services.locks import lock_tenant

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Swept:
    """How many rows a sweep changed."""

    archived: int = 0
    destroyed: int = 0
    pruned: int = 0
    expired: int = 0

    def __add__(self, other: Swept) -> Swept:
        return Swept(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


def sweep(actor: Actor) -> Swept:
    """Archive what ended, destroy what lay in the bin for 30 days, prune old boot texts, drop expired invitations.

    Harmless when repeated.

    Each tenant is done in short transactions of at most 500 rows, so that nobody waits for it.
    """
    actor.require(Scope.OPERATE)
    total = Swept()
    for tenant_id in Tenant.objects.order_by("pk").values_list("pk", flat=True):
        inside = replace(actor, tenant_id=tenant_id)
        while (step := _step(inside)) != Swept():
            total += step
    return total


@transaction.atomic
def _step(actor: Actor) -> Swept:
    now = timezone.now()
    tenant = lock_tenant(actor)
    archived = memories.archive_ended(actor, now=now, limit=_AT_ONCE)
    old = list(
        Memory.objects.of(actor)
        .filter(forgotten_at__lt=bin_cutoff(now))
        .order_by("pk")
        .values_list("pk", "number")[:_AT_ONCE]
    )
    if old:
        Memory.objects.filter(pk__in=[pk for pk, _ in old]).delete()
        events.record(actor, at=now, verb="memory.destroyed", memories=[f"mem-{number}" for _, number in old])
    pruned = (
        Boot.objects.of(actor)
        .filter(number__lt=tenant.next_boot - BOOT_TEXTS_KEPT)
        .exclude(payload="")
        .update(payload="")
    )
    expired = list(Invitation.objects.of(actor).filter(expires_at__lte=now).order_by("pk")[:_AT_ONCE])
    if expired:
        Invitation.objects.filter(pk__in=[invitation.pk for invitation in expired]).delete()
        events.record(actor, at=now, verb="invitation.expired", invitations=[str(one) for one in expired])
    # Nothing of the agent's: files that somebody looked at and did not bring in.
    Upload.objects.of(actor).filter(expires_at__lte=now).delete()
    return Swept(archived, len(old), pruned, len(expired))
