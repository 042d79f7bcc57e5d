"""Bringing a workspace folder into a tenant. What a folder means is decided in `engine.workspace` and `engine.imports`.

Reading the folder belongs to the caller: here it is {relative path: bytes}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memories.engine import workspace
from memories.engine.actor import Actor
from memories.engine.imports import Change, Existing, Outcome, Step, Stored, decide, fingerprint
from memories.engine.kinds import MemoryType, Scope
from memories.engine.memories import category_caps
from memories.engine.workspace import Draft, Plan, Problem
from memories.errors import Conflict, InvalidInput
from memories.models import Memory
from memories.selectors.snapshot import one_state
from memories.selectors.tenants import get_tenant
from memories.services import memories
from memories.services.locks import lock_tenant

_KEYS_AT_ONCE = 500


def plan(actor: Actor, *, files: Mapping[str, bytes]) -> Outcome:
    """What `apply` would do with this folder now. Nothing is written."""
    actor.require(Scope.READ)
    planned = workspace.plan(files)
    with one_state():
        caps = category_caps(get_tenant(actor).category_caps)
        return decide(planned, _existing(actor, planned.drafts), caps)


def apply(actor: Actor, *, files: Mapping[str, bytes]) -> Outcome:
    """Import the folder file by file, each in a transaction and with an event of its own; what was done comes back.

    A file that cannot come in is a problem of the outcome and keeps no other file out. A file that changes nothing
    writes nothing, no event either.
    """
    actor.require(Scope.WRITE)
    planned = workspace.plan(files)
    steps: list[Step] = []
    problems: list[Problem] = list(planned.problems)
    for path, drafts in planned.by_file().items():
        try:
            landed = _land(actor, path, drafts)
        except (InvalidInput, Conflict) as error:
            problems.append(Problem(path, error.detail))
            continue
        steps.extend(landed.steps)
        problems.extend(landed.problems)
    return Outcome(tuple(steps), tuple(problems), planned.notes, planned.not_imported)


@transaction.atomic
def _land(actor: Actor, path: str, drafts: tuple[Draft, ...]) -> Outcome:
    """One file, decided again under the lock: other writers may have come since the plan."""
    now = timezone.now()
    tenant = lock_tenant(actor)
    outcome = decide(Plan(drafts), _existing(actor, drafts), category_caps(tenant.category_caps))
    changing = [step.draft.memory for step in outcome.steps if step.change is not Change.SAME]
    if changing:
        memories.store_imported(actor, tenant=tenant, drafts=changing, file=workspace.shown(path), now=now)
    return outcome


def _existing(actor: Actor, drafts: Sequence[Draft]) -> Existing:
    """What is there of all that these drafts could meet: archived memories too, what is in the bin not."""
    categories = {draft.memory.category for draft in drafts if draft.memory.type is MemoryType.CORE}
    keys = [draft.memory.key for draft in drafts if draft.memory.type is MemoryType.WORKING]
    rows = Memory.objects.of(actor).remembered().prefetch_related("tag_rows")
    found = list(rows.filter(type=MemoryType.CORE, category__in=categories)) if categories else []
    for some in _chunks(keys):
        found += rows.filter(type=MemoryType.WORKING, key__in=some)
    keyed = {
        (MemoryType(row.type), row.category, row.key): Stored(
            content=row.content,
            tags=tuple(row.tags),
            importance=row.importance,
            occurred_at=row.occurred_at,
            archived=row.archived_at is not None,
        )
        for row in found
    }
    return Existing(keyed, frozenset(_days(actor, drafts)))


def _days(actor: Actor, drafts: Sequence[Draft]) -> Iterator[tuple[date, str]]:
    """Which of the episodic drafts are there already, as their fingerprints."""
    wanted = {fingerprint(draft) for draft in drafts if draft.memory.type is MemoryType.EPISODIC}
    for day in sorted({day for day, _ in wanted}):
        begin = datetime.combine(day, time.min, UTC)
        of_day = Q(occurred_at__gte=begin)
        if day < date.max:
            of_day &= Q(occurred_at__lt=begin + timedelta(days=1))
        rows = Memory.objects.of(actor).remembered().filter(of_day, type=MemoryType.EPISODIC)
        for content in rows.values_list("content", flat=True).iterator():
            if (day, content) in wanted:
                yield day, content


def _chunks(keys: Iterable[str]) -> Iterator[list[str]]:
    """The keys in portions that every database takes as parameters."""
    rest = iter(keys)
    while some := list(islice(rest, _KEYS_AT_ONCE)):
        yield some
