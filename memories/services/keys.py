"""API keys: issue, revoke, and the one way in: `authenticate`, which makes the actor."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from memories.engine.actor import Actor, Via
from memories.engine.filters import moment_fault
from memories.engine.kinds import Scope, Source
from memories.engine.tenants import checked_name, checked_scopes
from memories.engine.text import is_storable
from memories.errors import InvalidInput, NotAuthenticated
from memories.models import ApiKey
from memories.selectors.keys import get_key
from memories.services import events
from memories.services.codes import draw, keyed_hash
from memories.services.locks import lock_tenant

_PREFIX_CHARS = 8
_SECRET_CHARS = 40
# Writing a date at every call would make every read a write.
_LAST_USED_GRAIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Issued:
    """A new key and its secret. This is the only moment at which the secret exists."""

    key: ApiKey
    secret: str


@transaction.atomic
def issue(actor: Actor, *, name: str, scopes: Collection[str], expires_at: datetime | None = None) -> Issued:
    """A key of the actor's tenant. The returned secret is shown once; only its keyed hash is stored."""
    actor.require(Scope.MANAGE)
    now = timezone.now()
    name = checked_name(name)
    chosen = checked_scopes(scopes)
    if expires_at is not None and (fault := moment_fault(expires_at)):
        raise InvalidInput.for_field("expires_at", fault)
    if expires_at is not None and expires_at <= now:
        raise InvalidInput.for_field("expires_at", "The key would have expired already. Give a time to come.")
    lock_tenant(actor)
    prefix = draw(_PREFIX_CHARS)
    secret = f"rvl_{prefix}_{draw(_SECRET_CHARS)}"
    key = ApiKey.objects.create(
        tenant_id=actor.tenant,
        name=name,
        prefix=prefix,
        secret_hash=_hashed(secret, settings.SECRET_KEY),
        scopes=[str(scope) for scope in chosen],
        created_at=now,
        created_by=actor.label,
        expires_at=expires_at,
    )
    events.record(actor, at=now, verb="key.issued", key=str(key), name=name, scopes=key.scopes)
    return Issued(key, secret)


@transaction.atomic
def revoke(actor: Actor, *, prefix: str) -> ApiKey:
    """End a key at once; revoking twice is harmless."""
    actor.require(Scope.MANAGE)
    now = timezone.now()
    lock_tenant(actor)
    key = get_key(actor, prefix=prefix)
    if key.revoked_at is None:
        key.revoked_at = now
        key.save(update_fields=("revoked_at",))
        events.record(actor, at=now, verb="key.revoked", key=str(key))
    return key


def authenticate(secret: str, *, via: Via) -> Actor:
    """The actor that a secret stands for, else NotAuthenticated. Unknown, revoked and expired are told alike."""
    now = timezone.now()
    # What no database and no hash can take is as unknown as any other.
    secret = secret if is_storable(secret) else ""
    parts = secret.split("_")
    key = None
    if len(parts) == 3 and parts[0] == "rvl" and secret.isascii():
        key = ApiKey.objects.filter(prefix=parts[1]).first()
    known = key.secret_hash if key else ""
    secret_keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    # Hashing also for unknown prefixes: the answer takes as long either way.
    right = any(constant_time_compare(_hashed(secret, secret_key), known) for secret_key in secret_keys)
    if key is None or not right or not key.works(now):
        raise NotAuthenticated(
            "This API key is not accepted. Send a valid one as “Authorization: Bearer rvl_…”; "
            "an owner of the agent can issue it."
        )
    if key.last_used_at is None or key.last_used_at < now - _LAST_USED_GRAIN:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
    return Actor(
        tenant_id=key.tenant_id,
        scopes=frozenset(Scope(scope) for scope in key.scopes),
        via=via,
        label=f"key {key}",
        source=Source.AGENT,
        key_id=key.pk,
    )


def _hashed(secret: str, secret_key: str | bytes) -> str:
    return keyed_hash("memories.ApiKey", secret, secret_key)
