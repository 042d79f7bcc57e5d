"""Who sees what: strangers, members of another agent, and the three roles."""

from __future__ import annotations

import pytest
from django.test import Client

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.services import boot, promises
from tests import factories

pytestmark = pytest.mark.django_db
PAGES = (
    "", "preview/", "preview/text", "preview/manifest", "boots/", "boots/1/", "boots/1/text", "promises/", "memories/",
    "memories/1/", "settings/", "capsules/", "pack/", "help/", "members/", "activity/", "import/",
)  # fmt: skip
FORMS = ("promises/", "promises/1/release", "settings/")


@pytest.fixture
def filled(actor):
    factories.remember(actor)
    promises.make(actor, content="a note")
    boot.serve(actor, request=BootRequest())


@pytest.mark.parametrize("page", PAGES)
def test_strangers_are_sent_to_the_sign_in(client, at, filled, page):
    assert client.get(at(page))["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("page", PAGES)
def test_another_agents_pages_are_not_there(sign_in, other_tenant, at, filled, page):
    person, _ = factories.person_in(other_tenant)
    response = sign_in(person=person).get(at(page))
    assert response.status_code == 404
    assert "[REVELL | 404]" in response.text
    missing = sign_in(person=person).get("/agents/no-such-agent/" + page)
    assert missing.text.replace("no-such-agent", at().split("/")[2]) == response.text


@pytest.mark.parametrize("page", PAGES[1:])
@pytest.mark.parametrize("role", list(Role))
def test_every_role_may_look(sign_in, at, filled, page, role):
    assert sign_in(role).get(at(page)).status_code == 200


@pytest.mark.parametrize("form", FORMS)
def test_a_viewer_changes_nothing(sign_in, at, filled, form):
    response = sign_in(Role.VIEWER).post(at(form), {"content": "x", "budget_tokens": "9000"})
    assert response.status_code == 403
    assert "The role viewer does not have the scope" in response.text


@pytest.mark.parametrize("form", FORMS)
def test_a_stranger_and_a_member_of_another_agent_change_nothing(client, sign_in, other_tenant, at, filled, form):
    assert client.post(at(form))["Location"].startswith("/sign-in/")
    person, _ = factories.person_in(other_tenant)
    assert sign_in(person=person).post(at(form), {"content": "x"}).status_code == 404


def test_a_viewer_sees_the_controls_disabled_with_the_reason(sign_in, at, filled):
    viewer = sign_in(Role.VIEWER)
    for page in ("promises/", "settings/", "preview/?budget_tokens=9000"):
        text = viewer.get(at(page)).text
        assert "The role viewer does not have the scope" in text
        assert "disabled" in text
        assert "The role" not in sign_in(Role.EDITOR).get(at(page)).text


def test_somebody_who_was_turned_off_is_out(sign_in, tenant, at):
    person, _ = factories.person_in(tenant)
    client = sign_in(person=person)
    person.is_active = False
    person.save()
    assert client.get(at("preview/"))["Location"].startswith("/sign-in/")


@pytest.mark.parametrize(
    "page", ["boots/99/", "memories/99/", "boots/99/text", f"memories/{10**30}/", f"boots/{10**19}/"]
)
def test_what_is_not_there_is_404(owner, at, page):
    assert owner.get(at(page)).status_code == 404


def test_a_problem_for_htmx_is_a_fragment_that_leaves_the_page_alone(owner, at):
    response = owner.get(at("memories/99/"), headers={"HX-Request": "true"})
    assert response.status_code == 404
    assert "<html" not in response.text
    assert 'class="problem"' in response.text
    assert response["HX-Retarget"] == "#problem"
    unknown = owner.get("/no-such-page", headers={"HX-Request": "true"})
    assert (unknown.status_code, unknown["HX-Retarget"]) == (404, "#problem")
    assert "<html" not in unknown.text


def test_a_cursor_that_was_not_made_here_is_422(owner, at):
    for page in ("boots/", "memories/"):
        response = owner.get(at(page) + "?cursor=nonsense")
        assert response.status_code == 422
        assert "not made here" in response.text


def test_a_fault_is_a_page_with_the_number_of_the_request(sign_in, at, monkeypatch):
    client = sign_in()
    client.raise_request_exception = False
    monkeypatch.setattr("memories.web.views.promises.list_pending", lambda actor: 1 / 0)
    response = client.get(at("promises/"))
    assert response.status_code == 500
    assert "[REVELL | 500]" in response.text
    assert response["X-Request-Id"] in response.text
    assert "ZeroDivision" not in response.text


def test_no_page_is_kept_by_a_browser(owner, at):
    assert owner.get(at("preview/"))["Cache-Control"] == "no-store"
    assert isinstance(owner, Client)
