"""The first page, with every agent that the person belongs to, and the first page of one agent."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Scope
from memories.selectors import tenants
from memories.selectors.boot import page_boots
from memories.selectors.keys import list_keys
from memories.selectors.promises import list_pending
from memories.services import boot
from memories.web.access import in_tenant, signed_in
from memories.web.places import Place
from memories.web.presenters.agents import agent_rows
from memories.web.presenters.boots import chart, history_rows
from memories.web.presenters.keys import connection_of
from memories.web.presenters.payloads import account_of
from memories.web.presenters.promises import cap_view
from memories.web.rendering import render_page

_BOOTS_IN_CHART = 30
_BOOTS_LISTED = 5


@signed_in
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    rows = agent_rows(tenants.list_for_person(request.user))  # type: ignore[arg-type]
    return render_page(request, "agents/index.html", {"agents": rows, "over": sum(row.over_bytes > 0 for row in rows)})


@in_tenant(Scope.READ)
@require_safe
def home(request: HttpRequest, place: Place) -> HttpResponse:
    """The overview. Its numbers are those of the preview: it assembles the same payload (P34)."""
    payload = boot.preview(place.actor, request=BootRequest())
    past = page_boots(place.actor, limit=_BOOTS_IN_CHART)
    rows = history_rows(past.results)
    context = {
        "here": "agent",
        "agent": place.tenant,
        "account": account_of(payload.manifest, name="next", height=56),
        "cap": cap_view(list_pending(place.actor)),
        "chart": chart(past.results),
        "boots": rows[:_BOOTS_LISTED],
        "older_boots": rows[_BOOTS_LISTED:],
        "boots_total": past.total,
        "connection": connection_of(list_keys(place.actor), now=timezone.now()),
    }
    return render_page(request, "agents/overview.html", context, place=place, payload=payload)
