"""Writing capsules: capture, relate, change the tier, forget, alias. The rules are `engine` (C1 to C10, C58).

Every write happens under the tenant's lock: loops, freed ends and duplicates are judged on one state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction
from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.capsule_writes import (
    Written,
    join_relations,
    place_drafts,
    read_alias,
    read_reason,
    read_relation,
    read_tier,
    unknown_capsule,
)
from memories.engine.capsules import content_hash, number_of
from memories.engine.drafts import CapsuleDraft, collect_draft, relation_of
from memories.engine.faults import Faults
from memories.engine.kinds import Scope
from memories.engine.limits import BATCH_MAX
from memories.engine.relations import Relation, freed_by, standing_of
from memories.errors import InvalidInput
from memories.models import Capsule, CapsuleRelation, Tenant, TermAlias, TierChange
from memories.selectors.capsule_rows import read_relations, read_tombstones
from memories.services import events
from memories.services.locks import lock_tenant

_Value = TypeVar("_Value")
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Captured:
    """A capsule, and whether the same content was in the project already (C9)."""

    capsule: Capsule
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Batch:
    captured: list[Captured]
    written: Written


@transaction.atomic
def capture(actor: Actor, *, values: Mapping[str, object]) -> tuple[Captured, Written]:
    """Store one finding with its relations, or find the one that says the same (C1, C9, C10)."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    faults = Faults()
    draft = collect_draft(values, now=now, faults=faults)
    faults.raise_any()
    assert draft is not None
    batch = _capture(actor, lock_tenant(actor), [draft], now=now, places=[""])
    return batch.captured[0], batch.written


@transaction.atomic
def capture_many(actor: Actor, *, items: Sequence[Mapping[str, object]]) -> Batch:
    """Store up to 500 findings in order, all or nothing; errors name their place: `items.3.content`."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    if not 1 <= len(items) <= BATCH_MAX:
        raise InvalidInput.for_field("items", f"A batch has 1 to {BATCH_MAX} items; this one has {len(items):,}.")
    faults = Faults()
    places = [f"items.{place}." for place in range(len(items))]
    drafts = [collect_draft(item, now=now, faults=faults, at=at) for item, at in zip(items, places, strict=True)]
    faults.raise_any()
    whole = [draft for draft in drafts if draft is not None]
    return _capture(actor, lock_tenant(actor), whole, now=now, places=places)


@transaction.atomic
def relate(actor: Actor, *, kind: object, source: object, target: object) -> tuple[CapsuleRelation, Written]:
    """Record `source` → `target` (C5, C7, C8). Repeating it is harmless and keeps the first time."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    relation = read_relation(kind, source, target)
    tenant = lock_tenant(actor)
    ends = find_capsules(actor, numbers=(relation.source, relation.target))
    written = store_relations(actor, tenant=tenant, relations=[relation], ends=ends, now=now)
    row = CapsuleRelation.objects.get(kind=relation.kind, source=ends[relation.source], target=ends[relation.target])
    return row, written


@transaction.atomic
def set_tier(actor: Actor, *, number: int, tier: object) -> Capsule:
    """Move a capsule between tiers, either way, an event each (C3). A move to where it is, is none."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    new = read_tier(tier)
    lock_tenant(actor)
    capsule = find_capsules(actor, numbers=(number,))[number]
    if capsule.forgotten_at is not None:
        raise unknown_capsule(number)
    if capsule.tier != new:
        TierChange.objects.create(
            tenant_id=actor.tenant, capsule=capsule, at=now, by=actor.label, old=capsule.tier, new=new
        )
        events.record(actor, at=now, verb="capsule.tier", capsule=str(capsule), old=capsule.tier, new=str(new))
        capsule.tier = new
        capsule.save(update_fields=("tier",))
    return capsule


@transaction.atomic
def forget(actor: Actor, *, number: int, reason: object) -> tuple[Capsule, Written]:
    """Destroy the content and keep a tombstone with the reason (C6); what it blocked comes free and is named (C8)."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    text = read_reason(reason)
    lock_tenant(actor)
    capsule = find_capsules(actor, numbers=(number,))[number]
    if capsule.forgotten_at is not None:
        return capsule, Written()
    freed = freed_by((number,), standing_of(read_tombstones(actor), read_relations(actor)))
    capsule.content = capsule.content_hash = ""
    capsule.forgotten_at = now
    capsule.forgotten_reason = text
    capsule.save(update_fields=("content", "content_hash", "forgotten_at", "forgotten_reason"))
    events.record(actor, at=now, verb="capsule.forgotten", capsule=str(capsule), freed=_told(freed))
    return capsule, Written(freed=freed)


@transaction.atomic
def alias(actor: Actor, *, term: object, alias: object) -> tuple[TermAlias, bool]:
    """Let `memory_retrieve` look for `alias` when asked for `term`, one way (C58); whether it is new.

    Repeating it is harmless.
    """
    actor.require(Scope.WRITE)
    now = timezone.now()
    pair = read_alias(term, alias)
    tenant = lock_tenant(actor)
    row, created = TermAlias.objects.get_or_create(
        tenant=tenant, term=pair.term, alias=pair.alias, defaults={"created_at": now, "created_by": actor.label}
    )
    if created:
        events.record(actor, at=now, verb="alias.made", term=pair.term, alias=pair.alias)
    return row, created


def _capture(
    actor: Actor, tenant: Tenant, drafts: Sequence[CapsuleDraft], *, now: datetime, places: Sequence[str]
) -> Batch:
    captured = store_drafts(actor, tenant=tenant, drafts=drafts, now=now)
    relations, ends = _linked(actor, drafts, [one.capsule for one in captured], places)
    written = store_relations(actor, tenant=tenant, relations=relations, ends=ends, now=now)
    return Batch(captured, written)


