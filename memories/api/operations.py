"""What every operation of the REST skin shares: contracts around the call, and the same in the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, PolymorphicProxySerializer, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.auth import HasScope, KeyAuthentication
from memories.api.errors import PROBLEM_TYPE
from memories.api.parsing import StrictJSONParser
from memories.contracts.base import Contract, Nothing, Query
from memories.contracts.ids import PATTERN, Prefix
from memories.contracts.problems import Problem
from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.errors import RevellError
from memories.problems import all_errors, presentation

# What any operation may answer, and what only those with a body.
_ALWAYS = (400, 401, 403, 406, 500, 503)
_WITH_BODY = (413, 415)
_MEANINGS = {
    400: "The request cannot be understood or breaks a limit.",
    401: "No API key, or one that is not accepted.",
    403: "The API key lacks the scope of this operation.",
    404: "No such thing for this agent.",
    406: "The answer cannot be given in the form that was asked for.",
    409: "The present state forbids it; nothing was changed.",
    413: "The body is over 2 MiB.",
    415: "The body is not JSON.",
    500: "A fault in Revell.",
    503: "The database does not answer in time; try again.",
}
_BODY_METHODS = ("POST", "PUT", "PATCH")


@dataclass(frozen=True, slots=True)
class Call:
    """One request, read: who calls, what stands in the address and in the body."""

    actor: Actor
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    request: Request


class Endpoint(APIView):
    """An address. `scopes` names the scope of each verb; each verb is a function under `operation`."""

    authentication_classes = (KeyAuthentication,)
    permission_classes = (HasScope,)
    parser_classes = (StrictJSONParser,)
    renderer_classes: Sequence[type[BaseRenderer]] = (JSONRenderer,)
    # No OPTIONS: what there is to say stands in the schema.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    scopes: ClassVar[Mapping[str, Scope]] = {}


Handler = Callable[..., Any]


def operation(
    name: str,
    *,
    tag: str,
    answers: Mapping[Any, Any],
    query: type[Query] = Query,
    body: type[Contract] = Nothing,
    path: Sequence[OpenApiParameter] = (),
    headers: Sequence[OpenApiParameter] = (),
    refusals: Sequence[int] = (),
) -> Callable[[Handler], Handler]:
    """Turns `handler(view, call, *path)` into a verb of an `Endpoint`, with its entry `name` in the schema.

    `query` and `body` are read before the handler runs; what they do not name is refused. `answers` maps a status, or
    a status with a media type, to the shape that comes out; `refusals` are statuses besides those of every operation.
    """

    def decorate(handler: Handler) -> Handler:
        method = handler.__name__.upper()
        has_body = method in _BODY_METHODS

        @wraps(handler)
        def view(self: Endpoint, request: Request, **parts: str) -> Any:
            call = Call(
                actor=request.user,  # type: ignore[arg-type]
                query=query.read_query(dict(request.query_params.lists())),
                body=body.read(request.data) if has_body else {},
                request=request,
            )
            return handler(self, call, *parts.values())

        view.needs_body = has_body and body.is_needed()  # type: ignore[attr-defined]
        expected = {*_ALWAYS, *(_WITH_BODY if has_body else ()), *refusals}
        title, _, text = (handler.__doc__ or "").partition("\n")
        described: Handler = extend_schema(
            operation_id=name,
            summary=title.strip().rstrip("."),
            description=" ".join(text.split()) or " ",
            tags=[tag],
            request=_request_schema(body) if has_body and body is not Nothing else None,
            parameters=[*path, *headers, *([] if query is Query else [query])],
            responses={**answers, **{(status, PROBLEM_TYPE): _problem(status) for status in sorted(expected)}},
        )(view)
        return described

    return decorate


def id_parameter(prefix: Prefix) -> OpenApiParameter:
    """The `{id}` of an address."""
    return OpenApiParameter(
        "id", {"type": "string", "pattern": f"^{prefix}-{PATTERN}$"}, OpenApiParameter.PATH, description=f"`{prefix}-7`"
    )


def answer_header(name: str, text: str, *statuses: int) -> OpenApiParameter:
    """A header of the answers with these statuses."""
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=text, response=list(statuses))


def created(body: Any, location: str, request: Request, **headers: str) -> Response:
    """201 with where the new thing is."""
    return Response(body, status=201, headers={"Location": request.build_absolute_uri(location), **headers})


def either(name: str, *kinds: Any) -> PolymorphicProxySerializer:
    """For the schema: the body is one of `kinds`."""
    return PolymorphicProxySerializer(component_name=name, serializers=list(kinds), resource_type_field_name=None)


def _request_schema(body: type[Contract]) -> Any:
    if body.alternatives:
        return either(body.__name__, *body.alternatives)
    return body


def _problem(status: int) -> OpenApiResponse:
    codes = [f"`{kind.code}`" for kind in all_errors() if _status(kind) == status]
    return OpenApiResponse(Problem, description=" ".join((_MEANINGS[status], ", ".join(codes) or "`internal`")))


def _status(kind: type[RevellError]) -> int:
    return presentation(kind).http_status
