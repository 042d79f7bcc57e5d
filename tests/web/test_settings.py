"""The settings page: look, warn, save."""

from __future__ import annotations

import re

import pytest

from memories.engine.kinds import Role
from memories.models import Event, Tenant
from memories.services import promises
from tests import factories

pytestmark = pytest.mark.django_db


def form(**changes):
    values = {"budget_tokens": 22_000, "share_core": 50, "share_working": 20, "share_episodic": 30}
    caps = {f"cap_{name}": 4_000 if name in ("soul", "identity") else 2_500 for name in factories_categories()}
    return {**values, **caps, **changes}


def factories_categories():
    return ("soul", "identity", "relationship", "operations", "tools", "routine", "reorient", "accounts")


def saved(tenant):
    return Tenant.objects.get(pk=tenant.pk)


def test_p45_the_page_shows_budget_shares_cap_allowance_and_caps(owner, at, actor):
    promises.make(actor, content="x" * 100)
    factories.remember(actor, "axiom", "y" * 50)
    factories.remember(actor, "core", "z" * 30)
    text = owner.get(at("settings/")).text
    for told in ('value="22000"', "88,000 B", "8,800", "100 B pending, 8,700 B free", "17,600", "50 B in use", "3,970"):
        assert told in text


@pytest.mark.parametrize("role", [Role.OWNER, Role.EDITOR])
def test_p46_a_change_is_saved_and_is_an_event(sign_in, at, tenant, role):
    response = sign_in(role).post(
        at("settings/"), form(budget_tokens=9_000, share_core=40, share_episodic=40), follow=True
    )
    assert "Settings saved. They take effect with the next boot." in response.text
    assert (saved(tenant).budget_tokens, saved(tenant).share_core) == (9_000, 40)
    event = Event.objects.get(verb="config.changed")
    assert event.what["new"]["budget_tokens"] == 9_000
    assert event.via == "page"


def test_caps_that_stay_are_not_stored_as_changes(owner, at, tenant):
    owner.post(at("settings/"), form(cap_soul=5_000))
    assert saved(tenant).category_caps == {"soul": 5_000}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"budget_tokens": 1_999}, "budget_tokens"),
        ({"budget_tokens": 33_001}, "budget_tokens"),
        ({"share_core": 51}, "share_core"),
        ({"share_core": 150, "share_working": -50, "share_episodic": 0}, "share_working"),
        ({"cap_soul": 99}, "cap_soul"),
        ({"cap_soul": "many"}, "cap_soul"),
    ],
)
def test_p31_p2_what_is_not_possible_is_422_on_the_field_and_nothing_is_saved(owner, at, tenant, change, field):
    response = owner.post(at("settings/"), form(**change, cap_tools=3_000))
    assert response.status_code == 422
    control = re.search(rf'<input[^>]*id="{field}"[^>]*>', response.text)[0]
    assert 'aria-invalid="true"' in control
    assert f'value="{change[field]}"' in control
    assert (saved(tenant).budget_tokens, saved(tenant).share_core, saved(tenant).category_caps) == (22_000, 50, {})


def test_p8_lowering_below_what_is_pending_asks_first(owner, at, tenant, actor):
    promises.make(actor, content="x" * 5_000)
    asked = owner.post(at("settings/"), form(budget_tokens=10_000))
    assert asked.status_code == 409
    assert "1,000 B of promises would be over the cap" in asked.text
    assert 'name="confirm"' in asked.text
    assert 'value="10000"' in asked.text
    assert saved(tenant).budget_tokens == 22_000
    assert owner.post(at("settings/"), form(budget_tokens=10_000, confirm="yes")).status_code == 302
    assert saved(tenant).budget_tokens == 10_000
    page = owner.get(at("settings/")).text
    assert "1,000 B over the cap" in page
    # Already over: nothing gets worse, so nothing is asked again.
    assert owner.post(at("settings/"), form(budget_tokens=10_000, cap_soul=5_000)).status_code == 302


