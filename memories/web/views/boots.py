"""Past boots: the history, one boot's text, manifest and endings, and its difference to another payload (P44)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Scope
from memories.engine.limits import BOOT_TEXTS_KEPT
from memories.errors import NotFound
from memories.selectors.boot import find_boot_before, get_boot, page_boots
from memories.services.boot import WhatIf
from memories.web.access import in_tenant
from memories.web.places import Place
from memories.web.presenters.boots import Difference, chart, difference, facts_of, history, offered
from memories.web.presenters.payloads import account_of, paper_of_text
from memories.web.rendering import render_page
from memories.web.views.payloads import asked_for, text_file

HISTORY_LENGTH = 30
PARTS = ("against", "text", "manifest", "out")
NEXT = "next"


@in_tenant(Scope.READ)
@require_safe
def index(request: HttpRequest, place: Place, number: int | None = None) -> HttpResponse:
    """The history beside one boot: the one of the address, else the newest of the page."""
    page = page_boots(place.actor, limit=HISTORY_LENGTH, cursor=request.GET.get("cursor", ""))
    if number is None and page.results:
        number = page.results[0].number
    context: dict[str, Any] = {
        "here": "boots",
        "agent": place.tenant,
        "page": page,
        "days": history(page.results),
        "chart": chart(page.results),
        "number": number,
        "kept": BOOT_TEXTS_KEPT,
        "cursor": request.GET.get("cursor", ""),
    }
    if number is not None:
        boot = get_boot(place.actor, number=number)
        part = request.GET.get("part", "")
        context |= {
            "boot": facts_of(boot),
            "account": account_of(boot.manifest, name="boot"),
            "part": part if part in PARTS else PARTS[0],
            "offered": offered(page.results, number=number),
            "against": request.GET.get("against", ""),
        }
        if context["part"] == "text" and boot.payload:
            context["paper"] = paper_of_text(boot.payload)
        elif context["part"] == "against" and boot.payload:
            context["difference"] = _difference(request, place, boot)
    return render_page(request, "boots/index.html", context, place=place)


@in_tenant(Scope.READ)
@require_safe
def text(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """The text that was served, as a file, to the byte."""
    boot = get_boot(place.actor, number=number)
    if not boot.payload:
        raise NotFound(f"The text of {boot} was pruned: the last {BOOT_TEXTS_KEPT} are kept.")
    return text_file(boot.payload, f"{place.tenant.slug}-{boot}.txt")


def _difference(request: HttpRequest, place: Place, boot: Any) -> Difference | None:
    """None where there is nothing to compare with, or its text was pruned."""
    against = request.GET.get("against", "")
    if against == NEXT:
        payload, what_if, wanted = asked_for(request, place)
        plain = what_if == WhatIf() and wanted == BootRequest()
        return difference(boot.payload, payload.text, other="the next payload" if plain else "the what-if payload")
    asked = against.removeprefix("boot-")
    other = (
        get_boot(place.actor, number=int(asked))
        if asked.isdecimal() and len(asked) < 19
        else find_boot_before(place.actor, number=boot.number)
    )
    if other is None or not other.payload:
        return None
    return difference(other.payload, boot.payload, other=str(other))
