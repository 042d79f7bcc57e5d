"""The preview: what the next boot would give, and what it would give if. Nothing here serves or saves (P34, P36)."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from memories.engine.boot import Payload
from memories.engine.budget import Shares
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Channel, Scope
from memories.errors import InvalidInput
from memories.selectors.boot import config_of, find_last_number
from memories.services import boot
from memories.services.boot import WhatIf
from memories.web.access import in_tenant, why_not
from memories.web.forms import WhatIfForm, read
from memories.web.places import Place
from memories.web.presenters.payloads import account_of, paper_of
from memories.web.presenters.what_if import Offer, asked_of
from memories.web.rendering import render_page


@in_tenant(Scope.READ)
@require_safe
def preview(request: HttpRequest, place: Place) -> HttpResponse:
    """The page, or its changed parts. Wrong what-if values give 422 and the payload with the agent's own settings."""
    own = config_of(place.tenant)
    error = None
    try:
        payload, what_if, asked = asked_for(request, place)
    except InvalidInput as wrong:
        error = wrong
        payload, what_if, asked = boot.preview(place.actor, request=BootRequest()), WhatIf(), BootRequest()
    manifest = payload.manifest
    budget = what_if.budget_tokens or own.budget_tokens
    shares = what_if.shares or own.shares
    plain = what_if == WhatIf() and asked == BootRequest()
    context = {
        "here": "preview",
        "agent": place.tenant,
        "paper": paper_of(payload),
        "account": account_of(manifest, name="pv"),
        "promises": len(next(one for one in manifest["sections"] if one["name"] == "promised")["included"]),
        "asked": asked_of(request.GET, budget_tokens=own.budget_tokens, shares=own.shares, error=error),
        "offer": Offer(
            budget_tokens=budget,
            shares=shares,
            differs=(budget, shares) != (own.budget_tokens, own.shares),
            refused=why_not(place.actor, Scope.CONFIGURE),
        ),
        "query": urlencode({name: value for name, value in request.GET.items() if value}) if not error else "",
        "last": find_last_number(place.actor),
    }
    return render_page(
        request,
        "payloads/preview.html",
        context,
        partial="fresh",
        place=place,
        payload=payload if plain else None,
        status=422 if error else 200,
    )


@in_tenant(Scope.READ)
@require_safe
def text(request: HttpRequest, place: Place) -> HttpResponse:
    """The previewed text as a file, to the byte."""
    return text_file(asked_for(request, place)[0].text, f"{place.tenant.slug}-preview.txt")


@in_tenant(Scope.READ)
@require_safe
def manifest(request: HttpRequest, place: Place) -> HttpResponse:
    """The manifest of the preview as JSON, as REST gives it."""
    return JsonResponse(asked_for(request, place)[0].manifest, json_dumps_params={"ensure_ascii": False, "indent": 2})


def text_file(content: str, name: str) -> HttpResponse:
    """Plain text to keep, never to be run."""
    return HttpResponse(
        content.encode("utf-8"),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def asked_for(request: HttpRequest, place: Place) -> tuple[Payload, WhatIf, BootRequest]:
    """The payload that the values in the address would give, and these (P47)."""
    form = WhatIfForm(request.GET)
    read(form)
    given = form.cleaned_data
    own = config_of(place.tenant).shares
    shares = Shares(
        core=own.core if given["share_core"] is None else given["share_core"],
        working=own.working if given["share_working"] is None else given["share_working"],
        episodic=own.episodic if given["share_episodic"] is None else given["share_episodic"],
    )
    budget = given["budget_tokens"]
    what_if = WhatIf(
        budget_tokens=None if budget == place.tenant.budget_tokens else budget,
        shares=None if shares == own else shares,
    )
    asked = replace(
        BootRequest(),
        context_hint=given["context_hint"],
        project_prefix=given["project_prefix"],
        channel=Channel(given["channel"] or Channel.AGENT),
    )
    return boot.preview(place.actor, request=asked, what_if=what_if), what_if, asked
