"""Capsules by mouse, by keyboard alone and without scripts; what is stored never becomes part of a page."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from memories.engine.kinds import Role
from memories.models import Capsule, CapsuleRelation
from tests.browser.test_work import tab_to


def told(page: Page, text: str) -> None:
    expect(page.get_by_role("status").filter(has_text=text)).to_be_visible()


def test_a_capsule_is_captured_related_and_forgotten_with_the_mouse(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/capsules/")
    page.get_by_role("link", name="New capsule").click()
    page.fill("#content", "Zwölf 👩‍👩‍👧")
    expect(page.locator("#content-size b")).to_have_text("11")
    expect(page.locator("#content-size .hint")).to_have_text("of 20,000 characters, 25 B")
    page.get_by_role("button", name="Capture").click()
    assert page.evaluate("document.activeElement.id") == "kind", "the browser itself asks for what is required"
    page.select_option("#kind", "task")
    page.fill("#project_id", "nott/x")
    page.fill("#confidence", "7")
    page.get_by_role("button", name="Capture").click()
    expect(page.locator("#confidence-h")).to_contain_text("from 0 to 1")
    expect(page.locator("#content")).to_have_value("Zwölf 👩‍👩‍👧")
    page.fill("#confidence", "0.7")
    page.get_by_role("button", name="Capture").click()
    told(page, "cap-6 is captured")

    page.select_option("#relation", label="is blocked by")
    page.fill("#other", "99")
    page.get_by_role("button", name="Relate").click()
    expect(page.get_by_role("alert").filter(has_text="Not written")).to_contain_text("There is no cap-99")
    page.fill("#other", "2")
    page.get_by_role("button", name="Relate").click()
    told(page, "cap-2 blocks cap-6")

    page.get_by_role("button", name="Archive").click()
    told(page, "cap-6 is archived")
    page.get_by_role("link", name="Forget").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Destroy “Zwölf")
    dialog.get_by_label("Reason").fill("counted wrong")
    dialog.get_by_role("button", name="Forget it").click()
    told(page, "The content of cap-6 is destroyed")
    assert Capsule.objects.get(number=6).content == ""


def test_a_task_is_superseded_and_proven_by_keyboard_alone(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/capsules/")
    tab_to(page, ".graph")
    tab_to(page, ".graph a[href$='/capsules/2/']")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("wire the projection")
    tab_to(page, "a[href*='proves=cap-2']")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("New capsule")
    tab_to(page, "#content")
    page.keyboard.type("the projection is wired, seen on staging")
    tab_to(page, ".form button[type=submit]")
    page.keyboard.press("Enter")
    told(page, "cap-6 is captured")
    assert CapsuleRelation.objects.filter(kind="proves", source_number=6, target_number=2).exists()

    page.goto(f"/agents/{agent.slug}/capsules/3/")
    tab_to(page, "a[href*='supersedes=cap-3']")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Supersede cap-3")
    expect(page.locator("#content")).to_have_value("publish the surface")
    tab_to(page, "#content")
    page.keyboard.press("Control+End")
    page.keyboard.type(" in two steps")
    tab_to(page, ".form button[type=submit]")
    page.keyboard.press("Enter")
    told(page, "cap-7 is captured")
    expect(page.locator("h1")).to_have_text("publish the surface in two steps")


def test_everything_about_capsules_works_without_scripts(signed_in, agent):
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/capsules/new/?kind=task&project_id=nott")
    page.fill("#content", "without scripts")
    page.fill("#blocked_by", "2")
    page.get_by_role("button", name="Capture").click()
    expect(page.locator(".note.is-ok")).to_contain_text("cap-6 is captured")
    page.get_by_role("button", name="Quarantine").click()
    expect(page.locator(".note.is-ok")).to_contain_text("cap-6 is quarantined")
    page.get_by_role("link", name="Forget").click()
    page.get_by_label("Reason").fill("tried it")
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator("main")).to_contain_text("Reason: tried it")
    page.goto(f"/agents/{agent.slug}/capsules/blocks/")
    expect(page.locator("table")).to_contain_text("publish the surface")
    page.get_by_role("link", name="Capsules", exact=True).first.click()
    page.fill("#q", "surface")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#found")).to_contain_text("1 capsule matches “surface”")


def test_typing_a_filter_changes_the_list_and_the_address(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/capsules/")
    page.select_option("#state", "superseded")
    expect(page.locator("#list-h + .hint")).to_have_text("1 capsule")
    expect(page).to_have_url(re.compile("state=superseded"))
    page.go_back()
    expect(page.locator("#list-h + .hint")).to_have_text("5 capsules")


def test_the_pack_is_copied_and_kept_to_the_byte(signed_in, agent):
    page = signed_in(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/agents/{agent.slug}/pack/")
    page.fill("#token_budget", "300")
    expect(page.locator("#compiled .big")).to_contain_text("of 300 tokens")
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".toast")).to_contain_text("Pack copied")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    kept = download.value.path().read_bytes().decode()
    assert kept == page.evaluate("navigator.clipboard.readText()") == page.locator("#pack-json").text_content()
    assert '"token_budget":300' in kept
    page.get_by_label("Compare with 1,500 tokens").check()
    expect(page.locator("#changes")).to_contain_text("Compared with 1,500 tokens")


def test_a_viewer_finds_every_button_disabled_with_its_reason(signed_in, agent):
    page = signed_in(Role.VIEWER)
    for address in ("", "2/", "aliases/"):
        page.goto(f"/agents/{agent.slug}/capsules/{address}")
        expect(page.locator("#refused")).to_contain_text("The role viewer does not have the scope")
        buttons = page.locator("main button:not([type=submit]:has-text('Apply'))")
        assert buttons.count()
        for button in buttons.all():
            expect(button).to_be_disabled()


def test_an_alias_is_made_by_keyboard_and_finds_at_once(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/capsules/aliases/")
    tab_to(page, "#term")
    page.keyboard.type("database")
    page.keyboard.press("Tab")
    page.keyboard.type("postgres")
    page.keyboard.press("Enter")
    told(page, "“postgres” is an alias of “database”")
    page.goto(f"/agents/{agent.slug}/capsules/?q=database")
    expect(page.locator("#found table")).to_contain_text("postgres when it grows")


def test_the_nodes_of_the_picture_show_the_focus_whole(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/capsules/blocks/")
    tab_to(page, ".graph a")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert page.evaluate("getComputedStyle(document.querySelector('.graph > svg')).overflow") == "visible"
