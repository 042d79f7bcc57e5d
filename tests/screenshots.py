"""Pictures of every page: `python -m tests.screenshots [names of pages]`, or `make screenshots`.

Fills a database of its own with the sample agent, starts the real server on it and looks with Chromium: light, dark,
1100 and 390 px wide, into `build/screenshots/`. `--docs` takes the few that the docs show, into `docs/screenshots/`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "screenshots"
DOCS = ROOT / "docs" / "screenshots"
SLUG, USERNAME, PASSWORD = "clawbert", "keeper", "a-long-password"
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "medium": {"viewport": {"width": 1100, "height": 800}, "color_scheme": "light"},
    "narrow": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
# The name of a picture in the docs, its address in the sample agent, and the look. Kept few and small: one screen each.
SHOWN = {
    "overview": ("", "light"),
    "preview": ("preview/?context_hint=tide+report&budget_tokens=5000", "light"),
    "preview-dark": ("preview/?context_hint=tide+report&budget_tokens=5000", "dark"),
    "capsules": ("capsules/?project_prefix=atlas", "light"),
    "pack": ("pack/?project_prefix=atlas&token_budget=700", "light"),
}
SHOWN_WIDTH, SHOWN_HEIGHT = 1200, 760
START_SECONDS = 60


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("pages", nargs="*", help="names of addresses, such as preview; all when left out")
    parser.add_argument("--looks", default=",".join(LOOKS), help="light, dark, medium, narrow; all when left out")
    parser.add_argument("--docs", action="store_true", help="take the pictures that the docs show, and no others")
    asked = parser.parse_args(arguments)
    from tests.run import find_chromium

    chromium = find_chromium()
    if chromium is None:
        print("There is no Chromium here: install one, or name it: CHROMIUM=/path/to/chrome")
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    database = FOLDER / "sample.sqlite3"
    for ending in ("", "-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)
    os.environ |= {
        "DATABASE_URL": f"sqlite:///{database}",
        "SECRET_KEY": "for-pictures-only-" + "0123456789abcdef" * 3,
        "DJANGO_SETTINGS_MODULE": "revell.settings",
        "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "manage.py", "quickstart"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    more = _fill()
    from tests.pages import addresses

    known = addresses(SLUG) | more
    if unknown := set(asked.pages) - set(known):
        print(f"There is no page named {', '.join(sorted(unknown))}; there are {', '.join(known)}.")
        return 1
    with _serving() as address:
        if asked.docs:
            _take(chromium, address, looks=list(LOOKS), known=known, pages=(), docs=True)
        else:
            pages = tuple(asked.pages or known)
            _take(chromium, address, looks=asked.looks.split(","), known=known, pages=pages, docs=False)
    return 0


def _fill() -> dict[str, list[str]]:
    """The sample agent with a week behind it, a second agent over its cap and with much to do, a third that knows

    nothing yet and lets the person only look. Answers addresses of what only these show.
    """
    import django

    django.setup()
    from memories.engine.delivery import BootRequest
    from memories.engine.kinds import Channel, Role
    from memories.models import Tenant
    from memories.services import boot, capsules, promises, tenants
    from tests import factories

    tenant = Tenant.objects.get(slug=SLUG)
    agent = factories.agent_of(tenant)
    person, keeper = factories.person_in(tenant, username=USERNAME)
    # An administrator, so that the page of a new agent is there to be looked at.
    person.is_superuser = person.is_staff = True
    person.save()
    factories.person_in(tenant, Role.EDITOR, username="night-desk")
    factories.person_in(tenant, Role.VIEWER, username="harbour-office")
    channels = (Channel.SESSION_START, Channel.AGENT, Channel.POST_COMPACT)
    for day in range(9):
        text = (
            f"Day {day + 1}: the tide report left at 08:{10 + day}. "
            + "The gauge at quay 7 agreed with the pilot. " * 9
        )
        factories.remember(agent, "episodic", text, tags=("tide", "report"))
        if day % 3 == 0:
            promises.make(agent, content=f"Look at quay 7 before the report of day {day + 2}.")
        done = boot.serve(agent, request=BootRequest(channel=channels[day % 3], context_hint="tide report"))
        boot.decay(agent, boot=done.boot)
    promises.make(
        agent,
        content="Release 2.4 is half out: api runs 2.4.1, web still 2.3.9.\nDo not roll api back before web moved.",
    )
    promises.make(keeper, content="The harbour office wants the tide report on Tuesday before 10:00.")
    capsules.set_tier(keeper, number=3, tier="archived")
    capsules.alias(keeper, term="database", alias="postgresql")
    other = factories.make_tenant("Atlas")
    tenants.set_member(factories.operator_in(other), person=person, role=Role.EDITOR)
    for night in range(3):
        promises.make(factories.agent_of(other), content=f"Night {night + 1}. " + "The outer buoy is awaited. " * 75)
    tenants.configure(factories.operator_in(other), budget_tokens=10_000)
    empty = factories.make_tenant("Quillon")
    tenants.set_member(factories.operator_in(empty), person=person, role=Role.VIEWER)
    _much_to_do(factories.agent_of(other))
    at, there = f"/agents/{other.slug}", f"/agents/{empty.slug}"
    return {
        "promises-over": [f"{at}/promises/"],
        "blocks-many": [f"{at}/capsules/blocks/?project_prefix={name}" for name in ("thirty", "many", "loop")],
        "empty": [f"{there}/{page}" for page in ("preview/", "capsules/", "memories/", "boots/", "promises/")],
        "viewer": [f"{there}/{page}" for page in ("settings/", "capsules/aliases/", "pack/")],
    }


def _much_to_do(agent: Any) -> None:
    """Projects of 30 and 200 tasks in layers, and one with a loop."""
    from memories.services import capsules

    for project, count in (("thirty", 30), ("many", 200)):
        made = [
            one.capsule.number
            for one in capsules.capture_many(
                agent,
                items=[
                    {"content": f"Step {n + 1} of the harbour works", "kind": "task", "project_id": project}
                    for n in range(count)
                ],
            ).captured
        ]
        for at, number in enumerate(made):
            for before in {at - 3 - at % 4, at - 7}:
                if before >= 0:
                    capsules.relate(agent, kind="blocks", source=f"cap-{made[before]}", target=f"cap-{number}")
        for number in made[:4]:
            values = {"content": f"Step done {number}", "kind": "fact", "project_id": project}
            capsules.capture(agent, values={**values, "proves": [f"cap-{number}"]})
    names = ("Rewrite the cursor", "Raise the schema", "Tell the pilots", "Print the sheets", "Paint the gauge")
    rows = [{"content": name, "kind": "task", "project_id": "loop"} for name in names]
    loop = [f"cap-{one.capsule.number}" for one in capsules.capture_many(agent, items=rows).captured]
    for source, target in ((0, 1), (1, 2), (2, 0), (2, 3), (4, 3)):
        capsules.relate(agent, kind="blocks", source=loop[source], target=loop[target])


@contextlib.contextmanager
def _serving() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = (FOLDER / "server.log").open("wb")
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host", "127.0.0.1"),
            *("--port", str(port), "--workers", "1", "--blocking-threads", "2", "--log-level", "error"),
            "revell.wsgi:application",
        ],
        cwd=ROOT,
        stdout=log,
        stderr=log,
    )
    try:
        _wait(server, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
        log.close()


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(START_SECONDS * 10):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(timeout=0.1)
            break
    raise SystemExit(f"The server did not start; see {FOLDER / 'server.log'}.")


def _take(
    chromium: str, address: str, *, looks: list[str], known: dict[str, list[str]], pages: tuple[str, ...], docs: bool
) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM_OPTIONS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_OPTIONS)
        for look in looks:
            context = browser.new_context(base_url=address, **LOOKS[look])
            page = context.new_page()
            page.goto("/sign-in/")
            if "sign-in" in pages:
                _save(page, FOLDER / look / "sign-in.png")
            page.fill("#username", USERNAME)
            page.fill("#password", PASSWORD)
            page.locator("#password").press("Enter")
            page.wait_for_load_state()
            if docs:
                page.set_viewport_size({"width": SHOWN_WIDTH, "height": SHOWN_HEIGHT})
                for name, (shown, wanted) in SHOWN.items():
                    if wanted == look:
                        page.goto(f"/agents/{SLUG}/{shown}")
                        DOCS.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=DOCS / f"{name}.png")
                continue
            for name in pages:
                for at, one in enumerate(known[name]):
                    if name != "sign-in":
                        page.goto(one)
                        _save(page, FOLDER / look / f"{name}{f'-{at + 1}' if at else ''}.png")
            context.close()
        browser.close()


def _save(page: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, full_page=True)
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
