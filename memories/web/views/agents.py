"""The first page: every agent that the person belongs to."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from memories.engine.kinds import Scope
from memories.selectors import tenants
from memories.web.access import in_tenant, signed_in
from memories.web.places import Place
from memories.web.presenters.agents import agent_rows
from memories.web.rendering import render_page


@signed_in
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    rows = agent_rows(tenants.list_for_person(request.user))  # type: ignore[arg-type]
    return render_page(request, "agents/index.html", {"agents": rows, "over": sum(row.over_bytes > 0 for row in rows)})


@in_tenant(Scope.READ)
@require_safe
def home(request: HttpRequest, place: Place) -> HttpResponse:
    """An agent's own address; its first page is the preview."""
    return HttpResponseRedirect(reverse("preview", args=[place.tenant.slug]))
