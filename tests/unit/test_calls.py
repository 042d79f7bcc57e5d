"""What callers may ask: parameters of the reading operations (C17 to C22, C54 to C56)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memories.engine.calls import (
    DigestCall,
    ListCall,
    PackCall,
    RetrieveCall,
    read_digest_call,
    read_list_call,
    read_pack_call,
    read_retrieve_call,
)
from memories.engine.capsules import Tier
from memories.engine.fences import EVERYWHERE, Fence
from memories.errors import InvalidInput
from tests.unit.capsule_rows import TASK

READERS: list[Callable] = [read_pack_call, read_retrieve_call, read_digest_call, read_list_call]


def faults(reader: Callable, arguments: object) -> dict[str, list[str]]:
    with pytest.raises(InvalidInput) as caught:
        reader(arguments)
    assert caught.value.detail
    return caught.value.errors


def test_an_empty_call_is_valid() -> None:
    """C17"""
    assert read_pack_call({}) == PackCall((), EVERYWHERE, 1500)
    assert read_digest_call({}) == DigestCall(EVERYWHERE)
    assert read_list_call({}) == ListCall(None, None, None, None, EVERYWHERE, 50, None)


def test_null_is_the_same_as_left_out() -> None:
    """C17"""
    names = ["terms", "project_id", "project_prefix", "token_budget", "ancestors"]
    assert read_pack_call(dict.fromkeys(names)) == read_pack_call({})


def test_a_full_call() -> None:
    """C17"""
    arguments = {"terms": ["a b", "c"], "project_id": "nott/x", "project_prefix": "nott", "token_budget": 7,
                 "ancestors": True}  # fmt: skip
    assert read_pack_call(arguments) == PackCall(("a b", "c"), Fence("nott/x", "nott", True), 7)


@pytest.mark.parametrize("reader", READERS)
def test_unknown_parameters_are_refused_by_name(reader: Callable) -> None:
    """C18"""
    found = faults(reader, {"terms": ["x"], "intent": "find out", "Limit": 3})
    assert {"intent", "Limit"} <= set(found)
    assert "'intent'" in found["intent"][0]
    assert "project_prefix" in found["intent"][0]


def test_an_intent_is_answered_with_what_to_send() -> None:
    """C18"""
    assert "terms" in faults(read_pack_call, {"intent": "x"})["intent"][0]


@pytest.mark.parametrize("budget", [-1, 1.5, "900", True, False, [], {}, float("nan"), float("inf")])
def test_a_token_budget_that_is_no_whole_number(budget: object) -> None:
    """C19"""
    for reader in (read_pack_call, read_retrieve_call):
        assert list(faults(reader, {"terms": ["x"], "token_budget": budget})) == ["token_budget"]


@pytest.mark.parametrize("budget", [0, 1, 1500, 2**53, 10**30])
def test_whole_numbers_of_any_size(budget: int) -> None:
    """C19"""
    assert read_pack_call({"token_budget": budget}).token_budget == budget


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("prefix", ["", " ", "/", "nott/"])
def test_bad_fences_are_refused_also_at_budget_0(reader: Callable, prefix: str) -> None:
    """C20, C21"""
    arguments: dict[str, object] = {"project_prefix": prefix}
    if reader in (read_pack_call, read_retrieve_call):
        arguments |= {"token_budget": 0, "terms": ["x"]}
    assert list(faults(reader, arguments)) == ["project_prefix"]


@pytest.mark.parametrize("terms", ["backup", {"a": 1}, 3, True])
def test_terms_are_a_list(terms: object) -> None:
    """C17"""
    assert list(faults(read_pack_call, {"terms": terms})) == ["terms"]


def test_each_bad_term_is_named() -> None:
    """C17"""
    assert list(faults(read_pack_call, {"terms": ["ok", 3, None, "\ud800", "x" * 1_001]})) == [
        "terms.1", "terms.2", "terms.3", "terms.4"]  # fmt: skip
    assert list(faults(read_pack_call, {"terms": ["x"] * 101})) == ["terms"]


def test_a_term_without_letters_is_no_fault() -> None:
    """C22"""
    assert read_pack_call({"terms": ["?!", ""]}).terms == ("?!", "")
    assert read_retrieve_call({"terms": ["?!"]}).terms == ("?!",)


@pytest.mark.parametrize("arguments", [{}, {"terms": []}, {"terms": None}])
def test_retrieve_needs_a_term(arguments: dict) -> None:
    """C54"""
    assert list(faults(read_retrieve_call, arguments)) == ["terms"]


def test_a_retrieve_call() -> None:
    """C54"""
    assert read_retrieve_call({"terms": ["x"]}) == RetrieveCall(("x",), EVERYWHERE, None, 1500)
    assert read_retrieve_call({"terms": ["x"], "limit": 0, "token_budget": 0}) == RetrieveCall(("x",), EVERYWHERE, 0, 0)
    assert list(faults(read_retrieve_call, {"terms": ["x"], "limit": -1})) == ["limit"]


def test_a_list_call() -> None:
    """C56"""
    arguments = {
        "kind": "task",
        "tier": "archived",
        "expired": False,
        "superseded": True,
        "limit": 0,
        "cursor": "cap-9",
    }
    assert read_list_call(arguments) == ListCall(TASK, Tier.ARCHIVED, False, True, EVERYWHERE, 0, 9)
    wrong = {"kind": "rule", "tier": 1, "expired": "no", "superseded": 0, "limit": 201, "cursor": "9"}
    assert set(faults(read_list_call, wrong)) == set(wrong)


@pytest.mark.parametrize("reader", READERS)
def test_arguments_are_an_object(reader: Callable) -> None:
    """C17"""
    assert faults(reader, ["terms"]) == {}


def test_every_fault_is_told_at_once() -> None:
    """C21"""
    found = faults(read_pack_call, {"terms": 1, "project_id": "", "token_budget": -1, "ancestors": 1, "x": 1})
    assert set(found) == {"terms", "project_id", "token_budget", "ancestors", "x"}


def test_a_whole_number_may_be_written_with_a_point() -> None:
    """C19: in JSON 900.0 is 900."""
    call = read_pack_call({"token_budget": 900.0})
    assert (call.token_budget, type(call.token_budget)) == (900, int)
    assert list(faults(read_pack_call, {"token_budget": float("inf")})) == ["token_budget"]


def test_a_name_that_is_nearly_right_is_told() -> None:
    """C18"""
    assert "Did you mean project_id?" in faults(read_pack_call, {"project": "nott"})["project"][0]
    assert "Did you mean" not in faults(read_pack_call, {"intent": "x"})["intent"][0]
    assert "Did you mean superseded?" in faults(read_list_call, {"superceded": True})["superceded"][0]
