"""Project names and fences (C4, C20, C23 to C27)."""

from __future__ import annotations

import pytest

from memories.engine.fences import EVERYWHERE, Fence, fence_of, project_fault
from memories.errors import InvalidInput


@pytest.mark.parametrize(
    "name", ["nott", "nott/x/y", "a_b", "a%b", "日本", "Nott", "a b", "*", "x" * 200, "a-b.c:d", "é/ß", "0"]
)
def test_ordinary_project_names(name: str) -> None:
    """C4"""
    assert project_fault(name) is None


@pytest.mark.parametrize(
    "name",
    ["", " ", "\u200b", "/", "a/", "/a", "a//b", "a/ /b", " a", "a ", "a\n", "a\tb", "a\x00b", "\ud800", "x" * 201,
     None, 3, True, ["a"]],
)  # fmt: skip
def test_impossible_project_names(name: object) -> None:
    """C4"""
    assert project_fault(name)


NEAR_NOTT = ["nottx", "nott-old", "Nott", "n_tt", "n%t", "not", "x/nott", "nott0", "nott.", "NOTT/x", "ｎott"]


def test_a_project_id_is_exact() -> None:
    """C24"""
    fence = Fence(project_id="nott")
    assert fence.matches("nott")
    assert not any(map(fence.matches, [*NEAR_NOTT, "nott/x"]))


def test_a_prefix_covers_itself_and_what_is_below() -> None:
    """C24"""
    fence = Fence(project_prefix="nott")
    assert all(map(fence.matches, ["nott", "nott/x", "nott/x/y"]))
    assert not any(map(fence.matches, NEAR_NOTT))


@pytest.mark.parametrize("prefix", ["n%t", "n_tt", "*", "%", "_", "n*"])
def test_pattern_characters_are_literal(prefix: str) -> None:
    """C25"""
    fence = Fence(project_prefix=prefix)
    assert fence.matches(prefix)
    assert fence.matches(prefix + "/x")
    assert not fence.matches("nott")


def test_both_fences_must_hold() -> None:
    """C25"""
    both = Fence(project_id="nott/x", project_prefix="nott")
    assert both.matches("nott/x")
    assert not both.matches("nott")
    assert not both.matches("nott/x/y")
    contrary = Fence(project_id="other", project_prefix="nott", ancestors=True)
    assert not any(map(contrary.matches, ["other", "nott", "nott/x"]))


def test_no_fence_lets_everything_through() -> None:
    """C23"""
    assert EVERYWHERE.matches("any/thing")
    assert EVERYWHERE.scope() == {}
    assert fence_of(None, None, None) == EVERYWHERE


def test_ancestors_only_by_choice() -> None:
    """C27"""
    assert not Fence(project_id="nott/x").matches("nott")
    fence = Fence(project_id="nott/x/y", ancestors=True)
    assert fence.ancestor_projects == ("nott", "nott/x")
    assert all(map(fence.matches, ["nott", "nott/x", "nott/x/y"]))
    assert not any(map(fence.matches, ["nott/x/z", "nott/z", "nott/x/y/z", "other"]))
    below = Fence(project_prefix="nott/x", ancestors=True)
    assert all(map(below.matches, ["nott", "nott/x", "nott/x/y"]))
    assert not below.matches("nott/z")
    assert Fence(project_id="nott", ancestors=True).ancestor_projects == ()
    assert Fence(ancestors=True).ancestor_projects == ()


def test_the_scope_says_what_was_searched() -> None:
    """C23"""
    assert Fence("nott/x", "nott", True).scope() == {
        "project_id": "nott/x",
        "project_prefix": "nott",
        "ancestors": True,
    }
    assert Fence("nott").scope() == {"project_id": "nott"}


def test_the_pieces_for_a_query_agree_with_matches() -> None:
    """C24"""
    fence = Fence(project_prefix="nott")
    assert fence.under is not None
    assert fence.under_end is not None
    for name in ["nott/", "nott/x", "nott/\U0010ffff", *NEAR_NOTT]:
        assert (fence.under <= name < fence.under_end) == name.startswith(fence.under)
    assert Fence("nott").under is None
    assert Fence("nott").under_end is None


@pytest.mark.parametrize(
    ("prefix", "taught"),
    [
        ("", ["empty project_prefix would match only", "Leave project_prefix out"]),
        ("  ", ["empty project_prefix would match only"]),
        ("/", ["“//”", "Leave project_prefix out"]),
        ("nott/", ["“nott//”", "Send “nott”"]),
        ("nott//", ["Send “nott”"]),
        ("nott/x/", ["Send “nott/x”"]),
        (" nott", ["white space", "Send “nott”"]),
        ("/nott", ["Send “nott”"]),
        (5, ["is a text"]),
    ],
)
def test_a_prefix_that_can_match_nothing_is_refused_and_teaches(prefix: object, taught: list[str]) -> None:
    """C20"""
    with pytest.raises(InvalidInput) as caught:
        fence_of(project_prefix=prefix)
    assert list(caught.value.errors) == ["project_prefix"]
    for piece in taught:
        assert piece in caught.value.detail


@pytest.mark.parametrize("name", ["", " ", "nott/", "/", 0, False])
def test_an_impossible_project_id_is_refused(name: object) -> None:
    """C20"""
    with pytest.raises(InvalidInput) as caught:
        fence_of(project_id=name)
    assert list(caught.value.errors) == ["project_id"]


def test_an_empty_project_id_teaches() -> None:
    """C20"""
    with pytest.raises(InvalidInput, match="every capsule has a project"):
        fence_of(project_id="")


@pytest.mark.parametrize("value", [1, "true", [], 0])
def test_ancestors_is_true_or_false(value: object) -> None:
    """C17"""
    with pytest.raises(InvalidInput, match="true or false"):
        fence_of(ancestors=value)


def test_all_faults_are_told_at_once() -> None:
    """C20, C21"""
    with pytest.raises(InvalidInput) as caught:
        fence_of("", "nott/", 3)
    assert set(caught.value.errors) == {"project_id", "project_prefix", "ancestors"}
