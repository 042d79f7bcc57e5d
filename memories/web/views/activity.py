"""Activity: what happened, by whom, through which skin. The account only grows; nothing here changes it."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memories.engine.kinds import Scope
from memories.engine.limits import PAGE_DEFAULT
from memories.errors import InvalidInput
from memories.problems import presentation
from memories.selectors.events import find_named, page_events
from memories.selectors.keys import list_keys
from memories.selectors.tenants import list_members
from memories.web.access import in_tenant
from memories.web.forms import ActivityForm, read
from memories.web.places import Place
from memories.web.presenters.activity import event_rows, named_in, skins, verbs
from memories.web.rendering import render_page


@in_tenant(Scope.READ)
@require_safe
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """A page of events, newest first. A filter that nothing could answer is 422, never an empty list."""
    page, error = None, None
    try:
        form = ActivityForm(request.GET)
        read(form)
        page = page_events(
            place.actor, **_where(form.cleaned_data), limit=PAGE_DEFAULT, cursor=request.GET.get("cursor", "")
        )
    except InvalidInput as wrong:
        error = wrong
    events = page.results if page else []
    asked = {name: request.GET.get(name, "") for name in ("verb", "by", "via", "since", "until")}
    keys = [str(key) for key in list_keys(place.actor)]
    context: dict[str, Any] = {
        "here": "activity",
        "agent": place.tenant,
        "page": page,
        "rows": event_rows(events, find_named(place.actor, named=named_in(events)), keys=keys),
        "error": error,
        "asked": asked,
        "query": urlencode({name: value for name, value in asked.items() if value}),
        "verbs": verbs(),
        "skins": skins(),
        "people": [member.person.get_username() for member in list_members(place.actor)],
        "keys": [f"key {key}" for key in keys],
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "activity/index.html", context, partial="found", place=place, status=status)


def _where(given: dict[str, Any]) -> dict[str, Any]:
    """Days are those of UTC; the last one is included."""
    since, until = given["since"], given["until"]
    try:
        return {
            "verb": given["verb"],
            "by": given["by"],
            "via": given["via"],
            "since": since and datetime.combine(since, time.min, UTC),
            "before": until and datetime.combine(until, time.min, UTC) + timedelta(days=1),
        }
    except OverflowError:
        raise InvalidInput.for_field(
            "until", "The day lies at the end of the calendar. Choose an earlier one."
        ) from None
