"""Bringing capsules into a tenant from files, all or nothing. What files mean is decided in `engine.capsule_imports`.

Reading the files belongs to the caller: here they are {name: bytes}.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.adr import Plan
from memories.engine.capsule_imports import Outcome, outcome_of, plan_files, relations_of
from memories.engine.capsule_writes import Placed, join_relations, place_drafts
from memories.engine.capsules import number_of
from memories.engine.kinds import Scope
from memories.models import Capsule
from memories.selectors.capsule_rows import read_relations, read_tombstones
from memories.selectors.snapshot import one_state
from memories.selectors.tenants import get_tenant
from memories.services.capsules import find_capsules, find_known, store_drafts, store_relations
from memories.services.locks import lock_tenant


def plan(actor: Actor, *, files: Mapping[str, bytes], project_id: str | None = None) -> Outcome:
    """What `apply` would do with these files now. Nothing is written."""
    actor.require(Scope.READ)
    planned = plan_files(files, now=timezone.now(), project_id=project_id)
    drafts = [capsule.draft for capsule in planned.capsules]
    with one_state():
        known = {key: capsule.number for key, capsule in find_known(actor, drafts=drafts).items()}
        stored = _stored(actor, planned)
        next_number = get_tenant(actor).next_capsule
        existing, tombstones = read_relations(actor), read_tombstones(actor)
    placed = place_drafts(drafts, known, next_number)
    relations = relations_of(planned, placed, {name: capsule.number for name, capsule in stored.items()})
    return outcome_of(planned, placed, relations, join_relations(relations, existing, tombstones), carried_out=False)


@transaction.atomic
def apply(actor: Actor, *, files: Mapping[str, bytes], project_id: str | None = None) -> Outcome:
    """Capture and relate what the files say, in one transaction; running it again adds nothing (C5, C9, C10).

    NotFound when a relation names a capsule that is not there, RelationCycle for a loop of supersedes.
    """
    actor.require(Scope.WRITE)
    now = timezone.now()
    planned = plan_files(files, now=now, project_id=project_id)
    tenant = lock_tenant(actor)
    stored = _stored(actor, planned)
    # What a draft links to are names of the file; they are told apart below, when each name has its number.
    bare = [replace(capsule.draft, links=()) for capsule in planned.capsules]
    captured = store_drafts(actor, tenant=tenant, drafts=bare, now=now)
    placed = [Placed(one.capsule.number, not one.duplicate) for one in captured]
    relations = relations_of(planned, placed, {name: capsule.number for name, capsule in stored.items()})
    ends = {capsule.number: capsule for capsule in (*stored.values(), *(one.capsule for one in captured))}
    written = store_relations(actor, tenant=tenant, relations=relations, ends=ends, now=now)
    return outcome_of(planned, placed, relations, written, carried_out=True)


def _stored(actor: Actor, planned: Plan) -> dict[str, Capsule]:
    """The stored capsules that the plan's relations name, by the id they are named by."""
    numbers = {name: number_of(name) for name in planned.stored_ids()}
    found = find_capsules(actor, numbers=numbers.values())
    return {name: found[number] for name, number in numbers.items()}
