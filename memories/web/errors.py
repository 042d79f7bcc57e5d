"""An error as a page, or as a fragment for htmx. Which status an error has is in `memories.problems`."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect

from memories.errors import RevellError
from memories.problems import http_headers, presentation
from memories.web.rendering import inside, wants_fragment

# A problem never replaces the part of the page that was asked for: what stands there stays readable.
FRAGMENT_HEADERS = {"HX-Retarget": "#problem", "HX-Reswap": "innerHTML", "HX-Reselect": "unset"}


def problem(request: HttpRequest, error: RevellError) -> HttpResponse:
    """The page of an error; whoever is not signed in is sent to the sign-in, and back afterwards."""
    status = presentation(error).page_status
    if status == 401:
        return _to_sign_in(request)
    fragment = wants_fragment(request)
    template = "problems/problem.html#problem" if fragment else "problems/problem.html"
    response = render(
        request, template, {"status": status, "title": error.title, "detail": error.detail}, status=status
    )
    headers = http_headers(error) | (FRAGMENT_HEADERS if fragment else {})
    for name, value in headers.items():
        response[name] = value
    patch_vary_headers(response, ["HX-Request"])
    return response


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """The way back leads to the page that they saw: of a fragment and of a form, the page that it stood in."""
    fragment, form = wants_fragment(request), request.method == "POST"
    if fragment:
        back = request.headers.get("HX-Current-URL", "")
    else:
        back = request.headers.get("Referer", "") if form else request.get_full_path()
    query = {"next": inside(request, back)}
    if form and not fragment:
        query["lost"] = "form"
    address = f"{settings.LOGIN_URL}?{urlencode(query)}"
    return HttpResponseClientRedirect(address) if fragment else HttpResponseRedirect(address)
