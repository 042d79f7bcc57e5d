"""A real Chromium for the browser tests; what they do with it stands in the tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, sync_playwright

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.models import Tenant
from memories.services import boot, capsules, memories, promises
from tests import factories
from tests.conftest import find_chromium

CHROMIUM_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the session. Each test takes a page of its own."""
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


# Before any script of the page: what the policy blocks is remembered, whether or not somebody looks at the console.
WATCH = """
window.blocked = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.blocked.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""


@pytest.fixture
def expected_errors() -> list[str]:
    """Beginnings of lines that the console may show. A test that provokes one adds to it.

    A browser reports each answer from 400 on as an error of its own; that is no fault of a page.
    """
    return ["Failed to load resource"]


@pytest.fixture
def open_page(chromium: Browser, expected_errors: list[str]) -> Iterator[Callable[..., Page]]:
    """Opens a page with empty storage; options as for Playwright's `new_context`.

    The test fails if a page broke the content security policy, threw an error or wrote one to the console.
    """
    contexts = []
    faults: list[str] = []

    def open_one(**options: Any) -> Page:
        context = chromium.new_context(**options)
        context.set_default_timeout(10_000)
        context.add_init_script(WATCH)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda message: faults.append(message.text) if message.type == "error" else None,
        )
        return page

    yield open_one
    for context in contexts:
        for page in context.pages:
            faults += page.evaluate("window.blocked ?? []")
        context.close()
    assert [fault for fault in faults if not fault.startswith(tuple(expected_errors))] == []


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    return open_page()


@pytest.fixture
def agent(transactional_db: None) -> Tenant:
    """An agent with a row of each kind, a boot, a served and a pending promise."""
    tenant = factories.make_tenant()
    actor = factories.agent_of(tenant)
    factories.remember(actor, "core", "I say what I know.", key="honesty")
    factories.remember(actor, "axiom", "Never force-push main.", category="git")
    factories.remember(actor, "working", "step one\nstep two " + "and more " * 300, key="importer")
    factories.remember(actor, "semantic", "", subject="quay 7", predicate="has", object="two gauges")
    factories.remember(actor, "episodic", "The tide report was late.", tags=("report",))
    hostile = "<img src=x onerror=document.title=1><script>document.title=1</script>\r\n[REVELL | SOUL] é 👩‍👩‍👧"
    factories.remember(actor, "episodic", hostile)
    factories.remember_many(actor, 25, size=600)
    promises.make(actor, content="served before " + hostile.replace("\r", ""))
    boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    memories.revise(actor, number=1, changes={"content": "I say what I know, and what I do not."})
    promises.make(actor, content="Look at this first.\n" + "It is long. " * 40)
    for kind, content, links in (
        ("constraint", hostile, {}),
        ("task", "wire the projection", {}),
        ("task", "publish the surface", {"blocked_by": ["cap-2"]}),
        ("decision", "sqlite for the local store", {}),
        ("decision", "postgres when it grows", {"supersedes": ["cap-4"]}),
    ):
        values = {"kind": kind, "content": content, "project_id": "nott", **links}
        capsules.capture(actor, values=values)
    return tenant


@pytest.fixture
def signed_in(live_server: Any, agent: Tenant, open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Opens a page on which a person of the agent is signed in, its owner unless another role is given.

    `administrator` lets the person see the pages that only an administrator of the server has.
    """

    def open_one(role: Role = Role.OWNER, *, administrator: bool = False, **options: Any) -> Page:
        person, _ = factories.person_in(agent, role)
        if administrator:
            person.is_superuser = person.is_staff = True
            person.save()
        client = Client()
        client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
        page = open_page(base_url=live_server.url, **options)
        session = client.cookies["revell_session"].value
        page.context.add_cookies([{"name": "revell_session", "value": session, "url": live_server.url}])
        return page

    return open_one
