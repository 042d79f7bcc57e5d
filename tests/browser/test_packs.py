"""The pack by keyboard alone, and without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import expect


def test_c34_terms_typed_by_keyboard_change_the_order_at_once(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/pack/")
    page.get_by_label("Token budget").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("1")
    expect(page.locator("#compiled")).to_contain_text("no room in the token budget")
    page.keyboard.press("Control+A")
    page.keyboard.type("1500")
    expect(page.locator("#compiled")).to_contain_text("postgres when it grows")
    page.get_by_label("Project and below").focus()
    page.keyboard.type("elsewhere")
    expect(page.locator("#compiled")).to_contain_text("None in this scope.")
    expect(page).to_have_url(re.compile("project_prefix=elsewhere"))


def test_the_pack_and_the_list_work_without_scripts(signed_in, agent):
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/capsules/")
    page.get_by_role("link", name="Task 2").click()
    expect(page.locator("table")).to_contain_text("publish the surface")
    expect(page.locator("table")).not_to_contain_text("postgres")
    page.get_by_role("link", name="Cold-start pack").click()
    page.get_by_label("Token budget").fill("1")
    page.get_by_role("button", name="Compile").click()
    expect(page.locator("#compiled")).to_contain_text("no room in the token budget")
