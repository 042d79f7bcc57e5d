"""Habits of the files: each says what it is for, none is a drawer for anything, no test is empty, asleep or skipped."""

from __future__ import annotations

import ast
import re

import pytest

from tests.guards.sources import ROOT, FunctionNode, dotted, functions, name_of, python_files, tree

DRAWERS = re.compile(r"(^|_)(utils?|helpers?|misc|common)(_|$)")
SUFFIXES = ("Service", "Manager", "Handler", "Helper", "Util", "Utils")
# Put together here, so that this file does not find itself.
MACHINE_PATHS = re.compile(
    "|".join(("/wor" + "k/", "/tmp" + "/w/", "/ho" + "me/[a-z]", "/Use" + "rs/[a-z]", "/ro" + "ot/"))
)
TEXT_ENDINGS = {".py", ".md", ".html", ".css", ".js", ".txt", ".toml", ".json", ".yml", ".yaml", ".sh", ".service", ""}
NOT_OURS = {".git", ".venv", "build", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}


def test_every_module_says_what_lives_in_it():
    found = [
        name_of(path)
        for path in python_files("memories", "revell", "tests", "integrations")
        if path.read_text(encoding="utf-8").strip()
        and "migrations" not in path.parts
        and not ast.get_docstring(tree(path))
    ]
    assert found == []


def test_no_module_is_a_drawer_and_no_class_is_named_for_its_pattern():
    files = python_files("memories", "revell", "tests")
    drawers = [name_of(path) for path in files if DRAWERS.search(path.stem)]
    classes = [
        f"{name_of(path)}: {node.name}"
        for path in files
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and node.name.endswith(SUFFIXES)
    ]
    assert drawers + classes == []


def test_no_file_names_a_place_on_somebodys_machine():
    found = []
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        if NOT_OURS & set(inside.parts) or path.suffix not in TEXT_ENDINGS or not path.is_file():
            continue
        if inside.name.startswith((".secret", ".coverage")) or inside.name in (".git", ".venv"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if MACHINE_PATHS.search(line):
                found.append(f"{inside}:{number}: {line.strip()[:80]}")
    assert found == []


def collected(module: ast.Module) -> list[FunctionNode]:
    return [function for function in functions(module) if function.name.startswith("test_")]


def can_fail(function: FunctionNode) -> bool:
    """True when something in it may raise on purpose: an assert, `pytest.raises`, a call named as a check."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            called = dotted(node.func).rsplit(".", 1)[-1]
            if called == "raises" or "assert" in called or called.startswith(("check", "expect")):
                return True
    return False


def test_every_test_file_holds_a_test_and_every_test_can_fail():
    files = [path for path in python_files("tests") if path.name.startswith("test_")]
    empty = [name_of(path) for path in files if not collected(tree(path))]
    toothless = [f"{name_of(p)}: {t.name}" for p in files for t in collected(tree(p)) if not can_fail(t)]
    assert empty + toothless == []


def test_no_test_sleeps_or_is_skipped():
    """A sleep hides a race; a skip hides a fault. What cannot run on one database is marked for the other."""
    bad = {
        "time.sleep",
        "asyncio.sleep",
        "pytest.skip",
        "pytest.mark.skip",
        "pytest.mark.skipif",
        "pytest.importorskip",
    }
    found = [
        f"{name_of(path)}:{node.lineno}: {dotted(node)}"
        for path in python_files("tests")
        if path.name != "run.py"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and dotted(node) in bad
    ]
    assert found == []


@pytest.mark.parametrize("source", ["def test_a():\n    run()", "def test_a():\n    pass"])
def test_the_guard_sees_a_test_that_cannot_fail(source):
    assert not can_fail(collected(ast.parse(source))[0])
