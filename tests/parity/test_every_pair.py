"""Every operation that both skins have is called by both in `test_rest_and_mcp.py`."""

from __future__ import annotations

import re

from tests.guards.surface import OPERATIONS, Operation
from tests.parity import test_rest_and_mcp
from tests.parity.test_rest_and_mcp import PAIRS

# A boot streams, so it is compared in a test of its own there.
ON_ITS_OWN = {"serve a boot": "test_a_boot_gives_the_same_by_rest_and_by_mcp"}


def called() -> set[tuple[str, str]]:
    """The route as `surface.py` writes it, with its tool."""
    return {(as_route(*pair.rest), pair.tool) for pair in PAIRS}


def as_route(method: str, path: str) -> str:
    path = re.sub(r"/[a-z]+-\d+(?=/|$)", "/{id}", path.partition("?")[0])
    return f"{method} " + re.sub(r"^help/.+", "help/{id}", path)


def in_both() -> list[Operation]:
    return [each for each in OPERATIONS if isinstance(each.rest, tuple) and isinstance(each.mcp, tuple)]


def test_every_operation_of_both_skins_is_called_by_both():
    pairs = called()
    routes = {route for route, _ in pairs}
    tools = {tool for _, tool in pairs}
    for operation in in_both():
        if operation.name in ON_ITS_OWN:
            continue
        assert set(operation.rest) - routes == set(), operation.name
        assert set(operation.mcp) - tools == set(), operation.name
        for tool in operation.mcp:
            assert any((route, tool) in pairs for route in operation.rest), (operation.name, tool)


def test_what_is_compared_on_its_own_is_compared():
    assert {each.name for each in in_both()} >= set(ON_ITS_OWN)
    for test in ON_ITS_OWN.values():
        assert callable(getattr(test_rest_and_mcp, test))
