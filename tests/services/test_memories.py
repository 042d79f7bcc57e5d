"""Writing memories: the rules of each type, caps, keys, revisions, batches (product.md, "Data model")."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from memories.engine.actor import Actor
from memories.engine.kinds import Category, MemoryType, Role, Scope, Source
from memories.engine.limits import CONTENT_MAX_BYTES
from memories.engine.memories import MemoryDraft
from memories.errors import (
    AxiomAllowanceExceeded,
    AxiomTooLong,
    CategoryCapExceeded,
    Conflict,
    ContentTooLong,
    InvalidInput,
    NotFound,
    NotPermitted,
    StaleVersion,
)
from memories.models import Memory, MemoryRevision, MemoryWords, Tenant
from memories.selectors.memories import count_by_type, get_memory, get_use, list_revisions
from memories.services import memories, tenants
from memories.services.memories import Remembered
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db

VALID: dict[MemoryType, dict[str, Any]] = {
    MemoryType.CORE: {"content": "I say what I know.", "category": "soul", "key": "honesty"},
    MemoryType.WORKING: {"content": "Step 3 of 5.", "key": "importer"},
    MemoryType.EPISODIC: {"content": "It landed."},
    MemoryType.SEMANTIC: {"subject": "the importer", "predicate": "reads", "object": "CSV"},
    MemoryType.AXIOM: {"content": "Never force-push main."},
}


def remember(actor: Actor, kind: MemoryType, **fields: Any) -> Remembered:
    return memories.remember(actor, draft=MemoryDraft(kind, **{**VALID[kind], **fields}))


def counters(actor: Actor) -> dict[str, int]:
    tenant = Tenant.objects.get(pk=actor.tenant)
    return {str(kind): n for kind in MemoryType if (n := getattr(tenant, f"{kind}_count"))}


def refused(actor: Actor, kind: MemoryType, **fields: Any) -> InvalidInput:
    """The refusal of such a memory, which writes nothing."""
    before = dump()
    with pytest.raises(InvalidInput) as error:
        remember(actor, kind, **fields)
    assert dump() == before
    return error.value


# Rules of all types --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(MemoryType))
def test_a_memory_of_each_type_is_stored_with_its_defaults(actor: Actor, clock: Clock, kind: MemoryType) -> None:
    stored = remember(actor, kind)
    memory = get_memory(actor, number=1)
    assert stored.created is True
    assert stored.memory == memory
    assert (str(memory), memory.type, memory.version) == ("mem-1", kind, 1)
    assert (memory.importance, memory.source, memory.tags) == (0.5, "agent", [])
    assert {memory.occurred_at, memory.created_at, memory.updated_at} == {clock.now}
    assert (memory.archived_at, memory.forgotten_at) == (None, None)
    assert memory.size_bytes == len(memory.content.encode())
    assert counters(actor) == {kind: 1} == count_by_type(actor)
    assert MemoryWords.objects.get().memory_id == memory.pk


@pytest.mark.parametrize("kind", [kind for kind in MemoryType if kind is not MemoryType.SEMANTIC])
@pytest.mark.parametrize("content", ["", "   ", "\n\t", "\u200b", "\x00", "a\x00b", "\ud800", "a\udc00"])
def test_content_is_text_that_can_be_seen(actor: Actor, kind: MemoryType, content: str) -> None:
    assert list(refused(actor, kind, content=content).errors) == ["content"]


@pytest.mark.parametrize("kind", [MemoryType.WORKING, MemoryType.EPISODIC, MemoryType.SEMANTIC])
@pytest.mark.parametrize("char", ["x", "é", "漢", "👍"])
def test_content_has_at_most_32768_bytes(actor: Actor, kind: MemoryType, char: str) -> None:
    width = len(char.encode())
    full = (char * (CONTENT_MAX_BYTES // width)).ljust(0) + "x" * (CONTENT_MAX_BYTES % width)
    assert remember(actor, kind, content=full).memory.size_bytes == CONTENT_MAX_BYTES
    error = refused(actor, kind, content=full + "x")
    assert isinstance(error, ContentTooLong)
    assert "32,769" in error.detail


def test_content_is_stored_unchanged(actor: Actor) -> None:
    content = "  \r\n\x1b[31mred\x1b[0m\te\u0301 é \u202e \u2028 [REVELL | END]\n\n"
    number = remember(actor, MemoryType.EPISODIC, content=content).memory.number
    assert get_memory(actor, number=number).content == content


@pytest.mark.parametrize("importance", [0, 0.0, 0.123456, 1, 1.0])
def test_importance_is_from_0_to_1(actor: Actor, importance: float) -> None:
    remember(actor, MemoryType.EPISODIC, importance=importance)
    assert get_memory(actor, number=1).importance == importance


@pytest.mark.parametrize("importance", [-0.001, 1.001, float("nan"), float("inf"), -1])
def test_importance_beyond_is_refused(actor: Actor, importance: float) -> None:
    assert list(refused(actor, MemoryType.EPISODIC, importance=importance).errors) == ["importance"]


def test_tags_are_trimmed_kept_in_order_and_each_once(actor: Actor) -> None:
    number = remember(actor, MemoryType.EPISODIC, tags=(" b ", "a", "b", "A", "two words", "é")).memory.number
    assert get_memory(actor, number=number).tags == ["b", "a", "A", "two words", "é"]


@pytest.mark.parametrize(
    "tags", [("",), (" ",), ("x" * 251,), ("a\nb",), ("a\x00",), ("\ud800",), tuple(f"t{n}" for n in range(51))]
)
def test_bad_tags_are_refused(actor: Actor, tags: tuple[str, ...]) -> None:
    assert list(refused(actor, MemoryType.EPISODIC, tags=tags).errors) == ["tags"]


def test_the_most_and_the_longest_tags_fit(actor: Actor) -> None:
    tags = tuple(f"{n:02}".ljust(250, "漢") for n in range(50))
    number = remember(actor, MemoryType.EPISODIC, tags=tags).memory.number
    assert get_memory(actor, number=number).tags == list(tags)


def test_occurred_at_is_kept_in_utc(actor: Actor) -> None:
    moment = datetime(2026, 11, 30, 1, 30, tzinfo=timezone(timedelta(hours=9)))
    number = remember(actor, MemoryType.EPISODIC, occurred_at=moment).memory.number
    assert get_memory(actor, number=number).occurred_at.isoformat() == "2026-11-29T16:30:00+00:00"


@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_occurred_at_holds_the_whole_calendar(actor: Actor, moment: datetime) -> None:
    number = remember(actor, MemoryType.EPISODIC, occurred_at=moment).memory.number
    assert get_memory(actor, number=number).occurred_at == moment


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 11, 30, 8),  # noqa: DTZ001
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))),
    ],
)
def test_occurred_at_without_a_zone_or_beyond_the_calendar_is_refused(actor: Actor, moment: datetime) -> None:
    assert list(refused(actor, MemoryType.EPISODIC, occurred_at=moment).errors) == ["occurred_at"]


def test_one_answer_names_every_fault(actor: Actor) -> None:
    error = refused(actor, MemoryType.CORE, content="", category="weather", key="", importance=2, tags=("",))
    assert set(error.errors) == {"content", "category", "key", "importance", "tags"}
    assert error.code == "invalid_input"


def test_source_is_who_wrote(actor: Actor) -> None:
    for source in Source:
        number = remember(actor, MemoryType.EPISODIC, source=source).memory.number
        assert get_memory(actor, number=number).source == source


def test_writing_needs_its_scope(actor: Actor) -> None:
    number = remember(actor, MemoryType.EPISODIC).memory.number
    tenant = Tenant.objects.get(pk=actor.tenant)
    _, viewer = factories.person_in(tenant, Role.VIEWER)
    before = dump()
    for someone in (viewer, factories.without(actor, Scope.WRITE)):
        for act in (
            lambda a: memories.remember(a, draft=MemoryDraft(MemoryType.EPISODIC, "x")),
            lambda a: memories.remember_many(a, drafts=[MemoryDraft(MemoryType.EPISODIC, "x")]),
            lambda a: memories.revise(a, number=number, changes={"content": "x"}),
            lambda a: memories.archive(a, number=number),
            lambda a: memories.restore(a, number=number),
            lambda a: memories.forget(a, number=number),
        ):
            with pytest.raises(NotPermitted) as error:
                act(someone)
            assert error.value.data["scope"] == "write"
    assert dump() == before


# Core ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("category", ["", "weather", "Soul", "soul ish", "\x00"])
def test_core_needs_one_of_its_categories(actor: Actor, category: str) -> None:
    assert "category" in refused(actor, MemoryType.CORE, category=category).errors


@pytest.mark.parametrize("kind", [MemoryType.CORE, MemoryType.WORKING])
@pytest.mark.parametrize("key", ["", "  ", "x" * 121, "two\nlines", "a\x00b", "a\u2028b", "a\tb", "\ud800"])
def test_core_and_working_need_a_key_of_one_line(actor: Actor, kind: MemoryType, key: str) -> None:
    assert list(refused(actor, kind, key=key).errors) == ["key"]


@pytest.mark.parametrize("kind", [MemoryType.EPISODIC, MemoryType.SEMANTIC, MemoryType.AXIOM])
def test_other_types_have_no_key(actor: Actor, kind: MemoryType) -> None:
    assert list(refused(actor, kind, key="honesty").errors) == ["key"]


@pytest.mark.parametrize("kind", [MemoryType.CORE, MemoryType.WORKING])
def test_writing_a_key_again_revises(actor: Actor, clock: Clock, kind: MemoryType) -> None:
    """Upsert: same number, next version, the earlier version kept; what is not given stays."""
    first = remember(actor, kind, content="as it was", tags=("a",), importance=0.9)
    clock.forward(hours=1)
    second = remember(actor, kind, content="as it is", key=f" {VALID[kind]['key']} ")
    assert (second.created, second.memory.number) == (False, first.memory.number)
    memory = get_memory(actor, number=first.memory.number)
    assert (memory.content, memory.version, memory.updated_at) == ("as it is", 2, clock.now)
    assert (memory.tags, memory.importance) == (["a"], 0.9)
    (kept,) = list_revisions(actor, number=memory.number)
    assert (kept.version, kept.data["content"], kept.data["tags"]) == (1, "as it was", ["a"])
    assert (kept.replaced_at, kept.replaced_by) == (clock.now, "key rvl_testtest")
    assert counters(actor) == {kind: 1}
    third = remember(actor, kind, content="as it is", tags=(), importance=0.1)
    assert (third.memory.tags, third.memory.importance, third.memory.version) == ([], 0.1, 3)


def test_a_core_key_is_unique_within_its_category_only(actor: Actor) -> None:
    for category in Category:
        assert remember(actor, MemoryType.CORE, category=category, key="same").created is True
    assert remember(actor, MemoryType.WORKING, key="same").created is True
    assert remember(actor, MemoryType.CORE, key="Same").created is True
    assert counters(actor) == {"core": len(Category) + 1, "working": 1}


def test_writing_the_same_core_memory_again_changes_nothing(actor: Actor, clock: Clock) -> None:
    remember(actor, MemoryType.CORE, tags=("a",))
    before = dump()
    clock.forward(hours=1)
    again = remember(actor, MemoryType.CORE)
    assert (again.created, again.memory.version) == (False, 1)
    assert dump() == before


@pytest.mark.parametrize(
    ("category", "cap"), [("soul", 4_000), ("identity", 4_000), *((c, 2_500) for c in list(Category)[2:])]
)
def test_a_category_is_capped_in_characters(actor: Actor, category: str, cap: int) -> None:
    """Exactly full is allowed; over it the error names usage and says to archive a lesser memory."""
    half = "👍" * (cap // 2)
    remember(actor, MemoryType.CORE, category=category, key="one", content=half)
    before = dump()
    with pytest.raises(CategoryCapExceeded) as error:
        remember(actor, MemoryType.CORE, category=category, key="two", content=half + "x")
    assert error.value.data == {
        "category": category, "cap_chars": cap, "used_chars": cap // 2, "requested_chars": cap // 2 + 1,
        "over_chars": 1,
    }  # fmt: skip
    assert f"{cap // 2:,} of {cap:,}" in error.value.detail
    assert "Archive a lesser memory" in error.value.detail
    assert dump() == before
    remember(actor, MemoryType.CORE, category=category, key="two", content=half)
    assert get_use(actor).category_chars == {category: cap}


def test_a_cap_is_counted_without_the_memory_that_is_rewritten(actor: Actor) -> None:
    remember(actor, MemoryType.CORE, content="x" * 4_000)
    remember(actor, MemoryType.CORE, content="y" * 4_000)
    with pytest.raises(CategoryCapExceeded) as error:
        remember(actor, MemoryType.CORE, content="z" * 4_001)
    assert error.value.data["used_chars"] == 0


def test_archiving_and_forgetting_make_room_and_coming_back_needs_it(actor: Actor) -> None:
    first = remember(actor, MemoryType.CORE, key="one", content="x" * 4_000).memory.number
    memories.archive(actor, number=first)
    second = remember(actor, MemoryType.CORE, key="two", content="y" * 4_000).memory.number
    before = dump()
    with pytest.raises(CategoryCapExceeded):
        memories.restore(actor, number=first)
    with pytest.raises(CategoryCapExceeded):
        remember(actor, MemoryType.CORE, key="one", content="x")
    assert dump() == before
    memories.forget(actor, number=second)
    assert memories.restore(actor, number=first).archived_at is None


def test_a_cap_can_be_raised_and_holds_at_once(actor: Actor) -> None:
    remember(actor, MemoryType.CORE, key="one", content="x" * 4_000)
    tenants.configure(actor, category_caps={"soul": 4_001})
    remember(actor, MemoryType.CORE, key="two", content="x")
    with pytest.raises(CategoryCapExceeded):
        remember(actor, MemoryType.CORE, key="three", content="x")


def test_above_a_lowered_cap_memories_stay_and_may_be_kept_or_shortened(actor: Actor) -> None:
    """Only what would add to the excess is refused: a tag, a weight or a shorter text never is."""
    number = remember(actor, MemoryType.CORE, content="x" * 3_000).memory.number
    tenants.configure(actor, category_caps={"soul": 1_000})
    assert memories.revise(actor, number=number, changes={"importance": 0.9}).importance == 0.9
    assert memories.revise(actor, number=number, changes={"tags": ("a",)}).tags == ["a"]
    assert remember(actor, MemoryType.CORE, content="y" * 2_999).memory.size_chars == 2_999
    for act in (
        lambda: memories.revise(actor, number=number, changes={"content": "y" * 3_000}),
        lambda: remember(actor, MemoryType.CORE, content="y" * 3_000),
        lambda: remember(actor, MemoryType.CORE, content="y", key="other"),
    ):
        with pytest.raises(CategoryCapExceeded):
            act()


def test_moving_to_another_category_needs_room_there(actor: Actor) -> None:
    remember(actor, MemoryType.CORE, category="tools", key="shed", content="x" * 2_500)
    number = remember(actor, MemoryType.CORE, category="soul", key="mine", content="y").memory.number
    with pytest.raises(CategoryCapExceeded):
        memories.revise(actor, number=number, changes={"category": "tools"})
    assert memories.revise(actor, number=number, changes={"category": "routine"}).category == "routine"


# Axioms --------------------------------------------------------------------------------------------------------------


def test_an_axiom_has_at_most_250_characters(actor: Actor) -> None:
    remember(actor, MemoryType.AXIOM, content="漢" * 250)
    error = refused(actor, MemoryType.AXIOM, content="x" * 251)
    assert isinstance(error, AxiomTooLong)
    assert error.code == "axiom_too_long"
    assert "250" in error.detail


@pytest.mark.parametrize(("category", "stored"), [("", "general"), (" git ", "git"), ("Any Text", "Any Text")])
def test_an_axioms_category_is_free_text(actor: Actor, category: str, stored: str) -> None:
    assert remember(actor, MemoryType.AXIOM, category=category).memory.category == stored


@pytest.mark.parametrize("category", ["x" * 65, "two\nlines", "a\x00b"])
def test_an_axioms_category_is_one_short_line(actor: Actor, category: str) -> None:
    assert list(refused(actor, MemoryType.AXIOM, category=category).errors) == ["category"]


@pytest.mark.parametrize(("budget_tokens", "allowance"), [(2_000, 2_048), (5_000, 4_000)])
def test_all_axioms_together_have_an_allowance(actor: Actor, budget_tokens: int, allowance: int) -> None:
    """Exactly full is allowed, one byte more is not; bytes count, not characters."""
    tenants.configure(actor, budget_tokens=budget_tokens)
    left = allowance
    while left > 1_000:
        remember(actor, MemoryType.AXIOM, content="👍" * 250)
        left -= 1_000
    remember(actor, MemoryType.AXIOM, content="👍" * ((left - 4) // 4) + "x" * (left % 4) if left > 4 else "x" * left)
    left = allowance - get_use(actor).axiom_bytes
    if left:
        remember(actor, MemoryType.AXIOM, content="y" * left)
    assert get_use(actor).axiom_bytes == allowance
    before = dump()
    with pytest.raises(AxiomAllowanceExceeded) as error:
        remember(actor, MemoryType.AXIOM, content="z")
    assert error.value.data == {
        "allowance_bytes": allowance, "used_bytes": allowance, "requested_bytes": 1, "over_bytes": 1,
    }  # fmt: skip
    assert "Archive a lesser axiom" in error.value.detail
    assert dump() == before


def test_above_a_lowered_allowance_axioms_stay_and_may_be_shortened(actor: Actor) -> None:
    numbers = [remember(actor, MemoryType.AXIOM, content="👍" * 250).memory.number for _ in range(4)]
    tenants.configure(actor, budget_tokens=2_000)
    assert memories.revise(actor, number=numbers[0], changes={"importance": 0.9}).importance == 0.9
    assert memories.revise(actor, number=numbers[0], changes={"content": "👍" * 249}).size_bytes == 996
    with pytest.raises(AxiomAllowanceExceeded):
        memories.revise(actor, number=numbers[0], changes={"content": "👍" * 250})
    with pytest.raises(AxiomAllowanceExceeded):
        remember(actor, MemoryType.AXIOM)
    memories.archive(actor, number=numbers[1])
    with pytest.raises(AxiomAllowanceExceeded):
        memories.restore(actor, number=numbers[1])


# Semantic ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["subject", "predicate", "object"])
@pytest.mark.parametrize("value", ["", "  ", "x" * 1_001, "two\nlines", "a\x00b", "\ud800"])
def test_a_semantic_memory_needs_its_triple(actor: Actor, field: str, value: str) -> None:
    assert field in refused(actor, MemoryType.SEMANTIC, **{field: value}).errors


def test_semantic_content_is_derived_unless_given(actor: Actor) -> None:
    assert remember(actor, MemoryType.SEMANTIC).memory.content == "the importer reads CSV"
    assert remember(actor, MemoryType.SEMANTIC, context="since May").memory.content == (
        "the importer reads CSV (since May)"
    )
    assert remember(actor, MemoryType.SEMANTIC, content="my own words").memory.content == "my own words"


def test_a_derived_content_follows_its_triple_and_a_given_one_does_not(actor: Actor) -> None:
    derived = remember(actor, MemoryType.SEMANTIC).memory.number
    given = remember(actor, MemoryType.SEMANTIC, content="my own words").memory.number
    for number in (derived, given):
        memories.revise(actor, number=number, changes={"object": "JSON"})
    assert get_memory(actor, number=derived).content == "the importer reads JSON"
    assert get_memory(actor, number=given).content == "my own words"


@pytest.mark.parametrize("kind", [kind for kind in MemoryType if kind is not MemoryType.SEMANTIC])
@pytest.mark.parametrize("field", ["subject", "predicate", "object", "context"])
def test_other_types_have_no_triple(actor: Actor, kind: MemoryType, field: str) -> None:
    assert list(refused(actor, kind, **{field: "x"}).errors) == [field]


# Revising ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(MemoryType))
def test_every_change_keeps_the_earlier_version(actor: Actor, clock: Clock, kind: MemoryType) -> None:
    created = clock.now
    number = remember(actor, kind, tags=("a", "b")).memory.number
    first = get_memory(actor, number=number)
    for step in (1, 2, 3):
        clock.forward(hours=1)
        memories.revise(actor, number=number, changes={"content": f"text {step}", "importance": step / 10})
    memory = get_memory(actor, number=number)
    assert (memory.content, memory.version, memory.importance) == ("text 3", 4, 0.3)
    assert (memory.created_at, memory.occurred_at, memory.updated_at) == (created, created, clock.now)
    kept = list_revisions(actor, number=number)
    assert [(revision.version, revision.data["content"]) for revision in kept] == [
        (3, "text 2"), (2, "text 1"), (1, first.content),
    ]  # fmt: skip
    oldest = kept[-1].data
    assert {name: oldest[name] for name in ("tags", "importance", "source", "category", "key", "subject")} == {
        "tags": ["a", "b"], "importance": 0.5, "source": "agent", "category": first.category, "key": first.key,
        "subject": first.subject,
    }  # fmt: skip
    assert oldest["occurred_at"] == created.isoformat()
    assert counters(actor) == {kind: 1}


def test_revising_to_what_it_is_changes_nothing(actor: Actor, clock: Clock) -> None:
    number = remember(actor, MemoryType.EPISODIC, tags=("a",)).memory.number
    before = dump()
    clock.forward(hours=1)
    memories.revise(actor, number=number, changes={"content": "It landed.", "tags": ["a"], "importance": 0.5})
    memories.revise(actor, number=number, changes={})
    assert dump() == before


def test_a_stale_version_is_refused_with_the_current_state(actor: Actor) -> None:
    number = remember(actor, MemoryType.EPISODIC).memory.number
    memories.revise(actor, number=number, changes={"content": "second"}, version=1)
    before = dump()
    for act in (
        lambda: memories.revise(actor, number=number, changes={"content": "mine"}, version=1),
        lambda: memories.revise(actor, number=number, changes={"content": "mine"}, version=3),
        lambda: memories.archive(actor, number=number, version=1),
        lambda: memories.restore(actor, number=number, version=1),
        lambda: memories.forget(actor, number=number, version=1),
    ):
        with pytest.raises(StaleVersion) as error:
            act()
        assert error.value.data["current"].content == "second"
        assert error.value.data["version"] == 2
    assert dump() == before
    memories.revise(actor, number=number, changes={"content": "mine"}, version=2)


@pytest.mark.parametrize(
    ("kind", "changes", "field"),
    [
        (MemoryType.EPISODIC, {"content": ""}, "content"),
        (MemoryType.EPISODIC, {"content": "x" * 32_769}, "content"),
        (MemoryType.EPISODIC, {"key": "k"}, "key"),
        (MemoryType.EPISODIC, {"importance": 2}, "importance"),
        (MemoryType.EPISODIC, {"tags": [""]}, "tags"),
        (MemoryType.AXIOM, {"content": "x" * 251}, "content"),
        (MemoryType.CORE, {"category": "weather"}, "category"),
        (MemoryType.CORE, {"key": ""}, "key"),
        (MemoryType.WORKING, {"key": "\n"}, "key"),
        (MemoryType.SEMANTIC, {"subject": ""}, "subject"),
    ],
)
def test_revising_obeys_the_rules_of_the_type(
    actor: Actor, kind: MemoryType, changes: dict[str, Any], field: str
) -> None:
    number = remember(actor, kind).memory.number
    before = dump()
    with pytest.raises(InvalidInput) as error:
        memories.revise(actor, number=number, changes=changes)
    assert list(error.value.errors) == [field]
    assert dump() == before


@pytest.mark.parametrize("kind", [MemoryType.CORE, MemoryType.WORKING])
def test_revising_to_a_key_that_is_taken_is_a_conflict(actor: Actor, kind: MemoryType) -> None:
    remember(actor, kind, key="taken")
    archived = remember(actor, kind, key="archived").memory.number
    memories.archive(actor, number=archived)
    number = remember(actor, kind, key="mine").memory.number
    before = dump()
    for key in ("taken", "archived"):
        with pytest.raises(Conflict) as error:
            memories.revise(actor, number=number, changes={"key": key})
        assert key in error.value.detail
    assert dump() == before
    memories.forget(actor, number=archived)
    assert memories.revise(actor, number=number, changes={"key": "archived"}).key == "archived"


def test_revising_keeps_who_wrote_it_first_and_an_upsert_tells_who_wrote_it_last(actor: Actor) -> None:
    number = remember(actor, MemoryType.CORE).memory.number
    _, owner = factories.person_in(Tenant.objects.get(pk=actor.tenant))
    assert memories.revise(owner, number=number, changes={"content": "a person's words"}).source == "agent"
    assert list_revisions(owner, number=number)[0].replaced_by == owner.label
    assert remember(owner, MemoryType.CORE, content="again", source=Source.HUMAN).memory.source == "human"
    assert list_revisions(owner, number=number)[0].data["source"] == "agent"


# Batches -------------------------------------------------------------------------------------------------------------


def test_a_batch_is_stored_in_order(actor: Actor, clock: Clock) -> None:
    drafts = [MemoryDraft(kind, **VALID[kind]) for kind in MemoryType] * 2
    stored = memories.remember_many(actor, drafts=drafts)
    assert [one.memory.type for one in stored] == [*MemoryType, *MemoryType]
    assert [one.created for one in stored] == [True] * 5 + [False, False, True, True, True]
    assert [one.memory.number for one in stored] == [1, 2, 3, 4, 5, 1, 2, 6, 7, 8]
    assert (
        counters(actor) == count_by_type(actor) == {"core": 1, "working": 1, "episodic": 2, "semantic": 2, "axiom": 2}
    )
    assert [get_memory(actor, number=one.memory.number).content for one in stored] == [
        one.memory.content for one in stored
    ]
    assert MemoryWords.objects.count() == 8


def test_a_batch_of_500_fits_and_of_none_or_501_does_not(actor: Actor) -> None:
    draft = MemoryDraft(MemoryType.EPISODIC, "x", tags=("a",))
    assert len(memories.remember_many(actor, drafts=[draft] * 500)) == 500
    assert Tenant.objects.get(pk=actor.tenant).next_memory == 501
    for drafts in ([], [draft] * 501):
        with pytest.raises(InvalidInput) as error:
            memories.remember_many(actor, drafts=drafts)
        assert list(error.value.errors) == ["items"]


def test_a_batch_is_all_or_nothing_and_names_the_places(actor: Actor) -> None:
    good = MemoryDraft(MemoryType.EPISODIC, "good")
    before = dump()
    with pytest.raises(InvalidInput) as error:
        memories.remember_many(
            actor,
            drafts=[good, MemoryDraft(MemoryType.EPISODIC, ""), good, MemoryDraft(MemoryType.CORE, "x", importance=2)],
        )
    assert set(error.value.errors) == {
        "items.1.content", "items.3.category", "items.3.key", "items.3.importance",
    }  # fmt: skip
    assert "Nothing was stored" in error.value.detail
    assert dump() == before


@pytest.mark.parametrize(
    ("drafts", "place", "error"),
    [
        (
            [
                MemoryDraft(MemoryType.CORE, "x" * 2_000, category="soul", key="one"),
                MemoryDraft(MemoryType.EPISODIC, "x"),
                MemoryDraft(MemoryType.CORE, "x" * 2_001, category="soul", key="two"),
            ],
            2,
            CategoryCapExceeded,
        ),
        (
            [
                MemoryDraft(MemoryType.CORE, "x", category="soul", key="one"),
                MemoryDraft(MemoryType.CORE, "x" * 4_001, category="soul", key="one"),
            ],
            1,
            CategoryCapExceeded,
        ),
        ([MemoryDraft(MemoryType.AXIOM, "👍" * 250) for _ in range(18)], 17, AxiomAllowanceExceeded),
    ],
)
def test_caps_count_the_earlier_items_of_a_batch(
    actor: Actor, drafts: list[MemoryDraft], place: int, error: type[Conflict]
) -> None:
    before = dump()
    with pytest.raises(error) as refusal:
        memories.remember_many(actor, drafts=drafts)
    assert list(refusal.value.errors) == [f"items.{place}"]
    assert f"items.{place}" in refusal.value.detail
    assert dump() == before
    assert len(memories.remember_many(actor, drafts=drafts[:place])) == place


def test_a_batch_can_write_one_key_several_times(actor: Actor) -> None:
    drafts = [MemoryDraft(MemoryType.WORKING, f"step {n}", key="importer", tags=(f"t{n}",)) for n in range(3)]
    stored = memories.remember_many(actor, drafts=drafts)
    assert [one.created for one in stored] == [True, False, False]
    memory = get_memory(actor, number=1)
    assert (memory.content, memory.version, memory.tags) == ("step 2", 3, ["t2"])
    assert [revision.data["content"] for revision in list_revisions(actor, number=1)] == ["step 1", "step 0"]
    assert counters(actor) == {"working": 1}


# Numbers -------------------------------------------------------------------------------------------------------------


def test_numbers_are_per_tenant_and_unchanged_by_refusals(actor: Actor, other_actor: Actor) -> None:
    assert [factories.remember(actor).number for _ in range(3)] == [1, 2, 3]
    assert factories.remember(other_actor).number == 1
    with pytest.raises(InvalidInput):
        remember(actor, MemoryType.EPISODIC, content="")
    assert factories.remember(actor).number == 4


@pytest.mark.parametrize("number", [0, -1, 2, 2**63 - 1, 2**63, -(2**63) - 1, 10**30])
def test_a_number_that_does_not_exist_is_not_found(actor: Actor, number: int) -> None:
    factories.remember(actor)
    for act in (
        lambda: get_memory(actor, number=number),
        lambda: list_revisions(actor, number=number),
        lambda: memories.revise(actor, number=number, changes={"content": "x"}),
        lambda: memories.archive(actor, number=number),
        lambda: memories.restore(actor, number=number),
        lambda: memories.forget(actor, number=number),
    ):
        with pytest.raises(NotFound) as error:
            act()
        assert error.value.detail == f"There is no mem-{number}."


def test_a_failed_write_leaves_nothing_behind(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event is the last write of the transaction: when it fails, all before it is undone."""
    number = remember(actor, MemoryType.CORE).memory.number
    before = dump()

    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("no event can be written")

    monkeypatch.setattr("memories.services.events.record", broken)
    for act in (
        lambda: remember(actor, MemoryType.EPISODIC),
        lambda: remember(actor, MemoryType.CORE, content="changed"),
        lambda: memories.remember_many(actor, drafts=[MemoryDraft(MemoryType.EPISODIC, "x")] * 3),
        lambda: memories.revise(actor, number=number, changes={"content": "x"}),
        lambda: memories.archive(actor, number=number),
        lambda: memories.forget(actor, number=number),
    ):
        with pytest.raises(RuntimeError):
            act()
        assert dump() == before
    assert MemoryRevision.objects.count() == 0
    assert Memory.objects.count() == 1
