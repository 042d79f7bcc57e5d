"""Writing memories: remember, revise, archive, restore, forget. The rules of the types are `engine.memories`.

Every change happens under the tenant's lock and keeps, in the same transaction, the earlier version, the search words
and the tenant's counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Sum
from django.utils import timezone

from memories.engine import memories as engine
from memories.engine import wire
from memories.engine.actor import Actor
from memories.engine.kinds import MemoryType, Scope, Source
from memories.engine.lifecycle import working_cutoff
from memories.engine.limits import BATCH_MAX
from memories.engine.memories import MemoryDraft
from memories.engine.moments import microseconds
from memories.engine.text import size_bytes
from memories.engine.words import words
from memories.errors import Conflict, InvalidInput, NotFound, RevellError, StaleVersion
from memories.models import Memory, MemoryRevision, MemoryTag, MemoryWords, Tenant
from memories.services import events
from memories.services.locks import lock_tenant

_VERSIONED = (
    "content",
    "category",
    "key",
    "importance",
    "subject",
    "predicate",
    "object",
    "context",
)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A stored memory, and whether it is a new one; an upsert that found its key answers False."""

    memory: Memory
    created: bool


def remember(actor: Actor, *, draft: MemoryDraft) -> Remembered:
    """Store one memory; core and working ones revise what already has their key."""
    with transaction.atomic():
        actor.require(Scope.WRITE)
        now = timezone.now()
        checked = engine.checked(draft)
        tenant = lock_tenant(actor)
        return _store(actor, tenant, [checked], now=now)[0]


def remember_many(actor: Actor, *, drafts: Sequence[MemoryDraft]) -> list[Remembered]:
    """Store up to 500 memories in the given order, all or nothing; errors name their place: `items.3.content`."""
    with transaction.atomic():
        actor.require(Scope.WRITE)
        now = timezone.now()
        if not 1 <= len(drafts) <= BATCH_MAX:
            raise InvalidInput.for_field("items", f"A batch has 1 to {BATCH_MAX} items; this one has {len(drafts):,}.")
        checked: list[MemoryDraft] = []
        errors: dict[str, list[str]] = {}
        for place, draft in enumerate(drafts):
            try:
                checked.append(engine.checked(draft))
            except InvalidInput as error:
                errors.update({f"items.{place}.{field}": texts for field, texts in error.errors.items()})
        if errors:
            first = next(iter(errors))
            raise InvalidInput(f"Nothing was stored. {first}: {errors[first][0]}", errors=errors)
        tenant = lock_tenant(actor)
        return _store(actor, tenant, checked, now=now, in_batch=True)


@transaction.atomic
def revise(actor: Actor, *, number: int, changes: Mapping[str, Any], version: int | None = None) -> Memory:
    """Change fields of one memory; with `version` only while that is still the current one, else StaleVersion.

    `changes` may name content, category, key, tags, importance, occurred_at, subject, predicate, object, context. A
    semantic memory whose triple changes while its content was the derived one gets the newly derived one.
    """
    actor.require(Scope.WRITE)
    now = timezone.now()
    tenant = lock_tenant(actor)
    memory = _get(actor, number)
    _check_version(memory, version)
    before = _draft_of(memory)
    given = dict(changes)
    if (
        memory.type == MemoryType.SEMANTIC
        and "content" not in given
        and memory.content == engine.derived_content(before)
    ):
        given["content"] = ""
    if "tags" in given:
        given["tags"] = tuple(given["tags"])
    draft = engine.checked(replace(before, **given))
    if _same(memory, draft):
        return memory
    archived_at = memory.archived_at
    if archived_at is None:
        _check_caps(actor, tenant, draft, replacing=memory)
        if memory.type == MemoryType.WORKING and memory.updated_at < working_cutoff(now):
            # It ended by time and no sweep came by: what a change means must not depend on that.
            archived_at = now
            _count(actor, {memory.type: -1})
    _revise(actor, memory, draft, archived_at=archived_at, now=now)
    events.record(actor, at=now, verb="memory.revised", memory=str(memory), version=memory.version)
    return memory


