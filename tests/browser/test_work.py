"""What people do in the pages: sign in, preview, promise, set; with htmx, by keyboard alone, and without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Channel
from memories.models import Boot, Membership, Promise, Tenant
from memories.services import boot, promises
from tests import factories

# As the copy button does it; the text of each row is what a reader sees, to the byte.
PAPER = """() => [...document.querySelectorAll("#paper pre")].map((pre) =>
  (pre.parentElement.classList.contains("head") ? "\\n" : "") + pre.textContent +
  ("continues" in pre.dataset ? "" : "\\n")).join("")"""
MANY_TABS = 80


def tab_to(page: Page, selector: str) -> None:
    """Move the focus by the Tab key until it stands on `selector`."""
    for _ in range(MANY_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"the Tab key does not reach {selector}")


def test_a_person_signs_in_by_keyboard(live_server, agent, page):
    factories.person_in(agent, username="keeper")
    page.goto(f"{live_server.url}/agents/{agent.slug}/preview/")
    tab_to(page, "#username")
    page.keyboard.type("keeper")
    page.keyboard.press("Tab")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("do not go together")
    tab_to(page, "#password")
    page.keyboard.type("a-long-password")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Preview")


def test_p35_the_preview_is_the_text_of_the_next_serve(signed_in, agent):
    page = signed_in(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/agents/{agent.slug}/preview/")
    expect(page.locator(".calm")).to_have_text("Preview: nothing is consumed")
    shown = page.evaluate(PAPER)
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".toast")).to_contain_text("Payload copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    kept = download.value.path().read_bytes().decode()
    served = boot.serve(factories.agent_of(agent), request=BootRequest()).payload
    assert shown == served
    assert kept == served
    assert copied == served
    assert Boot.objects.filter(tenant=agent).count() == 2


def test_what_if_values_change_the_paper_and_keep_the_focus(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    page.fill("#budget_tokens", "2500")
    expect(page.locator("#paper")).to_contain_text("within 2,500 tokens")
    expect(page.locator("#level title").first).to_contain_text("of 10,000 bytes")
    expect(page.locator("#account")).to_contain_text("Not saved: 2,500 tokens")
    assert "budget_tokens=2500" in page.url
    page.locator("#context_hint").press_sequentially("tide report")
    expect(page.locator("#recalled")).to_contain_text("The tide report was late.")
    assert page.evaluate("document.activeElement.id") == "context_hint"
    assert page.input_value("#context_hint") == "tide report"
    page.select_option("#channel", "post_compact")
    expect(page.locator("#paper")).to_contain_text("Your context was just compacted")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert "just compacted" in download.value.path().read_text()
    assert "within 2,500 tokens" in download.value.path().read_text()
    assert Tenant.objects.get(pk=agent.pk).budget_tokens == 22_000


def test_the_slider_moves_the_number_and_the_payload(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    page.focus("#budget_range")
    page.keyboard.press("Home")
    expect(page.locator("#budget_tokens")).to_have_value("2000")
    expect(page.locator("#paper")).to_contain_text("within 2,000 tokens")


def test_values_that_are_not_possible_are_told_and_can_be_mended(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    page.fill("#share_core", "90")
    expect(page.locator("#shares-sum")).to_have_text("now 140 %")
    expect(page.get_by_role("alert").filter(has_text="not possible")).to_contain_text("together 140")
    page.keyboard.press("Tab")
    expect(page.locator("#level .note")).to_have_count(0)
    expect(page.locator("#account")).to_contain_text("shares 90, 4, 6")


def test_shares_always_make_100_once_a_field_is_left(signed_in, agent):
    """The one set last stays, then the one before; the rest gives way in proportion."""
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/settings/")
    names = ("core", "working", "episodic")
    for name, typed, after in (
        ("core", "60", ["60", "16", "24"]),
        ("working", "30", ["60", "30", "10"]),
        ("working", "70", ["30", "70", "0"]),
        ("episodic", "1000", ["0", "0", "100"]),
        ("core", "", ["0", "0", "100"]),
        ("core", "12.6", ["13", "0", "87"]),
    ):
        page.fill(f"#share_{name}", typed)
        page.keyboard.press("Tab")
        assert [page.input_value(f"#share_{one}") for one in names] == after, (name, typed)
        expect(page.locator("#shares-sum")).to_have_text("now 100 %")
    expect(page.locator("#effects")).to_contain_text("Core")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("status").filter(has_text="saved")).to_be_visible()


def test_a_what_if_is_saved_in_one_step(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    page.fill("#budget_tokens", "30000")
    page.get_by_role("button", name="Save as settings").click()
    expect(page.get_by_role("status").filter(has_text="Settings saved")).to_be_visible()
    expect(page.locator("#budget_tokens")).to_have_value("30000")


def test_a_problem_while_typing_leaves_the_paper(signed_in, agent, expected_errors):
    expected_errors.append("Response Status Error Code 404")
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    before = page.evaluate(PAPER)
    Membership.objects.all().delete()
    page.fill("#context_hint", "tide")
    expect(page.locator("#problem")).to_contain_text("[REVELL | 404]")
    assert page.evaluate(PAPER) == before


def test_a_server_that_does_not_answer_is_told(signed_in, agent, expected_errors):
    expected_errors += ["htmx:afterRequest", "htmx:sendError"]
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    page.route("**/preview/**", lambda route: route.abort())
    page.fill("#context_hint", "tide")
    expect(page.locator(".toast.is-bad")).to_contain_text("did not answer")


def test_promises_by_keyboard_alone(signed_in, agent):
    """Make one, go over the cap, shorten it, release another."""
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/promises/")
    tab_to(page, "#content")
    page.keyboard.type("Zwölf 👩‍👩‍👧 gauges")
    expect(page.locator("#content-bytes b")).to_have_text("32 B")
    tab_to(page, ".form button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="promised")).to_contain_text("prm-3 is promised")

    tab_to(page, "#content")
    page.keyboard.insert_text("y" * 9_000)
    expect(page.locator("#content-bytes.is-bad b")).to_have_text("9,000 B")
    tab_to(page, ".form button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_contain_text("Shorten it by")
    expect(page.locator("#content")).to_have_value("y" * 9_000)
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("Control+A")
    page.keyboard.type("short enough")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="promised")).to_contain_text("prm-4 is promised")

    tab_to(page, "form[action$='/promises/3/release'] button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="released")).to_contain_text("prm-3 is released")
    left = sorted(Promise.objects.values_list("number", "content"))
    assert [number for number, _ in left] == [2, 4]
    assert left[1][1] == "short enough"


def test_what_is_typed_on_several_lines_is_stored_with_plain_line_ends(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/promises/")
    page.fill("#content", "one\n\n  two")
    told = page.locator("#content-bytes b").text_content()
    page.get_by_role("button", name="Make promise").click()
    expect(page.get_by_role("status").filter(has_text="promised")).to_be_visible()
    stored = Promise.objects.get(number=3)
    assert stored.content == "one\n\n  two"
    assert told == f"{stored.size_bytes} B"


def test_settings_show_their_effect_then_ask_then_save(signed_in, agent):
    """P8: lowering the budget below what is pending warns before saving."""
    promises.make(factories.agent_of(agent), content="x" * 5_000)
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/settings/")
    page.fill("#budget_tokens", "9000")
    expect(page.locator("#effects")).to_contain_text("of 36,000 B")
    expect(page.locator("#effects")).to_contain_text("over the cap")
    assert Tenant.objects.get(pk=agent.pk).budget_tokens == 22_000
    page.get_by_role("button", name="Save settings").click()
    expect(page.locator("#asks")).to_contain_text("Not saved yet")
    page.get_by_role("button", name="Save anyway").click()
    expect(page.get_by_role("status").filter(has_text="saved")).to_be_visible()
    assert Tenant.objects.get(pk=agent.pk).budget_tokens == 9_000


def test_memories_are_searched_while_typing(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/memories/")
    page.locator("#q").press_sequentially("tide report")
    expect(page.locator("#found caption")).to_contain_text("match “tide report”")
    page.get_by_role("link", name="mem-5", exact=True).click()
    expect(page.locator("pre.words")).to_have_text("The tide report was late.")


def test_the_last_served_boot_is_compared_with_the_next(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    page.get_by_role("link", name="Compare with last served").click()
    expect(page.locator("#difference ins").filter(has_text="honesty")).to_contain_text("and what I do not")


def test_everything_needful_works_without_scripts(signed_in, agent):
    """Making a promise, releasing it, previewing with other values, changing the budget."""
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/promises/")
    page.fill("#content", "y" * 9_000)
    page.get_by_role("button", name="Make promise").click()
    expect(page.locator(".note.is-bad")).to_contain_text("Not saved")
    expect(page.locator("#content")).to_have_value("y" * 9_000)
    page.fill("#content", "without scripts")
    page.get_by_role("button", name="Make promise").click()
    expect(page.locator(".note.is-ok")).to_contain_text("prm-3 is promised")

    page.get_by_role("link", name="Preview", exact=True).click()
    expect(page.locator("#paper")).to_contain_text("without scripts")
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()
    page.fill("#context_hint", "tide report")
    page.fill("#budget_tokens", "3000")
    page.select_option("#channel", str(Channel.SESSION_START))
    page.get_by_role("button", name="Update preview").click()
    expect(page.locator("#paper")).to_contain_text("within 3,000 tokens")
    expect(page.locator("#recalled")).to_contain_text("The tide report was late.")
    page.get_by_role("button", name="Save as settings").click()
    expect(page.locator(".note.is-ok")).to_contain_text("Settings saved")

    page.fill("#budget_tokens", "25000")
    page.get_by_role("button", name="Show the effect").click()
    expect(page.locator("#effects")).to_contain_text("100,000 B")
    page.get_by_role("button", name="Save settings").click()
    expect(page.locator(".note.is-ok")).to_contain_text("Settings saved")
    assert Tenant.objects.get(pk=agent.pk).budget_tokens == 25_000

    page.get_by_role("link", name=re.compile("^Promises")).click()
    page.locator("form[action$='/promises/3/release'] button").click()
    expect(page.locator(".note.is-ok")).to_contain_text("prm-3 is released")
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("h1")).to_have_text("Sign in")


def test_settings_by_keyboard_alone(signed_in, agent):
    """Move the slider, look at the effect, mend the shares, save."""
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/settings/")
    tab_to(page, "#budget_range")
    page.keyboard.press("Home")
    expect(page.locator("#budget_tokens")).to_have_value("2000")
    expect(page.locator("#effects")).to_contain_text("of 8,000 B")
    tab_to(page, "#share_core")
    for value in ("60", "10", "30"):
        page.keyboard.press("Control+A")
        page.keyboard.type(value)
        page.keyboard.press("Tab")
    expect(page.locator("#shares-sum")).to_have_text("now 100 %")
    tab_to(page, "#effects button[form='settings-form']")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="saved")).to_be_visible()
    tenant = Tenant.objects.get(pk=agent.pk)
    assert (tenant.budget_tokens, tenant.share_core, tenant.share_working) == (2_000, 60, 10)


def test_the_preview_by_keyboard_alone(signed_in, agent):
    """A hint, another budget, the list of what was left out, and the memory behind it."""
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/preview/")
    tab_to(page, "#context_hint")
    page.keyboard.type("tide report")
    expect(page.locator("#recalled")).to_contain_text("The tide report was late.")
    tab_to(page, "#budget_tokens")
    page.keyboard.press("Control+A")
    page.keyboard.type("2000")
    expect(page.locator("#account")).to_contain_text("Not saved: 2,000 tokens")
    tab_to(page, "#left-out a")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/memories/\d+/$"))


def test_an_impatient_person_presses_twice_and_it_is_sent_once(signed_in, agent):
    """A second key would be one whose secret nobody ever saw."""
    page = signed_in()
    # The answer never comes: what would be sent is counted and goes no further.
    count = """window.sent = 0; addEventListener("submit", (event) => {
      if (!event.defaultPrevented) { window.sent += 1; event.preventDefault(); }
    })"""
    at = f"/agents/{agent.slug}"
    for address, fields, name in (
        ("connect/", {"#name": "twice"}, "Make key"),
        ("memories/new/?type=episodic", {"#content": "twice"}, "Remember"),
        ("members/", {}, "Make a code"),
    ):
        page.goto(f"{at}/{address}")
        page.evaluate(count)
        for field, value in fields.items():
            page.fill(field, value)
        page.get_by_role("button", name=name).dblclick()
        assert page.evaluate("window.sent") == 1, address
    # A file to keep leaves the page as it is: the button works again at once.
    page.goto(f"{at}/import/")
    for _ in range(2):
        with page.expect_download():
            page.get_by_role("button", name="Download").click()
