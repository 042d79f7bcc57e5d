"""The one address of MCP: who is calling and whether HTTP is in order. What was sent, `protocol` reads."""

from __future__ import annotations

import ipaddress
import json
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.request import UnreadablePostError, validate_host
from django.views.decorators.csrf import csrf_exempt

from memories.contracts.bearer import read_bearer
from memories.engine.actor import Via
from memories.errors import (
    InvalidInput,
    MethodNotAllowed,
    NotAcceptable,
    NotPermitted,
    RevellError,
    UnsupportedMediaType,
)
from memories.mcp.call import CAPABILITIES, Session
from memories.mcp.guide import INSTRUCTIONS
from memories.mcp.protocol import Reply, Server, answer
from memories.problems import as_problem, database_fault, http_headers, presentation
from memories.services import keys
from memories.services.handover import hand_over

JSON = "application/json"
_ACCEPTABLE = (JSON, "application/*", "*/*")


@csrf_exempt
def endpoint(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """POST a message, get its answer. There is no session, so there is nothing to GET and nothing to DELETE."""
    try:
        _check_http(request)
        session = Session(keys.authenticate(read_bearer(request.headers.get("Authorization", "")), via=Via.MCP))
        body = request.body
    except UnreadablePostError:
        return _problem(InvalidInput("The body broke off while it was read."))
    except Exception as raised:
        error = raised if isinstance(raised, RevellError) else database_fault(raised)
        if error is None:
            raise
        return _problem(error)
    headers = {name.lower(): value for name, value in request.headers.items()}
    return _written(session, answer(body, headers, server=_server(), serve=session.serve))


# The guard of addresses looks for this mark; `read_bearer` and `keys.authenticate` above are what it stands for.
endpoint.access = "an API key"  # type: ignore[attr-defined]


def _check_http(request: HttpRequest) -> None:
    if request.method != "POST":
        raise MethodNotAllowed("This address answers POST.", allowed=["POST"])
    origin = request.headers.get("Origin")
    if origin is not None and not _is_own(origin):
        raise NotPermitted("Pages of this origin may not call here. Allowed are loopback and ALLOWED_HOSTS.")
    if request.content_type != JSON:
        raise UnsupportedMediaType("Send the body as JSON, with “Content-Type: application/json”.", available=[JSON])
    accepted = [part.partition(";")[0].strip().lower() for part in request.headers.get("Accept", JSON).split(",")]
    if not any(kind in _ACCEPTABLE for kind in accepted):
        raise NotAcceptable("This address answers in application/json.", available=[JSON])


def _is_own(origin: str) -> bool:
    """Whether a page of this origin may call: a page from elsewhere could reach a server that its reader alone sees."""
    try:
        host = urlsplit(origin).hostname
    except ValueError:
        return False
    if not host:
        return False
    if host == "localhost" or _is_loopback(host):
        return True
    return validate_host(host, [allowed for allowed in settings.ALLOWED_HOSTS if allowed != "*"])


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _server() -> Server:
    version = str(settings.SPECTACULAR_SETTINGS["VERSION"])
    return Server("revell", "Revell", version, INSTRUCTIONS, CAPABILITIES)


def _written(session: Session, reply: Reply) -> HttpResponse | StreamingHttpResponse:
    if reply.body is None:
        return HttpResponse(status=reply.status)
    # Of what UTF-8 cannot carry, the escape of JSON is written; it can only come from what was sent.
    body = json.dumps(reply.body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    if not session.boots:
        return HttpResponse(body, status=reply.status, content_type=JSON)
    return StreamingHttpResponse(
        hand_over(session.actor, body=body, boots=session.boots), status=reply.status, content_type=JSON
    )


def _problem(error: RevellError) -> HttpResponse:
    body = json.dumps(as_problem(error), ensure_ascii=False, default=str)
    return HttpResponse(
        body,
        status=presentation(error).http_status,
        content_type="application/problem+json",
        headers=http_headers(error),
    )
