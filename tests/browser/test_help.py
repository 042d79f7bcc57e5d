"""Help in a browser: from a page to its topic and back, by mouse and by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import expect


def test_a_page_leads_to_its_topic_and_back(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/promises/")
    page.get_by_role("link", name="Promises: a note for the very next boot").click()
    expect(page.locator("#promises-h")).to_be_in_viewport()
    page.locator("#promises").get_by_role("link", name="Promises", exact=True).click()
    expect(page.locator("h1")).to_have_text("Promises")


def test_topics_are_reached_by_keyboard_alone(signed_in, agent):
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/help/")
    page.keyboard.press("Tab")
    tab = page.get_by_role("navigation", name="Topics").get_by_role("link", name="When something is refused")
    for _ in range(60):
        if tab.evaluate("(one) => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#errors-h")).to_be_in_viewport()
    assert page.url.endswith("#errors")
