"""The first page."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.actor import Via, operator
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.models import Event, Membership, Person, Tenant
from memories.services import boot, promises, tenants
from tests import factories

pytestmark = pytest.mark.django_db


def queries_of(client, path):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_each_agent_shows_its_last_boot_and_the_use_of_its_cap(sign_in, tenant, actor):
    person, _ = factories.person_in(tenant)
    promises.make(actor, content="x" * 100)
    boot.serve(actor, request=BootRequest())
    text = sign_in(person=person).get("/").text
    assert tenant.name in text
    assert "boot-1" in text
    assert "1 pending" in text
    assert "of 8,800 B" in text


def test_p8_an_agent_whose_promises_are_over_the_cap_is_named(sign_in, tenant, actor):
    promises.make(actor, content="x" * 8_800)
    tenants.configure(factories.operator_in(tenant), budget_tokens=20_000)
    assert "800 B over the cap" in sign_in().get("/").text


def test_other_peoples_agents_are_not_there(owner, other_tenant):
    assert other_tenant.name not in owner.get("/").text


def test_without_an_agent_the_page_says_how_to_get_one(sign_in, other_tenant):
    alone = Person.objects.create_user(username="alone", password="a-long-password")
    assert "No agent is yours yet" in sign_in(person=alone).get("/").text


def test_ten_agents_cost_as_many_queries_as_thirty(sign_in, tenant):
    person, _ = factories.person_in(tenant)
    client = sign_in(person=person)
    client.get("/")
    counts = []
    for _ in range(2):
        for _ in range(10):
            more = factories.make_tenant()
            boot.serve(factories.agent_of(more), request=BootRequest())
            tenants.set_member(factories.operator_in(more), person=person, role=Role.VIEWER)
        counts.append(queries_of(client, "/"))
    assert counts[0] == counts[1]


def test_many_agents_come_in_pages(sign_in, tenant):
    person, _ = factories.person_in(tenant)
    for number in range(55):
        more = factories.make_tenant(f"Agent {number:02}")
        tenants.set_member(factories.operator_in(more), person=person, role=Role.VIEWER)
    client = sign_in(person=person)
    first, second = client.get("/").text, client.get("/?page=2").text
    assert "56 in all" in first
    assert first.count("<article") == 50
    assert second.count("<article") == 6
    assert "Page 2 of 2" in second
    for page in ("0", "-1", "x", "9" * 300, "٢"):
        assert client.get("/", {"page": page}).status_code == 200
    assert client.get("/", {"page": "99"}).text.count("<article") == 6


def test_p34_the_next_payload_of_an_agent_is_that_of_its_preview(owner, actor, tenant, at):
    factories.remember(actor, "episodic", "x" * 900)
    promises.make(actor, content="Look at this first.")
    manifest = boot.preview(actor, request=BootRequest()).manifest
    assert f'hx-get="{at("next")}"' in owner.get("/").text
    text = owner.get(at("next")).text
    assert f"<b>{manifest['size_bytes']:,}</b>" in text
    assert f"of {manifest['budget_bytes']:,} B" in text
    assert "Promised" in text


@pytest.fixture
def administrator(sign_in, db):
    return sign_in(person=Person.objects.create_superuser(username="root", password="a-long-password"))


def test_an_administrator_makes_an_agent_and_comes_to_its_connect_page(administrator):
    assert "Make the first agent" in administrator.get("/").text
    made = administrator.post("/new-agent/", {"name": "Night Wätch", "slug": ""})
    assert made["Location"] == "/agents/night-watch/connect/"
    made_one = Tenant.objects.get(slug="night-watch")
    assert made_one.name == "Night Wätch"
    assert [(one.person.username, one.role) for one in Membership.objects.filter(tenant=made_one)] == [
        ("root", "owner")
    ]
    assert [(one.verb, one.actor, one.via) for one in Event.objects.filter(tenant=made_one).order_by("pk")] == [
        ("tenant.created", "root", "page"),
        ("member.added", "root", "page"),
    ]
    assert "Night Wätch is there" in administrator.get(made["Location"]).text


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        ({"name": " ", "slug": ""}, 422, "A name is one line of text"),
        ({"name": "日本", "slug": ""}, 422, "A slug is lower-case letters"),
        ({"name": "Night", "slug": "No Slug"}, 422, "A slug is lower-case letters"),
        ({"name": "x" * 101, "slug": "night"}, 422, "A name has at most 100 characters"),
        ({"name": "Clawbert", "slug": "taken"}, 409, "There is an agent “taken” already."),
    ],
)
def test_an_agent_that_cannot_be_made_is_refused_on_the_form(administrator, sent, status, told):
    tenants.create(operator(Via.COMMAND), slug="taken")
    before = Tenant.objects.count()
    answer = administrator.post("/new-agent/", sent)
    assert answer.status_code == status
    assert told in answer.text
    assert f'value="{sent["slug"]}"' in answer.text
    assert Tenant.objects.count() == before


def test_only_an_administrator_makes_agents_and_others_see_why(owner, tenant):
    text = owner.get("/").text
    assert re.search(r'<button[^>]* disabled aria-describedby="refused"', text)
    assert "Only an administrator of this server may do this." in text
    assert "Administration" not in text
    for answer in (owner.get("/new-agent/"), owner.post("/new-agent/", {"name": "Mine"})):
        assert answer.status_code == 403
        assert "Only an administrator of this server may do this." in answer.text
    assert Tenant.objects.count() == 1


def test_staff_find_the_administration(administrator):
    assert 'href="/admin/"' in administrator.get("/").text


def test_names_are_text(sign_in, db):
    tenant = factories.make_tenant("<script>alert(1)</script>")
    person, _ = factories.person_in(tenant)
    client = sign_in(person=person)
    for page in ("/", f"/agents/{tenant.slug}/preview/", f"/agents/{tenant.slug}/settings/"):
        text = client.get(page).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text
