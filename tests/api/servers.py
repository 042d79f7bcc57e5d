"""The real server, in a process of its own, on the database of the test that starts it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from memories.models import Tenant
from tests import factories

START_SECONDS = 60


@dataclass
class Server:
    """Where it listens, and how to ask it with a key."""

    port: int
    key: str

    def request(self, method: str, path: str, **headers: str) -> bytes:
        given = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.key}", "Content-Length": "0"}
        given |= {name.replace("_", "-"): text for name, text in headers.items()}
        lines = [f"{method} /api/v1/{path} HTTP/1.1", *(f"{name}: {text}" for name, text in given.items())]
        return "\r\n".join([*lines, "", ""]).encode()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        """The answer, read to its end."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as client:
            given = {"Authorization": f"Bearer {self.key}", **{n.replace("_", "-"): t for n, t in headers.items()}}
            if body is not None:
                given["Content-Type"] = "application/json"
            client.request(method, f"/api/v1/{path}", None if body is None else json.dumps(body), given)
            answer = client.getresponse()
            return answer, answer.read()


@contextlib.contextmanager
def serving(tenant: Tenant, folder: Path, *, threads: int) -> Iterator[Server]:
    """A server with a key of `tenant`. With one thread it has finished a request when it answers the next one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host", "127.0.0.1"),
        *("--port", str(port), "--workers", "1", "--blocking-threads", str(threads), "--log-level", "error"),
        "revell.wsgi:application",
    ]
    environment = {**os.environ, "DATABASE_URL": _database_url(), "SECRET_KEY": settings.SECRET_KEY}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment | {"LOG_LEVEL": "ERROR"}, stdout=log, stderr=log)
        try:
            _wait_until_it_listens(process, port)
            yield Server(port, factories.issue_key(tenant))
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _database_url() -> str:
    """The test's own database, for the other process."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{told['NAME']}"
    password = f":{told['PASSWORD']}" if told["PASSWORD"] else ""
    return f"postgres://{told['USER']}{password}@{told['HOST']}:{told['PORT']}/{told['NAME']}"


def _wait_until_it_listens(process, port) -> None:
    for _ in range(START_SECONDS * 10):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.1)
            break
    raise AssertionError("the server did not start")
