"""memory_list and memory_digest (C55, C56)."""

from __future__ import annotations

import json
from datetime import timedelta

from memories.engine.capsules import Tier
from memories.engine.fences import Fence
from memories.engine.listing import Listing, digest, list_capsules
from memories.engine.pack import compile_pack
from tests.unit.capsule_rows import DECISION, F0, F0_RELATIONS, NOW, TASK, blocks, cap, proves, supersedes


def page(capsules, relations=(), **options) -> Listing:  # type: ignore[no-untyped-def]
    return list_capsules(capsules, relations, now=NOW, **options)


def numbers(listing: Listing) -> list[int]:
    return [row.number for row in listing.rows]


def test_newest_kept_shown_oldest_first() -> None:
    """C56"""
    capsules = [cap(n) for n in (3, 11, 2, 1, 10)]
    first = page(capsules, limit=2)
    assert (numbers(first), first.total, first.next_before) == ([10, 11], 5, 10)
    second = page(capsules, limit=2, before=first.next_before)
    assert (numbers(second), second.total, second.next_before) == ([2, 3], 5, 2)
    third = page(capsules, limit=2, before=second.next_before)
    assert (numbers(third), third.total, third.next_before) == ([1], 5, None)


def test_a_limit_of_zero_gives_the_total_alone() -> None:
    """C56"""
    none = page(F0, limit=0)
    assert (none.rows, none.total, none.next_before) == ((), 6, None)


def test_filters() -> None:
    """C56"""
    expired = {"valid_from": NOW - timedelta(1), "valid_to": NOW - timedelta(1)}
    capsules = [
        cap(1, DECISION),
        cap(2, TASK),
        cap(3, TASK, tier=Tier.ARCHIVED),
        cap(4, TASK, **expired),
        cap(5, forgotten_at=NOW),
        cap(6, TASK, project_id="other"),
    ]
    relations = supersedes((1, 2))
    assert numbers(page(capsules, relations)) == [1, 2, 3, 4, 6]
    assert numbers(page(capsules, relations, kind=TASK)) == [2, 3, 4, 6]
    assert numbers(page(capsules, relations, tier=Tier.ARCHIVED)) == [3]
    assert numbers(page(capsules, relations, expired=True)) == [4]
    assert numbers(page(capsules, relations, expired=False)) == [1, 2, 3, 6]
    assert numbers(page(capsules, relations, superseded=True)) == [2]
    assert numbers(page(capsules, relations, superseded=False, kind=TASK, fence=Fence("nott"))) == [3, 4]


def test_the_page_on_the_wire() -> None:
    """C11, C56, C59"""
    wire = json.loads(page([cap(1, TASK), cap(2, TASK, tainted=True)], proves((1, 2)), limit=1).to_json())
    assert wire == {
        "label": "ADVISORY_NOT_AUTHORITY",
        "framing": "DATA",
        "scope": {},
        "results": [{"id": "cap-2", "headline": "capsule 2", "project_id": "nott", "kind": "task", "done": True,
                     "tainted": True}],
        "total": 2,
        "next": "cap-2",
    }  # fmt: skip


def test_the_digest_counts_and_projects() -> None:
    """C55, C59"""
    capsules = [*F0, cap(7, TASK, project_id="nott/x", tier=Tier.ARCHIVED), cap(8, forgotten_at=NOW)]
    wire = json.loads(digest(capsules, [*F0_RELATIONS, *proves((4, 7))], now=NOW).to_json())
    assert list(wire) == ["label", "framing", "scope", "total", "by_kind", "by_project", "by_tier", "newest", "ready"]
    assert wire["total"] == 7
    assert list(wire["by_kind"].items()) == [
        ("constraint", 2), ("decision", 1), ("failure_pattern", 1), ("task", 3)]  # fmt: skip
    assert wire["by_project"] == {"nott": 6, "nott/x": 1}
    assert wire["by_tier"] == {"active": 6, "archived": 1}
    assert [row["id"] for row in wire["newest"]] == [f"cap-{n}" for n in range(1, 8)]
    ready = wire["ready"]
    assert list(ready) == ["ready", "ready_total", "blocked", "blocked_total", "done", "done_total"]
    assert [[row["id"] for row in ready[part]] for part in ("ready", "blocked", "done")] == [
        ["cap-5"], ["cap-6"], ["cap-7"]]  # fmt: skip
    assert ready["ready_total"] == ready["blocked_total"] == ready["done_total"] == 1


def test_the_digest_names_a_cycle_instead() -> None:
    """C40, C55"""
    wire = digest(F0, blocks((5, 6), (6, 5)), now=NOW).to_wire()
    assert wire["ready"] == {"cycle": ["cap-5", "cap-6"]}


def test_digest_lists_are_capped_and_totals_exact() -> None:
    """C55"""
    found = digest([cap(n, TASK) for n in range(1, 31)], blocks(*((1, n) for n in range(16, 31))), now=NOW)
    assert (len(found.ready.rows), found.ready.total) == (10, 15)
    assert (len(found.blocked.rows), found.blocked.total) == (10, 15)
    assert [row.number for row in found.newest] == list(range(21, 31))


def test_digest_and_pack_agree_on_what_is_ready() -> None:
    """C55"""
    capsules = [cap(n, TASK, project_id="nott" if n % 2 else "other") for n in range(1, 9)]
    relations = [*blocks((2, 3), (5, 7)), *proves((1, 5))]
    for fence in (Fence(), Fence("nott"), Fence("other")):
        pack = compile_pack(capsules, relations, now=NOW, fence=fence)
        assert pack.next_action is not None
        rows = [pack.next_action.number, *(row.number for row in pack.ready)]
        found = digest(capsules, relations, now=NOW, fence=fence)
        assert rows == [row.number for row in found.ready.rows]
        assert pack.ready_total == found.ready.total


def test_the_digest_is_fenced() -> None:
    """C26, C55"""
    found = digest([*F0, cap(7, project_id="nottx")], F0_RELATIONS, now=NOW, fence=Fence(project_prefix="nott"))
    assert found.total == 6
    assert found.by_project == (("nott", 6),)
