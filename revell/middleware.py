"""What happens to every request before and after its view: number, size, headers. No rule of the domain is here."""

from __future__ import annotations

import io
import logging
import re
import uuid
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from memories.engine.limits import BODY_MAX_BYTES
from memories.errors import TooLarge
from revell.refusals import refuse

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_request_id: ContextVar[str] = ContextVar("request_id", default="-")
CUT_SHORT = "revell.cut_short"
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestId:
    """Gives each request an id, keeps a sane `X-Request-Id` of the caller, and says it in the answer and the log."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-Id", "")
        request_id = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        request.META["revell.request_id"] = request_id
        # Not reset afterwards: a streamed answer is still at work when this returns. The next request overwrites it.
        _request_id.set(request_id)
        response = self.get_response(request)
        response["X-Request-Id"] = request_id
        return response


class RequestIdFilter(logging.Filter):
    """Puts the id of the present request into each line of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _request_id.get()
        return True


class SecurityHeaders:
    """The headers that Django has no setting for. Answers are private: nothing may be kept but static files."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response


class BodyLimit:
    """Refuses a body over 2 MiB before reading it. A view that takes files says so by its `body_max_bytes`."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        limit = getattr(view, "body_max_bytes", BODY_MAX_BYTES)
        if CUT_SHORT in request.META:
            limit = BODY_MAX_BYTES
        elif not _declares_more_than(request.META.get("CONTENT_LENGTH"), limit):
            return None
        return refuse(
            request,
            TooLarge(
                f"The body is over the limit of {limit:,} bytes. Send it in several requests.",
                limit_bytes=limit,
            ),
        )


class KnownLength:
    """WSGI, around Django: gives a chunked body the length it lacks.

    Django takes a body without `Content-Length` for empty, which would turn a client's data into silence. Of a body
    over the limit only as much is read as is needed to see that, and the request is marked so that no view gets a part
    for the whole; files that a view takes beyond the limit must come with their length, as browsers send them.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]], limit: int = BODY_MAX_BYTES) -> None:
        self.application = application
        self.limit = limit

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
        if chunked and not environ.get("CONTENT_LENGTH"):
            body = _read_at_most(environ["wsgi.input"], self.limit + 1)
            environ["wsgi.input"] = io.BytesIO(body)
            environ["CONTENT_LENGTH"] = str(len(body))
            if len(body) > self.limit:
                environ[CUT_SHORT] = True
        return self.application(environ, start_response)


def client_address(request: HttpRequest) -> str:
    """The address the request came from; behind https, the one that the proxy in front saw."""
    if settings.BEHIND_HTTPS:
        # The last entry is the proxy's own; those before it are whatever the client liked to send.
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").rsplit(",", 1)[-1].strip()
        if forwarded:
            return str(forwarded)
    return str(request.META.get("REMOTE_ADDR", ""))


def _declares_more_than(content_length: str | None, limit: int) -> bool:
    try:
        return int(content_length or 0) > limit
    except ValueError:
        return False  # Django reads no body then


def _read_at_most(stream: Any, limit: int) -> bytes:
    parts: list[bytes] = []
    left = limit
    while left > 0 and (part := stream.read(min(left, 65_536))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
