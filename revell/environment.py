"""Every variable that Revell reads from its environment, with its default and its meaning; nothing else reads any.

`docs/configuration.md` is written from `VARIABLES`. Each variable may instead be given as `NAME_FILE`, the path of a
file that holds the value; an empty value counts as not given. What Django does with the values is `settings.py`.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import environs
from django.core.exceptions import ImproperlyConfigured
from environs import validate

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY_FILE = BASE_DIR / ".secret_key"
SECRET_MIN_CHARS = 32
SQLITE = "django.db.backends.sqlite3"
POSTGRESQL = "django.db.backends.postgresql"
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable as an operator meets it: its name, its default in words, what it does."""

    name: str
    default: str
    purpose: str
    secret: bool = False


VARIABLES = (
    Variable(
        "DATABASE_URL",
        "SQLite, in the file `revell.sqlite3` beside `manage.py`",
        "Where the rows live: `sqlite:////absolute/path` or `postgres://name:password@host:5432/database`.",
        secret=True,
    ),
    Variable(
        "SECRET_KEY",
        "made once, in the file `.secret_key` (mode 600) beside `manage.py`",
        f"Signs sessions and API keys; at least {SECRET_MIN_CHARS} characters. Required with PostgreSQL, where "
        "several servers must share it. Changing it signs everybody out and ends every API key.",
        secret=True,
    ),
    Variable(
        "ALLOWED_HOSTS",
        "`" + ",".join(LOOPBACK_HOSTS) + "`",
        "The host names under which people and agents reach the server, with commas between. `*` is refused.",
    ),
    Variable(
        "CSRF_TRUSTED_ORIGINS",
        "none",
        "Origins, such as `https://revell.example.org`, from which forms may be sent when a proxy changes the host.",
    ),
    Variable(
        "BEHIND_HTTPS",
        "`false`",
        "Set to `true` when a proxy in front speaks https. Cookies are then sent over https only, http is redirected, "
        "browsers are told to stay with https for a year, and the proxy's `X-Forwarded-Proto` and `X-Forwarded-For` "
        "are believed. Leave it off for plain http on this machine.",
    ),
    Variable("PORT", "`8000`", "The port that `make run` listens on, on 127.0.0.1."),
    Variable("WORKERS", "`1`", "How many server processes `make run` starts."),
    Variable("DEBUG", "`false`", "Shows tracebacks in the browser. Never on a server that others can reach."),
    Variable("LOG_LEVEL", "`INFO`", "How much is written to standard error: " + ", ".join(LOG_LEVELS) + "."),
    Variable(
        "METRICS_KEY",
        "none: `/metrics` answers loopback only",
        "A bearer key with which `/metrics` also answers other machines.",
        secret=True,
    ),
)


class WrongEnvironment(ImproperlyConfigured):
    """The server must not start. `problems` are sentences, one a fault; no value of a secret is ever among them."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        lines = "\n".join(f"  - {problem}" for problem in self.problems)
        super().__init__(f"Revell cannot start. Correct these and try again (docs/configuration.md):\n{lines}")


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables as values."""

    database: Mapping[str, Any]
    secret_key: str
    allowed_hosts: tuple[str, ...]
    csrf_trusted_origins: tuple[str, ...]
    behind_https: bool
    port: int
    workers: int
    debug: bool
    log_level: str
    metrics_key: str

    @property
    def uses_sqlite(self) -> bool:
        return bool(self.database["ENGINE"] == SQLITE)


class _Source(environs.FileAwareEnv):
    """Reads `NAME`, or the file that `NAME_FILE` names; faults are gathered instead of raised."""

    def __init__(self, unreadable: frozenset[str]) -> None:
        super().__init__(eager=False, strip_whitespace=True)
        self.unreadable = unreadable

    def _get_value(self, env_key: str, default: Any) -> Any:
        if env_key in self.unreadable:
            return default
        value = super()._get_value(env_key, default)
        return default if value == "" else value


