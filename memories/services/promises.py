"""Making and releasing promises. Serving and decay are in `boot.py`; the limit itself is `engine.promises`."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from memories.engine import promises as engine
from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.errors import NotFound
from memories.models import Promise, Tenant
from memories.services import events
from memories.services.locks import lock_tenant


@dataclass(frozen=True, slots=True)
class Made:
    """A promise with the use of the cap after it, in bytes."""

    promise: Promise
    cap_bytes: int
    used_bytes: int
    already_pending: bool

    @property
    def free_bytes(self) -> int:
        return max(self.cap_bytes - self.used_bytes, 0)


@transaction.atomic
def make(actor: Actor, *, content: str) -> Made:
    """Promise `content` to the next boot (P5 to P10). PromiseCapExceeded when it does not fit under the cap."""
    actor.require(Scope.WRITE)
    size = engine.check_content(content)
    now = timezone.now()
    tenant = lock_tenant(actor)

    pending = list(Promise.objects.of(actor).only("number", "size_bytes", "content", "created_at"))
    used = sum(promise.size_bytes for promise in pending)
    cap = engine.cap_bytes(tenant.budget_tokens)
    for promise in pending:
        if promise.content == content:
            return Made(promise, cap, used, already_pending=True)
    engine.check_cap(budget_tokens=tenant.budget_tokens, used_bytes=used, requested_bytes=size)

    promise = Promise.objects.create(
        tenant=tenant,
        number=tenant.next_promise,
        content=content,
        size_bytes=size,
        created_at=now,
        created_by=actor.label,
    )
    Tenant.objects.filter(pk=tenant.pk).update(next_promise=tenant.next_promise + 1)
    events.record(actor, at=now, verb="promise.made", promise=str(promise), size_bytes=size)
    return Made(promise, cap, used + size, already_pending=False)


@transaction.atomic
def release(actor: Actor, *, number: int) -> None:
    """Withdraw a pending promise without decay (P12). NotFound when it is not pending here, for whatever reason."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    lock_tenant(actor)
    withdrawn, _ = Promise.objects.of(actor).filter(number=number).delete()
    if not withdrawn:
        raise NotFound(f"No pending promise prm-{number}. List the promises to see those that are pending.")
    events.record(actor, at=now, verb="promise.released", promise=f"prm-{number}")
