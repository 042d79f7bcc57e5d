"""Reading API keys. A secret can never be read again."""

from __future__ import annotations

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.engine.text import is_storable
from memories.errors import NotFound
from memories.models import ApiKey


def list_keys(actor: Actor) -> list[ApiKey]:
    """The keys of the tenant, newest first, revoked ones too."""
    actor.require(Scope.READ)
    return list(ApiKey.objects.of(actor).order_by("-pk"))


def get_key(actor: Actor, *, prefix: str) -> ApiKey:
    """One key of the tenant by the part of it that is no secret. NotFound for another tenant's too."""
    actor.require(Scope.READ)
    key = ApiKey.objects.of(actor).filter(prefix=prefix).first() if is_storable(prefix) else None
    if key is None:
        raise NotFound(f"There is no key rvl_{prefix}.")
    return key
