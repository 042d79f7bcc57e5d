"""Preview, serve, acknowledge, decay. What a payload holds is `engine.boot`; the rows come from `selectors.boot`.

A serve is recorded before its payload leaves. What it showed decays afterwards (P37, P38): the skin hands the payload
over, then calls `decay`. If that never comes, or fails for a promise, the promise is still pending (P39).
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone

from memories.engine import boot as engine
from memories.engine.actor import Actor
from memories.engine.boot import BootConfig, BootOptions, Payload, Plan
from memories.engine.budget import Shares, check_budget, check_shares
from memories.engine.delivery import BootRequest, Ending, check_request
from memories.engine.kinds import Acknowledge, Outcome, Scope
from memories.engine.limits import BOOT_TEXTS_KEPT
from memories.engine.promises import decay as decay_draft
from memories.errors import NotFound
from memories.models import Boot, Promise, ServedPromise, Tenant
from memories.selectors import boot as rows
from memories.selectors.snapshot import one_state
from memories.services import events, memories
from memories.services.locks import lock_tenant

log = logging.getLogger(__name__)

# A boot archives what ended by time, so a tenant in use never waits for a sweep; few at a time, so it stays a boot.
ENDED_AT_ONCE = 500
# The outcomes that are not final: the promise may still be pending.
_OPEN = (Outcome.SHOWN, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Settings that a preview computes with and nobody saves (P47); None is the tenant's own.

    `some_shares` names only some of `core`, `working` and `episodic`: the others are the tenant's own.
    """

    budget_tokens: int | None = None
    shares: Shares | None = None
    some_shares: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """One delivery. `boot` is the number; `repeat` says that an idempotency key answered again (P43)."""

    boot: int
    payload: str
    size_bytes: int
    sha256: str
    manifest: dict[str, Any]
    acknowledge: Acknowledge
    repeat: bool = False


def preview(actor: Actor, *, request: BootRequest, what_if: WhatIf | None = None) -> Payload:
    """The bytes that the next serve with these options gives; nothing is changed (P34, P35, P47)."""
    actor.require(Scope.READ)
    check_request(request)
    now = timezone.now()
    with one_state():
        tenant = Tenant.objects.filter(pk=actor.tenant).first()
        if tenant is None:
            raise NotFound("There is no such agent.")
        config = _config(tenant, what_if or WhatIf())
        return _assemble(actor, tenant, request, now=now, config=config)[1]


@transaction.atomic
def serve(actor: Actor, *, request: BootRequest) -> Served:
    """Record one real delivery and return its payload (P36, P44). Afterwards the skin calls `decay`."""
    actor.require(Scope.BOOT)
    check_request(request)
    now = timezone.now()
    tenant = lock_tenant(actor)
    if request.idempotency_key:
        # Under the lock, so of parallel calls with one key exactly one serves.
        earlier = rows.find_repeat(actor, idempotency_key=request.idempotency_key, now=now)
        if earlier is not None:
            return _served(earlier, repeat=True)
    if rows.count_ended(actor, now=now):
        tenant.working_count -= memories.archive_ended(actor, now=now, limit=ENDED_AT_ONCE)

    plan, payload = _assemble(actor, tenant, request, now=now, config=rows.config_of(tenant))
    text = payload.text
    raw = text.encode("utf-8")

    boot = Boot.objects.create(
        tenant=tenant,
        number=tenant.next_boot,
        channel=request.channel,
        acknowledge=request.acknowledge,
        session_id=request.session_id,
        idempotency_key=request.idempotency_key,
        context_hint=request.context_hint,
        project_prefix=request.project_prefix,
        max_chars=request.max_chars,
        budget_tokens=tenant.budget_tokens,
        size_bytes=len(raw),
        sha256=hashlib.sha256(raw).hexdigest(),
        payload=text,
        manifest=payload.manifest,
        actor=actor.label,
        via=str(actor.via),
        created_at=now,
    )
    Tenant.objects.filter(pk=tenant.pk).update(next_boot=tenant.next_boot + 1)
    ServedPromise.objects.bulk_create(
        ServedPromise(
            tenant=tenant,
            boot=boot,
            number=promise.number,
            content=promise.content,
            size_bytes=len(promise.content.encode("utf-8")),
            promised_at=promise.created_at,
        )
        for promise in plan.promised()
    )
    # Numbers have no gaps, so with each boot exactly one text falls out of the last hundred.
    Boot.objects.of(actor).filter(number=boot.number - BOOT_TEXTS_KEPT).update(payload="")
    events.record(
        actor,
        at=now,
        verb="boot.served",
        boot=str(boot),
        channel=str(request.channel),
        size_bytes=boot.size_bytes,
        promises=[f"prm-{promise.number}" for promise in plan.promised()],
    )
    return _served(boot, repeat=False)


