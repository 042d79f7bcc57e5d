"""The first page."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
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
    from memories.models import Person

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


def test_names_are_text(sign_in, db):
    tenant = factories.make_tenant("<script>alert(1)</script>")
    person, _ = factories.person_in(tenant)
    client = sign_in(person=person)
    for page in ("/", f"/agents/{tenant.slug}/preview/", f"/agents/{tenant.slug}/settings/"):
        text = client.get(page).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text
