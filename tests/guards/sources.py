"""Reads the project's own source for the guards. What is forbidden stands in the guards themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(*folders: str) -> list[Path]:
    """The Python files of `folders` (or single files), sorted."""
    found: list[Path] = []
    for folder in folders:
        path = ROOT / folder
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.exists() else []
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name_of(path: Path) -> str:
    """As the lists of the guards write it: `memories/web/forms.py`."""
    return path.relative_to(ROOT).as_posix()


def functions(module: ast.AST) -> Iterator[FunctionNode]:
    """Every function at any depth."""
    for node in ast.walk(module):
        if isinstance(node, FunctionNode):
            yield node


def top_functions(module: ast.Module) -> Iterator[FunctionNode]:
    for node in module.body:
        if isinstance(node, FunctionNode):
            yield node


def dotted(node: ast.AST) -> str:
    """`a.b.c` for a chain of names; what is no name becomes `?`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return "?"


def imported_modules(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and full name of every import, `from a import b` as `a.b`."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def check_allow_list(found: Iterable[str], allowed: Mapping[str, str], rule: str) -> None:
    """Fails on what is found and not allowed, on an entry that nothing needs any more, and on one without a reason."""
    found = set(found)
    assert not (missing := sorted(found - set(allowed))), f"{rule}: {missing}"
    assert not (stale := sorted(set(allowed) - found)), f"Nothing needs these entries any more, remove them: {stale}"
    assert all(len(reason.split()) >= 3 for reason in allowed.values()), "Every entry says why it is allowed."
