"""Connect: keys that are shown once, who may make and revoke them, and setup texts that are those of the docs."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.models import ApiKey, Event
from memories.services import boot, keys
from memories.web.presenters import setups
from tests import factories

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[2] / "docs" / "integrations.md"
NEW = {"name": "boat-shed laptop", "scopes": ["boot", "read", "write"], "expires": ""}


def issue(tenant, name="laptop", **options):
    return keys.issue(factories.operator_in(tenant), name=name, scopes=["boot", "read"], **options)


def test_a_key_is_shown_once_and_lets_its_program_in(owner, at, caplog):
    made = owner.post(at("connect/"), NEW)
    assert made.status_code == 200
    assert made["Cache-Control"] == "no-store"
    secret = re.search(r'id="key"[^>]* value="(rvl_[^"]+)"', made.text)[1]
    assert f"export REVELL_KEY={secret}" in made.text
    served = Client().post(
        "/api/v1/boot", headers={"authorization": f"Bearer {secret}"}, content_type="application/json"
    )
    assert served.status_code == 200
    key = ApiKey.objects.get()
    assert (key.name, key.scopes, key.expires_at) == ("boat-shed laptop", ["read", "write", "boot"], None)
    for page in ("connect/", "activity/", ""):
        text = owner.get(at(page)).text
        assert secret not in text
    assert f"{key}_…" in owner.get(at("connect/")).text
    assert secret not in str(list(Event.objects.values()))
    assert secret not in caplog.text


@pytest.mark.parametrize(("days", "least", "most"), [("30", 29, 30), ("90", 89, 90), ("365", 364, 365)])
def test_a_key_may_end_by_itself(owner, at, days, least, most):
    owner.post(at("connect/"), NEW | {"expires": days})
    left = ApiKey.objects.get().expires_at - timezone.now()
    assert timedelta(days=least) < left <= timedelta(days=most)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"name": " "}, "A name is one line of text"),
        ({"name": "x" * 101}, "A name has at most 100 characters"),
        ({"name": "a\x00b"}, "A name is one line of text"),
        ({"scopes": []}, "A key has one or more of the scopes"),
        ({"scopes": ["manage"]}, "There is no such scope."),
        ({"expires": "7"}, "A key ends never, in 30, 90 or 365 days."),
    ],
)
def test_what_is_refused_is_said_and_what_was_typed_stays(owner, at, sent, told):
    refused = owner.post(at("connect/"), NEW | sent)
    assert refused.status_code == 422
    assert told in refused.text
    assert f'value="{(NEW | sent)["name"]}"'.replace("\x00", "") in refused.text.replace("\x00", "").replace("�", "")
    assert not ApiKey.objects.exists()


def test_revoking_asks_once_in_a_dialog_that_names_the_key(owner, tenant, at):
    issued = issue(tenant, "tide <board>")
    address = at(f"connect/{issued.key.prefix}/revoke/")
    asked = owner.get(address).text
    assert "<dialog" in asked
    assert "Revoke tide &lt;board&gt;?" in asked
    assert ApiKey.objects.get().revoked_at is None
    assert owner.post(address)["Location"] == at("connect/")
    assert ApiKey.objects.get().revoked_at is not None
    text = owner.get(at("connect/")).text
    assert "revoked" in text
    assert "0 in use, 1 in all" in text
    assert owner.post(at("connect/nosuchkey/revoke/")).status_code == 404


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
def test_others_see_the_keys_and_every_control_disabled_with_the_reason(sign_in, tenant, at, role):
    prefix = issue(tenant).key.prefix
    client = sign_in(role)
    text = client.get(at("connect/")).text
    assert f"rvl_{prefix}_…" in text
    assert f"The role {role} does not have the scope “manage”" in text
    controls = re.findall(r"<(?:button|select|input)\b[^>]*>", text.split("<main", 1)[1])
    assert [one for one in controls if "hidden" not in one and "disabled" not in one] == []
    for address in ("connect/", f"connect/{prefix}/revoke/"):
        assert client.post(at(address), NEW).status_code == 403
    assert ApiKey.objects.get().revoked_at is None


def test_another_agents_keys_are_not_there(owner, other_tenant, at):
    prefix = issue(other_tenant).key.prefix
    assert f"rvl_{prefix}" not in owner.get(at("connect/")).text
    assert owner.post(at(f"connect/{prefix}/revoke/")).status_code == 404
    assert ApiKey.objects.get().revoked_at is None


def test_the_page_waits_for_the_first_boot_and_then_says_that_it_came(owner, tenant, actor, at):
    assert "has no key that works" in owner.get(at("connect/")).text
    issue(tenant)
    waiting = owner.get(at("connect/"), headers={"hx-request": "true"}).text
    assert "Waiting for the first boot" in waiting
    assert 'hx-trigger="every' in waiting
    assert "<main" not in waiting
    boot.serve(actor, request=BootRequest())
    come = owner.get(at("connect/"), headers={"hx-request": "true"}).text
    assert "boot-1" in come
    assert "hx-trigger" not in come


def test_a_key_that_ended_is_not_in_use(owner, tenant, at):
    issued = issue(tenant, expires_at=timezone.now() + timedelta(minutes=1))
    ApiKey.objects.filter(pk=issued.key.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    text = owner.get(at("connect/")).text
    assert "expired" in text
    assert "0 in use, 1 in all" in text


def test_ten_keys_cost_as_many_queries_as_thirty(owner, tenant, at):
    counts = []
    for more in (10, 20):
        for number in range(more):
            issue(tenant, f"key {number}")
        owner.get(at("connect/"))
        with CaptureQueriesContext(connection) as queries:
            assert owner.get(at("connect/")).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_setup_texts_are_those_of_the_docs():
    docs = DOCS.read_text(encoding="utf-8")
    shown = [step.code for one in setups.setups(setups.ADDRESS) if one.name != "curl" for step in one.steps]
    config = (DOCS.parents[1] / "integrations" / "codex" / "config.toml").read_text(encoding="utf-8")
    missing = [code for code in (*shown, setups.environment(setups.ADDRESS).code) if code not in docs + config]
    assert missing == []


def test_the_setup_texts_hold_the_address_of_this_server(owner, at):
    text = unescape(owner.get(at("connect/")).text)
    assert setups.ADDRESS not in text
    assert '"url": "http://testserver/mcp"' in text
    assert "export REVELL_URL=http://testserver" in text
