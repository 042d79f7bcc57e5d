"""The routes and tools that exist are those of the table in `surface.py`, no more and no fewer."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

import pytest

from tests.guards.routes import routes
from tests.guards.surface import OPERATIONS, Blank, NotYet

PREFIX = "api/v1/"


def in_table(column: str) -> tuple[set[str], set[str]]:
    """What the table says is there, and what it says is not there yet."""
    there: set[str] = set()
    later: set[str] = set()
    for operation in OPERATIONS:
        cell = getattr(operation, column)
        if isinstance(cell, NotYet):
            later |= set(cell.names)
        elif not isinstance(cell, Blank):
            there |= set(cell)
    return there, later


def check_column(column: str, existing: Iterable[str]) -> None:
    there, later = in_table(column)
    existing = set(existing)
    assert existing - there == set(), f"These exist and are not in the column {column}, or are marked NotYet there"
    assert there - existing == set(), f"The column {column} promises these, and they do not exist"
    assert later & existing == set()


def test_every_route_is_in_the_table():
    check_column(
        "rest",
        {
            f"{method} {route.path.removeprefix(PREFIX)}"
            for route in routes()
            if route.path.startswith(PREFIX)
            for method in route.methods()
        },
    )


def test_every_tool_is_in_the_table():
    if importlib.util.find_spec("memories.mcp.tools") is None:
        assert in_table("mcp")[0] == set()
        return
    from memories.mcp.tools import TOOLS

    check_column("mcp", {tool.name for tool in TOOLS})


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_blank_has_a_reason(operation):
    for cell in (operation.rest, operation.mcp):
        if isinstance(cell, Blank | NotYet):
            assert len(cell.reason.split()) >= 4
    assert operation.scope in {"read", "write", "boot", "configure", "manage"}
