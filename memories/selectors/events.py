"""Reading the account of what happened, and which of the things it names are still there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from memories.engine.actor import Actor
from memories.engine.filters import check_filters
from memories.engine.kinds import Scope
from memories.engine.limits import PAGE_DEFAULT
from memories.models import Boot, Capsule, Event, Memory, Promise
from memories.selectors.pages import Page, cut_page


def page_events(
    actor: Actor,
    *,
    verb: str = "",
    by: str = "",
    via: str = "",
    since: datetime | None = None,
    before: datetime | None = None,
    limit: int = PAGE_DEFAULT,
    cursor: str = "",
) -> Page[Event]:
    """Events of the tenant, newest first. `by` is the whole label of an actor; `before` is not included."""
    actor.require(Scope.READ)
    check_filters(texts={"verb": verb, "by": by, "via": via}, since=since, until=before)
    rows = Event.objects.of(actor)
    if verb:
        rows = rows.filter(verb=verb)
    if by:
        rows = rows.filter(actor=by)
    if via:
        rows = rows.filter(via=via)
    if since is not None:
        rows = rows.filter(at__gte=since.astimezone(UTC))
    if before is not None:
        rows = rows.filter(at__lt=before.astimezone(UTC))
    return cut_page(rows, keys=("-id",), limit=limit, cursor=cursor)


@dataclass(frozen=True, slots=True)
class Named:
    """Numbers by kind: those that some events name, or those of them that can be looked at now."""

    memories: Collection[int] = ()
    promises: Collection[int] = ()
    boots: Collection[int] = ()
    capsules: Collection[int] = ()


def find_named(actor: Actor, *, named: Named) -> Named:
    """Which of `named` have a page now: memories that are not in the bin, pending promises. At most four queries."""
    actor.require(Scope.READ)

    def numbers(rows: object, wanted: Collection[int]) -> frozenset[int]:
        return frozenset(rows.filter(number__in=wanted).values_list("number", flat=True))  # type: ignore[attr-defined]

    return Named(
        memories=numbers(Memory.objects.of(actor).remembered(), named.memories),
        promises=numbers(Promise.objects.of(actor), named.promises),
        boots=numbers(Boot.objects.of(actor), named.boots),
        capsules=numbers(Capsule.objects.of(actor), named.capsules),
    )