def decay(actor: Actor, *, boot: int, promises: Collection[int] | None = None) -> list[Ending]:
    """Turn what the boot showed into episodic memories, each promise in a transaction of its own (P37, P39 to P41).

    With `promises` only these numbers, for a payload that leaves in several answers.

    Calling it again settles what is not settled; nothing ever decays twice (P40). A promise whose decay fails stays
    pending and is logged by its id. While an explicit acknowledgement is awaited, nothing happens (P42).
    """
    actor.require(Scope.BOOT)
    now = timezone.now()
    endings = []
    open_ones = (
        ServedPromise.objects.of(actor)
        .filter(boot__number=boot, outcome__in=_OPEN)
        .exclude(boot__acknowledge=Acknowledge.EXPLICIT, boot__acknowledged_at__isnull=True)
    )
    if promises is not None:
        open_ones = open_ones.filter(number__in=promises)
    for served in open_ones.order_by("number"):
        try:
            endings.append(_decay_one(actor, served, now=now))
        except Exception:  # the payload has left: whatever the fault, the other promises still decay
            log.exception("prm-%s of boot-%s did not decay; it stays pending", served.number, boot)
            endings.append(Ending(served.number, Outcome.FAILED, ended_at=now))
            _mark_failed(served, now=now)
    return endings


def acknowledge(actor: Actor, *, number: int) -> Boot:
    """The agent has read its payload: what it showed decays now (P42). Doing it twice is harmless."""
    actor.require(Scope.BOOT)
    now = timezone.now()
    with transaction.atomic():
        boot = Boot.objects.of(actor).filter(number=number).first()
        if boot is None:
            raise NotFound(f"There is no boot-{number}.")
        claimed = Boot.objects.filter(pk=boot.pk, acknowledged_at__isnull=True).update(acknowledged_at=now)
        if claimed:
            events.record(actor, at=now, verb="boot.acknowledged", boot=str(boot))
    decay(actor, boot=number)
    return rows.get_boot(replace(actor, scopes=actor.scopes | {Scope.READ}), number=number)


def _assemble(
    actor: Actor, tenant: Tenant, request: BootRequest, *, now: datetime, config: BootConfig
) -> tuple[Plan, Payload]:
    """The one way to a payload, for preview and serve alike (P35)."""
    snapshot = rows.boot_snapshot(actor, now=now, recall_query=request.recall_query, tenant=tenant, config=config)
    plan = engine.plan(snapshot, BootOptions(channel=request.channel, max_chars=request.max_chars))
    return plan, engine.compose(plan, rows.boot_contents(actor, numbers=plan.numbers()))


def _config(tenant: Tenant, what_if: WhatIf) -> BootConfig:
    own = rows.config_of(tenant)
    config = BootConfig(
        name=own.name,
        budget_tokens=own.budget_tokens if what_if.budget_tokens is None else what_if.budget_tokens,
        shares=replace(what_if.shares or own.shares, **(what_if.some_shares or {})),
    )
    check_budget(config.budget_tokens)
    check_shares(config.shares)
    return config


def _served(boot: Boot, *, repeat: bool) -> Served:
    return Served(
        boot=boot.number,
        payload=boot.payload,
        size_bytes=boot.size_bytes,
        sha256=boot.sha256,
        manifest=boot.manifest,
        acknowledge=Acknowledge(boot.acknowledge),
        repeat=repeat,
    )


@transaction.atomic
def _decay_one(actor: Actor, served: ServedPromise, *, now: datetime) -> Ending:
    tenant = lock_tenant(actor)
    # Read again under the lock: another call for the same boot may have settled it meanwhile.
    served = ServedPromise.objects.of(actor).select_related("boot", "memory").get(pk=served.pk)
    if served.outcome not in _OPEN:
        memory_number = served.memory.number if served.memory else None
        return Ending(served.number, Outcome(served.outcome), memory_number, served.ended_at)
    # The claim: whoever deletes the promise makes its memory, in the same transaction.
    claimed, _ = Promise.objects.of(actor).filter(number=served.number).delete()
    if claimed:
        draft = decay_draft(served.content, served_at=served.boot.created_at)
        memory = memories.store_decayed(actor, tenant=tenant, draft=draft, now=now)
        ending = Ending(served.number, Outcome.DECAYED, memory.number, now)
        _end(served, ending, memory_id=memory.pk)
        return ending
    # Another boot that showed it was first, or it was withdrawn in between (P41).
    other = (
        ServedPromise.objects.of(actor)
        .filter(number=served.number, outcome=Outcome.DECAYED)
        .select_related("memory")
        .first()
    )
    if other is None:
        ending = Ending(served.number, Outcome.RELEASED, ended_at=now)
        _end(served, ending, memory_id=None)
    else:
        ending = Ending(served.number, Outcome.DECAYED_ELSEWHERE, other.memory.number if other.memory else None, now)
        _end(served, ending, memory_id=other.memory_id)
    return ending


def _end(served: ServedPromise, ending: Ending, *, memory_id: int | None) -> None:
    ServedPromise.objects.filter(pk=served.pk).update(
        outcome=ending.outcome, memory_id=memory_id, ended_at=ending.ended_at
    )


def _mark_failed(served: ServedPromise, *, now: datetime) -> None:
    """Best effort: the database just failed, and the promise is safe either way."""
    try:
        with transaction.atomic():
            ServedPromise.objects.filter(pk=served.pk, outcome=Outcome.SHOWN).update(
                outcome=Outcome.FAILED, ended_at=now
            )
    except DatabaseError:
        log.exception("the failed decay of prm-%s could not be recorded either", served.number)
