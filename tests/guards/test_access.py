"""Every address stands behind a mark that says who may come in; what is open to all is listed with its reason."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.permissions import AllowAny

from revell.refusals import RefuseAll
from tests.guards.routes import Route, routes
from tests.guards.sources import check_allow_list

SCOPES = {"read", "write", "boot", "configure"}
OPEN = {
    "healthz": "says only that the process lives",
    "readyz": "says only whether it can serve",
    "metrics": "checks loopback or its own key itself",
    "api/schema/": "the schema is the same for everybody and holds no row",
    "api/docs/": "the schema is the same for everybody and holds no row",
}


def is_marked(route: Route) -> bool:
    """True when something asks who is calling: a page's decorator, a REST view's permission and scope, the admin."""
    if route.path.startswith("admin/"):
        return True  # Django's admin wraps each of its views in a check of its own
    kind = route.view_class
    if kind is not None and hasattr(kind, "permission_classes"):
        permissions = kind.permission_classes
        return bool(permissions) and AllowAny not in permissions and _has_scopes(route)
    access = getattr(route.view, "access", None)
    if getattr(access, "who", "") == "everybody":
        return len(access.reason.split()) >= 3
    return bool(access)


def _has_scopes(route: Route) -> bool:
    """True with one known scope for all verbs (`scope`), or one for each verb that the view answers (`scopes`)."""
    scopes = getattr(route.view_class, "scopes", None)
    if scopes is None:
        return getattr(route.view_class, "scope", None) in SCOPES
    return bool(scopes) and set(scopes) >= set(route.methods()) and set(scopes.values()) <= SCOPES


def test_every_address_is_behind_an_access_mark():
    found = [route.path for route in routes() if not is_marked(route)]
    wanted = {path: reason for path, reason in OPEN.items() if path in {route.path for route in routes()}}
    check_allow_list(found, wanted, "Mark these (memories.web.access, or a permission and a scope)")


def test_a_view_without_a_mark_is_seen():
    class Anybody:
        permission_classes = (AllowAny,)
        scope = "read"

    class NoScope:
        permission_classes = (RefuseAll,)

    class UnknownScope:
        permission_classes = (RefuseAll,)
        scope = "reed"

    class ForgottenVerb:
        permission_classes = (RefuseAll,)
        scopes: ClassVar = {"GET": "read"}

        def get(self): ...

        def delete(self): ...

    class Marked(ForgottenVerb):
        scopes: ClassVar = {"GET": "read", "DELETE": "write"}

    def view_of(kind=None):
        def view(request): ...

        view.cls = kind
        return Route("x", view, None)

    assert not any(is_marked(view_of(kind)) for kind in (None, Anybody, NoScope, UnknownScope, ForgottenVerb))
    assert is_marked(view_of(Marked))
