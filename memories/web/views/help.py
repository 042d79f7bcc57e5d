"""Help: the texts that `revell_help` gives to agents, for the people who look after them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memories.engine.help import TOPICS
from memories.engine.kinds import Scope
from memories.web.access import in_tenant
from memories.web.places import Place
from memories.web.presenters.help import topic_views
from memories.web.rendering import render_page


@in_tenant(Scope.READ)
@require_safe
def index(request: HttpRequest, place: Place) -> HttpResponse:
    context = {"here": "help", "agent": place.tenant, "topics": topic_views(TOPICS)}
    return render_page(request, "help/index.html", context, place=place)
