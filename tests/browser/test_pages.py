"""Every page, in light and dark, narrow and wide: nothing blocked, nothing in the console, readable for everybody."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from memories.services import promises, tenants
from tests import factories
from tests.pages import addresses as table

# Pages that others hold all parts of: axe-core takes a second or two for each.
HELD_BY_OTHERS = (
    "preview/", "boots/1/?against=next", "boots/1/?part=text", "memories/?q=nothinglikethis", "capsules/new/",
    "capsules/?project_prefix=nott/", "activity/?via=page",
)  # fmt: skip


def addresses(agent, but=()):
    """Every page of the table in `tests/pages.py`."""
    pages = [one for some in table(agent.slug).values() for one in some]
    return [one for one in pages if not any(one == f"/agents/{agent.slug}/{page}" for page in but)]


def over_the_cap(agent):
    """The pages say most when promises are over the cap."""
    promises.make(factories.agent_of(agent), content="x" * 5_000)
    tenants.configure(factories.operator_in(agent), budget_tokens=9_000)


def test_no_page_breaks_the_policy_or_writes_an_error(signed_in, agent):
    """What is stored is shown as text: its script never runs."""
    page = signed_in(administrator=True)
    blocked = []
    for address in addresses(agent):
        page.goto(address)
        expect(page.locator("h1")).to_have_count(1)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        blocked += page.evaluate("window.blocked")
        assert page.title() != "1"
        assert page.locator("[style], [onclick], script:not([src])").count() == 0
    assert blocked == []


def test_the_check_sees_a_page_that_breaks_the_policy(signed_in, expected_errors):
    expected_errors.append("Applying inline style violates")
    page = signed_in(administrator=True)
    page.goto("/")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<i style=\"color:red\">x</i>')")
    page.wait_for_function("window.blocked.length > 0")
    assert "style-src" in page.evaluate("window.blocked.splice(0)")[0]


def faults_of(page: Page, *rules: str) -> list[str]:
    """What axe-core finds; it is put into the page, which only a context without the policy allows."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    violations = Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]} {one['nodes'][0]['any'][:1]}" for one in violations]


# Only colours differ in the dark.
@pytest.mark.parametrize(("theme", "rules"), [("light", ()), ("dark", ("color-contrast",))])
def test_no_page_has_a_fault_of_accessibility(signed_in, agent, theme, rules):
    over_the_cap(agent)
    page = signed_in(administrator=True, bypass_csp=True, color_scheme=theme)
    found = {}
    for address in addresses(agent, but=HELD_BY_OTHERS):
        page.goto(address)
        if faults := faults_of(page, *rules):
            found[address] = faults
    assert found == {}
    page.goto("/")
    page.evaluate("document.querySelector('.lede').style.color = '#777'")
    assert "color-contrast" in str(faults_of(page, *rules)), "the check itself sees no fault"


# What is wider than the place it stands in: it would push the page, or lie under what stands beside it.
TOO_WIDE = """() => {
  const root = document.documentElement;
  const found = root.scrollWidth > root.clientWidth ? [`the page by ${root.scrollWidth - root.clientWidth}`] : [];
  for (const one of document.querySelectorAll("main :is(table, form, section, pre, dl)")) {
    const over = one.getBoundingClientRect().right - one.parentElement.getBoundingClientRect().right;
    if (over > 1) found.push(`${one.tagName}.${one.className} by ${Math.round(over)}`);
  }
  return found;
}"""


@pytest.mark.parametrize("width", [320, 390, 1000, 1100, 1280])
def test_no_page_scrolls_sideways_and_nothing_is_wider_than_its_place(signed_in, agent, width):
    over_the_cap(agent)
    page = signed_in(administrator=True, viewport={"width": width, "height": 844})
    wide = {}
    for address in addresses(agent):
        page.goto(address)
        if found := page.evaluate(TOO_WIDE):
            wide[address] = found
    assert wide == {}


def test_the_menu_opens_on_a_narrow_screen(signed_in, agent):
    page = signed_in(viewport={"width": 390, "height": 844})
    page.goto(f"/agents/{agent.slug}/preview/")
    expect(page.get_by_role("link", name="Promises")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Promises").click()
    expect(page.locator("h1")).to_have_text("Promises")


def test_the_theme_is_chosen_and_kept(signed_in, agent):
    page = signed_in(color_scheme="light")
    page.goto(f"/agents/{agent.slug}/promises/")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("h1")).to_have_text("Promises")
    assert page.evaluate(ground) != light


def test_forms_that_were_refused_have_no_fault_of_accessibility(signed_in, agent):
    page = signed_in(bypass_csp=True)
    found = {}
    for address, fields, button in (
        ("capsules/new/", {"#confidence": "7", "#blocks": "x", "#content": "a", "#project_id": "a//b"}, "Capture"),
        ("capsules/2/", {"#other": "99"}, "Relate"),
        ("capsules/2/forget/", {"#reason": " "}, "Forget it"),
        ("capsules/aliases/", {"#term": "!", "#alias": "?"}, "Make alias"),
        ("promises/", {"#content": "x" * 9_000}, "Make promise"),
    ):
        page.goto(f"/agents/{agent.slug}/{address}")
        if page.locator("#kind").count():
            page.select_option("#kind", "task")
        for field, value in fields.items():
            page.fill(field, value)
        page.get_by_role("button", name=button).click()
        expect(page.locator("[aria-invalid]").first).to_be_visible()
        if faults := faults_of(page):
            found[address] = faults
    assert found == {}
