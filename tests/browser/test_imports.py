"""Import / export in a browser: send, look, apply, download; by mouse, by keyboard, without scripts, for everybody."""

from __future__ import annotations

import io
import zipfile

import pytest
from playwright.sync_api import expect

from memories.engine.kinds import Role
from memories.models import Memory
from tests.browser.test_pages import faults_of
from tests.browser.test_work import tab_to

EVIL = "<img src=x onerror=document.title=1>"
SOUL = f"## {EVIL}\n\nI take care.\n\n## Long\n\n{'x' * 30_000}"
FILES = [
    {"name": "SOUL.md", "mimeType": "text/markdown", "buffer": SOUL.encode()},
    {"name": "2026-11-28.md", "mimeType": "text/markdown", "buffer": "## 14:30 Deploy\n\n\u202eIt went well.".encode()},
    {"name": f"{EVIL}.md", "mimeType": "text/markdown", "buffer": b"what is it"},
    {"name": "TOOLS.md", "mimeType": "text/markdown", "buffer": b"\xff\xfe"},
]  # fmt: skip
DAY = FILES[1:2]


def imported() -> int:
    return Memory.objects.filter(source="import").count()


def test_files_are_sent_looked_at_and_applied(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/import/")
    page.get_by_label("Files").set_input_files(DAY)
    page.get_by_role("button", name="Show the plan").click()
    expect(page.locator("h1")).to_have_text("Plan of the import")
    page.locator(".out summary").filter(has_text="2026-11-28.md").click()
    expect(page.get_by_role("row").filter(has_text="14:30")).to_be_visible()
    assert imported() == 0
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("status").filter(has_text="Imported")).to_contain_text("1 memories added")
    assert imported() == 1


def test_applying_by_keyboard_alone(signed_in, agent):
    """The system's own window for choosing a file is not the page's."""
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/import/")
    tab_to(page, "#files")
    page.locator("#files").set_input_files(DAY)
    tab_to(page, "form[enctype] .btn-main")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Plan of the import")
    tab_to(page, ".out summary")
    page.keyboard.press("Enter")
    expect(page.locator(".out table").first).to_be_visible()
    page.reload()
    tab_to(page, "form[action$='/apply'] button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Imported")).to_be_visible()
    assert imported() == 1


def test_importing_and_discarding_without_scripts(signed_in, agent):
    page = signed_in(java_script_enabled=False)
    page.goto(f"/agents/{agent.slug}/import/")
    page.get_by_label("Files").set_input_files(DAY)
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Discard").click()
    expect(page.locator(".note.is-ok")).to_contain_text("discarded")
    page.get_by_label("Files").set_input_files(DAY)
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".note.is-ok")).to_contain_text("Imported")
    assert imported() == 1


def test_everything_is_downloaded(signed_in, agent):
    page = signed_in(Role.VIEWER)
    page.goto(f"/agents/{agent.slug}/import/")
    expect(page.get_by_role("button", name="Show the plan")).to_be_disabled()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download everything").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        assert archive.testzip() is None
        assert archive.read("memories.jsonl").count(b"\n") == Memory.objects.filter(tenant=agent).count()


@pytest.mark.parametrize(("theme", "rules"), [("light", ()), ("dark", ("color-contrast",))])
def test_a_plan_with_everything_in_it_is_readable_for_everybody(signed_in, agent, theme, rules):
    page = signed_in(bypass_csp=True, color_scheme=theme, viewport={"width": 390, "height": 844})
    page.goto(f"/agents/{agent.slug}/import/")
    page.get_by_label("Files").set_input_files(FILES)
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_role("heading", name="Stays out, with a fault")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert faults_of(page, *rules) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.title() != "1"
    assert page.locator("main img").count() == 0


def test_a_plan_breaks_no_policy(signed_in, agent):
    page = signed_in()
    page.goto(f"/agents/{agent.slug}/import/")
    page.get_by_label("Files").set_input_files(FILES)
    page.get_by_role("button", name="Show the plan").click()
    expect(page.locator("h1")).to_have_text("Plan of the import")
    assert page.evaluate("window.blocked") == []
