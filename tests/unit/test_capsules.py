"""The capsule, its lean row, what relations make of it, and what writes must know (C2 to C12)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memories.engine.capsules import (
    CapsuleKind,
    Tier,
    capsule_id,
    content_hash,
    headline_of,
    is_expired,
    number_of,
)
from memories.engine.fences import EVERYWHERE, Fence
from memories.engine.relations import (
    Relation,
    RelationKind,
    find_supersedes_loop,
    freed_by,
    lean_row,
    refuse_supersedes_loop,
    standing_of,
)
from memories.errors import InvalidInput, NotFound, RelationCycle
from tests.unit.capsule_rows import CONSTRAINT, NOW, TASK, blocks, cap, proves, supersedes

SECOND = timedelta(seconds=1)


def test_closed_lists() -> None:
    """C2, C3, C5"""
    assert [*CapsuleKind] == ["constraint", "decision", "failure_pattern", "task", "procedure", "fact", "reference"]
    assert [*Tier] == ["active", "archived", "quarantined"]
    assert [*RelationKind] == ["supersedes", "blocks", "proves", "derived_from"]


def test_ids() -> None:
    """C1"""
    assert capsule_id(12) == "cap-12"
    assert number_of("cap-12") == 12


@pytest.mark.parametrize(
    "text", ["", "cap-", "cap-0", "cap-007", "12", "mem-1", "CAP-1", "cap-1 ", "cap-١", 12, None, "cap--1"]
)
def test_what_is_no_id_is_refused(text: object) -> None:
    """C10"""
    with pytest.raises(InvalidInput, match="cap-12"):
        number_of(text)


@pytest.mark.parametrize("text", ["cap-9223372036854775808", "cap-" + "9" * 5_000])
def test_an_id_beyond_all_numbers_is_unknown(text: str) -> None:
    """C57"""
    with pytest.raises(NotFound):
        number_of(text)


def test_expired_is_after_valid_to() -> None:
    """C6: equal is valid."""
    capsule = cap(1, valid_to=NOW)
    assert not is_expired(capsule, NOW)
    assert is_expired(capsule, NOW + timedelta(microseconds=1))
    assert not is_expired(cap(2), NOW)


def test_the_hash_is_of_the_exact_content() -> None:
    """C9"""
    assert content_hash("a") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
    assert content_hash("a") != content_hash("a ")


@pytest.mark.parametrize(
    ("content", "headline"),
    [
        ("one line", "one line"),
        ("one line\n", "one line"),
        ("one line\n \n\u200b\n", "one line"),
        ("\n \n  title  \nbody", "title…"),
        ("title\r\nbody", "title…"),
        ("title\u2028body", "title…"),
        ("\u200b\ntitle", "title"),
        ("\u200b\u2028\u200b\ntitle\n\nbody", "title…"),
        ("x" * 140, "x" * 140),
        ("x" * 141, "x" * 140 + "…"),
        ("x" * 139 + " yz", "x" * 139 + "…"),
        ("x" * 139 + "e\u0301", "x" * 139 + "…"),
        ("👨‍👩‍👧" * 40, "👨‍👩‍👧" * 28 + "…"),
        ("🇩🇪" * 100, "🇩🇪" * 70 + "…"),
        ("e" + "\u0301" * 200, "…"),
        ("\u200b", ""),
    ],
)
def test_headline(content: str, headline: str) -> None:
    """C12"""
    assert headline_of(content) == headline


def row(capsule, relations=(), fence=EVERYWHERE, *, with_kind=True, now=NOW):  # type: ignore[no-untyped-def]
    return lean_row(capsule, standing_of([capsule], relations), fence, now, with_kind=with_kind).to_wire()


def test_a_row_says_only_what_it_must() -> None:
    """C11"""
    capsule = cap(7, TASK, "text")
    assert row(capsule) == {"id": "cap-7", "headline": "text", "project_id": "nott", "kind": "task"}
    assert row(capsule, fence=Fence("nott"), with_kind=False) == {"id": "cap-7", "headline": "text"}
    assert "project_id" in row(capsule, fence=Fence(project_prefix="nott"))


def test_a_row_of_an_ancestor_keeps_its_project() -> None:
    """C11, C27: the exact fence does not say it."""
    assert row(cap(7, TASK), fence=Fence("nott/x", ancestors=True))["project_id"] == "nott"


def test_the_keys_of_a_full_row_in_order() -> None:
    """C11"""
    capsule = cap(7, TASK, "text", tier=Tier.ARCHIVED, valid_to=NOW, tainted=True)
    wire = row(capsule, supersedes((8, 7)), now=NOW + SECOND)
    assert list(wire) == ["id", "headline", "project_id", "kind", "tier", "expired", "superseded", "tainted"]
    assert list(row(capsule, proves((8, 7)))) == ["id", "headline", "project_id", "kind", "tier", "done", "tainted"]
    assert wire["tier"] == "archived"
    assert wire["expired"] is wire["superseded"] is wire["tainted"] is True


def test_superseded_whatever_became_of_the_replacer() -> None:
    """C6"""
    capsules = [cap(1), cap(2, forgotten_at=NOW), cap(3)]
    standing = standing_of(capsules, supersedes((2, 1), (3, 2)))
    assert standing.superseded == {1, 2}


def test_superseded_and_forgotten_beat_done() -> None:
    """C6"""
    capsules = [cap(1), cap(2), cap(3, forgotten_at=NOW), cap(4)]
    standing = standing_of(capsules, [*proves((4, 1), (4, 2), (4, 3)), *supersedes((4, 2))])
    assert standing.done == {1}
    assert standing.gone == {2, 3}


def test_a_supersedes_loop_is_refused_with_its_path() -> None:
    """C7"""
    existing = supersedes((2, 1), (3, 2))
    assert find_supersedes_loop(existing, supersedes((4, 3))) is None
    with pytest.raises(RelationCycle, match="cap-1 → cap-3 → cap-2 → cap-1") as caught:
        refuse_supersedes_loop(existing, supersedes((1, 3)))
    assert caught.value.data["path"] == ["cap-1", "cap-3", "cap-2", "cap-1"]


def test_a_supersedes_loop_within_one_write_is_found() -> None:
    """C7, C10"""
    assert find_supersedes_loop([], supersedes((1, 2), (2, 3), (3, 1))) == (3, 1, 2, 3)


def test_other_relations_close_no_supersedes_loop() -> None:
    """C7"""
    existing = [*blocks((2, 1)), Relation(RelationKind.DERIVED_FROM, 2, 1)]
    assert find_supersedes_loop(existing, supersedes((1, 2))) is None
    assert find_supersedes_loop(supersedes((2, 1)), blocks((1, 2))) is None


def test_a_long_supersedes_chain_needs_no_recursion() -> None:
    """C7"""
    chain = supersedes(*((n + 1, n) for n in range(1, 5_001)))
    loop = find_supersedes_loop(chain, supersedes((1, 5_001)))
    assert loop is not None
    assert len(loop) == 5_002


def test_what_a_write_frees_is_listed() -> None:
    """C8"""
    capsules = [cap(n, TASK) for n in range(1, 8)]
    relations = [*blocks((5, 7), (5, 6), (1, 5), (2, 3), (5, 4)), *proves((2, 4))]
    standing = standing_of(capsules, relations)
    assert [relation.to_wire() for relation in freed_by([5], standing)] == [
        {"kind": "blocks", "from": "cap-5", "to": "cap-6"},
        {"kind": "blocks", "from": "cap-5", "to": "cap-7"},
    ]
    assert freed_by([5, 6], standing) == tuple(blocks((5, 7)))
    assert freed_by([7], standing) == ()


def test_what_held_nothing_back_frees_nothing() -> None:
    """C8: a blocker that is done or superseded already blocked nobody."""
    capsules = [cap(1, CONSTRAINT), cap(2, TASK), cap(3, TASK)]
    standing = standing_of(capsules, [*blocks((1, 2), (3, 2)), *proves((2, 1)), *supersedes((2, 3))])
    assert freed_by([1, 3], standing) == ()


def test_one_write_of_thousands_of_supersedes_is_looked_at_once() -> None:
    """C7: the first relation that closes a loop is named, and how many come before and after it does not matter."""
    count = 30_000
    chain = [(number, number + 1) for number in range(1, count)]
    assert find_supersedes_loop([], supersedes(*chain)) is None
    closed = supersedes(*chain[:20_000], (20_001, 19_999), *chain[20_000:], (count, 1))
    assert find_supersedes_loop([], closed) == (20_001, 19_999, 20_000, 20_001)
