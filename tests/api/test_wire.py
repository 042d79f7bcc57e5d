"""The real server: what it does with an answer whose reader hangs up, and with one that is read to its end (P38).

The server runs in a process of its own on the test's database, with one thread for requests: when it answers the next
request, it has finished with the one before.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from memories.models import Boot, Memory, Promise, Tenant
from memories.services import promises
from tests import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

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


@pytest.fixture
def actor(transactional_db):
    """An agent with a payload of more than 100 KB and one promise in it."""
    tenant = factories.make_tenant(budget_tokens=33_000)
    agent = factories.agent_of(tenant)
    factories.remember_many(agent, 400, size=300)
    promises.make(agent, content="See this now.")
    return agent


@pytest.fixture
def server(actor, tmp_path) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host", "127.0.0.1"),
        *("--port", str(port), "--workers", "1", "--blocking-threads", "1", "--log-level", "error"),
        "revell.wsgi:application",
    ]
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "SECRET_KEY": settings.SECRET_KEY,
        "LOG_LEVEL": "ERROR",
    }
    log = (tmp_path / "server.log").open("wb")
    with log, subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process:
        try:
            wait_until_it_listens(process, port)
            yield Server(port, factories.issue_key(Tenant.objects.get(pk=actor.tenant)))
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def database_url() -> str:
    """The test's own database, for the other process."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{told['NAME']}"
    password = f":{told['PASSWORD']}" if told["PASSWORD"] else ""
    return f"postgres://{told['USER']}{password}@{told['HOST']}:{told['PORT']}/{told['NAME']}"


def wait_until_it_listens(process, port) -> None:
    for _ in range(START_SECONDS * 10):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.1)
            break
    raise AssertionError("the server did not start")


def read_some_and_hang_up(server: Server, **headers: str) -> int:
    """Read one byte of the answer and reset the connection.

    Small windows on the client's side: else the kernels between the two may hold a whole payload that nobody read, and
    no server could tell.
    """
    with socket.socket() as client:
        client.settimeout(30)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        client.connect(("127.0.0.1", server.port))
        client.sendall(server.request("POST", "boot", **headers))
        got = len(client.recv(1))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    server.ask("GET", "help/boot")
    return got


@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_p38_who_reads_to_the_end_finds_the_decay_done(server, accept):
    answer, body = server.ask("POST", "boot", Accept=accept)
    assert (Promise.objects.count(), Memory.objects.filter(content="See this now.").count()) == (0, 1)
    assert answer.getheader("Transfer-Encoding") == "chunked"
    assert answer.getheader("Content-Length") is None
    boot = Boot.objects.get()
    payload = body if accept == "text/plain" else json.loads(body)["payload"].encode()
    assert len(payload) == boot.size_bytes > 100_000
    assert hashlib.sha256(payload).hexdigest() == boot.sha256
    assert [served.outcome for served in boot.served.all()] == ["decayed"]


@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_p38_who_hangs_up_in_the_middle_still_has_the_promise(server, accept):
    assert read_some_and_hang_up(server, Accept=accept) == 1
    assert Promise.objects.count() == 1
    assert [served.outcome for served in Boot.objects.get().served.all()] == ["shown"]
    _, body = server.ask("POST", "boot", Accept="text/plain")
    assert b"See this now." in body, "and it is served again"
    assert Promise.objects.count() == 0


def test_p38_the_server_is_well_after_many_that_hung_up(server):
    for _ in range(10):
        read_some_and_hang_up(server)
    answer, _ = server.ask("POST", "boot")
    assert answer.status == 200
    assert Promise.objects.count() == 0
    assert Boot.objects.count() == 11


def test_a_chunked_body_is_read_and_one_that_is_too_large_is_refused(server):
    answer, body = server.ask("POST", "memories", {"type": "episodic", "content": "x"})
    assert (answer.status, json.loads(body)["content"]) == (201, "x")
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as client:
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        pieces = iter([b'{"query":', b' "step"}'])
        client.request("POST", "/api/v1/recall", pieces, headers, encode_chunked=True)
        assert json.loads(client.getresponse().read())["scope"]["query"] == "step"
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as client:
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        client.request("POST", "/api/v1/recall", b" " * (2 * 1024 * 1024 + 1), headers)
        answer = client.getresponse()
        assert (answer.status, json.loads(answer.read())["code"]) == (413, "too_large")
