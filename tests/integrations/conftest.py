"""The program that runs in the agents' hooks, called as they call it, and servers on loopback for it to talk to."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "integrations" / "claude-code" / "boot.py"
KEY = "rvl_abcd1234_secretsecretsecret"
EVENT = {"hook_event_name": "SessionStart", "session_id": "s-1", "source": "startup", "cwd": "boat"}


@dataclass(frozen=True, slots=True)
class Done:
    """How a call ended. `seconds` is measured from outside, the start of Python included."""

    code: int
    out: str
    told: str
    seconds: float

    @property
    def text(self) -> str:
        """What goes into the agent's context."""
        answer = json.loads(self.out)
        assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
        return str(answer["hookSpecificOutput"]["additionalContext"])


class Hook:
    """The program with an environment of its own: nothing of the developer's reaches it."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "REVELL_KEY": KEY,
            "REVELL_CACHE": str(self.cache),
        }

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(PROGRAM), *(arguments or ("claude-code",))],
            env={**self.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __call__(self, *arguments: str, event: Any = EVENT, **environment: str) -> Done:
        started = time.monotonic()
        with self.start(*arguments, **environment) as process:
            raw = event if isinstance(event, bytes) else json.dumps(event).encode()
            out, told = process.communicate(raw, timeout=30)
        return Done(process.returncode, out.decode(), told.decode(), time.monotonic() - started)


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    return Hook(tmp_path)


@dataclass(slots=True)
class Server:
    """Answers every request with `answer`, which gets the handler; `asked` are the requests in order."""

    url: str
    answer: Callable[[BaseHTTPRequestHandler], None]
    asked: list[tuple[str, dict[str, str], bytes]]

    def says(self, text: str) -> None:
        self.answers(json.dumps(output(text), ensure_ascii=False).encode())

    def answers(self, body: bytes, status: int = 200, **headers: str) -> None:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                handler.send_header(name, value)
            handler.end_headers()
            with contextlib.suppress(OSError):
                handler.wfile.write(body)

        self.answer = answer


def output(text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}


@pytest.fixture
def server(hook: Hook) -> Iterator[Server]:
    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told.asked.append((self.path, dict(self.headers.items()), raw))
            told.answer(self)

        do_GET = do_POST  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as listening:
        listening.daemon_threads = True
        told = Server(f"http://127.0.0.1:{listening.server_address[1]}", lambda handler: None, [])
        told.says("")
        hook.environment["REVELL_URL"] = told.url
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield told
        finally:
            listening.shutdown()
            thread.join()
