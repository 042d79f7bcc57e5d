"""The page on which somebody types the code that an owner gave them, and comes in."""

from __future__ import annotations

from typing import Any

from axes.decorators import axes_dispatch
from django.contrib import messages
from django.contrib.auth import authenticate, login
from django.contrib.auth.signals import user_login_failed
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from memories.errors import Conflict, InvalidInput, RevellError
from memories.problems import presentation
from memories.services import invitations
from memories.web.access import public
from memories.web.forms import JoinForm, read
from memories.web.rendering import render_page

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105 (where passwords are checked)
NOT_SIGNED_IN = "User name and password do not go together. Check both and try again."


@sensitive_post_parameters("code", "password", "again")
@public("who was invited is nobody here yet")
@axes_dispatch  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """The form; 422 when something is wrong. Guesses at codes are counted like guesses at passwords: 429."""
    if request.method != "POST":
        return _page(request)
    form = JoinForm(request.POST)
    try:
        read(form)
        membership = _accept(request, form)
    except (InvalidInput, Conflict) as error:
        return _page(request, error)
    messages.success(request, f"You are {membership.role} of {membership.tenant.name}.")
    return HttpResponseRedirect(reverse("agent", args=[membership.tenant.slug]))


def _accept(request: HttpRequest, form: JoinForm) -> Any:
    given = form.cleaned_data
    code = given["code"]
    try:
        # Before anything else: without a good code nobody learns whether a name or a password is right.
        invitations.check(code=code)
    except InvalidInput:
        user_login_failed.send(sender=__name__, credentials={"username": ""}, request=request)
        raise
    if request.user.is_authenticated:
        return invitations.accept(code=code, person=request.user)
    if given["way"] == "new":
        form.check_both_passwords()
        membership = invitations.accept_as_new(code=code, username=given["username"], password=given["password"])
        login(request, membership.person, backend=PASSWORD_BACKEND)
        return membership
    person = authenticate(request, username=given["username"], password=given["password"])
    if person is None:
        raise InvalidInput(NOT_SIGNED_IN, errors={"username": [NOT_SIGNED_IN]})
    login(request, person)
    return invitations.accept(code=code, person=person)


def _page(request: HttpRequest, error: RevellError | None = None) -> HttpResponse:
    context = {
        "host": request.get_host(),
        "code": request.POST.get("code", ""),
        "username": request.POST.get("username", ""),
        "way": "known" if request.POST.get("way") == "known" else "new",
        "error": error,
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "people/join.html", context, status=status)
