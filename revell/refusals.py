"""Answers to requests that no view of ours answers: unknown address, too large, too many tries, forged form, a bug.

Programs get problem JSON, people get a page; both come from the same error and the same table.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template import loader
from rest_framework.permissions import BasePermission

from memories.errors import InvalidInput, NotFound, NotPermitted, RateLimited, RevellError
from memories.problems import as_problem, http_headers, presentation

logger = logging.getLogger(__name__)

PROGRAM_PREFIXES = ("/api/", "/mcp", "/healthz", "/readyz", "/metrics")


class RefuseAll(BasePermission):
    """The REST framework's default: a view that names no permission of its own lets nobody in."""

    def has_permission(self, request: Any, view: Any) -> bool:
        return False


def is_for_program(request: HttpRequest) -> bool:
    """True for addresses that programs call; all others are pages."""
    return request.path_info.startswith(PROGRAM_PREFIXES)


def refuse(request: HttpRequest, error: RevellError) -> HttpResponse:
    """`error` as problem JSON or as a page, with its status and headers."""
    if is_for_program(request):
        body = json.dumps(as_problem(error), ensure_ascii=False, default=str)
        return HttpResponse(
            body,
            status=presentation(error).http_status,
            content_type="application/problem+json",
            headers=http_headers(error),
        )
    return _page(request, presentation(error).page_status, error.title, error.detail, http_headers(error))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: the request itself is malformed or its host is not one of `ALLOWED_HOSTS`."""
    error = InvalidInput("The request is malformed, or its host is none that this server answers to (ALLOWED_HOSTS).")
    if is_for_program(request):
        return refuse(request, error)
    return _page(request, 400, error.title, error.detail, {})


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 from Django's own parts."""
    return refuse(request, NotPermitted("You may not do this. Sign in as somebody who may, or ask an owner."))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: no view has this address."""
    if is_for_program(request):
        return refuse(request, NotFound("Nothing is at this address. What there is stands in /api/docs/."))
    return refuse(request, NotFound("Nothing is at this address. Check it, or start again from the first page."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: a form without its secret, usually because the page was open since before a sign-in."""
    return refuse(request, NotPermitted("This form is out of date. Go back, load the page again, and send it again."))


def locked_out(request: HttpRequest, response: HttpResponse | None = None, credentials: Any = None) -> HttpResponse:
    """429: too many failed sign-ins from one address. Says nothing about the name that was tried."""
    seconds = int(settings.AXES_COOLOFF_TIME.total_seconds())
    return refuse(
        request,
        RateLimited(
            f"Too many failed sign-ins. Wait {seconds // 60} minutes, then try again.",
            retry_after=seconds,
        ),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500: a bug. No detail leaves the server; the log has it under the request's id."""
    request_id = request.META.get("revell.request_id", "-")
    detail = f"This is a fault in Revell, not in what you sent. The log has it under {request_id}."
    if is_for_program(request):
        body = {
            "type": "urn:revell:problem:internal",
            "title": "Internal error",
            "status": 500,
            "code": "internal",
            "detail": detail,
            "errors": {},
        }
        return HttpResponse(json.dumps(body), status=500, content_type="application/problem+json")
    return _page(request, 500, "Internal error", detail, {})


def _page(request: HttpRequest, status: int, title: str, detail: str, headers: dict[str, str]) -> HttpResponse:
    context = {"status": status, "title": title, "detail": detail}
    template = "problems/problem.html"
    if request.headers.get("HX-Request") == "true" and "HX-Boosted" not in request.headers:
        # A part of a page was asked for: what stands there stays, the problem is shown above it.
        template += "#problem"
        headers = headers | {"HX-Retarget": "#problem", "HX-Reswap": "innerHTML", "HX-Reselect": "unset"}
    try:
        text = loader.get_template(template).render(context, request)
    except Exception:
        # A page about a fault must not fall over another fault: the reader gets the words, the log gets the reason.
        logger.exception("The problem page for %s cannot be drawn", status)
        plain = f"{status} {title}\n\n{detail}\n"
        return HttpResponse(plain, status=status, content_type="text/plain; charset=utf-8", headers=headers)
    return HttpResponse(text, status=status, headers=headers)
