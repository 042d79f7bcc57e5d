"""Connect in a browser: make a key, boot with it, see it arrive, revoke it; by mouse, by keyboard, without scripts."""

from __future__ import annotations

import json
import re
from urllib.request import Request, urlopen

from playwright.sync_api import expect

from memories.models import ApiKey, Boot
from tests.browser.test_work import tab_to


def boot_with(secret: str, address: str) -> dict[str, object]:
    """What a program gets that calls with the key that the page showed."""
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    with urlopen(Request(f"{address}/api/v1/boot", b"{}", headers)) as answer:  # noqa: S310
        return json.loads(answer.read())


def test_a_key_is_made_copied_used_and_revoked(signed_in, agent, live_server):
    Boot.objects.all().delete()
    page = signed_in(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/agents/{agent.slug}/connect/")
    page.get_by_label("Name").fill("boat-shed laptop")
    page.get_by_role("button", name="Make key").click()
    expect(page.get_by_text("Waiting for the first boot")).to_be_visible()
    page.get_by_role("button", name="Copy key").click()
    expect(page.locator(".toast")).to_have_text("Copied.")
    secret = page.evaluate("navigator.clipboard.readText()")
    assert secret == page.get_by_label("The new key").input_value()
    boot_with(secret, live_server.url)
    expect(page.locator("#waiting")).to_contain_text("Last boot:")
    assert secret not in page.url

    page.get_by_role("link", name="I have it, hide this").click()
    assert secret not in page.content()
    page.get_by_role("link", name="Revoke boat-shed laptop").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("status").filter(has_text="is revoked")).to_be_visible()
    assert ApiKey.objects.get(name="boat-shed laptop").revoked_at is not None


def test_a_key_is_made_by_keyboard_alone(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/connect/")
    tab_to(page, "#name")
    page.keyboard.type("workbench")
    tab_to(page, "[name=scopes][value=write]")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.get_by_label("The new key")).to_have_value(re.compile("^rvl_"))
    assert ApiKey.objects.get(name="workbench").scopes == ["read", "boot"]


def test_a_key_is_made_and_revoked_without_scripts(signed_in, agent):
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/connect/")
    page.get_by_label("Name").fill("night importer")
    page.get_by_role("button", name="Make key").click()
    expect(page.get_by_label("The new key")).to_be_visible()
    page.get_by_role("link", name="Revoke night importer").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    assert ApiKey.objects.get(name="night importer").revoked_at is not None
