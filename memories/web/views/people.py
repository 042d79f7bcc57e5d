"""Sign in, sign out, the choice of a theme, and the icon that browsers ask for by themselves."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.selectors import people
from memories.web.access import public
from memories.web.forms import SignInForm
from memories.web.rendering import inside, render_page

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "revell_theme"
_YEAR_SECONDS = 365 * 24 * 3600


@sensitive_post_parameters("password")
@public("whoever signs in is nobody yet")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The form; 422 for a wrong name or password, which of them is never said. Too many tries are the house's 429."""
    back = inside(request, request.POST.get("next") or request.GET.get("next", ""))
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
            "lost": "lost" in request.GET,
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
    response = HttpResponseRedirect(inside(request, request.POST.get("next", "")))
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


@public("a browser asks for it before anybody signs in")
@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    """Where the icon is, for pages that do not say it themselves: the administration, plain answers."""
    return HttpResponseRedirect(static("revell/mark.svg"), headers={"Cache-Control": "public, max-age=86400"})
