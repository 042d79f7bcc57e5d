"""A real server on loopback with an agent and a key, for clients that need a socket. `tests/mcp/conformance.py` and
the tests of the official client use it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECRET_KEY = "for-tests-and-checks-only-" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2
SCOPES = "read,write,boot,configure"
START_SECONDS = 60
# All that the server gets of this machine's environment: a setting of the developer's own must not change a test.
KEPT = ("PATH", "HOME", "TMPDIR", "LANG")


@dataclass(slots=True)
class Served:
    """Where it listens, and the key of its agent. `restart` ends the process and starts another on the same port."""

    port: int
    key: str
    environment: dict[str, str]
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)

    def restart(self) -> None:
        self.stop()
        self.process = _started(self.port, self.environment)


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """A server with its database in `folder`; it ends with the block."""
    environment = {
        **{name: os.environ[name] for name in KEPT if name in os.environ},
        "DATABASE_URL": f"sqlite:///{folder}/served.sqlite3",
        "SECRET_KEY": SECRET_KEY,
        "PYTHONUTF8": "1",
    }
    _manage(environment, "migrate", "--verbosity", "0")
    _manage(environment, "create_tenant", "served", "--name", "Served")
    issued = _manage(environment, "issue_key", "served", "--name", "test", "--scopes", SCOPES, "--json")
    port = free_port()
    served = Served(port, json.loads(issued)["key"], environment, _started(port, environment))
    try:
        yield served
    finally:
        served.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _manage(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _started(port: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host", "127.0.0.1"),
            *("--port", str(port), "--workers", "1", "--blocking-threads", "8", "--log-level", "error"),
            "revell.wsgi:application",
        ],
        cwd=ROOT,
        env=environment,
    )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as probe:
            probe.request("GET", "/healthz")
            if probe.getresponse().status == 200:
                return process
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.05)
    process.kill()
    raise AssertionError("the server did not start")


@contextlib.contextmanager
def with_key(served: Served) -> Iterator[str]:
    """The address of a proxy that adds the key, for clients that cannot send one; all else goes through as it is."""

    class Forward(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            upstream = http.client.HTTPConnection("127.0.0.1", served.port)
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("connection", "authorization"):
                    upstream.putheader(name, value)
            upstream.putheader("Authorization", f"Bearer {served.key}")
            upstream.endheaders(body)
            answer = upstream.getresponse()
            content = answer.read()
            upstream.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "server", "date"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = do_OPTIONS = forward  # noqa: N815 (the names that http.server looks for)

        def log_message(self, format: str, *args: object) -> None:
            """The proxy is nobody's business."""

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Forward)
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{proxy.server_address[1]}/mcp"
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()
