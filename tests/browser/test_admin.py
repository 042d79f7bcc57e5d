"""The admin in a real browser: no page of it breaks the content security policy (the fixture `page` watches)."""

from __future__ import annotations

import pytest
from django.apps import apps

from memories.models import Person
from tests import factories
from tests.admin.conftest import KINDS, address, fill


@pytest.fixture
def signed_in(page, live_server, transactional_db):
    Person.objects.create_superuser("operator", password="a-long-password")
    fill(factories.make_tenant(), 2)
    page.goto(f"{live_server.url}/admin/")
    page.fill("#id_username", "operator")
    page.fill("#id_password", "a-long-password")
    page.click("input[type=submit]")
    assert page.locator("#site-name").inner_text() == "Revell for its operator"
    return page


def test_no_page_of_the_admin_breaks_the_content_security_policy(signed_in, live_server):
    rows = {kind: apps.get_model("memories", kind)._default_manager.first() for kind in KINDS}
    pages = [address(kind) for kind in KINDS]
    pages += [address(kind, row.pk, "change") for kind, row in rows.items()]
    pages += [address(kind, "add") for kind in ("tenant", "membership", "apikey", "person")]
    pages += [address("person", rows["person"].pk, "password"), address("membership", rows["membership"].pk, "delete")]
    for path in pages:
        assert signed_in.goto(live_server.url + path).status == 200, path


def test_an_agent_is_chosen_from_the_list_that_searches(signed_in, live_server):
    signed_in.goto(live_server.url + address("apikey", "add"))
    signed_in.click(".field-tenant .select2-selection")
    signed_in.keyboard.type("agent")
    signed_in.click(".select2-results__option--highlighted, .select2-results__option:not(.loading-results)")
    signed_in.fill("#id_name", "cron")
    signed_in.check("input[name=scopes][value=read]")
    signed_in.click("input[name=_save]")
    assert "shown only now: rvl_" in signed_in.locator(".messagelist").inner_text()
