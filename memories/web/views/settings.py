"""Budget, shares and category caps: look at what a change would do, then save it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from memories.engine.budget import Shares
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Scope
from memories.errors import InvalidInput, StaleVersion
from memories.problems import presentation
from memories.selectors.tenants import Config, get_config
from memories.services import boot, tenants
from memories.services.boot import WhatIf
from memories.web.access import in_tenant, why_not
from memories.web.forms import SettingsForm, read
from memories.web.places import Place
from memories.web.presenters.settings import (
    Effects,
    clashes_of,
    effects_of,
    left_alone_as_saved,
    settings_of,
    settings_view,
)
from memories.web.rendering import render_page

CONFIRM_STATUS = 409


@in_tenant(Scope.READ, post=Scope.CONFIGURE)
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """The page. A form with `look` only shows its effect; one that lowers the cap below its use asks first (P8)."""
    config = get_config(place.actor)
    if request.method != "POST":
        return _page(request, place, config, _effects(place, config, {}))
    form = SettingsForm(request.POST)
    try:
        read(form)
        changes = _changes(form, config)
        effects = _effects(place, config, changes)
        if "look" in request.POST:
            return _page(request, place, config, effects, partial="effects")
        if _lowers_under_promises(config, effects) and "confirm" not in request.POST:
            return _page(request, place, config, effects, asks=True, status=CONFIRM_STATUS)
        tenants.configure(place.actor, **changes, seen=form.seen())
    except StaleVersion as stale:
        now = get_config(place.actor)
        given = left_alone_as_saved(request.POST.dict(), seen=form.seen(), config=now)
        effects = _effects(place, now, {})
        return _page(request, place, now, effects, given=given, stale=stale, status=presentation(stale).page_status)
    except InvalidInput as error:
        return _page(
            request, place, config, _effects(place, config, {}), error=error, partial="effects",
            status=presentation(error).page_status,
        )  # fmt: skip
    messages.success(request, "Settings saved. They take effect with the next boot.")
    return HttpResponseRedirect(reverse("settings", args=[place.tenant.slug]))


def _changes(form: SettingsForm, config: Config) -> dict[str, Any]:
    """What `tenants.configure` is to change: not what stays as it is, and not what its sender left as they saw it."""
    given, seen = form.cleaned_data, form.seen() or settings_of(config)
    shares = ("share_core", "share_working", "share_episodic")
    left_alone = tuple(given[name] for name in shares) == (seen.shares.core, seen.shares.working, seen.shares.episodic)
    names = ("budget_tokens",) * (given["budget_tokens"] != seen.budget_tokens) + shares * (not left_alone)
    changes: dict[str, Any] = {name: given[name] for name in names if given[name] is not None}
    changes["category_caps"] = {
        category: cap
        for category, cap in form.caps().items()
        if cap not in (seen.category_caps[category], config.category_caps[category])
    }
    return changes


def _effects(place: Place, config: Config, changes: dict[str, Any]) -> Effects:
    saved = boot.preview(place.actor, request=BootRequest())
    what_if = WhatIf(
        budget_tokens=changes.get("budget_tokens"),
        shares=Shares(
            changes.get("share_core", config.shares.core),
            changes.get("share_working", config.shares.working),
            changes.get("share_episodic", config.shares.episodic),
        ),
    )
    own = WhatIf(budget_tokens=config.budget_tokens, shares=config.shares)
    same = what_if in (own, WhatIf(shares=config.shares))
    new = saved if same else boot.preview(place.actor, request=BootRequest(), what_if=what_if)
    return effects_of(config, saved, new)


def _lowers_under_promises(config: Config, effects: Effects) -> bool:
    return effects.over_bytes > config.over_bytes


def _page(
    request: HttpRequest,
    place: Place,
    config: Config,
    effects: Effects,
    *,
    given: dict[str, str] | None = None,
    stale: StaleVersion | None = None,
    error: InvalidInput | None = None,
    asks: bool = False,
    partial: str | None = None,
    status: int = 200,
) -> HttpResponse:
    if given is None:
        given = request.POST.dict() if request.method == "POST" else {}
    context = {
        "here": "settings",
        "agent": place.tenant,
        "view": settings_view(
            config, given, errors=error.errors if error else {}, detail=error.detail if error else ""
        ),
        "effects": effects,
        "asks": asks,
        "stale": stale,
        "clashes": clashes_of(config, given, stale.data["fields"]) if stale else (),
        "refused": why_not(place.actor, Scope.CONFIGURE),
    }
    return render_page(request, "settings/index.html", context, partial=partial, place=place, status=status)
