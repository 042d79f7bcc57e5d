"""Reading API keys. A secret can never be read again."""

from __future__ import annotations

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.models import ApiKey


def list_keys(actor: Actor) -> list[ApiKey]:
    """The keys of the tenant, newest first, revoked ones too."""
    actor.require(Scope.READ)
    return list(ApiKey.objects.of(actor).order_by("-pk"))