@transaction.atomic
def archive(actor: Actor, *, number: int, version: int | None = None) -> Memory:
    """Take a memory out of the payload; it is still recalled. Archiving twice is harmless."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    lock_tenant(actor)
    memory = _get(actor, number)
    _check_version(memory, version)
    if memory.archived_at is None:
        _keep_version(actor, memory, now=now)
        memory.archived_at = now
        memory.version += 1
        memory.save(update_fields=("archived_at", "version"))
        _count(actor, {memory.type: -1})
        events.record(actor, at=now, verb="memory.archived", memory=str(memory))
    return memory


@transaction.atomic
def restore(actor: Actor, *, number: int, version: int | None = None) -> Memory:
    """Bring a memory back from the archive or the bin; caps hold as for a new one, a working one starts its week."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    tenant = lock_tenant(actor)
    memory = Memory.objects.of(actor).prefetch_related("tag_rows").filter(number=number).first()
    if memory is None:
        raise NotFound(f"There is no mem-{number}.")
    _check_version(memory, version)
    ended = memory.type == MemoryType.WORKING and memory.updated_at < working_cutoff(now)
    if memory.archived_at is None and memory.forgotten_at is None and not ended:
        return memory
    counted = memory.archived_at is None and memory.forgotten_at is None
    _check_caps(actor, tenant, _draft_of(memory), replacing=memory)
    _keep_version(actor, memory, now=now)
    memory.archived_at = memory.forgotten_at = None
    if memory.type == MemoryType.WORKING:
        memory.updated_at = now
    memory.version += 1
    try:
        with transaction.atomic():
            memory.save(update_fields=("archived_at", "forgotten_at", "updated_at", "version"))
    except IntegrityError:
        raise Conflict(
            f"mem-{number} cannot come back: another memory has its key “{memory.key}” now. "
            "Archive does not free a key; forget that one first, or write this text under another key."
        ) from None
    if not counted:
        _count(actor, {memory.type: 1})
    _index([memory])
    events.record(actor, at=now, verb="memory.restored", memory=str(memory))
    return memory


@transaction.atomic
def forget(actor: Actor, *, number: int, version: int | None = None) -> None:
    """Put a memory into the bin: nothing shows or finds it, and after 30 days a sweep destroys it."""
    actor.require(Scope.WRITE)
    now = timezone.now()
    lock_tenant(actor)
    memory = _get(actor, number)
    _check_version(memory, version)
    was_counted = memory.archived_at is None
    _keep_version(actor, memory, now=now)
    memory.forgotten_at = now
    memory.version += 1
    memory.save(update_fields=("forgotten_at", "version"))
    MemoryWords.objects.filter(memory=memory).delete()
    if was_counted:
        _count(actor, {memory.type: -1})
    events.record(actor, at=now, verb="memory.forgotten", memory=str(memory))


def store_decayed(actor: Actor, *, tenant: Tenant, draft: MemoryDraft, now: datetime) -> Memory:
    """The episodic memory of a decayed promise; the caller holds the lock and the transaction (P37)."""
    return _store(actor, tenant, [draft], now=now, verb="promise.decayed")[0].memory


def store_imported(
    actor: Actor, *, tenant: Tenant, drafts: Sequence[MemoryDraft], file: str, now: datetime
) -> list[Remembered]:
    """The checked memories of one file; the caller holds the lock and the transaction and has counted the caps.

    The caps of a file are counted for all its memories together, so here none is counted one by one.
    """
    return _store(actor, tenant, drafts, now=now, verb="memory.imported", about={"file": file}, count_caps=False)


def new_row(actor: Actor, *, tenant: Tenant, number: int, draft: MemoryDraft, now: datetime) -> Memory:
    """A row for a checked draft, not written yet; `services.archive` writes it, under the lock, as it was elsewhere."""
    return _new(tenant, number, draft, now=now)


def settle_stored(actor: Actor, *, memories: Sequence[Memory]) -> None:
    """The search words and the counters of rows that were written just now, under the lock."""
    _index(memories)
    counted: dict[str, int] = {}
    for memory in memories:
        if memory.archived_at is None:
            counted[memory.type] = counted.get(memory.type, 0) + 1
    _count(actor, counted)


