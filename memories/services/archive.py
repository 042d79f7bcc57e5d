"""Bringing an archive into an empty agent, whole or not at all, and noting that one was made.

What its files mean is `engine.archives`; writing them is `selectors.archive`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO, TypeVar

from django.db import transaction
from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.archives import Archive, ArchivedCapsule, ArchivedMemory, read_archive
from memories.engine.kinds import Scope
from memories.engine.memories import category_caps
from memories.errors import Conflict
from memories.models import (
    Capsule,
    CapsuleRelation,
    Memory,
    MemoryRevision,
    MemoryTag,
    Promise,
    Tenant,
    TermAlias,
)
from memories.selectors.archive import write_archive
from memories.selectors.tenants import get_tenant
from memories.services import capsules, events, memories, tenants
from memories.services.locks import lock_tenant

_AT_ONCE = 500
_Value = TypeVar("_Value")


def export(actor: Actor, *, out: BinaryIO) -> dict[str, int]:
    """Write the agent's archive into `out` and note who took it; how many rows each of its files has."""
    counts = write_archive(actor, out=out)
    with transaction.atomic():
        lock_tenant(actor)
        events.record(actor, at=timezone.now(), verb="archive.exported", rows=sum(counts.values()))
    return counts


def plan(actor: Actor, *, files: Mapping[str, bytes]) -> Archive:
    """What `apply` would bring in now; InvalidInput names the faults of the files, Conflict an agent not empty."""
    actor.require(Scope.READ)
    archive = read_archive(files)
    _check_empty(get_tenant(actor))
    return archive


@transaction.atomic
def apply(actor: Actor, *, files: Mapping[str, bytes]) -> Archive:
    """Bring everything in, under the numbers it had: texts name each other by them. The settings come with it.

    What lies in the bin and what happened elsewhere (boots, events) stays behind.
    """
    actor.require(Scope.WRITE)
    actor.require(Scope.CONFIGURE)
    archive = read_archive(files)
    now = timezone.now()
    tenant = lock_tenant(actor)
    _check_empty(tenant)
    settings = archive.settings
    default = category_caps({})
    tenants.configure(
        actor,
        budget_tokens=settings.budget_tokens,
        share_core=settings.shares.core,
        share_working=settings.shares.working,
        share_episodic=settings.shares.episodic,
        category_caps={name: cap for name, cap in settings.category_caps.items() if cap != default[name]},
    )
    for some in _chunks(archive.memories):
        _store_memories(actor, tenant, some)
    Promise.objects.bulk_create(
        Promise(
            tenant=tenant,
            number=one.number,
            content=one.content,
            size_bytes=one.size_bytes,
            created_at=one.created_at,
            created_by=one.created_by,
        )
        for one in archive.promises
    )
    _store_capsules(actor, tenant, archive)
    TermAlias.objects.bulk_create(
        TermAlias(
            tenant=tenant,
            term=one.alias.term,
            alias=one.alias.alias,
            created_at=one.created_at,
            created_by=one.created_by,
        )
        for one in archive.aliases
    )
    Tenant.objects.filter(pk=tenant.pk).update(
        next_memory=_after(archive.memories), next_promise=_after(archive.promises),
        next_capsule=_after(archive.capsules),
    )  # fmt: skip
    events.record(
        actor,
        at=now,
        verb="archive.imported",
        name=archive.name,
        memories=len(archive.memories),
        promises=len(archive.promises),
        capsules=len(archive.capsules),
    )
    return archive


def _check_empty(tenant: Tenant) -> None:
    """Numbers are never given twice, so an agent that gave one already cannot take those of another."""
    if (tenant.next_memory, tenant.next_promise, tenant.next_capsule) != (1, 1, 1):
        raise Conflict(
            f"An archive comes into an empty agent only, and {tenant.name} has remembered something already. "
            "Make a new agent for it."
        )


def _store_memories(actor: Actor, tenant: Tenant, some: Sequence[ArchivedMemory]) -> None:
    rows = []
    for one in some:
        row = memories.new_row(actor, tenant=tenant, number=one.number, draft=one.draft, now=one.created_at)
        row.updated_at = one.updated_at
        row.archived_at = one.archived_at
        row.version = one.version
        rows.append(row)
    Memory.objects.bulk_create(rows)
    MemoryTag.objects.bulk_create(
        MemoryTag(tenant=tenant, memory=row, tag=tag, position=position)
        for row in rows
        for position, tag in enumerate(row.tags)
    )
    MemoryRevision.objects.bulk_create(
        (
            MemoryRevision(
                tenant=tenant,
                memory=row,
                version=revision.version,
                data=revision.data,
                replaced_at=revision.replaced_at,
                replaced_by=revision.replaced_by,
            )
            for row, one in zip(rows, some, strict=True)
            for revision in one.revisions
        ),
        batch_size=_AT_ONCE,
    )
    memories.settle_stored(actor, memories=rows)


def _store_capsules(actor: Actor, tenant: Tenant, archive: Archive) -> None:
    rows = [_capsule(actor, tenant, one) for one in archive.capsules]
    Capsule.objects.bulk_create(rows, batch_size=_AT_ONCE)
    by_number = {row.number: row for row in rows}
    CapsuleRelation.objects.bulk_create(
        (
            CapsuleRelation(
                tenant=tenant,
                kind=one.relation.kind,
                source=by_number[one.relation.source],
                target=by_number[one.relation.target],
                source_number=one.relation.source,
                target_number=one.relation.target,
                created_at=one.created_at,
            )
            for one in archive.relations
        ),
        batch_size=_AT_ONCE,
    )


def _capsule(actor: Actor, tenant: Tenant, one: ArchivedCapsule) -> Capsule:
    row = capsules.new_row(actor, tenant=tenant, number=one.number, draft=one.draft, now=one.created_at)
    row.tier = one.tier
    row.created_by = one.created_by
    if one.forgotten_at is not None:
        row.content_hash = ""
        row.forgotten_at = one.forgotten_at
        row.forgotten_reason = one.forgotten_reason
    return row


def _after(rows: Sequence[Any]) -> int:
    """The first number that none of these rows, which stand in order, has."""
    return int(rows[-1].number) + 1 if rows else 1


def _chunks(values: Sequence[_Value]) -> Iterator[list[_Value]]:
    rest = iter(values)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
