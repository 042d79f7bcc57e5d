"""Sign in, sign out, and the choice of a theme."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from memories.selectors import people
from memories.web.access import public
from memories.web.forms import SignInForm
from memories.web.rendering import render_page

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "revell_theme"
_YEAR_SECONDS = 365 * 24 * 3600


@sensitive_post_parameters("password")
@public("whoever signs in is nobody yet")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The form; 422 for a wrong name or password, which of them is never said. Too many tries are the house's 429."""
    back = _inside(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.user.is_authenticated:
        return HttpResponseRedirect(back)
    form = SignInForm(request.POST or None)
    refused = False
    if request.method == "POST":
        person = authenticate(request, **form.cleaned_data) if form.is_valid() else None
        if person is not None:
            login(request, person)
            return HttpResponseRedirect(back)
        refused = True
    return render_page(
        request,
        "people/sign_in.html",
        {
            "next": back,
            "username": request.POST.get("username", ""),
            "refused": refused,
            "host": request.get_host(),
            "nobody_yet": not people.anybody_can_sign_in(),
        },
        status=422 if refused else 200,
    )


@public("somebody whose session ended may still press the button")
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return HttpResponseRedirect(settings.LOGOUT_REDIRECT_URL)


@public("how a page looks is no secret, and the sign-in has a theme too")
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the choice in a cookie and go back to where it was made."""
    response = HttpResponseRedirect(_inside(request, request.POST.get("next", "")))
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(
            THEME_COOKIE,
            chosen,
            max_age=_YEAR_SECONDS,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response


def _inside(request: HttpRequest, address: str) -> str:
    """`address` when it is one of ours, else the first page: a link must not send people to strangers."""
    ours = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if ours else settings.LOGIN_REDIRECT_URL
