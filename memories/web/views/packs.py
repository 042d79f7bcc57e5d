"""The cold-start pack as an agent gets it, with costs and with what it leaves out. Nothing here writes (C52)."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memories.engine.kinds import Scope
from memories.errors import InvalidInput
from memories.selectors import capsules
from memories.selectors.packs import explain_pack
from memories.web.access import in_tenant
from memories.web.places import Place
from memories.web.presenters.packs import asked_of, pack_view
from memories.web.rendering import render_page

_QUESTION = ("project_prefix", "project_id", "terms", "ancestors", "token_budget")
USUAL = "usual"


@in_tenant(Scope.READ)
@require_safe
def pack(request: HttpRequest, place: Place) -> HttpResponse:
    """The pack for a question, with the cost of each row; a wrong question gives 422 and no pack."""
    given = _given(request)
    against = request.GET.get("against", "") == USUAL
    error, explained = None, None
    try:
        explained = explain_pack(place.actor, arguments=_arguments(given))
    except InvalidInput as wrong:
        error = wrong
    context = {
        "here": "pack",
        "agent": place.tenant,
        "asked": asked_of(given, error, compares=against),
        "pack": pack_view(explained, compares=against) if explained else None,
        "query": urlencode({name: value for name, value in given.items() if value}),
        "projects": capsules.list_projects(place.actor)[:200],
    }
    return render_page(
        request, "capsules/pack.html", context, partial="compiled", place=place, status=422 if error else 200
    )


@in_tenant(Scope.READ)
@require_safe
def as_json(request: HttpRequest, place: Place) -> HttpResponse:
    """The pack as a file: to the byte what `POST /api/v1/bootstrap` answers."""
    text = capsules.bootstrap(place.actor, arguments=_arguments(_given(request))).to_json()
    return HttpResponse(
        text.encode("utf-8"),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{place.tenant.slug}-pack.json"'},
    )


def _given(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "").strip() for name in _QUESTION}


def _arguments(given: dict[str, str]) -> dict[str, object]:
    """The call as an agent would send it. A budget that is no number goes through as it is, to be refused by name."""
    arguments: dict[str, object] = {name: given[name] for name in ("project_prefix", "project_id") if given[name]}
    terms = [term for term in map(str.strip, given["terms"].split(",")) if term]
    if terms:
        arguments["terms"] = terms
    if given["ancestors"]:
        arguments["ancestors"] = True
    budget = given["token_budget"]
    if budget:
        arguments["token_budget"] = (
            int(budget) if budget.isascii() and budget.isdigit() and len(budget) < 19 else budget
        )
    return arguments
