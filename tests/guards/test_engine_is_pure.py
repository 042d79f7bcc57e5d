"""The engine has no clock, no chance, no settings and no world: the same arguments give the same bytes (P18, C51)."""

from __future__ import annotations

import ast

import pytest

from tests.guards.sources import dotted, imported_modules, name_of, python_files, tree

FORBIDDEN_MODULES = {
    "asyncio", "django", "environs", "getpass", "io", "locale", "logging", "multiprocessing", "os", "pathlib",
    "platform", "psycopg", "random", "requests", "rest_framework", "revell", "secrets", "shutil", "socket", "sqlite3",
    "subprocess", "sys", "tempfile", "threading", "time", "urllib.request", "uuid", "zoneinfo",
}  # fmt: skip
# A string's `hash` differs between two processes, an `id` between two calls.
FORBIDDEN_CALLS = {"open", "input", "print", "hash", "id", "globals", "eval", "exec", "__import__"}
FORBIDDEN_METHODS = {"now", "utcnow", "today"}


def faults(module: ast.Module) -> list[str]:
    found = [
        f"line {line}: imports {name}"
        for line, name in imported_modules(module)
        if any(name == bad or name.startswith(f"{bad}.") for bad in FORBIDDEN_MODULES)
    ]
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        if name in FORBIDDEN_CALLS or (isinstance(node.func, ast.Attribute) and node.func.attr in FORBIDDEN_METHODS):
            found.append(f"line {node.lineno}: calls {name}")
        needed = {"fromtimestamp": 2, "astimezone": 1}.get(name.rsplit(".", 1)[-1], 0)
        if len(node.args) + len(node.keywords) < needed:
            found.append(f"line {node.lineno}: {name} without a zone takes the machine's")
    return found


def test_no_module_of_the_engine_looks_at_the_world():
    """P18, C51"""
    found = {name_of(path): faults(tree(path)) for path in python_files("memories/engine", "memories/errors.py")}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import random",
        "from time import monotonic",
        "import os.path",
        "from django.conf import settings",
        "datetime.datetime.now(UTC)",
        "date.today()",
        "hash('a')",
        "open('x')",
        "datetime.fromtimestamp(1)",
        "now.astimezone()",
    ],
)
def test_the_guard_sees_each_kind_of_fault(line):
    assert faults(ast.parse(line))


@pytest.mark.parametrize(
    "line", ["from datetime import UTC, datetime", "import hashlib", "now.isoformat()", "now.astimezone(UTC)"]
)
def test_the_guard_lets_pure_code_pass(line):
    assert not faults(ast.parse(line))
