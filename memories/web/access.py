"""Who may open a page. Each view wears one of these marks; the guard of the addresses reads `access`.

`public(reason)` lets everybody in, `signed_in` asks for a person, `in_tenant(scope)` makes the actor that this person
is in the agent named by the address. What is refused below a mark becomes a page here (`errors.py`). No rule is here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.errors import NotAuthenticated, RevellError
from memories.selectors import tenants
from memories.web.errors import problem
from memories.web.places import Place

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Access:
    """What a view's mark asks for; `reason` says why a public one asks for nothing."""

    who: str
    scope: str = ""
    reason: str = ""


def public(reason: str) -> Callable[[View], View]:
    """Everybody; the reason is what a reviewer reads."""

    def mark(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, **parts: Any) -> HttpResponseBase:
            return _answer(request, lambda: view(request, **parts))

        return _marked(inner, Access("everybody", reason=reason))

    return mark


def signed_in(view: View) -> View:
    """A person, in no agent in particular."""

    @wraps(view)
    def inner(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        def answer() -> HttpResponseBase:
            _check_person(request)
            return view(request, **parts)

        return _answer(request, answer)

    return _marked(inner, Access("person"))


def in_tenant(scope: Scope, *, post: Scope | None = None) -> Callable[[View], View]:
    """A member of the agent `slug` with this scope; the view gets a `Place` as its second argument.

    `post` is the scope for sending a form, where it differs from looking. Whoever is no member gets 404.
    """

    def mark(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, slug: str, **parts: Any) -> HttpResponseBase:
            def answer() -> HttpResponseBase:
                _check_person(request)
                actor, tenant = tenants.actor_of(request.user, slug=slug)  # type: ignore[arg-type]
                actor.require(post if post and request.method == "POST" else scope)
                return view(request, Place(actor, tenant, request.user), **parts)

            return _answer(request, answer)

        return _marked(inner, Access("member", scope=str(scope)))

    return mark


def why_not(actor: Actor, scope: Scope) -> str:
    """Why this actor may not do it, in the words that would refuse it; empty when they may."""
    try:
        actor.require(scope)
    except RevellError as error:
        return error.detail
    return ""


def _check_person(request: HttpRequest) -> None:
    if not request.user.is_authenticated:
        raise NotAuthenticated("Sign in first.")


def _answer(request: HttpRequest, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    try:
        return answer()
    except RevellError as error:
        return problem(request, error)


def _marked(view: View, access: Access) -> View:
    view.access = access  # type: ignore[attr-defined]
    return view
