"""The memory of a real server before and after requests to tenants of each size, from `/proc`, so on Linux only."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

REQUESTS = 600
START_SECONDS = 30
_PROC = Path("/proc")


def watch(keys: Mapping[int, str], *, words: str) -> list[tuple[str, float]]:
    """What was asked, and the server's own memory afterwards in MB; tenants by size, the largest three times.

    Own memory is what no other process shares (`RssAnon`): the pages of the database's file, which SQLite maps, are
    the system's to take back.
    """
    if not _PROC.exists():
        return []
    with _serving() as (port, process):
        told = [("started", _own_mb(process))]
        for size in (*keys, max(keys), max(keys)):
            _ask(port, keys[size], words)
            told.append((f"{REQUESTS} requests, {size:,} memories", _own_mb(process)))
        return told


def _ask(port: int, key: str, words: str) -> None:
    """Previews, recalls, lists and writes by turns, as fast as one client can."""
    client = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    asked = [
        ("GET", "/api/v1/boot/preview", None),
        ("POST", "/api/v1/recall", {"query": words}),
        ("GET", "/api/v1/memories?limit=50", None),
        ("POST", "/api/v1/memories", {"type": "episodic", "content": words}),
    ]
    for number in range(REQUESTS):
        method, path, body = asked[number % len(asked)]
        client.request(method, path, None if body is None else json.dumps(body), headers)
        answer = client.getresponse()
        told = answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {answer.status} {told[:200]!r}")
    client.close()


@contextlib.contextmanager
def _serving() -> Iterator[tuple[int, int]]:
    """A server on a free port over the database of this process's environment: port and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    granian = (sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host", "127.0.0.1")
    options = ("--port", str(port), "--workers", "1", "--blocking-threads", "4", "--log-level", "error")
    process = subprocess.Popen((*granian, *options, "revell.wsgi:application"))
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start")
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as probe:
        probe.request("GET", "/healthz")
        return probe.getresponse().status == 200
    return False


def _own_mb(process: int) -> float:
    """Anonymous memory of a process and its children."""
    children = [int(word) for word in (_PROC / f"{process}/task/{process}/children").read_text().split()]
    return _anonymous_mb(process) + sum(map(_own_mb, children))


def _anonymous_mb(process: int) -> float:
    for line in (_PROC / f"{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1_024
    return 0.0
