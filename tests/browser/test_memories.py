"""Memories in a browser: find, add, revise, archive, forget and bring back; by mouse, by keyboard, without scripts."""

from __future__ import annotations

from playwright.sync_api import expect

from memories.models import Memory
from memories.services import memories
from tests import factories
from tests.browser.test_work import tab_to


def told(page, text):
    """The line above the page that says what was done."""
    expect(page.get_by_role("status").filter(has_text=text)).to_be_visible()


def test_a_memory_from_its_first_word_to_the_bin_and_back(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/memories/?type=core")
    page.get_by_role("link", name="New memory").click()
    page.get_by_label("Key").fill("calm")
    page.get_by_label("Content").fill("I am calm.")
    page.get_by_label("Tags").fill("mood")
    page.get_by_role("button", name="Remember").click()
    told(page, "is remembered")
    number = Memory.objects.get(key="calm").number
    page.get_by_role("link", name="Revise").click()
    page.get_by_label("Content").fill("I am awake.")
    page.get_by_role("button", name="Save").click()
    told(page, "at version 2")
    page.get_by_role("button", name="Archive").click()
    told(page, "is archived")
    page.get_by_role("button", name="Restore").click()
    told(page, "is back")
    page.get_by_role("link", name="Forget").click()
    expect(page.get_by_role("dialog")).to_contain_text("Forget “calm”?")
    page.get_by_role("button", name="Forget it").click()
    told(page, "is forgotten")
    page.get_by_role("link", name="Forgotten").click()
    page.get_by_role("button", name=f"Restore mem-{number}").click()
    told(page, "is back")
    expect(page.locator(".history li").first).to_contain_text("Version 6")
    expect(page.locator(".history")).to_contain_text("I am awake.")


def test_memories_by_keyboard_alone(signed_in, agent):
    """Narrow the list by category, open one, revise it while somebody else does, save over it."""
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/memories/")
    tab_to(page, "#category")
    page.keyboard.type("git")
    expect(page.locator("#found caption")).to_contain_text("1 memory, in category “git”")
    tab_to(page, "#found a.cover")
    page.keyboard.press("Enter")
    expect(page.locator("pre.words")).to_have_text("Never force-push main.")
    tab_to(page, "a[href$='/revise/']")
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_visible()
    memories.revise(factories.agent_of(agent), number=2, changes={"content": "Never rewrite main."})
    tab_to(page, "#content")
    page.keyboard.press("Control+A")
    page.keyboard.type("Never force-push.")
    tab_to(page, "form .btn-main")
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert").filter(has_text="has changed since you opened it")
    expect(alert.locator("del")).to_have_text("Never rewrite main.")
    expect(alert.locator("ins")).to_have_text("Never force-push.")
    expect(page.locator("#content")).to_have_value("Never force-push.")
    tab_to(page, "form .btn-main")
    page.keyboard.press("Enter")
    told(page, "at version 3")


def test_the_list_is_narrowed_without_scripts(signed_in, agent):
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/memories/")
    page.get_by_label("Category").fill("soul")
    page.get_by_label("Written by").select_option("agent")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found caption")).to_contain_text("1 memory, in category “soul”, written by agent")
    page.get_by_role("link", name="honesty").click()
    expect(page.locator(".history")).to_contain_text("and what I do not")
