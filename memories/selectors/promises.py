"""Reading pending promises."""

from __future__ import annotations

from dataclasses import dataclass

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.engine.promises import cap_bytes
from memories.models import Promise, ServedPromise
from memories.selectors.tenants import get_tenant


@dataclass(frozen=True, slots=True)
class Pending:
    """The pending promises, oldest first, and the use of the cap in bytes (P11)."""

    promises: list[Promise]
    budget_tokens: int
    cap_bytes: int
    used_bytes: int

    @property
    def total(self) -> int:
        return len(self.promises)

    @property
    def free_bytes(self) -> int:
        return max(self.cap_bytes - self.used_bytes, 0)

    @property
    def over_bytes(self) -> int:
        """How far a lowered budget left the pending promises above the cap (P8)."""
        return max(self.used_bytes - self.cap_bytes, 0)


def list_pending(actor: Actor) -> Pending:
    """All pending promises with cap, use and budget."""
    actor.require(Scope.READ)
    tenant = get_tenant(actor)
    promises = list(Promise.objects.of(actor).order_by("number"))
    return Pending(
        promises=promises,
        budget_tokens=tenant.budget_tokens,
        cap_bytes=cap_bytes(tenant.budget_tokens),
        used_bytes=sum(promise.size_bytes for promise in promises),
    )


def list_served(actor: Actor, *, limit: int = 20) -> list[ServedPromise]:
    """The promises that were served last, newest first, each with its boot and the memory it became."""
    actor.require(Scope.READ)
    return list(ServedPromise.objects.of(actor).select_related("boot", "memory").order_by("-id")[:limit])
