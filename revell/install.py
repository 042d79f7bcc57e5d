"""Makes the virtual environment `.venv` and installs the pinned packages: `python3 -m revell.install [dev]`.

Standard library only, because it runs before anything is installed. Does nothing when nothing changed.
"""

from __future__ import annotations

import hashlib
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


if __name__ == "__main__":
    try:
        install(dev="dev" in sys.argv[1:])
    except InstallFailed as failure:
        sys.exit(str(failure))
