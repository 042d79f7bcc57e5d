"""The first page, with every agent that the person belongs to, and the first page of one agent."""

from __future__ import annotations

from math import ceil
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Scope
from memories.engine.limits import PAGE_DEFAULT
from memories.engine.tenants import suggest_slug
from memories.errors import Conflict, InvalidInput, RevellError
from memories.problems import presentation
from memories.selectors.boot import page_boots
from memories.selectors.keys import list_keys
from memories.selectors.promises import list_pending
from memories.selectors.tenants import actor_outside, count_for_person, list_for_person
from memories.services import boot, tenants
from memories.web.access import in_tenant, signed_in, why_not
from memories.web.forms import AgentForm, read
from memories.web.places import Place
from memories.web.presenters.agents import agent_rows, next_of
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
    person: Any = request.user
    total = count_for_person(person)
    pages = max(ceil(total / PAGE_DEFAULT), 1)
    page = _page_asked(request, pages)
    rows = agent_rows(list_for_person(person, start=(page - 1) * PAGE_DEFAULT))
    context = {
        "here": "agents",
        "agents": rows,
        "over": sum(row.over_bytes > 0 for row in rows),
        "total": total,
        "page": page,
        "pages": pages,
        "refused": why_not(actor_outside(person), Scope.OPERATE),
    }
    return render_page(request, "agents/index.html", context)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    """A new agent, of which the administrator who makes it is the owner. It leads to Connect: an agent needs a key."""
    person: Any = request.user
    actor = actor_outside(person)
    actor.require(Scope.OPERATE)
    form = AgentForm(request.POST or None)
    error: RevellError | None = None
    if request.method == "POST":
        read(form)
        name, slug = form.cleaned_data["name"], form.cleaned_data["slug"] or suggest_slug(form.cleaned_data["name"])
        try:
            made = tenants.create(actor, slug=slug, name=name, owner=person)
        except (InvalidInput, Conflict) as wrong:
            error = wrong
        else:
            messages.success(request, f"{made.name} is there, and you are its owner. Next it needs an API key.")
            return HttpResponseRedirect(reverse("connect", args=[made.slug]))
    typed = {field: form.data.get(field, "") for field in ("name", "slug")}
    context = {"here": "agent-new", "typed": typed, "error": error}
    return render_page(request, "agents/new.html", context, status=presentation(error).page_status if error else 200)


@in_tenant(Scope.READ)
@require_safe
def following(request: HttpRequest, place: Place) -> HttpResponse:
    """The next payload of one agent, for the list of agents; a page of its own is the preview."""
    payload = boot.preview(place.actor, request=BootRequest())
    return render_page(request, "agents/next.html", {"next": next_of(place.tenant.slug, payload.manifest)})


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


def _page_asked(request: HttpRequest, pages: int) -> int:
    """The number of the page; what is none, or lies beyond the last, is the nearest."""
    asked = request.GET.get("page", "")
    return min(max(int(asked), 1), pages) if asked.isascii() and asked.isdecimal() and len(asked) < 10 else 1
