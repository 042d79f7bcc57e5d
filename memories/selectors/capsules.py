"""Reading capsules: the pack, retrieve, digest, list, one whole. What they hold is decided in `engine` (C17 to C59)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.db.models import Q
from django.utils import timezone

from memories.engine import listing, pack
from memories.engine import retrieve as finding
from memories.engine.actor import Actor
from memories.engine.calls import PackCall, read_digest_call, read_list_call, read_pack_call, read_retrieve_call
from memories.engine.capsule_writes import unknown_capsule
from memories.engine.capsules import CapsuleRow
from memories.engine.fences import EVERYWHERE
from memories.engine.kinds import Scope
from memories.engine.limits import PACK_LIST_CAP
from memories.engine.ready import project_nodes
from memories.engine.relations import Relation, Standing
from memories.models import Capsule, CapsuleRelation, TermAlias, TierChange
from memories.selectors.capsule_rows import (
    read_counts,
    read_graph,
    read_inside,
    read_markers,
    read_newest,
    read_page,
    read_ranked,
    read_relations_of,
    read_whole,
    weigh_standing,
)
from memories.selectors.snapshot import one_state


def bootstrap(actor: Actor, *, arguments: Mapping[str, object]) -> pack.Pack:
    """The cold-start pack (C17 to C52). Five queries, whatever is stored.

    `pack.compile_pack` says what it is in one call, from rows read whole; here only what its steps need is read.
    """
    actor.require(Scope.READ)
    call = read_pack_call(arguments)
    now = timezone.now()
    with one_state():
        standing, choice = choose(actor, call=call, now=now)
        others = (numbers for name, numbers in choice.sections().items() if name != "constraints")
        whole = read_whole(
            actor, fence=call.fence, constraints=bool(choice.constraints), numbers=list(chain.from_iterable(others))
        )
    return pack.fill(choice, whole, standing, now=now, fence=call.fence, token_budget=call.token_budget)


def choose(actor: Actor, *, call: PackCall, now: datetime) -> tuple[Standing, pack.Selection]:
    """What a pack has to choose from, in order, read in one state by the caller; four queries."""
    actor.require(Scope.READ)
    standing, nodes = read_graph(actor, fence=call.fence)
    choice = pack.select(
        read_ranked(actor, fence=call.fence, with_content=bool(call.terms)),
        standing,
        project_nodes(nodes, standing),
        now=now,
        terms=call.terms,
        fence=call.fence,
    )
    return standing, choice


def retrieve(actor: Actor, *, arguments: Mapping[str, object]) -> finding.Retrieval:
    """The capsules in which the caller's terms stand, best first (C54)."""
    actor.require(Scope.READ)
    call = read_retrieve_call(arguments)
    now = timezone.now()
    with one_state():
        rows, standing = read_inside(actor, fence=call.fence), read_markers(actor)
        aliases: dict[str, list[str]] = {}
        for row in list_aliases(actor):
            aliases.setdefault(row.term, []).append(row.alias)
    return finding.find(
        rows,
        standing,
        now=now,
        terms=call.terms,
        aliases=aliases,
        fence=call.fence,
        limit=call.limit,
        token_budget=call.token_budget,
    )


def digest(actor: Actor, *, arguments: Mapping[str, object]) -> listing.Digest:
    """Totals, the newest, and the ready projection that the pack shows too (C55). Six queries, whatever is stored."""
    actor.require(Scope.READ)
    call = read_digest_call(arguments)
    now = timezone.now()
    with one_state():
        standing, nodes = read_graph(actor, fence=call.fence)
        projection = project_nodes(nodes, standing)
        counts = read_counts(actor, fence=call.fence)
        newest = read_newest(actor, fence=call.fence, limit=PACK_LIST_CAP)
        shown = [*newest, *listing.first_nodes(projection)]
        rows = read_whole(actor, fence=call.fence, constraints=False, numbers=shown)
    return listing.show_digest(counts, newest, projection, rows, standing, now=now, fence=call.fence)


def list_page(actor: Actor, *, arguments: Mapping[str, object]) -> listing.Listing:
    """One page of lean rows with an exact total (C56). At most four queries, whatever is stored."""
    actor.require(Scope.READ)
    call = read_list_call(arguments)
    now = timezone.now()
    with one_state():
        older, newer, total = read_page(
            actor,
            fence=call.fence,
            now=now,
            kind=call.kind,
            tier=call.tier,
            expired=call.expired,
            superseded=call.superseded,
            limit=call.limit,
            before=call.before,
        )
        standing = read_markers(actor, targets=[row.number for row in older])
    return listing.show_page(older, newer, standing, now=now, fence=call.fence, limit=call.limit, total=total)


@dataclass(frozen=True, slots=True)
class Whole:
    """One capsule with everything about it (C57). A tombstone has its relations still, and no content."""

    capsule: Capsule
    standing: Standing
    relations: list[CapsuleRelation]
    tier_changes: list[TierChange]
    now: datetime

    @property
    def superseded(self) -> bool:
        return self.capsule.number in self.standing.superseded

    @property
    def done(self) -> bool:
        return self.capsule.number in self.standing.done

    @property
    def expired(self) -> bool:
        return self.capsule.valid_to is not None and self.now > self.capsule.valid_to


def get_capsule(actor: Actor, *, number: int) -> Whole:
    """One capsule whole, with its relations both ways and the history of its tiers; NotFound when unknown."""
    actor.require(Scope.READ)
    now = timezone.now()
    with one_state():
        capsule = Capsule.objects.of(actor).filter(number=number).first()
        if capsule is None:
            raise unknown_capsule(number)
        relations = list(
            CapsuleRelation.objects.of(actor)
            .filter(Q(source=capsule) | Q(target=capsule))
            .order_by("kind", "source_number", "target_number")
        )
        changes = list(TierChange.objects.of(actor).filter(capsule=capsule).order_by("pk"))
    standing = weigh_standing(actor, capsule=capsule, relations=relations)
    return Whole(capsule, standing, relations, changes, now)


def list_projects(actor: Actor) -> list[str]:
    """The projects that have a capsule, in the order of their code points."""
    actor.require(Scope.READ)
    rows = Capsule.objects.of(actor).filter(forgotten_at__isnull=True)
    return sorted(rows.values_list("project_id", flat=True).distinct())


def list_relations(actor: Actor, *, numbers: Collection[int]) -> list[Relation]:
    """The relations that have one of these capsules at an end, in a fixed order. One query."""
    actor.require(Scope.READ)
    return sorted(read_relations_of(actor, numbers=numbers))


def find_named(actor: Actor, *, numbers: Collection[int]) -> dict[int, CapsuleRow]:
    """These few capsules by number; forgotten and unknown ones are not among them. One query."""
    actor.require(Scope.READ)
    return read_whole(actor, fence=EVERYWHERE, constraints=False, numbers=numbers)


def list_aliases(actor: Actor) -> list[TermAlias]:
    """All aliases of the tenant, by term, then alias."""
    actor.require(Scope.READ)
    return sorted(TermAlias.objects.of(actor), key=lambda row: (row.term, row.alias))