def archive_ended(actor: Actor, *, now: datetime, limit: int) -> int:
    """Archive working memories that ended by time (at most `limit`); the caller holds the lock and the transaction.

    That is no change by anybody and keeps the version: they had ended before a sweep came by.
    """
    # The longest ended first, in the order of their index.
    longest = Memory.objects.of(actor).ended(now).order_by("updated_at", "number")
    ended = list(longest.values_list("pk", flat=True)[:limit])
    if not ended:
        return 0
    changed = Memory.objects.of(actor).filter(pk__in=ended).update(archived_at=now)
    _count(actor, {MemoryType.WORKING: -changed})
    events.record(actor, at=now, verb="memory.ended", memories=changed)
    return changed


# Storing -------------------------------------------------------------------------------------------------------------


def _store(
    actor: Actor,
    tenant: Tenant,
    drafts: Sequence[MemoryDraft],
    *,
    now: datetime,
    verb: str = "memory.remembered",
    about: Mapping[str, Any] | None = None,
    count_caps: bool = True,
    in_batch: bool = False,
) -> list[Remembered]:
    """Store checked drafts in order. Upserts are written one by one, all others in bulk at the end.

    With `in_batch` an error names the place of its draft, also where there is only one.
    """
    stored: list[Remembered] = []
    fresh: list[tuple[Memory, tuple[str, ...]]] = []
    axiom_bytes = _axiom_bytes(actor) if any(draft.type is MemoryType.AXIOM for draft in drafts) else 0
    number = tenant.next_memory
    counted: dict[str, int] = {}
    several = len(drafts) > 1
    changed = False
    for place, draft in enumerate(drafts):
        with _placed(place if in_batch else None):
            existing = _find_by_key(actor, draft)
            if existing is not None:
                stored.append(Remembered(existing, created=False))
                changed |= _upsert(actor, tenant, existing, draft, now=now, count_caps=count_caps)
                continue
            if draft.type is MemoryType.AXIOM:
                size = size_bytes(draft.content)
                engine.check_axiom_allowance(
                    budget_tokens=tenant.budget_tokens, used_bytes=axiom_bytes, requested_bytes=size
                )
                axiom_bytes += size
            elif draft.type is MemoryType.CORE and count_caps:
                _check_caps(actor, tenant, draft, replacing=None)
        memory = _new(tenant, number, draft, now=now)
        number += 1
        counted[draft.type] = counted.get(draft.type, 0) + 1
        stored.append(Remembered(memory, created=True))
        if draft.type in (MemoryType.CORE, MemoryType.WORKING):
            # Written at once, so that a later draft of the batch with the same key finds it.
            memory.save(force_insert=True)
            _write_tags(memory, draft.tags or ())
            _index([memory])
        else:
            fresh.append((memory, draft.tags or ()))
    if fresh:
        Memory.objects.bulk_create([memory for memory, _ in fresh])
        MemoryTag.objects.bulk_create(
            MemoryTag(tenant=tenant, memory=memory, tag=tag, position=position)
            for memory, tags in fresh
            for position, tag in enumerate(tags)
        )
        for memory, tags in fresh:
            memory.tags = list(tags)
        _index([memory for memory, _ in fresh])
    if number != tenant.next_memory:
        tenant.next_memory = number
        Tenant.objects.filter(pk=tenant.pk).update(next_memory=number)
        _count(actor, counted)
    if not changed and not counted:
        return stored
    what: dict[str, Any] = {"memories": len(stored), "created": sum(one.created for one in stored)}
    if not several:
        what = {"memory": str(stored[0].memory), "type": str(stored[0].memory.type), "created": stored[0].created}
    what |= about or {}
    events.record(actor, at=now, verb=verb, **what, size_bytes=sum(one.memory.size_bytes for one in stored))
    return stored


@contextmanager
def _placed(place: int | None) -> Iterator[None]:
    """Errors inside name the place of their item in the batch."""
    try:
        yield
    except RevellError as error:
        if place is not None:
            told = error.errors or {"": [error.detail]}
            error.errors = {f"items.{place}.{field}".rstrip("."): texts for field, texts in told.items()}
            error.detail = f"Nothing was stored. items.{place}: {error.detail}"
        raise


