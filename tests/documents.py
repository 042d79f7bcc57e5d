"""The parts of the docs that are written from the code: `python -m tests.documents [--check]`.

A part stands in its document between `<!-- written from the code: NAME -->` and `<!-- end -->`; the prose around it is
written by hand. Without `--check` the parts are written; with it a difference is a failure. A new part is a line in
`PARTS`.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import django
from django.core.management import find_commands, load_command_class

from memories.errors import RevellError
from memories.problems import McpForm, all_errors, presentation
from revell.environment import VARIABLES

# What Django gives every command.
DJANGOS_OPTIONS = {
    "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks",
}  # fmt: skip
ROOT = Path(__file__).resolve().parent.parent


def errors_table() -> list[str]:
    """Every code with its status in each skin and its meaning; a special case is indented below its general one."""
    lines = ["| code | REST | page | MCP | command | meaning |", "| --- | --- | --- | --- | --- | --- |"]
    for kind in all_errors():
        shown = presentation(kind)
        indent = "&emsp;" * (len(kind.__mro__) - len(RevellError.__mro__) - 1)
        mcp = f"HTTP {shown.http_status}" if shown.mcp is McpForm.HTTP_STATUS else shown.mcp.value
        cells = (f"{indent}`{kind.code}`", shown.http_status, shown.page_status, mcp, shown.exit_code, _meaning(kind))
        lines.append(_row(*cells))
    return lines


def variables_table() -> list[str]:
    """Every variable of the environment."""
    lines = ["| variable | default | what it does |", "| --- | --- | --- |"]
    lines += [_row(f"`{v.name}`" + (" (secret)" if v.secret else ""), v.default, v.purpose) for v in VARIABLES]
    return lines


def commands_reference() -> list[str]:
    """Every command of ours, with its call and its options."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "revell.settings")
    django.setup()
    lines = []
    for name in find_commands(str(ROOT / "memories" / "management")):
        command = load_command_class("memories", name)
        options = [o for o in command.create_parser("manage.py", name)._actions if o.dest not in DJANGOS_OPTIONS]
        options = [option for option in options if option.dest not in ("json", "help")]
        call = " ".join(str(option.metavar) for option in options if not option.option_strings)
        lines += ["", f"### {name}", "", f"`python manage.py {name} {call}".strip() + "`", "", command.help]
        lines += ["", "| | |", "| --- | --- |"] if options else []
        lines += [_row(f"`{_called(option)}`", _told(option)) for option in options]
    return lines[1:]


def _called(option: argparse.Action) -> str:
    if not option.option_strings:
        return str(option.metavar)
    value = "" if option.nargs == 0 else option.metavar or "|".join(option.choices or ()) or option.dest.upper()
    return f"{option.option_strings[-1]} {value}".strip()


def _told(option: argparse.Action) -> str:
    text = (option.help or "").strip()
    return (
        f"{text[:1].upper()}{text[1:]}".rstrip(".")
        + "."
        + (" Required." if option.required and option.option_strings else "")
    )


PARTS: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "errors": ("docs/errors.md", errors_table),
    "variables": ("docs/configuration.md", variables_table),
    "commands": ("docs/commands.md", commands_reference),
}


def as_it_should_be(name: str) -> tuple[Path, str, str]:
    """The document of the part `name`: where it is, its text now, its text with the part written anew."""
    document, part = PARTS[name]
    path = ROOT / document
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- written from the code: {name} -->", "<!-- end -->"
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    body = "\n".join([begin, *part(), end])
    renewed, count = pattern.subn(lambda _: body, text)
    if count != 1:
        raise ValueError(f"{document} needs exactly one part {begin} … {end}, and has {count}")
    return path, text, renewed


def differences() -> list[str]:
    """What `make fix` would change, as lines of a diff."""
    found: list[str] = []
    for name in PARTS:
        path, text, renewed = as_it_should_be(name)
        found += difflib.unified_diff(
            text.splitlines(), renewed.splitlines(), path.name, "as it should be", lineterm=""
        )
    return found


def main(arguments: list[str]) -> int:
    if "--check" in arguments:
        found = differences()
        print("\n".join([*found, "Run `make fix`."]) if found else "The docs agree with the code.")
        return int(bool(found))
    for name in PARTS:
        path, _, renewed = as_it_should_be(name)
        path.write_text(renewed, encoding="utf-8")
    return 0


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _meaning(kind: type[RevellError]) -> str:
    own = kind.__dict__.get("__doc__")
    return " ".join(inspect.cleandoc(own).split()) if own else f"{kind.title}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
