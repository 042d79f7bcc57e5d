"""Sign in, sign out, theme; and what is never told to strangers."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client

from tests import factories

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-password"


def anonymous(text):
    """A page without the name that was typed and without the secret of its forms."""
    return re.sub(r'csrfmiddlewaretoken" value="\w+"|value="(keeper|nobody)"', "", text)


def test_an_empty_installation_says_how_to_make_the_first_administrator(client):
    text = client.get("/sign-in/").text
    assert "manage.py quickstart" in text
    assert "make run" in text


def test_with_a_person_nothing_of_that_is_said(client, tenant):
    factories.person_in(tenant)
    assert "quickstart" not in client.get("/sign-in/").text


def test_a_person_signs_in_and_out(client, tenant):
    factories.person_in(tenant, username="keeper")
    response = client.post("/sign-in/", {"username": "keeper", "password": PASSWORD})
    assert (response.status_code, response["Location"]) == (302, "/")
    assert tenant.name in client.get("/").text
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/")["Location"] == "/sign-in/?next=%2F"


def test_a_wrong_password_and_an_unknown_name_are_told_alike(client, tenant):
    factories.person_in(tenant, username="keeper")
    wrong = client.post("/sign-in/", {"username": "keeper", "password": "x"})
    unknown = client.post("/sign-in/", {"username": "nobody", "password": "x"})
    empty = client.post("/sign-in/", {"username": "keeper", "password": ""})
    assert wrong.status_code == unknown.status_code == empty.status_code == 422
    assert anonymous(wrong.text) == anonymous(unknown.text)
    assert "do not go together" in wrong.text


@pytest.mark.parametrize("name", ["keeper", "nobody"])
def test_too_many_tries_are_a_page_of_429_whether_the_name_exists_or_not(client, tenant, name):
    factories.person_in(tenant, username="keeper")
    for _ in range(10):
        response = client.post("/sign-in/", {"username": name, "password": "x"})
    assert response.status_code == 429
    assert "[REVELL | 429]" in response.text
    assert name not in response.text
    assert int(response["Retry-After"]) == 900
    assert client.post("/sign-in/", {"username": "keeper", "password": PASSWORD}).status_code == 429


def test_whoever_is_not_signed_in_comes_back_to_the_page_after_it(client, tenant):
    factories.person_in(tenant, username="keeper")
    page = f"/agents/{tenant.slug}/preview/?context_hint=a+b"
    to_sign_in = client.get(page)
    assert to_sign_in["Location"].startswith("/sign-in/?next=")
    form = client.get(to_sign_in["Location"]).text
    assert "context_hint=a+b" in form
    assert client.post("/sign-in/", {"username": "keeper", "password": PASSWORD, "next": page})["Location"] == page


def test_whose_session_ended_comes_back_from_a_part_and_from_a_form(client, tenant):
    page = f"/agents/{tenant.slug}/preview/?context_hint=a"
    asked = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{page}"}
    part = client.get(f"/agents/{tenant.slug}/preview/?context_hint=ab", headers=asked)
    assert part["HX-Redirect"] == f"/sign-in/?{urlencode({'next': page})}"
    form = client.post(page, {"content": "x"}, headers={"Referer": f"http://testserver{page}"})
    assert parse_qs(urlsplit(form["Location"]).query)["next"] == [page]
    assert "Not saved: you were signed out" in client.get(form["Location"]).text
    assert "Not saved" not in client.get("/sign-in/").text


@pytest.mark.parametrize(
    "referer", ["https://example.org/", "http://testserver//example.org", "http://testserver/\\example.org", "http://["]
)
def test_the_way_back_of_a_form_is_never_a_stranger_s(client, tenant, referer):
    form = client.post(f"/agents/{tenant.slug}/promises/", {"content": "x"}, headers={"Referer": referer})
    assert parse_qs(urlsplit(form["Location"]).query)["next"] == ["/"]


def test_the_icon_is_there_for_who_asks_by_habit(client):
    assert client.get("/favicon.ico")["Location"].startswith("/static/revell/mark")


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org", "/\\example.org", "javascript:x"])
def test_no_link_leads_to_a_stranger(client, tenant, elsewhere):
    factories.person_in(tenant, username="keeper")
    signed = client.post("/sign-in/", {"username": "keeper", "password": PASSWORD, "next": elsewhere})
    assert signed["Location"] == "/"
    assert client.post("/theme/", {"theme": "dark", "next": elsewhere})["Location"] == "/"


def test_htmx_is_sent_to_the_sign_in_as_a_whole_page(client, tenant):
    response = client.get(f"/agents/{tenant.slug}/preview/", headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == "/sign-in/?next=%2F"


def test_the_theme_is_a_cookie_and_an_unknown_one_is_not_kept(client):
    assert client.post("/theme/", {"theme": "dark", "next": "/sign-in/"})["Location"] == "/sign-in/"
    assert 'class="theme-dark"' in client.get("/sign-in/").text
    client.post("/theme/", {"theme": "light"})
    assert 'class="theme-light"' in client.get("/sign-in/").text
    client.post("/theme/", {"theme": "auto"})
    assert 'class="theme-' not in client.get("/sign-in/").text
    client.post("/theme/", {"theme": '"><script>'})
    assert client.cookies["revell_theme"].value == "auto"


def test_forms_without_their_secret_are_refused(tenant):
    strict = Client(enforce_csrf_checks=True)
    person, _ = factories.person_in(tenant)
    strict.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    response = strict.post(f"/agents/{tenant.slug}/promises/", {"content": "x"})
    assert response.status_code == 403
    assert "[REVELL | 403]" in response.text
