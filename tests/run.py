"""Runs the checks and the tests: `python3 tests/run.py [--only=check|test|fix|bench] [arguments for pytest]`.

Standard library only, because it runs before anything is installed. The tests run on SQLite, and again on a PostgreSQL
that is started here and removed afterwards. What this machine lacks is said at the end; with `CI=true` it is a failure.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from revell.install import PYTHON, InstallFailed, install  # noqa: E402

BIN = PYTHON.parent
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
# Nothing in these can differ between two databases, so once is enough.
ONCE = ("tests/unit", "tests/property", "tests/guards", "tests/browser")
POSTGRESQL_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECRET_KEY = "for-tests-and-checks-only-" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2
HELPFUL = {
    "PostgreSQL": "install its server: `apt-get install postgresql`, or `brew install postgresql`",
    "Chromium": "install it: `apt-get install chromium`, or name one that you have: `CHROMIUM=/path/to/chrome`",
}


@dataclass
class Report:
    """What happened, in the order in which it happened."""

    lines: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    failed: bool = False

    def add(self, name: str, ok: bool, seconds: float, note: str = "") -> None:
        self.failed = self.failed or not ok
        self.lines.append(f"{'ok    ' if ok else 'FAILED'}  {name} ({seconds:.0f} s) {note}".rstrip())

    def lacks(self, name: str, consequence: str) -> None:
        self.failed = self.failed or IN_CI
        self.missing.append(f"{name} is not here, so {consequence}. To get it, {HELPFUL[name]}.")


def main(arguments: list[str]) -> int:
    only = next((a.removeprefix("--only=") for a in arguments if a.startswith("--only=")), "")
    pytest_arguments = [a for a in arguments if not a.startswith("--only=")]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    os.chdir(ROOT)
    try:
        install(dev=True)
    except InstallFailed as failure:
        print(failure)
        return 1
    if only == "fix":
        return fix()
    if only == "bench":
        return run([str(PYTHON), "-m", "tests.bench", *pytest_arguments]).returncode
    report = Report()
    if only in ("", "check"):
        check(report)
    if only in ("", "test"):
        test(report, pytest_arguments)
    print("\n" + "\n".join(report.lines))
    for line in report.missing:
        print(("FAILED  " if IN_CI else "not run ") + line)
    print("\nFAILED" if report.failed else "\nEverything that this machine can run is green.")
    if not only and not pytest_arguments:
        print(
            "With Node and npm: `make test-mcp` runs the official MCP suite, `make test-agents` Claude Code and Codex."
        )
    return int(report.failed)


def check(report: Report) -> None:
    """Everything that can be told without running the product. All are run, so that one turn shows all faults."""
    deployed = {"BEHIND_HTTPS": "true", "ALLOWED_HOSTS": "revell.example.org"}
    templates = [str(path) for path in sorted(Path("templates").rglob("*.html"))]
    steps: list[tuple[str, list[str], dict[str, str]]] = [
        ("lint", [f"{BIN}/ruff", "check", "."], {}),
        ("format", [f"{BIN}/ruff", "format", "--check", "."], {}),
        ("imports", [f"{BIN}/lint-imports"], {}),
        ("templates", [f"{BIN}/djade", "--check", "--target-version", "5.2", *templates], {}),
        ("types", [f"{BIN}/mypy"], {}),
        ("migrations", [str(PYTHON), "manage.py", "makemigrations", "--check", "--dry-run"], {}),
        ("deployment", [str(PYTHON), "manage.py", "check", "--deploy", "--fail-level", "WARNING"], deployed),
        ("docs", [str(PYTHON), "-m", "tests.documents", "--check"], {}),
    ]
    for name, command, more in steps:
        started = time.monotonic()
        done = run(command, capture=True, **more)
        report.add(f"check: {name}", done.returncode == 0, time.monotonic() - started)
        print(report.lines[-1], flush=True)
        if done.returncode:
            print(done.stdout, flush=True)


def fix() -> int:
    """Mends what a machine can mend."""
    templates = [str(path) for path in sorted(Path("templates").rglob("*.html"))]
    codes = [
        run([f"{BIN}/ruff", "check", "--fix", "."]).returncode,
        run([f"{BIN}/ruff", "format", "."]).returncode,
        run([str(PYTHON), "-m", "tests.documents"]).returncode,
    ]
    run([f"{BIN}/djade", "--target-version", "5.2", *templates])  # its code says "changed", which is no fault
    return max(codes)


def test(report: Report, arguments: list[str]) -> None:
    """The suite on SQLite with the browser, then what touches a database on PostgreSQL."""
    if not find_chromium():
        report.lacks("Chromium", "the browser tests did not run")
    chosen = bool(arguments)
    run_pytest(report, "SQLite", arguments, chosen=chosen)
    places = postgresql_binaries()
    if places is None:
        report.lacks("PostgreSQL", "no test ran on it")
        return
    again = [] if any(not a.startswith("-") for a in arguments) else [f"--ignore={folder}" for folder in ONCE]
    try:
        with private_postgresql(places) as url:
            run_pytest(report, "PostgreSQL", [*arguments, *again], chosen=chosen, DATABASE_URL=url)
    except PostgresqlFailed as failure:
        report.add(f"tests: PostgreSQL did not start: {failure}", False, 0)


def run_pytest(report: Report, name: str, arguments: list[str], *, chosen: bool, **more: str) -> None:
    """One pass, its output as it comes. `chosen`: the caller picked some of the tests."""
    print(f"\n=== pytest on {name} ===", flush=True)
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    started = time.monotonic()
    last = ""
    with subprocess.Popen(
        [str(PYTHON), "-m", "pytest", "-q", *colour, *arguments],
        env=environment(more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    # 5 says that nothing was collected, which is right when the arguments name tests of the other run only.
    ok = process.returncode == 0 or (process.returncode == 5 and chosen)
    report.add(f"tests: {name}", ok, time.monotonic() - started, note=last.strip("= "))


def run(command: list[str], *, capture: bool = False, **more: str) -> subprocess.CompletedProcess[str]:
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if capture else {}
    return subprocess.run(command, env=environment(more), text=True, errors="replace", check=False, **output)


def environment(more: dict[str, str]) -> dict[str, str]:
    """The caller's, without what would lead the tests to the caller's own database or keys."""
    own = (
        "DATABASE_URL",
        "SECRET_KEY",
        "ALLOWED_HOSTS",
        "CSRF_TRUSTED_ORIGINS",
        "BEHIND_HTTPS",
        "DEBUG",
        "METRICS_KEY",
    )
    kept = {
        k: v for k, v in os.environ.items() if k.removesuffix("_FILE") not in (*own, "LOG_LEVEL", "PORT", "WORKERS")
    }
    return {**kept, "SECRET_KEY": SECRET_KEY, "PYTHONUTF8": "1", **more}


def find_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


# --- A PostgreSQL of our own ------------------------------------------------------------------------------------------


class PostgresqlFailed(Exception):
    """The binaries are there and still it does not start; the text is its own."""


def postgresql_binaries() -> Path | None:
    """The folder that holds `initdb` and `postgres`, the newest if there are several."""
    found = [path for pattern in POSTGRESQL_PLACES for path in Path("/").glob(pattern.lstrip("/"))]
    on_path = shutil.which("initdb")
    folders = ([Path(on_path).resolve().parent] if on_path else []) + sorted(found, key=_version, reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def _version(folder: Path) -> int:
    digits = "".join(c if c.isdigit() else " " for c in str(folder)).split()
    return int(digits[0]) if digits else 0


@contextlib.contextmanager
def private_postgresql(binaries: Path) -> Iterator[str]:
    """Its URL. The data lie in a new folder, nothing is synced to disk, it listens on loopback, it ends with us."""
    folder = Path(tempfile.mkdtemp(prefix="revell-pg-"))
    as_whom: dict[str, object] = {}
    if os.geteuid() == 0:  # the server refuses to be root
        owner = next((pwd.getpwnam(n) for n in ("postgres", "nobody") if _is_user(n)), None)
        if owner is None:
            raise PostgresqlFailed("it must not run as root, and there is no user postgres or nobody")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        as_whom = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    data = folder / "data"
    port = _free_port()
    env = {**os.environ, "HOME": str(folder), "LC_ALL": "C"}
    options: dict[str, object] = {"cwd": folder, "env": env, "text": True, **as_whom}
    try:
        _make_cluster(binaries, data, options)
        settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(  # type: ignore[call-overload]
                [
                    *(str(binaries / "postgres"), "-D", str(data), "-p", str(port)),
                    *("-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"),
                    *(part for setting in settings for part in ("-c", setting)),
                ],
                stdout=log,
                stderr=log,
                **options,
            )
        try:
            _wait_until_ready(binaries, server, folder, port)
            yield f"postgres://revell@127.0.0.1:{port}/revell"
        finally:
            server.send_signal(signal.SIGINT)  # its "fast" shutdown
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_cluster(binaries: Path, data: Path, options: dict[str, object]) -> None:
    initdb = [str(binaries / "initdb"), "-D", str(data), "-U", "revell", "-A", "trust", "-E", "UTF8", "--no-sync"]
    # Sorting as people's databases sort, so that an order which leans on plain bytes is found out.
    linguistic = ["--locale=C", "--locale-provider=icu", "--icu-locale=en"]
    done = subprocess.run([*initdb, *linguistic], capture_output=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        shutil.rmtree(data, ignore_errors=True)
        done = subprocess.run([*initdb, "--locale=C"], capture_output=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise PostgresqlFailed(done.stderr.strip())


def _wait_until_ready(binaries: Path, server: subprocess.Popen[str], folder: Path, port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        ready = subprocess.run([str(binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)], check=False)
        if ready.returncode == 0:
            return
        time.sleep(0.1)
    raise PostgresqlFailed((folder / "log").read_text()[-2_000:])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
