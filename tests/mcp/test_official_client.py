"""The official Python client against a real server, in the handshake era, the stateless one, and as it chooses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.mcp.serving import serving


def test_the_official_client_is_served_in_both_eras(tmp_path):
    script = Path(__file__).with_name("official_client.py")
    with serving(tmp_path) as served:
        done = subprocess.run(
            [sys.executable, str(script), served.url, served.key], capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "official client, legacy",
        "official client, 2026-07-28",
        "official client, auto",
    ]
