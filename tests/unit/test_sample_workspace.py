"""The sample workspace that ships: it imports without a fault, fills every kind, and leaves room under each cap."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from memories.engine import promises
from memories.engine.imports import Existing, within_caps
from memories.engine.kinds import Category, MemoryType
from memories.engine.limits import BUDGET_TOKENS_DEFAULT
from memories.engine.memories import category_caps
from memories.engine.workspace import Plan, plan

SAMPLE = Path(__file__).parents[2] / "memories" / "management" / "sample_workspace"


def planned() -> Plan:
    return plan({path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in SAMPLE.rglob("*.md")})


def test_the_sample_has_no_problem_and_nothing_that_is_not_imported() -> None:
    found = planned()
    assert found.problems == ()
    assert found.not_imported == ()
    assert within_caps(found, Existing({}), category_caps({})) == found


def test_the_sample_has_every_core_category_at_most_three_quarters_full() -> None:
    used: Counter[str] = Counter()
    for draft in planned().drafts:
        if draft.memory.type is MemoryType.CORE:
            used[draft.memory.category] += len(draft.memory.content)
    assert set(used) == {str(category) for category in Category}
    for category, cap in category_caps({}).items():
        assert used[category] <= cap * 3 // 4


def test_the_sample_has_working_memories_and_a_week_of_days() -> None:
    kinds = Counter(draft.memory.type for draft in planned().drafts)
    assert kinds[MemoryType.WORKING] >= 5
    days = {draft.path for draft in planned().drafts if draft.memory.type is MemoryType.EPISODIC}
    assert len(days) == 7
    assert kinds[MemoryType.EPISODIC] >= 3 * len(days)


def test_its_two_promises_fit_under_the_cap() -> None:
    """P3, P9."""
    texts = (SAMPLE / "promises.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n---\n")
    assert len(texts) == 2
    assert sum(map(promises.check_content, texts)) < promises.cap_bytes(BUDGET_TOKENS_DEFAULT)