def read(secret_key_file: Path = SECRET_KEY_FILE) -> Environment:
    """The environment of this process, checked.

    Raises `WrongEnvironment` with every fault at once. Writes `secret_key_file` when SQLite is used, no `SECRET_KEY`
    is given and the file does not exist yet.
    """
    problems, unreadable = _unreadable_files()
    env = _Source(unreadable)

    database: dict[str, Any] = {}
    try:
        database = dict(env.dj_db_url("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'revell.sqlite3'}"))
    except Exception:  # noqa: BLE001  (whatever it raises may quote the password)
        problems.append("DATABASE_URL cannot be read. Write sqlite:////path or postgres://name:password@host/database.")
    else:
        problems += _database_faults(database)
    behind_https = env.bool("BEHIND_HTTPS", default=False)
    debug = env.bool("DEBUG", default=False)
    port = env.int("PORT", default=8000, validate=validate.Range(1, 65_535))
    workers = env.int("WORKERS", default=1, validate=validate.Range(1, 64))
    log_level = env.str("LOG_LEVEL", default="INFO").upper()
    metrics_key = env.str("METRICS_KEY", default="")
    allowed_hosts: tuple[str, ...] = tuple(env.list("ALLOWED_HOSTS", default=list(LOOPBACK_HOSTS)))
    origins: tuple[str, ...] = tuple(env.list("CSRF_TRUSTED_ORIGINS", default=[]))
    secret_key = env.str("SECRET_KEY", default="")
    try:
        env.seal()
    except environs.EnvValidationError as error:
        assert isinstance(error.error_messages, Mapping)
        problems += [f"{name}: {' '.join(texts)}" for name, texts in sorted(error.error_messages.items())]

    if log_level not in LOG_LEVELS:
        problems.append(f"LOG_LEVEL must be one of {', '.join(LOG_LEVELS)}.")
    if metrics_key and len(metrics_key) < SECRET_MIN_CHARS:
        problems.append(f"METRICS_KEY must have at least {SECRET_MIN_CHARS} characters.")
    problems += [f"ALLOWED_HOSTS: {fault}" for fault in map(_host_fault, allowed_hosts) if fault]
    problems += [
        f"CSRF_TRUSTED_ORIGINS: {origin!r} must be a scheme and a host, such as https://revell.example.org."
        for origin in origins
        if not re.fullmatch(r"https?://[^/\s]+", origin)
    ]
    if secret_key and len(secret_key) < SECRET_MIN_CHARS:
        problems.append(f"SECRET_KEY must have at least {SECRET_MIN_CHARS} characters.")
    if not secret_key and database and "SECRET_KEY" not in unreadable:
        if database["ENGINE"] != SQLITE:
            problems.append("SECRET_KEY is required with PostgreSQL, because several servers must share it.")
        elif not problems:
            try:
                secret_key = kept_secret(secret_key_file)
            except OSError as error:
                problems.append(f"SECRET_KEY is not set, and {secret_key_file.name} cannot be kept: {error.strerror}.")
    if problems:
        raise WrongEnvironment(problems)
    return Environment(
        database=database,
        secret_key=secret_key,
        allowed_hosts=allowed_hosts,
        csrf_trusted_origins=origins,
        behind_https=behind_https,
        port=port,
        workers=workers,
        debug=debug,
        log_level=log_level,
        metrics_key=metrics_key,
    )


def kept_secret(path: Path) -> str:
    """The secret in `path`, made there first, readable for the owner only, if there is none yet.

    Raises `OSError` when it can be neither read nor made. Processes that start together agree on one secret.
    """
    if not path.exists():
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 600
        made = Path(name)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_urlsafe(48) + "\n")
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(made)  # unlike a rename, never replaces what another process made meanwhile
        finally:
            made.unlink()
    return path.read_text().strip()


def _unreadable_files() -> tuple[list[str], frozenset[str]]:
    problems, unreadable = [], set()
    for variable in VARIABLES:
        path = os.environ.get(f"{variable.name}_FILE")
        if not path:
            continue
        if os.environ.get(variable.name):
            problems.append(f"{variable.name} and {variable.name}_FILE are both set. Keep one of them.")
        try:
            Path(path).read_text()
        except (OSError, UnicodeDecodeError):
            problems.append(f"{variable.name}_FILE names a file that cannot be read as text: {path}")
            unreadable.add(variable.name)
    return problems, frozenset(unreadable)


def _database_faults(database: Mapping[str, Any]) -> list[str]:
    faults = []
    if database.get("ENGINE") not in (SQLITE, POSTGRESQL):
        faults.append("DATABASE_URL must begin with sqlite:// or postgres://.")
    elif not database.get("NAME"):
        faults.append("DATABASE_URL names no database.")
    elif database["NAME"] == ":memory:":
        faults.append("DATABASE_URL must name a file: each thread would have a memory of its own.")
    return faults


def _host_fault(host: str) -> str:
    if host == "*":
        return "'*' would let any site on the web speak to this server. Name the hosts."
    if not re.fullmatch(r"\.?[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", host):
        return f"{host!r} is not a host name; write it without scheme, port and path."
    return ""
