"""Activity in a browser: find what happened, by mouse, by keyboard alone, without scripts."""

from __future__ import annotations

from playwright.sync_api import expect

from memories.engine.kinds import Role
from memories.services import promises
from tests import factories
from tests.browser.test_work import tab_to


def test_what_a_person_did_is_found_and_leads_to_it(signed_in, agent):
    _, keeper = factories.person_in(agent, username="keeper")
    promises.make(keeper, content="by the keeper")
    page = signed_in(Role.VIEWER)
    page.goto(f"/agents/{agent.slug}/activity/")
    expect(page.locator("#found caption")).to_contain_text("events, newest first")
    page.get_by_label("Through").select_option("page")
    expect(page.locator("#found caption")).to_contain_text("1 event with this filter")
    expect(page.locator("#found tbody")).to_contain_text("keeper page")
    assert "via=page" in page.url
    page.get_by_role("link", name="prm-3").click()
    expect(page.locator("h1")).to_have_text("Promises")


def test_filters_by_keyboard_alone(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/activity/")
    tab_to(page, "#verb")
    page.keyboard.type("memory revised")
    expect(page.locator("#found caption")).to_contain_text("1 event with this filter")
    page.keyboard.press("Tab")
    page.keyboard.type("nobody")
    page.keyboard.press("Enter")
    expect(page.locator("#found .empty")).to_contain_text("Nothing with this filter")
    tab_to(page, "#found .empty a")
    page.keyboard.press("Enter")
    expect(page.locator("#by")).to_have_value("")


def test_filters_without_scripts(signed_in, agent):
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/activity/")
    page.get_by_label("What").select_option("boot.served")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#found caption")).to_contain_text("1 event with this filter")
    page.get_by_role("link", name="boot-1").click()
    expect(page.locator("h1")).to_have_text("Boots")
