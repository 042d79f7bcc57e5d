"""Tests with the real agents: `python3 tests/integrations/agents/run.py [arguments for pytest]`.

Gets the agents of `package.json` from npm into `build/agents`, once, and runs the tests of this folder, which nothing
else runs. They talk to a Revell and to a model on loopback; the agents' homes are temporary folders.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
AGENTS = ROOT / "build" / "agents"
sys.path.insert(0, str(ROOT))

from revell.install import PYTHON, InstallFailed, install  # noqa: E402


def main(arguments: list[str]) -> int:
    try:
        install(dev=True)
    except InstallFailed as failure:
        print(failure)
        return 1
    if not fetch_agents():
        return 1
    command = [str(PYTHON), "-m", "pytest", "-n0", "-v", "-p", "no:randomly", str(HERE), *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "TEST_AGENTS": "true"}, check=False).returncode


def fetch_agents() -> bool:
    """True when the pinned versions are there."""
    wanted = (HERE / "package.json").read_bytes()
    have = AGENTS / "fetched.json"
    if have.exists() and have.read_bytes() == wanted:
        return True
    npm = shutil.which("npm")
    if npm is None:
        print("The agents come from npm, and there is none here: install Node.js.")
        return False
    AGENTS.mkdir(parents=True, exist_ok=True)
    (AGENTS / "package.json").write_bytes(wanted)
    # The agents are programs of their own inside their packages; no script of theirs has to run for that.
    done = subprocess.run([npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=AGENTS, check=False)
    if done.returncode:
        print("npm could not get the agents.")
        return False
    have.write_bytes(wanted)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
