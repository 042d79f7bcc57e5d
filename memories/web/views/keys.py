"""Connect: the API keys of an agent's programs, how a program is set up, and whether one has come.

The secret of a key is shown in the answer that makes it and nowhere else.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memories.engine.kinds import Scope
from memories.errors import InvalidInput
from memories.problems import presentation
from memories.selectors.boot import page_boots
from memories.selectors.keys import get_key, list_keys
from memories.services import keys
from memories.web.access import in_tenant, why_not
from memories.web.forms import KEY_LIFETIMES, KeyForm, read
from memories.web.places import Place
from memories.web.presenters.boots import history_rows
from memories.web.presenters.keys import connection_of, key_rows, scope_views
from memories.web.presenters.setups import environment, setups
from memories.web.rendering import render_page


@in_tenant(Scope.READ, post=Scope.MANAGE)
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """The page; sending its form makes a key and shows it in this answer, which nobody can ask for again.

    htmx asks for the part that waits for the first boot.
    """
    if request.method != "POST":
        return _page(request, place)
    form = KeyForm(request.POST)
    try:
        read(form)
        given = form.cleaned_data
        days = given["expires"]
        issued = keys.issue(
            place.actor,
            name=given["name"],
            scopes=given["scopes"],
            expires_at=timezone.now() + timedelta(days=int(days)) if days else None,
        )
    except InvalidInput as error:
        return _page(request, place, form=form, error=error)
    return _page(request, place, made=issued)


@in_tenant(Scope.MANAGE)
@require_http_methods(["GET", "HEAD", "POST"])
def revoke(request: HttpRequest, place: Place, prefix: str) -> HttpResponse:
    """Asks once, naming the key; then ends it at once."""
    key = get_key(place.actor, prefix=prefix)
    if request.method != "POST":
        context = {"here": "connect", "agent": place.tenant, "key": key}
        return render_page(request, "connect/revoke.html", context, place=place)
    keys.revoke(place.actor, prefix=prefix)
    messages.success(request, f"{key} is revoked: no program gets in with it any more.")
    return HttpResponseRedirect(reverse("connect", args=[place.tenant.slug]))


def _page(
    request: HttpRequest,
    place: Place,
    *,
    form: KeyForm | None = None,
    error: InvalidInput | None = None,
    made: keys.Issued | None = None,
) -> HttpResponse:
    now = timezone.now()
    rows = list_keys(place.actor)
    last = history_rows(page_boots(place.actor, limit=1).results)
    address = request.build_absolute_uri("/").rstrip("/")
    context: dict[str, Any] = {
        "here": "connect",
        "agent": place.tenant,
        "keys": key_rows(rows, now=now, new=made.key.prefix if made else ""),
        "connection": connection_of(rows, now=now),
        "last": last[0] if last else None,
        "made": made,
        "environment": environment(address, key=made.secret if made else ""),
        "setups": setups(address),
        "typed_name": form.data.get("name", "") if form else "",
        "scopes": scope_views(request.POST.getlist("scopes")) if form else scope_views(),
        "lifetimes": KEY_LIFETIMES,
        "lifetime": form.data.get("expires", "") if form else "",
        "error": error,
        "refused": why_not(place.actor, Scope.MANAGE),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "connect/index.html", context, partial="waiting", place=place, status=status)
