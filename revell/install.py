"""Makes the virtual environment `.venv` and installs the pinned packages: `python3 -m revell.install [PORT]`.

Standard library only, because it runs before anything is installed. Does nothing when nothing changed. With a port it
first looks whether that port is free, so that a start that must fail does so in one line.
"""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


class InstallFailed(Exception):
    """A sentence that says what is missing and how to get it."""


def install(*, dev: bool) -> None:
    """Brings `.venv` in step with the requirements, those of tests and checks too if `dev`. Raises `InstallFailed`."""
    files = [ROOT / "requirements.txt"] + ([ROOT / "requirements-dev.txt"] if dev else [])
    stamp = VENV / (".installed-dev" if dev else ".installed")
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    if not PYTHON.exists():
        print("Making .venv", flush=True)
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
        if made.returncode:
            raise InstallFailed(
                "Python cannot make a virtual environment here. On Debian and Ubuntu: apt-get install python3-venv"
            )
    print(f"Installing {files[-1].name}", flush=True)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "-qq"]
    if subprocess.run([*pip, "install", "--requirement", str(files[-1])], check=False).returncode:
        raise InstallFailed(f"The packages of {files[-1].name} could not be installed; pip's message above says why.")
    stamp.write_text(wanted)


def require_free(port: int) -> None:
    """Raises `InstallFailed` when something listens on `port` of this machine already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise InstallFailed(f"Port {port} cannot be used ({error}). Choose another: make run PORT=9000") from None


if __name__ == "__main__":
    try:
        for argument in filter(str.isdigit, sys.argv[1:]):
            require_free(int(argument))
        install(dev=False)
    except InstallFailed as failure:
        sys.exit(str(failure))
