"""Who is calling, by API key, and whether the key has the scope that the call needs. The domain decides."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from memories.contracts.bearer import read_bearer
from memories.engine.actor import Actor, Via
from memories.services import keys


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer rvl_…`."""

    def authenticate(self, request: Request) -> tuple[Actor, None]:
        return keys.authenticate(read_bearer(request.headers.get("Authorization", "")), via=Via.REST), None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class HasScope(BasePermission):
    """The view names the scope of each of its verbs in `scopes`; a verb that it does not have is answered with 405."""

    def has_permission(self, request: Request, view: Any) -> bool:
        method = "GET" if request.method == "HEAD" else request.method
        scope = view.scopes.get(method)
        if scope is not None:
            request.user.require(scope)  # type: ignore[union-attr]
        return True


class _KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = KeyAuthentication
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API key of one agent: `rvl_…`."}
