"""Members in a browser: invite, join, change a role, remove; by mouse, by keyboard alone, without scripts."""

from __future__ import annotations

from playwright.sync_api import expect

from memories.engine.kinds import Role
from memories.models import Invitation, Membership, Tenant
from memories.services import invitations
from tests import factories
from tests.browser.test_work import tab_to

PASSWORD = "right horse battery"


def role_of(agent: Tenant, name: str) -> str:
    return Membership.objects.get(tenant=agent, person__username=name).role


def test_an_owner_invites_and_somebody_new_joins(signed_in, open_page, agent, live_server):
    page = signed_in(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/agents/{agent.slug}/members/")
    page.get_by_role("radio", name="editor").check()
    page.get_by_role("button", name="Make a code").click()
    shown = page.get_by_label("The new code").input_value()
    page.get_by_role("button", name="Copy code").click()
    expect(page.locator(".toast")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == shown

    guest = open_page(base_url=live_server.url)
    guest.goto("/sign-in/")
    guest.get_by_role("link", name="Join with it").click()
    guest.get_by_label("Code").fill(shown)
    guest.get_by_label("have a name and a password already").check()
    expect(guest.get_by_label("Password, once more")).to_be_hidden()
    guest.get_by_label("are new").check()
    guest.get_by_label("User name").fill("newcomer")
    guest.get_by_label("Password", exact=True).fill(PASSWORD)
    guest.get_by_label("Password, once more").fill(PASSWORD)
    guest.get_by_role("button", name="Join").click()
    expect(guest.get_by_role("status").filter(has_text="You are editor")).to_be_visible()
    assert shown not in guest.url
    page.reload()
    page.goto(f"/agents/{agent.slug}/members/")
    expect(page.get_by_role("row", name="newcomer")).to_be_visible()
    expect(page.get_by_text(shown)).to_have_count(0)


def test_joining_by_keyboard_alone(open_page, agent, live_server):
    code = invitations.make(factories.operator_in(agent), role=Role.VIEWER).code
    factories.person_in(factories.make_tenant("Quillon"), username="keeper")
    page = open_page(base_url=live_server.url)
    page.goto("/join/")
    tab_to(page, "#code")
    page.keyboard.type(code.replace("-", " ").upper())
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    tab_to(page, "#username")
    page.keyboard.type("keeper")
    page.keyboard.press("Tab")
    page.keyboard.type("a-long-password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="You are viewer")).to_be_visible()
    assert role_of(agent, "keeper") == "viewer"


def test_members_by_keyboard_alone(signed_in, agent):
    """Change a role, make a code, withdraw it, remove somebody after the question."""
    factories.person_in(agent, Role.VIEWER, username="vera")
    number = Membership.objects.get(person__username="vera").pk
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/members/")
    tab_to(page, f"#role-{number}")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="vera is editor")).to_be_visible()
    assert role_of(agent, "vera") == "editor"
    tab_to(page, "form[action$='/invite/'] button")
    page.keyboard.press("Enter")
    expect(page.get_by_label("The new code")).to_be_visible()
    tab_to(page, "form[action$='/withdraw'] button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="withdrawn")).to_be_visible()
    assert Invitation.objects.count() == 0
    tab_to(page, f"a[href$='/members/{number}/remove/']")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Remove vera?")
    tab_to(page, "dialog .btn-bad")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="no member")).to_be_visible()
    assert not Membership.objects.filter(pk=number).exists()


def test_members_without_scripts(signed_in, agent):
    factories.person_in(agent, Role.VIEWER, username="vera")
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/members/")
    page.get_by_label("Role of vera").select_option("owner")
    page.get_by_role("button", name="Change role of vera").click()
    expect(page.locator(".note.is-ok")).to_contain_text("vera is owner")
    page.get_by_role("button", name="Make a code").click()
    expect(page.get_by_label("The new code")).to_be_visible()
    expect(page.get_by_role("button", name="Copy code")).to_be_hidden()
    page.get_by_role("link", name="Remove vera").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".note.is-ok")).to_contain_text("vera is no member")


def test_a_viewer_can_press_nothing(signed_in, agent):
    page = signed_in(Role.VIEWER)
    page.goto(f"/agents/{agent.slug}/members/")
    for button in page.locator("main button:not([hidden])").all():
        expect(button).to_be_disabled()
    expect(page.get_by_text("does not have the scope “manage”").first).to_be_visible()
