"""How each error of `errors.py` is shown: the one table from class to HTTP, page, MCP and command.

A skin asks here and decides nothing itself. A class that has no line of its own is shown as its nearest ancestor.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import InterfaceError, OperationalError

from memories.errors import (
    Conflict,
    InvalidInput,
    MethodNotAllowed,
    NotAcceptable,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    RateLimited,
    RevellError,
    TooLarge,
    Unavailable,
    UnsupportedMediaType,
)

EXIT_FAULT = 1
EXIT_TRY_AGAIN = 75


class McpForm(StrEnum):
    """Where an MCP client finds the error: in a tool's result, in the HTTP status, or as a JSON-RPC error."""

    TOOL_ERROR = "tool error"
    HTTP_STATUS = "HTTP status"
    INTERNAL_ERROR = "JSON-RPC error -32603"


@dataclass(frozen=True, slots=True)
class Presentation:
    """`http_status` for REST, `page_status` for pages, `mcp` for tools, `exit_code` for commands."""

    http_status: int
    page_status: int
    mcp: McpForm
    exit_code: int


PRESENTATIONS: dict[type[RevellError], Presentation] = {
    # The root itself is never raised; a line for it makes the walk end somewhere.
    RevellError: Presentation(500, 500, McpForm.INTERNAL_ERROR, EXIT_FAULT),
    InvalidInput: Presentation(400, 422, McpForm.TOOL_ERROR, EXIT_FAULT),
    NotAuthenticated: Presentation(401, 401, McpForm.HTTP_STATUS, EXIT_FAULT),
    NotPermitted: Presentation(403, 403, McpForm.TOOL_ERROR, EXIT_FAULT),
    NotFound: Presentation(404, 404, McpForm.TOOL_ERROR, EXIT_FAULT),
    MethodNotAllowed: Presentation(405, 405, McpForm.HTTP_STATUS, EXIT_FAULT),
    NotAcceptable: Presentation(406, 406, McpForm.HTTP_STATUS, EXIT_FAULT),
    UnsupportedMediaType: Presentation(415, 415, McpForm.HTTP_STATUS, EXIT_FAULT),
    Conflict: Presentation(409, 409, McpForm.TOOL_ERROR, EXIT_FAULT),
    TooLarge: Presentation(413, 413, McpForm.HTTP_STATUS, EXIT_FAULT),
    RateLimited: Presentation(429, 429, McpForm.TOOL_ERROR, EXIT_TRY_AGAIN),
    Unavailable: Presentation(503, 503, McpForm.TOOL_ERROR, EXIT_TRY_AGAIN),
}
RETRY_AFTER_DEFAULT_SECONDS = 5
DATABASE_RETRY_AFTER_SECONDS = 2


def presentation(error: RevellError | type[RevellError]) -> Presentation:
    """The line of the table for `error` or its nearest ancestor."""
    kind = error if isinstance(error, type) else type(error)
    return next(PRESENTATIONS[ancestor] for ancestor in kind.__mro__ if ancestor in PRESENTATIONS)


def as_problem(error: RevellError) -> dict[str, Any]:
    """The body of an RFC 9457 problem: the standard members, `code`, `errors` by field, and the error's own data.

    The error's data never hides a standard member.
    """
    return {
        **error.data,
        "type": f"urn:revell:problem:{error.code}",
        "title": error.title,
        "status": presentation(error).http_status,
        "code": error.code,
        "detail": error.detail,
        "errors": error.errors,
    }


def http_headers(error: RevellError) -> dict[str, str]:
    """What HTTP wants said beside the body: how to sign in, which verbs there are, when to try again (seconds)."""
    status = presentation(error).http_status
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if status == 405:
        return {"Allow": ", ".join(error.data.get("allowed", ()))}
    if status in (429, 503):
        return {"Retry-After": str(int(error.data.get("retry_after", RETRY_AFTER_DEFAULT_SECONDS)))}
    return {}


def database_fault(raised: Exception) -> Unavailable | None:
    """What is said when the database raised this: that it does not answer now; None for anything else."""
    if isinstance(raised, OperationalError | InterfaceError):
        return Unavailable(
            "The database does not answer in time. Nothing was changed; try again.",
            retry_after=DATABASE_RETRY_AFTER_SECONDS,
        )
    return None


def all_errors() -> list[type[RevellError]]:
    """Every class of the tree below the root, parents before children, in the order of `errors.py`."""
    found: list[type[RevellError]] = []

    def visit(kind: type[RevellError]) -> None:
        for child in kind.__subclasses__():
            if child.__module__ == RevellError.__module__:
                found.append(child)
                visit(child)

    visit(RevellError)
    return found