def store_drafts(actor: Actor, *, tenant: Tenant, drafts: Sequence[CapsuleDraft], now: datetime) -> list[Captured]:
    """The capsules of `drafts` in their order, those that were not there written; the tenant is locked (C9)."""
    known = find_known(actor, drafts=drafts)
    placed = place_drafts(drafts, {key: capsule.number for key, capsule in known.items()}, tenant.next_capsule)
    by_number = {capsule.number: capsule for capsule in known.values()}
    fresh: list[Capsule] = []
    for draft, at in zip(drafts, placed, strict=True):
        if not at.new:
            continue
        capsule = new_row(actor, tenant=tenant, number=at.number, draft=draft, now=now)
        by_number[at.number] = capsule
        fresh.append(capsule)
    if fresh:
        Capsule.objects.bulk_create(fresh)
        tenant.next_capsule += len(fresh)
        Tenant.objects.filter(pk=tenant.pk).update(next_capsule=tenant.next_capsule)
        events.record(
            actor,
            at=now,
            verb="capsule.captured",
            capsules=[str(capsule) for capsule in fresh],
            kinds=sorted({str(capsule.kind) for capsule in fresh}),
        )
    return [Captured(by_number[at.number], duplicate=not at.new) for at in placed]


def new_row(actor: Actor, *, tenant: Tenant, number: int, draft: CapsuleDraft, now: datetime) -> Capsule:
    """A row for a checked draft, not written yet; `services.archive` writes it, under the lock, as it was elsewhere."""
    return Capsule(
        tenant=tenant,
        number=number,
        content=draft.content,
        kind=draft.kind,
        project_id=draft.project_id,
        confidence=draft.confidence,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        source=draft.source,
        tainted=draft.tainted,
        content_hash=content_hash(draft.content),
        created_at=now,
        created_by=actor.label,
    )


def _linked(
    actor: Actor, drafts: Sequence[CapsuleDraft], capsules: Sequence[Capsule], places: Sequence[str]
) -> tuple[list[Relation], dict[int, Capsule]]:
    """The relations that the drafts ask for, and the capsules at their ends."""
    faults = Faults()
    asked: list[tuple[str, str, int, int]] = []
    for draft, capsule, at in zip(drafts, capsules, places, strict=True):
        for field, text in draft.links:
            try:
                asked.append((at, field, capsule.number, number_of(text, field)))
            except InvalidInput as error:
                faults.add(at + field, error.detail)
    faults.raise_any()
    own = {capsule.number: capsule for capsule in capsules}
    ends = own | find_capsules(actor, numbers={other for *_, other in asked} - set(own))
    for at, field, number, other in asked:
        if number == other:
            faults.add(at + field, f"This content is that of cap-{number}, which cannot be related to itself.")
    faults.raise_any()
    return [relation_of(field, number, other) for _, field, number, other in asked], ends


def store_relations(
    actor: Actor, *, tenant: Tenant, relations: Sequence[Relation], ends: Mapping[int, Capsule], now: datetime
) -> Written:
    """Write relations that are not there yet; the tenant is locked. `ends` are the capsules by number (C5, C7, C8)."""
    if not relations:
        return Written()
    written = join_relations(relations, read_relations(actor), read_tombstones(actor))
    if not written.added:
        return written
    CapsuleRelation.objects.bulk_create(
        CapsuleRelation(
            tenant=tenant,
            kind=relation.kind,
            source=ends[relation.source],
            target=ends[relation.target],
            source_number=relation.source,
            target_number=relation.target,
            created_at=now,
        )
        for relation in written.added
    )
    what: dict[str, Any] = {"relations": _told(written.added)}
    if written.freed:
        what["freed"] = _told(written.freed)
    if written.cycle:
        what["cycle"] = [f"cap-{number}" for number in written.cycle]
    events.record(actor, at=now, verb="capsule.related", **what)
    return written


def find_known(actor: Actor, *, drafts: Sequence[CapsuleDraft]) -> dict[tuple[str, str], Capsule]:
    """The capsules that say what one of `drafts` says, in its project, by project and content hash (C9)."""
    keys = {(draft.project_id, content_hash(draft.content)) for draft in drafts}
    rows = Capsule.objects.of(actor).filter(forgotten_at__isnull=True)
    found: dict[tuple[str, str], Capsule] = {}
    for some in _chunks(sorted(keys)):
        projects, hashes = zip(*some, strict=True)
        for row in rows.filter(project_id__in=set(projects), content_hash__in=hashes):
            found[row.project_id, row.content_hash] = row
    return {key: row for key, row in found.items() if key in keys}


def find_capsules(actor: Actor, *, numbers: Iterable[int]) -> dict[int, Capsule]:
    """The capsules with these numbers, tombstones too; NotFound naming the first that is not there."""
    wanted = sorted(set(numbers))
    rows = Capsule.objects.of(actor)
    found = {row.number: row for some in _chunks(wanted) for row in rows.filter(number__in=some)}
    for number in wanted:
        if number not in found:
            raise unknown_capsule(number)
    return found


def _chunks(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """The values in portions that every database takes as parameters."""
    rest = iter(values)
    while some := list(islice(rest, _AT_ONCE)):
        yield some


def _told(relations: Iterable[Relation]) -> list[str]:
    return [f"cap-{relation.source} {relation.kind} cap-{relation.target}" for relation in relations]
