"""Reading the account of what happened."""

from __future__ import annotations

from memories.engine.actor import Actor
from memories.engine.filters import check_filters
from memories.engine.kinds import Scope
from memories.engine.limits import PAGE_DEFAULT
from memories.models import Event
from memories.selectors.pages import Page, cut_page


def page_events(actor: Actor, *, verb: str = "", limit: int = PAGE_DEFAULT, cursor: str = "") -> Page[Event]:
    """Events of the tenant, newest first."""
    actor.require(Scope.READ)
    check_filters(texts={"verb": verb})
    rows = Event.objects.of(actor)
    if verb:
        rows = rows.filter(verb=verb)
    return cut_page(rows, keys=("-id",), limit=limit, cursor=cursor)
