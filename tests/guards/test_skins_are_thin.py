"""Skins make one domain call: no query and no write is theirs. The same holds for the contracts they share."""

from __future__ import annotations

import ast

import pytest

from tests.guards.sources import check_allow_list, dotted, functions, imported_modules, name_of, python_files, tree

SKINS = (
    "memories/web",
    "memories/api",
    "memories/mcp",
    "memories/contracts",
    "memories/management",
    "memories/admin",
)
MANAGERS = {"objects", "_default_manager", "_base_manager"}
WRITES = {
    "save", "delete", "update", "create", "bulk_create", "bulk_update", "get_or_create", "update_or_create",
    "select_for_update", "raw", "execute",
}  # fmt: skip
# "file: function: what": why it is no query and no write of ours.
ALLOWED: dict[str, str] = {
    "memories/management/base.py: execute: ?.execute()": "a command of Django's runs by execute; no SQL is meant",
}


def faults(module: ast.Module) -> list[str]:
    """`function: what` for each touch of a manager and each call that looks like a write and is none of a service."""
    found = []
    services = {name.rsplit(".", 1)[1] for _, name in imported_modules(module) if name.startswith("memories.services.")}
    scopes = [(function.name, function) for function in functions(module)]
    inner = {id(node) for _, function in scopes for node in ast.walk(function)}
    module_level = [node for node in ast.walk(module) if id(node) not in inner]
    for name, nodes in [*((name, list(ast.walk(function))) for name, function in scopes), ("module", module_level)]:
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in MANAGERS:
                found.append(f"{name}: {dotted(node)}")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
                if dotted(node.func.value) in services:
                    continue
                found.append(f"{name}: {dotted(node.func)}()")
    return found


def test_no_skin_queries_or_writes():
    found = [f"{name_of(path)}: {fault}" for path in python_files(*SKINS) for fault in faults(tree(path))]
    check_allow_list(found, ALLOWED, "A skin calls a selector or a service instead")


@pytest.mark.parametrize(
    "line",
    [
        "Memory.objects.filter(a=1)",
        "memory.save()",
        "def view(request):\n    memory.delete()",
        "rows.filter(a=1).update(b=2)",
        "Person._default_manager.create(name='x')",
    ],
)
def test_the_guard_sees_each_kind_of_fault(line):
    assert faults(ast.parse(line))


@pytest.mark.parametrize(
    "lines",
    [
        "def view(request):\n    return promises.make(actor, content='x')",
        "from memories.services import tenants\ndef view(request):\n    return tenants.create(actor, slug='x')",
    ],
)
def test_the_guard_lets_a_domain_call_pass(lines):
    assert not faults(ast.parse(lines))
