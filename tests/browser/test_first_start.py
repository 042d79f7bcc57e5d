"""The way of an administrator on an empty installation: sign in, the first agent, its first key, its first boot."""

from __future__ import annotations

from playwright.sync_api import expect

from memories.models import Person, Tenant
from tests.browser.test_connect import boot_with
from tests.browser.test_work import tab_to


def test_from_an_empty_installation_to_the_first_boot(live_server, transactional_db, open_page):
    page = open_page(base_url=live_server.url)
    page.goto("/")
    expect(page.get_by_role("status")).to_contain_text("python manage.py quickstart")
    Person.objects.create_superuser(username="root", password="a-long-password")
    page.reload()
    expect(page.get_by_text("Nobody can sign in yet")).to_have_count(0)
    page.get_by_label("User name").fill("root")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Make the first agent").click()
    page.get_by_label("Name").fill("Night Watch")
    page.get_by_role("button", name="Make agent").click()
    expect(page.locator("h1")).to_have_text("Connect")
    expect(page.locator("#waiting")).to_contain_text("has no key that works")
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Make key").click()
    boot_with(page.get_by_label("The new key").input_value(), live_server.url)
    expect(page.locator("#waiting")).to_contain_text("boot-1")
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("link", name="boot-1")).to_be_visible()


def test_an_agent_is_made_by_keyboard_alone(live_server, transactional_db, open_page):
    Person.objects.create_superuser(username="root", password="a-long-password")
    page = open_page(base_url=live_server.url)
    page.goto("/new-agent/")
    tab_to(page, "#username")
    page.keyboard.type("root")
    page.keyboard.press("Tab")
    page.keyboard.type("a-long-password")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("New agent")
    tab_to(page, "#name")
    page.keyboard.type("日本")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="No agent was made")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("日本")
    tab_to(page, "#slug")
    page.keyboard.type("nihon")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Connect")
    assert Tenant.objects.get().slug == "nihon"


def test_the_list_of_agents_fills_with_the_next_payloads(signed_in, agent):
    page = signed_in()
    page.goto("/")
    expect(page.locator(".agent").get_by_text("Next payload", exact=True)).to_be_visible()
    without = signed_in(java_script_enabled=False)
    without.goto("/")
    expect(without.locator(".agent").get_by_text("Last payload", exact=True)).to_be_visible()
