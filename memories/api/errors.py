"""An exception as problem JSON. The table of statuses and headers is `memories.problems`."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpResponse
from django.http.request import UnreadablePostError
from rest_framework import exceptions

from memories.contracts.problems import shown_data
from memories.engine.limits import BODY_MAX_BYTES
from memories.errors import (
    InvalidInput,
    MethodNotAllowed,
    NotAcceptable,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    RevellError,
    TooLarge,
    UnsupportedMediaType,
)
from memories.problems import as_problem, database_fault, http_headers, presentation

PROBLEM_TYPE = "application/problem+json"


def problem_response(exception: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """The answer for what was raised on purpose; None for a bug, which the project answers without any detail."""
    error = as_revell_error(exception, context)
    if error is None:
        return None
    error.data = shown_data(error.data)
    # Whatever a caller sent, the answer about it can be sent back.
    body = json.dumps(as_problem(error), ensure_ascii=False).encode("utf-8", "replace")
    return HttpResponse(
        body, status=presentation(error).http_status, content_type=PROBLEM_TYPE, headers=http_headers(error)
    )


def as_revell_error(exception: Exception, context: dict[str, Any]) -> RevellError | None:
    """What the framework, the reading of the request or the database raised, as an error of ours."""
    view = context.get("view")
    match exception:
        case RevellError():
            return exception
        case RequestDataTooBig():
            return TooLarge(
                f"The body is over the limit of {BODY_MAX_BYTES:,} bytes. Send it in several requests.",
                limit_bytes=BODY_MAX_BYTES,
            )
        case exceptions.MethodNotAllowed():
            allowed = list(getattr(view, "allowed_methods", ()))
            return MethodNotAllowed(f"This address answers {', '.join(allowed)}.", allowed=allowed)
        case exceptions.NotAcceptable():
            available = [renderer.media_type for renderer in getattr(view, "renderer_classes", ())]
            return NotAcceptable(f"This address answers in {' or '.join(available)}.", available=available)
        case exceptions.UnsupportedMediaType():
            return UnsupportedMediaType(
                "Send the body as JSON, with “Content-Type: application/json”.", available=["application/json"]
            )
        case exceptions.ParseError() | UnreadablePostError():
            return InvalidInput(getattr(exception, "detail", None) or "The body broke off while it was read.")
        case Http404() | exceptions.NotFound():
            return NotFound("There is nothing here.")
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return NotAuthenticated("Send an API key as “Authorization: Bearer rvl_…”.")
        case PermissionDenied() | exceptions.PermissionDenied():
            return NotPermitted("This API key may not do this.")
    return database_fault(exception)
