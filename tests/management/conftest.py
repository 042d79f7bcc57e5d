"""Running commands: inside the test's process, and as a process of its own on the test's database."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def command(db: None) -> Callable[..., str]:
    """Calls a command in this process and returns what it printed; errors come through as they are."""

    def run(*args: str, **options: Any) -> str:
        out = io.StringIO()
        call_command(*args, stdout=out, **options)
        return out.getvalue()

    return run


def database_url() -> str:
    """The database of this test, as `DATABASE_URL` names it."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{told['NAME']}"
    account = quote(told["USER"]) + (f":{quote(told['PASSWORD'])}" if told["PASSWORD"] else "")
    return f"postgres://{account}@{told['HOST']}:{told['PORT']}/{told['NAME']}"


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    return {**kept, "DATABASE_URL": database_url(), "SECRET_KEY": settings.SECRET_KEY, **more}


@pytest.fixture
def manage(transactional_db: None) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs `manage.py` as a process; the rows of the test are committed, so it sees them."""

    def run(*args: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.run(
            [sys.executable, "manage.py", *args],
            cwd=ROOT,
            env=environment(**options.pop("more", {})),
            check=False,
            timeout=120,
            **options,
        )

    return run
