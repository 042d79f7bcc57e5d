"""What every test run needs: the database file, fast passwords, hypothesis profiles, which tests can run here.

Things that tests act on (tenants, actors, rows) are made in `factories.py`. Sockets are held to loopback by the options
in `pyproject.toml`.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from memories.engine.actor import Actor
from memories.models import Tenant
from tests import factories

TESTS = Path(__file__).parent
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")

# `ci` is repeatable; both let a slow machine be slow.
hypothesis_settings.register_profile(
    "ci", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.register_profile("developer", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("ci" if IN_CI else "developer")


def find_chromium() -> str | None:
    """The path of a Chromium: `CHROMIUM` first, then the usual names in PATH."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def pytest_configure(config: pytest.Config) -> None:
    build = TESTS.parent / "build"
    build.mkdir(exist_ok=True)
    # A run that was killed leaves its write-ahead log, which SQLite would replay into the next database of that name.
    worker = getattr(config, "workerinput", {}).get("workerid", "")
    for ending in ("", "-wal", "-shm"):
        (build / f"test.sqlite3{f'_{worker}' if worker else ''}{ending}").unlink(missing_ok=True)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Threads end with their test; a connection kept open in one would outlive the test database.
    settings.DATABASES["default"]["CONN_MAX_AGE"] = 0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks browser tests by their folder; takes out, by name and not as "skipped", what belongs to another run."""
    on_sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
    browser_runs = on_sqlite and find_chromium() is not None
    kept, taken_out = [], []
    for item in items:
        if item.path.is_relative_to(TESTS / "browser"):
            item.add_marker("browser")
        other_database = item.get_closest_marker("postgresql" if on_sqlite else "sqlite")
        no_browser = item.get_closest_marker("browser") and not browser_runs
        (taken_out if other_database or no_browser else kept).append(item)
    if IN_CI and on_sqlite and not browser_runs:
        raise pytest.UsageError("CI needs a Chromium for the browser tests: set CHROMIUM or install one.")
    if taken_out:
        config.hook.pytest_deselected(items=taken_out)
        items[:] = kept


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skipped test is a failure: what is skipped once is soon skipped for good."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not IN_CI or reporter is None or hasattr(session.config, "workerinput"):
        return
    skipped = reporter.stats.get("skipped", [])
    if skipped:
        reporter.write_line(
            f"CI allows no skipped test, and {len(skipped)} were: {[r.nodeid for r in skipped]}", red=True
        )
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def tenant(db: None) -> Tenant:
    return factories.make_tenant()


@pytest.fixture
def other_tenant(db: None) -> Tenant:
    return factories.make_tenant("Quillon")


@pytest.fixture
def actor(tenant: Tenant) -> Actor:
    """An agent of `tenant` with all scopes of a key."""
    return factories.agent_of(tenant)


@pytest.fixture
def other_actor(other_tenant: Tenant) -> Actor:
    return factories.agent_of(other_tenant)