def test_looking_at_the_effect_saves_nothing(owner, at, tenant, actor):
    factories.remember_many(actor, 100, size=900)
    before = Event.objects.count()
    page = owner.post(at("settings/"), form(budget_tokens=5_000, look="1"))
    part = owner.post(at("settings/"), form(budget_tokens=5_000, look="1"), headers={"HX-Request": "true"})
    assert page.status_code == part.status_code == 200
    assert "<html" in page.text
    assert "<html" not in part.text
    for response in (page, part):
        assert "20,000 B" in response.text
        assert re.search(r"<b>\d+ fewer</b> memories", response.text)
        assert "HX-Request" in response["Vary"]
    assert saved(tenant).budget_tokens == 22_000
    assert Event.objects.count() == before


def test_a_wrong_value_while_looking_is_told_beside_the_effect(owner, at):
    part = owner.post(at("settings/"), form(share_core=60, look="1"), headers={"HX-Request": "true"})
    assert part.status_code == 422
    assert "together 110" in part.text
    assert "<html" not in part.text


def test_the_whole_page_is_given_to_a_form_without_scripts(owner, at):
    assert "<html" in owner.post(at("settings/"), form(share_core=60)).text


def test_a_viewer_sees_disabled_controls(sign_in, at):
    text = sign_in(Role.VIEWER).get(at("settings/")).text
    assert "<fieldset" in text
    assert re.search(r"<fieldset[^>]* disabled", text)
    assert "does not have the scope “configure”" in text


def seen_on(response):
    return re.search(r'name="seen" value="([^"]*)"', response.text)[1]


def test_what_a_stale_form_left_alone_stays_as_somebody_else_saved_it(owner, at, tenant):
    """Two tabs: the slower one changes another value, and takes nothing back."""
    seen = seen_on(owner.get(at("settings/")))
    owner.post(at("settings/"), form(budget_tokens=30_000, cap_tools=3_000, seen=seen))
    owner.post(at("settings/"), form(cap_soul=5_000, seen=seen))
    assert saved(tenant).budget_tokens == 30_000
    assert saved(tenant).category_caps == {"tools": 3_000, "soul": 5_000}


def test_a_value_that_two_changed_is_409_with_both_and_nothing_is_lost(owner, at, tenant):
    seen = seen_on(owner.get(at("settings/")))
    owner.post(at("settings/"), form(budget_tokens=30_000, share_core=40, share_episodic=40, seen=seen))
    stale = owner.post(at("settings/"), form(budget_tokens=9_000, cap_soul=5_000, seen=seen))
    assert stale.status_code == 409
    assert (saved(tenant).budget_tokens, saved(tenant).category_caps) == (30_000, {})
    told = re.search(r'id="stale".*?</table>', stale.text, re.S)[0]
    assert "30000" in told
    assert "9000" in told
    assert "Shares" not in told
    for field, value in (("budget_tokens", 9_000), ("cap_soul", 5_000), ("share_core", 40)):
        assert f'value="{value}"' in re.search(rf'<input[^>]*id="{field}"[^>]*>', stale.text)[0]
    again = form(budget_tokens=9_000, cap_soul=5_000, share_core=40, share_episodic=40, seen=seen_on(stale))
    assert owner.post(at("settings/"), again).status_code == 302
    assert (saved(tenant).budget_tokens, saved(tenant).share_core) == (9_000, 40)


@pytest.mark.parametrize("seen", ["", "x", "1 2 3", "22000 50 20 30 " + "٣ " * 8, " ".join(["9" * 5_000] * 12)])
def test_a_form_that_does_not_say_what_it_saw_is_taken_at_its_word(owner, at, tenant, seen):
    assert owner.post(at("settings/"), form(budget_tokens=9_000, seen=seen)).status_code == 302
    assert saved(tenant).budget_tokens == 9_000
