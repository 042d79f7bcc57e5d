"""Capsules of a project, one capsule, and the cold-start pack as an agent gets it. Nothing here writes (C52)."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memories.engine.kinds import Scope
from memories.errors import InvalidInput
from memories.selectors import capsules
from memories.web.access import in_tenant
from memories.web.places import Place
from memories.web.presenters.capsules import list_of, view_of
from memories.web.presenters.packs import asked_of, pack_view
from memories.web.rendering import render_page

_FILTERS = ("project_prefix", "kind", "tier", "cursor")
_QUESTION = ("project_prefix", "project_id", "terms", "ancestors", "token_budget")


@in_tenant(Scope.READ)
@require_safe
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """The newest capsules of a project and all below it, with what can be done next there."""
    asked = {name: request.GET.get(name, "").strip() for name in _FILTERS}
    error = None
    filters = {name: value for name, value in asked.items() if value}
    try:
        listing = capsules.list_page(place.actor, arguments=filters)
    except InvalidInput as wrong:
        error = wrong
        asked, filters = dict.fromkeys(_FILTERS, ""), {}
        listing = capsules.list_page(place.actor, arguments={})
    everywhere = capsules.digest(place.actor, arguments={})
    fence = {"project_prefix": asked["project_prefix"]} if asked["project_prefix"] else {}
    digest = capsules.digest(place.actor, arguments=fence) if fence else everywhere
    relations = capsules.list_relations(place.actor, numbers=[row.number for row in listing.rows])
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "asked": asked,
        "error": error.detail if error else "",
        "list": list_of(listing, digest, everywhere, relations, asked=asked),
    }
    return render_page(
        request, "capsules/index.html", context, partial="found", place=place, status=422 if error else 200
    )


@in_tenant(Scope.READ)
@require_safe
def one(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """One capsule whole; a tombstone shows that it is one (C57)."""
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "capsule": view_of(capsules.get_capsule(place.actor, number=number)),
    }
    return render_page(request, "capsules/one.html", context, place=place)


@in_tenant(Scope.READ)
@require_safe
def pack(request: HttpRequest, place: Place) -> HttpResponse:
    """The pack for a question, with the cost of each row; a wrong question gives 422 and no pack."""
    given = {name: request.GET.get(name, "").strip() for name in _QUESTION}
    error, compiled = None, None
    try:
        compiled = capsules.bootstrap(place.actor, arguments=_arguments(given))
    except InvalidInput as wrong:
        error = wrong
    context = {
        "here": "pack",
        "agent": place.tenant,
        "asked": asked_of(given, error),
        "pack": pack_view(compiled) if compiled else None,
    }
    return render_page(
        request, "capsules/pack.html", context, partial="compiled", place=place, status=422 if error else 200
    )


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
