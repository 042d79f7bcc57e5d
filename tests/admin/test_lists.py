"""Lists and pages of the admin: they open, they cost the same with many rows, they show no secret and load no bulk."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.delivery import BootRequest
from memories.models import ApiKey, Boot, Memory, Person
from memories.services import boot, memories, promises
from tests import factories
from tests.admin.conftest import KINDS, address, fill

READ_ONLY = ("memory", "promise", "boot", "event", "invitation", "capsule", "capsulerelation", "termalias")


def queries_of(client, url):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(url).status_code == 200
    return [query["sql"] for query in queries.captured_queries]


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_costs_the_same_with_thirty_rows_as_with_ten(operator_client, tenant, kind):
    fill(tenant, 10)
    operator_client.get(address(kind))
    ten = queries_of(operator_client, address(kind))
    fill(tenant, 20)
    assert len(queries_of(operator_client, address(kind))) == len(ten)
    assert len(ten) <= 10


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("memory", ("content", "subject")),
        ("promise", ("content",)),
        ("boot", ("payload", "manifest")),
        ("apikey", ("secret_hash",)),
        ("invitation", ("code_hash",)),
        ("capsule", ("content",)),
    ],
)
def test_a_list_does_not_load_long_columns(operator_client, tenant, kind, columns):
    fill(tenant)
    table = apps.get_model("memories", kind)._meta.db_table
    chosen = [sql.split(" FROM ")[0] for sql in queries_of(operator_client, address(kind)) if f'FROM "{table}"' in sql]
    # The beginning of a content is cut by the database.
    whole = [re.sub(r"(SUBSTR|LEFT)\([^)]*\)", "", part) for part in chosen]
    assert any('."id"' in part for part in whole)
    assert [part for part in whole for column in columns if f'"{table}"."{column}"' in part] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_has_a_page(operator_client, tenant, kind):
    fill(tenant)
    row = apps.get_model("memories", kind)._default_manager.order_by("-pk").first()
    assert operator_client.get(address(kind, row.pk, "change")).status_code == 200


@pytest.mark.parametrize("kind", ["memory", "boot"])
def test_a_page_costs_the_same_with_many_rows_below_it(operator_client, tenant, actor, kind):
    def grow(times):
        memory = factories.remember(actor, content="version 0")
        for number in range(times):
            memories.revise(
                actor, number=memory.number, changes={"content": f"version {number + 1}", "tags": [str(number)]}
            )
            promises.make(actor, content=f"{times} {number}")
        served = boot.serve(actor, request=BootRequest())
        boot.decay(actor, boot=served.boot)
        row = memory if kind == "memory" else Boot.objects.get(number=served.boot)
        return queries_of(operator_client, address(kind, row.pk, "change"))

    grow(1)
    assert len(grow(9)) == len(grow(2))


@pytest.mark.parametrize("kind", READ_ONLY)
def test_what_a_tenant_holds_is_added_changed_and_deleted_nowhere(operator_client, tenant, kind):
    fill(tenant)
    model = apps.get_model("memories", kind)
    row = model._default_manager.first()
    before = model._default_manager.count()
    assert operator_client.get(address(kind, "add")).status_code == 403
    assert operator_client.post(address(kind, row.pk, "change"), {"tenant": tenant.pk}).status_code == 403
    assert operator_client.post(address(kind, row.pk, "delete"), {"post": "yes"}).status_code == 403
    assert b"delete_selected" not in operator_client.get(address(kind)).content
    assert model._default_manager.count() == before


@pytest.mark.parametrize("kind", ["tenant", "apikey", "person"])
def test_tenants_keys_and_people_are_not_deleted(operator_client, tenant, kind):
    fill(tenant)
    row = apps.get_model("memories", kind)._default_manager.first()
    assert operator_client.post(address(kind, row.pk, "delete"), {"post": "yes"}).status_code == 403


def test_no_page_shows_a_hash(operator_client, tenant):
    factories.issue_key(tenant)
    person, _ = factories.person_in(tenant)
    key = ApiKey.objects.get()
    pages = [address("apikey"), address("apikey", key.pk, "change"), address("person", person.pk, "change")]
    shown = "".join(operator_client.get(page).content.decode() for page in pages)
    assert key.prefix in shown
    assert key.secret_hash not in shown
    assert person.password.split("$")[-1][:6] not in shown
    assert person.password.split("$")[1][:6] not in shown


def test_the_page_of_a_key_says_its_scopes_in_words(operator_client, tenant):
    factories.issue_key(tenant)
    page = operator_client.get(address("apikey", ApiKey.objects.get().pk, "change")).content.decode()
    assert ", ".join(ApiKey.objects.get().scopes) in page
    assert "[&quot;" not in page


def test_people_without_the_right_see_nothing(client, tenant):
    fill(tenant)
    staff = Person.objects.create_user("staff", password="a-long-password", is_staff=True)
    client.force_login(staff, backend="django.contrib.auth.backends.ModelBackend")
    assert {client.get(address(kind)).status_code for kind in KINDS} == {403}
    client.force_login(
        Person.objects.exclude(is_staff=True).first(), backend="django.contrib.auth.backends.ModelBackend"
    )
    assert {client.get(address(kind)).status_code for kind in KINDS} == {302}


@pytest.mark.parametrize(
    ("kind", "query", "number"),
    [
        ("memory", "q=second", 3),
        ("memory", "q=no-such-word", 0),
        ("memory", "state=active", 6),
        ("memory", "state=archived", 0),
        ("memory", "state=bin", 0),
        ("memory", "type__exact=core", 0),
        ("promise", "q=pending 1", 1),
        ("boot", "via=rest", 3),
        ("boot", "via=mcp", 0),
        ("capsule", "q=known", 3),
        ("capsule", "content=kept", 6),
        ("capsule", "content=forgotten", 0),
        ("capsule", "tier__exact=archived", 3),
        ("capsule", "kind__exact=task", 0),
        ("capsulerelation", "kind__exact=supersedes", 3),
        ("capsulerelation", "q=1", 1),
        ("termalias", "q=alias", 3),
        ("invitation", "role__exact=viewer", 3),
        ("tenant", "q=agent", 1),
        ("apikey", "revoked_at__isempty=1", 3),
        ("membership", "role__exact=owner", 0),
    ],
)
def test_search_and_filters(operator_client, tenant, kind, query, number):
    fill(tenant, 3)
    page = operator_client.get(f"{address(kind)}?{query}")
    assert page.context["cl"].result_count == number


def test_the_payload_stands_on_the_page_of_its_boot_until_it_is_pruned(operator_client, tenant):
    fill(tenant)
    page = address("boot", Boot.objects.get().pk, "change")
    assert b"[REVELL | END]" in operator_client.get(page).content
    Boot.objects.update(payload="")
    assert b"no longer kept" in operator_client.get(page).content


def test_the_page_of_a_memory_shows_its_earlier_versions(operator_client, tenant):
    fill(tenant)
    page = operator_client.get(address("memory", Memory.objects.get(number=1).pk, "change")).content.decode()
    assert "second 0" in page
    assert "first 0" in page


def test_what_is_stored_is_shown_as_text(operator_client, actor):
    memory = factories.remember(actor, content="<script>alert(1)</script>")
    for page in (address("memory"), address("memory", memory.pk, "change")):
        assert "<script>alert" not in operator_client.get(page).content.decode()
