"""The one writer of events."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memories.engine.actor import Actor
from memories.models import Event


def record(actor: Actor, *, at: datetime, verb: str, **what: Any) -> None:
    """Append one event to the actor's tenant. `what` holds ids, sizes and settings, never contents or secrets."""
    Event.objects.create(tenant_id=actor.tenant, at=at, actor=actor.label, via=str(actor.via), verb=verb, what=what)
