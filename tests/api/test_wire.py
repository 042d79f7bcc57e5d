"""The real server: what it does with an answer whose reader hangs up, and with one that is read to its end (P38)."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import socket
import struct
from collections.abc import Iterator

import pytest

from memories.models import Boot, Memory, Promise, Tenant
from memories.services import promises
from tests import factories
from tests.api.servers import Server, serving

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


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
    with serving(Tenant.objects.get(pk=actor.tenant), tmp_path, threads=1) as server:
        yield server


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
