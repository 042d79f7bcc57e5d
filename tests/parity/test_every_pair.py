"""Every operation that both skins have is called by both in `test_rest_and_mcp.py`."""

from __future__ import annotations

import re

from tests.guards.surface import OPERATIONS, Operation
from tests.parity import test_rest_and_mcp
from tests.parity.test_rest_and_mcp import PAIRS

# A boot streams, so it is compared in a test of its own there.
ON_ITS_OWN = {"serve a boot": "test_a_boot_gives_the_same_by_rest_and_by_mcp"}


# They look, and there is nothing to get wrong: with any argument the tool does something else, which has its own rows.
NOTHING_TO_REFUSE = {
    "GET help": "revell_help",
    "GET boot/config": "revell_boot_config",
    "GET capsules/aliases": "memory_alias",
}


def called(*, refused: bool | None = None) -> set[tuple[str, str]]:
    """The route as `surface.py` writes it, with its tool; only what ends in an error, or only what does not."""
    chosen = (pair for pair in PAIRS if refused is None or bool(pair.refused) is refused)
    return {(as_route(*pair.rest), pair.tool) for pair in chosen}


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


def test_every_pair_is_compared_in_its_answer_and_in_an_error():
    assert called() - called(refused=False) == set(), "no call of these is answered"
    assert called() - called(refused=True) - set(NOTHING_TO_REFUSE.items()) == set(), "no call of these is refused"
    assert set(NOTHING_TO_REFUSE.items()) <= called() - called(refused=True), "these are no exceptions any more"


def test_what_is_compared_on_its_own_is_compared():
    assert {each.name for each in in_both()} >= set(ON_ITS_OWN)
    for test in ON_ITS_OWN.values():
        assert callable(getattr(test_rest_and_mcp, test))
