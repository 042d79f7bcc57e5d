"""memory_retrieve (C54)."""

from __future__ import annotations

import json
from datetime import timedelta

from memories.engine.capsules import Tier
from memories.engine.fences import Fence
from memories.engine.retrieve import Retrieval, retrieve
from tests.unit.capsule_rows import F0, NOW, TASK, cap, proves, supersedes

DAY = timedelta(days=1)


def search(capsules, *terms: str, relations=(), **options) -> Retrieval:  # type: ignore[no-untyped-def]
    return retrieve(capsules, relations, now=NOW, terms=terms, **options)


def numbers(found: Retrieval) -> list[int]:
    return [hit.capsule.number for hit in found.results]


def test_any_term_but_all_its_words() -> None:
    """C54"""
    assert numbers(search(F0, "force main", "cargo skip")) == [1]
    assert sorted(numbers(search(F0, "force", "cargo"))) == [1, 4]


def test_order_by_terms_then_bm25_then_decay_then_number() -> None:
    """C54"""
    capsules = [
        cap(1, content="alpha and much more text around it so that it is long"),
        cap(2, content="alpha", confidence=0.1),
        cap(3, content="alpha", confidence=0.9),
        cap(4, content="alpha", confidence=0.9),
        cap(5, content="alpha beta and much more text around it so that it is long", confidence=0.0),
    ]
    assert numbers(search(capsules, "alpha", "beta")) == [5, 3, 4, 2, 1]


def test_an_alias_expands_its_term_and_not_the_other_way() -> None:
    """C54, C58"""
    capsules = [cap(1, content="the Database"), cap(2, content="the DB"), cap(3, content="db database")]
    aliases = {"db": ["database", "data store"]}
    found = search(capsules, "DB", aliases=aliases)
    assert {hit.capsule.number: hit.matched_terms for hit in found.results} == {
        1: ("alias:DB",), 2: ("DB",), 3: ("DB",)}  # fmt: skip
    assert sorted(numbers(search(capsules, "database", aliases=aliases))) == [1, 3]


def test_aliases_of_aliases_are_not_followed() -> None:
    """C54"""
    assert search([cap(1, content="c")], "a", aliases={"a": ["b"], "b": ["c"]}).matched == 0


def test_what_is_excluded_is_counted_by_reason() -> None:
    """C6, C54"""
    capsules = [
        cap(1, content="x"),
        cap(2, content="x", tier=Tier.ARCHIVED),
        cap(3, content="x", tier=Tier.QUARANTINED),
        cap(4, content="x"),
        cap(5, content="x", valid_from=NOW - DAY, valid_to=NOW - DAY),
        cap(6, content="x", valid_from=NOW + DAY),
        cap(7, content="", forgotten_at=NOW),
        cap(8, content="other", tier=Tier.ARCHIVED),
    ]
    found = search(capsules, "x", relations=supersedes((1, 4)))
    assert numbers(found) == [1]
    assert found.to_wire()["excluded"] == {
        "quarantined": 1, "archived": 1, "superseded": 1, "expired": 1, "not_yet_valid": 1}  # fmt: skip


def test_fences_narrow() -> None:
    """C26, C54"""
    capsules = [cap(1, content="x"), cap(2, content="x", project_id="nottx"), cap(3, content="x", project_id="nott/y")]
    assert sorted(numbers(search(capsules, "x", fence=Fence(project_prefix="nott")))) == [1, 3]


def test_the_answer_on_the_wire() -> None:
    """C54, C59"""
    capsules = [cap(7, TASK, "line one\nalpha", tainted=True), cap(8, content="beta", project_id="other")]
    found = search(capsules, "alpha", "beta", relations=proves((8, 7)), fence=Fence("nott"))
    wire = json.loads(found.to_json())
    used = wire["budget"].pop("used_tokens")
    assert wire == {
        "label": "ADVISORY_NOT_AUTHORITY",
        "framing": "DATA",
        "scope": {"project_id": "nott"},
        "results": [{"id": "cap-7", "content": "line one\nalpha", "kind": "task", "done": True, "tainted": True,
                     "matched_terms": ["alpha"]}],
        "matched": 1,
        "returned": 1,
        "trimmed_by_limit": 0,
        "trimmed_by_budget": 0,
        "excluded": {},
        "budget": {"token_budget": 1500},
    }  # fmt: skip
    assert used == -(-len(found.to_json()) // 4)


def test_nothing_found_says_missing_and_where() -> None:
    """C54"""
    wire = search(F0, "zebra", "?!", fence=Fence("nott")).to_wire()
    assert wire["missing"] is True
    assert wire["scope"] == {"project_id": "nott"}
    assert wire["results"] == []
    assert "missing" not in search(F0, "main", limit=0).to_wire()


def test_one_row_at_least_but_for_zeros() -> None:
    """C54"""
    capsules = [cap(n, content="x " * 2_000) for n in range(1, 4)]
    found = search(capsules, "x", token_budget=1)
    assert (numbers(found), found.matched, found.trimmed_by_budget) == ([1], 3, 2)
    none = search(capsules, "x", limit=0)
    assert (none.results, none.trimmed_by_limit, none.trimmed_by_budget) == ((), 3, 0)
    none = search(capsules, "x", token_budget=0)
    assert (none.results, none.trimmed_by_limit, none.trimmed_by_budget, none.used_tokens) == ((), 0, 3, 0)


def test_limit_then_budget_and_every_row_is_accounted_for() -> None:
    """C43, C49, C54"""
    capsules = [cap(n, content=f"x {'y ' * n}") for n in range(1, 30)]
    before = 0
    for budget in range(1, 900):
        found = search(capsules, "x", limit=20, token_budget=budget)
        assert found.trimmed_by_limit == 9
        assert len(found.results) + found.trimmed_by_limit + found.trimmed_by_budget == found.matched == 29
        assert found.used_tokens - -(-len(found.to_json()) // 4) in (0, 1)
        assert found.used_tokens <= budget or len(found.results) == 1
        assert len(found.results) >= before
        before = len(found.results)
    assert before == 20
