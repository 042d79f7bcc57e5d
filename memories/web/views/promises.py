"""Promises: the cap, what is pending, make one, release one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from memories.engine.kinds import Scope
from memories.errors import Conflict, InvalidInput, RevellError
from memories.problems import presentation
from memories.selectors.promises import list_pending, list_served
from memories.services import promises
from memories.web.access import in_tenant, why_not
from memories.web.forms import PromiseForm, read
from memories.web.places import Place
from memories.web.presenters.promises import cap_view, draft_of, served_rows
from memories.web.rendering import render_page


@in_tenant(Scope.READ, post=Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """The page, and its form. What is refused comes back in the form, with the numbers (P6)."""
    if request.method != "POST":
        return _page(request, place)
    form = PromiseForm(request.POST)
    read(form)
    content = form.cleaned_data["content"]
    try:
        made = promises.make(place.actor, content=content)
    except (InvalidInput, Conflict) as error:
        return _page(request, place, content=content, error=error)
    text = f"{made.promise} was pending already." if made.already_pending else f"{made.promise} is promised."
    messages.success(request, f"{text} {made.free_bytes:,} B are free.")
    return HttpResponseRedirect(reverse("promises", args=[place.tenant.slug]))


@in_tenant(Scope.WRITE)
@require_POST
def release(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    promises.release(place.actor, number=number)
    messages.success(request, f"prm-{number} is released. It will not be served and becomes no memory.")
    return HttpResponseRedirect(reverse("promises", args=[place.tenant.slug]))


def _page(request: HttpRequest, place: Place, *, content: str = "", error: RevellError | None = None) -> HttpResponse:
    pending = list_pending(place.actor)
    context = {
        "here": "promises",
        "agent": place.tenant,
        "cap": cap_view(pending),
        "draft": draft_of(content, pending, error),
        "served": served_rows(list_served(place.actor)),
        "refused": why_not(place.actor, Scope.WRITE),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "promises/index.html", context, place=place, status=status)
