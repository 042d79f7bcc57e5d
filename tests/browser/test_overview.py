"""The overview in a browser: from its numbers to the pages that say more, by mouse and by keyboard alone."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.test_work import tab_to


def test_a_section_leads_to_its_place_in_the_preview(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/")
    page.get_by_role("link", name="Soul").first.click()
    expect(page).to_have_url(re.compile("/preview/#soul$"))


def test_the_overview_leads_on_by_keyboard_alone(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/")
    tab_to(page, ".page-head .btn-main")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Preview")
    page.go_back()
    tab_to(page, f'main a[href="/agents/{agent.slug}/boots/1/"]')
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Boots")