def _new(tenant: Tenant, number: int, draft: MemoryDraft, *, now: datetime) -> Memory:
    memory = Memory(
        tenant=tenant,
        number=number,
        type=draft.type,
        importance=engine.default_importance(draft.importance),
        source=draft.source,
        occurred_at=draft.occurred_at or now,
        created_at=now,
        updated_at=now,
        category=draft.category,
        key=draft.key,
        subject=draft.subject,
        predicate=draft.predicate,
        object=draft.object,
        context=draft.context,
    )
    _set_content(memory, draft.content)
    memory.tags = list(draft.tags or ())
    return memory


def _set_content(memory: Memory, content: str) -> None:
    memory.content = content
    memory.size_bytes = size_bytes(content)
    memory.size_chars = len(content)
    memory.wire_bytes = wire.body_bytes(content)


def _find_by_key(actor: Actor, draft: MemoryDraft) -> Memory | None:
    if draft.type not in (MemoryType.CORE, MemoryType.WORKING):
        return None
    rows = Memory.objects.of(actor).remembered().filter(type=draft.type, key=draft.key)
    if draft.type is MemoryType.CORE:
        rows = rows.filter(category=draft.category)
    return rows.prefetch_related("tag_rows").first()


def _upsert(
    actor: Actor, tenant: Tenant, memory: Memory, draft: MemoryDraft, *, now: datetime, count_caps: bool = True
) -> bool:
    """Writing a key again revises, brings an archived memory back, and restarts a working memory's week.

    False when it says what is there already, and nothing was written.
    """
    before = _draft_of(memory)
    merged = replace(
        draft,
        tags=before.tags if draft.tags is None else draft.tags,
        importance=before.importance if draft.importance is None else draft.importance,
        occurred_at=before.occurred_at if draft.occurred_at is None else draft.occurred_at,
    )
    working = memory.type == MemoryType.WORKING
    if _same(memory, merged) and memory.archived_at is None and not working:
        return False
    if count_caps:
        _check_caps(actor, tenant, merged, replacing=memory)
    if memory.archived_at is not None:
        _count(actor, {memory.type: 1})
    _revise(actor, memory, merged, archived_at=None, now=now)
    return True


def _keep_version(actor: Actor, memory: Memory, *, now: datetime) -> None:
    """Keep the memory as it is before the change that raises its version."""
    data = {field: getattr(memory, field) for field in _VERSIONED}
    data |= {"tags": memory.tags, "source": memory.source, "occurred_at": memory.occurred_at.isoformat()}
    data["updated_at"] = memory.updated_at.isoformat()
    for moment in ("archived_at", "forgotten_at"):
        at = getattr(memory, moment)
        data[moment] = at and at.isoformat()
    MemoryRevision.objects.create(
        tenant_id=memory.tenant_id,
        memory=memory,
        version=memory.version,
        data=data,
        replaced_at=now,
        replaced_by=actor.label,
    )


def _revise(actor: Actor, memory: Memory, draft: MemoryDraft, *, archived_at: datetime | None, now: datetime) -> None:
    _keep_version(actor, memory, now=now)
    memory.archived_at = archived_at
    for field in _VERSIONED:
        setattr(memory, field, getattr(draft, field))
    _set_content(memory, draft.content)
    memory.occurred_at = draft.occurred_at or memory.occurred_at
    memory.source = draft.source
    memory.updated_at = now
    memory.version += 1
    try:
        with transaction.atomic():
            memory.save()
    except IntegrityError:
        raise Conflict(
            f"Another memory has the key “{memory.key}” already. Revise that one, or choose another key."
        ) from None
    if memory.tags != list(draft.tags or ()):
        MemoryTag.objects.filter(memory=memory).delete()
        _write_tags(memory, draft.tags or ())
    _index([memory])


def _write_tags(memory: Memory, tags: Sequence[str]) -> None:
    MemoryTag.objects.bulk_create(
        MemoryTag(tenant_id=memory.tenant_id, memory=memory, tag=tag, position=position)
        for position, tag in enumerate(tags)
    )
    memory.tags = list(tags)


