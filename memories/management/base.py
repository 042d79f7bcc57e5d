"""What every command of Revell shares: how it is called, how it prints, how it ends. What it does is its own file.

A command ends with 0, with 1 (the caller's fault, one message on standard error) or with 75 (try again). Which error
ends how is `memories.problems`. Anything that was not raised on purpose is a bug and shows its traceback.
"""

from __future__ import annotations

import io
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor

from memories.engine.actor import Actor, Via, operator
from memories.engine.text import is_encodable
from memories.errors import InvalidInput, RevellError
from memories.problems import EXIT_FAULT, EXIT_TRY_AGAIN, presentation
from memories.selectors import tenants

_ARGPARSE_USAGE = 2
_PASSWORD_ALPHABET = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # noqa: S105 (letters to choose from)
_PASSWORD_CHARS = 20


class RevellCommand(BaseCommand):
    """A command that never asks a question and prints plain text, or JSON with `--json`."""

    # A cron job pays for the checks at every call; `manage.py check` is there for the operator.
    requires_system_checks = ()
    _called_from_command_line: bool

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print JSON instead of text.")

    def run_from_argv(self, argv: list[str]) -> None:
        """As Django does it; a wrong call ends with 1 like every other fault of the caller."""
        try:
            super().run_from_argv(argv)
        except SystemExit as ended:
            if ended.code == _ARGPARSE_USAGE:
                raise SystemExit(EXIT_FAULT) from None
            raise

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. On a terminal errors become a message and an exit code; callers in Python get the error."""
        if not self._called_from_command_line:
            return super().execute(*args, **options)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A payload has the same bytes on every machine, whatever the encoding of its terminals is (P35).
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        try:
            _check_text(options)
            super().execute(*args, **options)
            self.stdout.flush()
        except RevellError as error:
            self._end(_told(error), presentation(error).exit_code)
        except BrokenPipeError:
            # Python would flush once more at its end and print a traceback about it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self._end("The reader went away before everything was written.", EXIT_FAULT)
        except (OperationalError, ProgrammingError) as error:
            if _has_pending_migrations():
                self._end(f"The database is not set up yet. Run: {called_as()} migrate", EXIT_FAULT)
            if not isinstance(error, OperationalError):
                raise
            self._end(f"The database does not answer: {_first_line(error)}. Try again.", EXIT_TRY_AGAIN)
        return None

    def operator_in(self, slug: str) -> Actor:
        """The operator, at work in the tenant of that slug; NotFound when there is none."""
        return operator(Via.COMMAND, tenant_id=tenants.get_tenant_by_slug(self.operator(), slug=slug).pk)

    def operator(self) -> Actor:
        """The operator, above all tenants. Who may run a command on this machine is no question for Revell."""
        return operator(Via.COMMAND)

    def say(self, text: str = "") -> None:
        """One line, or several, for a person."""
        self.stdout.write(text)

    def say_json(self, value: Any) -> None:
        """One JSON value on one line, handed over when this returns."""
        self.write_exactly(json.dumps(value, ensure_ascii=False, cls=DjangoJSONEncoder) + "\n")

    def write_exactly(self, text: str) -> None:
        """This text and nothing else, handed over when this returns."""
        self.stdout.write(text, ending="")
        self.stdout.flush()

    def _end(self, message: str, code: int) -> None:
        self.stderr.write(message)
        sys.exit(code)


def address() -> str:
    """Where `make run` serves on this machine."""
    return f"http://127.0.0.1:{settings.PORT}"


def new_password() -> str:
    """A password for somebody who cannot be asked for one; to be shown once."""
    return "".join(secrets.choice(_PASSWORD_ALPHABET) for _ in range(_PASSWORD_CHARS))


def _check_text(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if isinstance(value, str) and not is_encodable(value):
            raise InvalidInput.for_field(name, f"“{name}” is not valid UTF-8 text.")


def _told(error: RevellError) -> str:
    """The sentence, and what else is wrong where one sentence did not say it all."""
    others = [text for texts in error.errors.values() for text in texts if text not in error.detail]
    return "\n".join([error.detail, *others])


def _first_line(error: DatabaseError) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".")


def _has_pending_migrations() -> bool:
    try:
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError:
        return False


def called_as() -> str:
    """How this command was called, so that the line can be pasted: `.venv/bin/python manage.py`."""
    python = Path(sys.executable)
    here = Path.cwd()
    return f"{python.relative_to(here) if python.is_relative_to(here) else 'python'} manage.py"
