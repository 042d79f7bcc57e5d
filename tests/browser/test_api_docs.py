"""The REST reference in a real browser: complete, with no outside host, within the policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page


@pytest.mark.django_db(transaction=True)
def test_the_reference_needs_no_outside_host(page: Page, live_server) -> None:
    outside: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if live_server.url not in request.url else None)
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{live_server.url}/api/docs/")
    page.locator(".opblock-summary-control").first.click()
    page.locator(".opblock-body").first.wait_for()
    assert page.get_by_text("/api/v1/promises", exact=True).count() >= 1
    assert said == []
    assert [url for url in outside if not url.startswith("data:")] == []