def _index(memories: Sequence[Memory]) -> None:
    """Write what recall reads: content, tags, key, category, source and the parts of a statement are all found."""
    MemoryWords.objects.bulk_create(
        [
            MemoryWords(
                memory=memory,
                tenant_id=memory.tenant_id,
                number=memory.number,
                occurred_us=microseconds(memory.occurred_at),
                words=" ".join(words(_searched(memory))),
            )
            for memory in memories
        ],
        update_conflicts=True,
        unique_fields=["memory"],
        update_fields=["occurred_us", "words"],
    )


def _searched(memory: Memory) -> str:
    statement = (memory.subject, memory.predicate, memory.object, memory.context)
    # A statement's content is mostly made of its parts, which need not count twice.
    more = [part for part in statement if part and part not in memory.content]
    # Nearly everything comes from agents, so that source would only make every memory a match.
    source = "" if memory.source == Source.AGENT else memory.source
    return "\n".join((memory.content, memory.category, memory.key, *memory.tags, *more, source))


# Looking -------------------------------------------------------------------------------------------------------------


def _get(actor: Actor, number: int) -> Memory:
    memory = Memory.objects.of(actor).remembered().prefetch_related("tag_rows").filter(number=number).first()
    if memory is None:
        raise NotFound(f"There is no mem-{number}.")
    return memory


def _check_version(memory: Memory, version: int | None) -> None:
    if version is not None and version != memory.version:
        raise StaleVersion(
            f"{memory} is at version {memory.version} now, not {version}: somebody wrote first. "
            "Look at the current text, then send the change again with its version.",
            current=memory,
            version=memory.version,
        )


def _draft_of(memory: Memory) -> MemoryDraft:
    return MemoryDraft(
        type=MemoryType(memory.type),
        content=memory.content,
        category=memory.category,
        key=memory.key,
        tags=tuple(memory.tags),
        importance=memory.importance,
        source=Source(memory.source),
        occurred_at=memory.occurred_at,
        subject=memory.subject,
        predicate=memory.predicate,
        object=memory.object,
        context=memory.context,
    )


def _same(memory: Memory, draft: MemoryDraft) -> bool:
    return replace(_draft_of(memory), source=draft.source) == draft


def _check_caps(actor: Actor, tenant: Tenant, draft: MemoryDraft, *, replacing: Memory | None) -> None:
    """The category cap or the axiom allowance, counted without the memory that is being replaced."""
    if replacing is not None and _adds_nothing(replacing, draft):
        return
    live = Memory.objects.of(actor).filter(archived_at__isnull=True, forgotten_at__isnull=True)
    if replacing is not None:
        live = live.exclude(pk=replacing.pk)
    if draft.type is MemoryType.CORE:
        used = live.filter(type=MemoryType.CORE, category=draft.category).aggregate(n=Sum("size_chars"))["n"] or 0
        engine.check_category_cap(
            draft.category,
            cap_chars=engine.category_caps(tenant.category_caps)[draft.category],
            used_chars=used,
            requested_chars=len(draft.content),
        )
    elif draft.type is MemoryType.AXIOM:
        used = live.filter(type=MemoryType.AXIOM).aggregate(n=Sum("size_bytes"))["n"] or 0
        engine.check_axiom_allowance(
            budget_tokens=tenant.budget_tokens, used_bytes=used, requested_bytes=size_bytes(draft.content)
        )


def _adds_nothing(memory: Memory, draft: MemoryDraft) -> bool:
    """Above a cap that was lowered under it, a memory may get a tag, another weight or a shorter text."""
    if memory.archived_at is not None or memory.forgotten_at is not None:
        return False
    if draft.type is MemoryType.CORE:
        return draft.category == memory.category and len(draft.content) <= memory.size_chars
    return size_bytes(draft.content) <= memory.size_bytes


def _axiom_bytes(actor: Actor) -> int:
    live = Memory.objects.of(actor).filter(archived_at__isnull=True, forgotten_at__isnull=True)
    return live.filter(type=MemoryType.AXIOM).aggregate(n=Sum("size_bytes"))["n"] or 0


def _count(actor: Actor, changes: Mapping[str, int]) -> None:
    """Keep the tenant's counters of active memories (P30)."""
    changed = {f"{kind}_count": F(f"{kind}_count") + n for kind, n in changes.items() if n}
    if changed:
        Tenant.objects.filter(pk=actor.tenant).update(**changed)
