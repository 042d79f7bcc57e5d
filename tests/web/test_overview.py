"""The overview: the numbers of the next payload, the cap, the last boots, what stays out. It consumes nothing."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.delivery import BootRequest
from memories.models import Boot, Promise
from memories.selectors.boot import page_boots
from memories.services import boot, capsules, keys, promises, tenants
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(tenant, actor):
    factories.remember(actor, "core", "I say what I know.", key="honesty")
    factories.remember(actor, "axiom", "Never force-push main.", category="git")
    factories.remember(actor, "working", "step two of five", key="importer")
    factories.remember_many(actor, 30, size=900)
    tenants.configure(factories.operator_in(tenant), budget_tokens=2_000)
    promises.make(actor, content="Look at this first.")


def test_p34_it_shows_the_numbers_of_the_next_payload_and_consumes_nothing(owner, actor, filled, at):
    manifest = boot.preview(actor, request=BootRequest()).manifest
    text = owner.get(at()).text
    assert f"{manifest['size_bytes']:,} <span" in text
    assert f"of {manifest['budget_bytes']:,} B" in text
    for section in manifest["sections"]:
        if section["bytes"]:
            row = re.search(rf'#{section["name"]}">(?:(?!</li>).)*</li>', text, re.S)[0]
            assert f"{section['bytes']:,} B" in row
            assert f"{len(section['included']):,}<span" in row
    left_out = sum(section["left_out_total"] for section in manifest["sections"])
    assert left_out
    assert f"{left_out:,} stay in the store" in text
    assert (Promise.objects.count(), Boot.objects.count()) == (1, 0)


def test_the_cap_and_the_oldest_promises_are_shown(owner, actor, at):
    for number in range(8):
        promises.make(actor, content=f"promise number {number}")
    text = owner.get(at()).text
    assert [f"promise number {number}" in text for number in range(8)] == [True] * 6 + [False] * 2
    assert "All 8 promises" in text
    assert "<b>128</b>" in text


def test_p8_over_the_cap_is_said(owner, actor, tenant, at):
    promises.make(actor, content="x" * 8_800)
    tenants.configure(factories.operator_in(tenant), budget_tokens=20_000)
    assert "800 B over the cap" in owner.get(at()).text


def test_before_the_first_boot_it_says_what_is_missing(owner, tenant, at):
    assert "has no API key" in owner.get(at()).text
    keys.issue(factories.operator_in(tenant), name="laptop", scopes=["boot"])
    text = owner.get(at()).text
    assert "Waiting for the first boot" in text
    assert "has no API key" not in text


@pytest.mark.parametrize(("boots", "columns"), [(1, 1), (30, 30), (32, 30)])
def test_the_picture_holds_the_last_thirty_boots_and_a_table_says_the_same(owner, actor, at, boots, columns):
    promises.make(actor, content="x" * 300)
    for _ in range(boots):
        boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    text = owner.get(at()).text
    assert len(re.findall(r'<rect class="boot(?: now)?"', text)) == columns
    told = re.findall(r">boot-(\d+)</a></th>", text)
    assert told == [str(number) for number in range(boots, boots - columns, -1)]
    sizes = {one.number: one.size_bytes for one in page_boots(actor, limit=30).results}
    for number, size in sizes.items():
        row = re.search(rf">boot-{number}</a></th>(?:(?!</tr>).)*</tr>", text, re.S)[0]
        assert f"{size:,} B" in row
    assert f"All {boots} boot" in text


def test_a_client_that_called_is_named(owner, tenant, at, client):
    secret = keys.issue(factories.operator_in(tenant), name="<b>tide</b> board", scopes=["boot"]).secret
    client.post("/api/v1/boot", headers={"authorization": f"Bearer {secret}"}, content_type="application/json")
    text = owner.get(at()).text
    assert "with the key &lt;b&gt;tide&lt;/b&gt; board" in text
    assert "boot-1" in text


def test_the_queries_do_not_grow_with_what_is_stored(owner, actor, at):
    counts = []
    for _ in range(2):
        factories.remember_many(actor, 10)
        for number in range(10):
            promises.make(actor, content=f"note {Promise.objects.count()} {number}")
        for _ in range(3):
            boot.serve(actor, request=BootRequest())
        owner.get(at())
        with CaptureQueriesContext(connection) as queries:
            assert owner.get(at()).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_another_agents_overview_is_not_there(owner, other_tenant):
    assert owner.get(f"/agents/{other_tenant.slug}/").status_code == 404


def test_the_navigation_says_how_many_there_are(owner, actor, tenant, at):
    for number in range(3):
        factories.capture(actor, f"finding {number}", "fact")
    capsules.forget(actor, number=2, reason="wrong")
    promises.make(actor, content="one")
    factories.remember_many(actor, 4)
    factories.person_in(tenant)
    text = owner.get(at("help/")).text
    counts = dict(re.findall(r">(\w+) <span class=\"num\">([\d,]+)</span></a>", text))
    assert counts == {"Promises": "1", "Memories": "4", "Capsules": "2", "Members": "2"}
    assert "2 capsules" in owner.get(at("capsules/")).text
