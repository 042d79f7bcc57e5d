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
from memories.web.rendering import wants_fragment

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
    if wants_fragment(request):
        # The page below the fragment is what they want to come back to.
        return HttpResponseClientRedirect(settings.LOGIN_URL)
    back = f"?{urlencode({'next': request.get_full_path()})}" if request.method == "GET" else ""
    return HttpResponseRedirect(f"{settings.LOGIN_URL}{back}")
