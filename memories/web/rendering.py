"""Page or fragment: one template for both. A fragment is a named partial inside the page's own template."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme

from memories.engine.boot import Payload
from memories.web.places import Place
from memories.web.presenters.help import topic_of
from memories.web.presenters.shell import shell_of


def inside(request: HttpRequest, address: str) -> str:
    """`address` when it is one of ours, without the host; else the first page: no link may send people to strangers."""

    def is_ours(one: str) -> bool:
        hosts = {request.get_host()}
        return url_has_allowed_host_and_scheme(one, allowed_hosts=hosts, require_https=request.is_secure())

    path = urlunsplit(("", "", *urlsplit(address)[2:])) if is_ours(address) else ""
    # Looked at again: without its host, an address of ours can begin like one of a stranger.
    return path if is_ours(path) else settings.LOGIN_REDIRECT_URL


def wants_fragment(request: HttpRequest) -> bool:
    """True for an htmx request that replaces a part; boosted links and restored history want the page."""
    htmx = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def render_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    partial: str | None = None,
    place: Place | None = None,
    payload: Payload | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page, or its `partial` when htmx asks for a part.

    A page of an agent (`place`) also shows the next payload in its navigation: `payload` where the view has it already.
    """
    if partial is not None and wants_fragment(request):
        response = render(request, f"{template}#{partial}", context, status=status)
    else:
        if place is not None:
            context = {**context, "shell": shell_of(place, payload), "topic": topic_of(context.get("here", ""))}
        response = render(request, template, context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response
