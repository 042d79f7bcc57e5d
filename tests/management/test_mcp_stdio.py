"""The bridge from stdin and stdout: what goes out, what comes back, and a server that is away for a while."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.management import CommandError, call_command

from memories.management.commands.mcp_stdio import bridge
from tests.mcp.serving import free_port


@contextmanager
def server(port: int, seen: list, answer: tuple[int, bytes] | None = None) -> Iterator[None]:
    """Keeps what it gets in `seen`; answers with the method, or with `answer`."""

    class Stub(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((dict(self.headers), body))
            message = json.loads(body)
            told = {
                "jsonrpc": "2.0",
                "id": message.get("id"),
                "result": {"protocolVersion": "2025-06-18", "text": "日本\n"},
            }
            status, raw = answer or ((200, json.dumps(told).encode()) if "id" in message else (202, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing but protocol belongs on a stream here."""

    stub = ThreadingHTTPServer(("127.0.0.1", port), Stub)
    thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        stub.shutdown()
        stub.server_close()
        thread.join()


def carry(port: int, *messages: object) -> list:
    """What comes back for these lines, each line read as JSON."""
    lines = io.StringIO("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in messages))
    answers = io.StringIO()
    bridge(lines, answers, url=f"http://127.0.0.1:{port}/mcp", key="rvl_a_b")
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_each_request_comes_back_in_one_line_and_a_notification_in_none():
    port, seen = free_port(), []
    with server(port, seen):
        answers = carry(
            port,
            {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            "",
            {"jsonrpc": "2.0", "id": "x", "method": "tools/list"},
        )
    assert [answer["id"] for answer in answers] == [1, "x"]
    assert answers[0]["result"]["text"] == "日本\n"
    headers = [{name.lower(): value for name, value in sent.items()} for sent, _ in seen]
    assert {sent["authorization"] for sent in headers} == {"Bearer rvl_a_b"}
    assert [sent.get("mcp-protocol-version") for sent in headers] == [None, "2025-06-18", "2025-06-18"]


def test_the_headers_of_the_stateless_era_repeat_the_message():
    port, seen = free_port(), []
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params = {"_meta": meta, "name": "日本"}
    with server(port, seen):
        carry(port, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {name.lower(): value for name, value in seen[0][0].items()}
    assert (headers["mcp-protocol-version"], headers["mcp-method"]) == ("2026-07-28", "tools/call")
    assert headers["mcp-name"] == "=?base64?5pel5pys?="


def test_it_survives_a_server_that_restarts():
    port, seen = free_port(), []
    request = {"jsonrpc": "2.0", "id": 5, "method": "tools/list"}
    (away,) = carry(port, request)
    assert (away["id"], away["error"]["code"]) == (5, -32603)
    assert "does not answer" in away["error"]["message"]
    assert carry(port, {"jsonrpc": "2.0", "method": "notifications/x"}) == []
    with server(port, seen):
        assert carry(port, request)[0]["result"]


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, b'{"code": "not_authenticated", "detail": "This API key is not accepted."}', "not accepted"),
        (404, b"<h1>nothing here</h1>", "Is --url the address"),
        (500, b"[" * 50_000, "Is --url the address"),
    ],
)
def test_an_answer_of_http_alone_becomes_an_error_of_the_protocol(status, body, said):
    port = free_port()
    with server(port, [], (status, body)):
        (answer,) = carry(port, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    assert said in answer["error"]["message"]


def test_an_error_of_the_protocol_passes_through():
    port = free_port()
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no such method"}}
    with server(port, [], (404, json.dumps(error).encode())):
        assert carry(port, {"jsonrpc": "2.0", "id": 1, "method": "x"}) == [error]


def test_without_a_key_or_with_another_address_it_does_not_start(monkeypatch):
    monkeypatch.delenv("REVELL_KEY", raising=False)
    with pytest.raises(CommandError, match="REVELL_KEY"):
        call_command("mcp_stdio")
    monkeypatch.setenv("REVELL_KEY", "rvl_a_b")
    with pytest.raises(CommandError, match="address"):
        call_command("mcp_stdio", "--url", "file:///etc/passwd")
