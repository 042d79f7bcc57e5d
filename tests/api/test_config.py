"""Budget, shares and caps over REST."""

from __future__ import annotations

import pytest

from memories.models import Event, Tenant
from tests import factories
from tests.api.conftest import Api, check_refused


def test_p45_the_settings_with_what_follows_from_them(api, actor):
    factories.remember(actor, "core", "five.")
    factories.remember(actor, "axiom", "rule")
    api.post("promises", {"content": "note"})
    config = api.get("boot/config").json()
    caps = config.pop("category_caps")
    assert (caps["soul"], caps["tools"], len(caps)) == (4_000, 2_500, 8)
    assert config.pop("category_used")["soul"] == 5
    assert config == {
        "budget_tokens": 22_000,
        "budget_bytes": 88_000,
        "shares": {"core": 50, "working": 20, "episodic": 30},
        "cap_bytes": 8_800,
        "used_bytes": 4,
        "over_bytes": 0,
        "axiom_allowance_bytes": 17_600,
        "axiom_used_bytes": 4,
        "note": None,
    }


def test_p45_p46_a_change_answers_the_same_and_is_an_event(api):
    body = {"budget_tokens": 33_000, "shares": {"core": 40, "working": 30}, "category_caps": {"soul": 5_000}}
    changed = api.patch("boot/config", body)
    assert changed.status_code == 200
    assert changed.json() == api.get("boot/config").json()
    assert changed.json()["shares"] == {"core": 40, "working": 30, "episodic": 30}
    assert (changed.json()["cap_bytes"], changed.json()["category_caps"]["soul"]) == (13_200, 5_000)
    event = Event.objects.get(verb="config.changed")
    assert (event.what["old"]["budget_tokens"], event.what["new"]["budget_tokens"]) == (22_000, 33_000)


def test_a_key_that_may_only_configure_sees_what_it_changed(tenant):
    api = Api(factories.issue_key(tenant, "configure"))
    assert api.patch("boot/config", {"budget_tokens": 3_000}).json()["budget_tokens"] == 3_000
    check_refused(api.get("boot/config"), 403, "not_permitted")


@pytest.mark.parametrize(
    ("body", "code", "fields"),
    [
        ({}, "invalid_input", [""]),
        ({"budget_tokens": 1_999}, "budget_out_of_range", ["budget_tokens"]),
        ({"budget_tokens": 33_001}, "budget_out_of_range", ["budget_tokens"]),
        ({"budget_tokens": -1}, "budget_out_of_range", ["budget_tokens"]),
        ({"budget_tokens": "22000"}, "invalid_input", ["budget_tokens"]),
        ({"budget_tokens": True}, "invalid_input", ["budget_tokens"]),
        ({"budget_tokens": 22_000.5}, "invalid_input", ["budget_tokens"]),
        ({"budget_tokens": None}, "invalid_input", ["budget_tokens"]),
        ({"budget_tokens": 10**4000}, "invalid_input", ["budget_tokens"]),
        ({"shares": {"core": 60}}, "shares_not_100", ["shares"]),
        ({"shares": {"core": 120, "working": -50, "episodic": 30}}, "shares_not_100", ["shares"]),
        ({"shares": {"core": "50"}}, "invalid_input", ["shares.core"]),
        ({"shares": {"soul": 50}}, "invalid_input", ["shares.soul"]),
        ({"shares": [50, 20, 30]}, "invalid_input", ["shares"]),
        ({"budget_tokens": 3_000, "shares": {"core": 60}}, "shares_not_100", ["shares"]),
        ({"category_caps": {"mood": 1_000}}, "invalid_input", ["category_caps.mood"]),
        ({"category_caps": {"soul": 99}}, "invalid_input", ["category_caps.soul"]),
        ({"category_caps": {"soul": "4000"}}, "invalid_input", ["category_caps.soul"]),
        ({"category_caps": {"\ud800": 4000}}, "invalid_input", ["category_caps.\\ud800"]),
        ({"category_caps": 4000}, "invalid_input", ["category_caps"]),
        ({"budget": 3_000}, "invalid_input", ["budget"]),
    ],
)
def test_p2_p31_a_wrong_setting_is_refused_and_nothing_is_changed(api, tenant, body, code, fields):
    before = Tenant.objects.values().get(pk=tenant.pk)
    check_refused(api.patch("boot/config", body), 400, code, *fields)
    assert Tenant.objects.values().get(pk=tenant.pk) == before
    assert not Event.objects.filter(verb="config.changed").exists()


def test_p2_the_range_stands_in_the_message(api):
    problem = api.patch("boot/config", {"budget_tokens": 1}).json()
    assert "2,000 to 33,000" in problem["detail"]
    assert (problem["minimum"], problem["maximum"]) == (2_000, 33_000)
