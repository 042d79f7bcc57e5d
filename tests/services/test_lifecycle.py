"""What ends and what comes back: archive, restore, bin, sweep, and working memories after 7 days."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.actor import Actor
from memories.engine.kinds import MemoryType, Scope
from memories.engine.memories import MemoryDraft
from memories.errors import Conflict, NotFound, NotPermitted
from memories.models import Event, Memory, MemoryRevision, MemoryTag, MemoryWords, Tenant
from memories.selectors.memories import MemoryFilter, count_by_type, get_memory, page_bin, page_memories
from memories.selectors.recall import RecallQuery, recall
from memories.services import memories, retention
from memories.services.retention import Swept
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump, found_by_the_database

pytestmark = pytest.mark.django_db


def counters(actor: Actor) -> dict[str, int]:
    tenant = Tenant.objects.get(pk=actor.tenant)
    return {str(kind): n for kind in MemoryType if (n := getattr(tenant, f"{kind}_count"))}


def sweep(actor: Actor) -> Swept:
    return retention.sweep(factories.operator_in(Tenant.objects.get(pk=actor.tenant)))


def active(actor: Actor) -> list[str]:
    return sorted(memory.content for memory in page_memories(actor, where=MemoryFilter()).results)


def archived(actor: Actor) -> list[str]:
    return sorted(memory.content for memory in page_memories(actor, where=MemoryFilter(archived=True)).results)


# Archive and restore -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(MemoryType))
def test_archive_and_restore_keep_everything_and_count(actor: Actor, clock: Clock, kind: MemoryType) -> None:
    """P30: out of the payload, still recalled, and back."""
    fields = {"subject": "zebra", "predicate": "is", "object": "striped"} if kind is MemoryType.SEMANTIC else {}
    number = factories.remember(actor, kind, "zebra text", tags=("a",), **fields).number
    at = clock.forward(hours=1)
    memory = memories.archive(actor, number=number)
    assert (memory.archived_at, memory.version, memory.updated_at < at) == (at, 2, True)
    assert (active(actor), archived(actor)) == ([], ["zebra text"])
    assert counters(actor) == {} == count_by_type(actor)
    assert [hit.memory.number for hit in recall(actor, query=RecallQuery("zebra")).hits] == [number]
    clock.forward(hours=1)
    memory = memories.restore(actor, number=number)
    assert (memory.archived_at, memory.version, memory.tags) == (None, 3, ["a"])
    assert (active(actor), archived(actor)) == (["zebra text"], [])
    assert counters(actor) == {kind: 1} == count_by_type(actor)


def test_every_change_of_its_state_keeps_the_earlier_version(actor: Actor, clock: Clock) -> None:
    """A version that was raised can be looked at, whatever raised it: no number is missing, and each has its state."""
    number = factories.remember(actor, "core", "I am calm.", key="mood").number
    clock.forward(hours=1)
    archived_at = clock.now
    memories.archive(actor, number=number)
    clock.forward(hours=1)
    memories.restore(actor, number=number)
    clock.forward(hours=1)
    forgotten_at = clock.now
    memories.forget(actor, number=number)
    clock.forward(hours=1)
    memory = memories.restore(actor, number=number)
    kept = list(MemoryRevision.objects.order_by("version"))
    assert (memory.version, [revision.version for revision in kept]) == (5, [1, 2, 3, 4])
    assert [(one.data["archived_at"], one.data["forgotten_at"]) for one in kept] == [
        (None, None),
        (archived_at.isoformat(), None),
        (None, None),
        (None, forgotten_at.isoformat()),
    ]
    assert {(one.data["content"], one.replaced_by) for one in kept} == {("I am calm.", actor.label)}
    assert [one.replaced_at for one in kept][-1] == clock.now


@pytest.mark.parametrize("swept", [False, True])
def test_time_alone_is_no_change_of_somebody(actor: Actor, clock: Clock, swept: bool) -> None:
    """Who read a working memory may still write to it, whether or not a sweep came by after its week."""
    version = factories.remember(actor, "working", "step 1", key="k").version
    clock.forward(days=9)
    if swept:
        assert sweep(actor) == Swept(archived=1)
    assert get_memory(actor, number=1).version == version
    memory = memories.revise(actor, number=1, changes={"content": "step 2"}, version=version)
    assert [one.version for one in MemoryRevision.objects.all()] == [version]
    assert (memory.version, memory.archived_at is not None) == (version + 1, True)


def test_archiving_or_restoring_twice_is_harmless(actor: Actor, clock: Clock) -> None:
    number = factories.remember(actor).number
    before = dump()
    memories.restore(actor, number=number)
    assert dump() == before
    memories.archive(actor, number=number)
    before = dump()
    clock.forward(hours=1)
    memories.archive(actor, number=number)
    assert dump() == before


def test_an_archived_memory_can_be_revised_and_stays_archived(actor: Actor) -> None:
    for kind in MemoryType:
        fields = {"subject": "a", "predicate": "b", "object": "c"} if kind is MemoryType.SEMANTIC else {}
        number = factories.remember(actor, kind, "before", **fields).number
        memories.archive(actor, number=number)
        memory = memories.revise(actor, number=number, changes={"content": "after"})
        assert memory.archived_at is not None
    assert (active(actor), archived(actor)) == ([], ["after"] * 5)
    assert counters(actor) == {} == count_by_type(actor)


def test_writing_an_archived_key_again_brings_it_back(actor: Actor) -> None:
    for kind in ("core", "working"):
        number = factories.remember(actor, kind, "before", key="k").number
        memories.archive(actor, number=number)
        again = factories.remember(actor, kind, "before", key="k")
        assert (again.number, again.archived_at) == (number, None)
        kept = MemoryRevision.objects.filter(memory=again).order_by("version")
        assert [one.data["archived_at"] is not None for one in kept] == [False, True]
    assert counters(actor) == {"core": 1, "working": 1} == count_by_type(actor)


# Working memories ----------------------------------------------------------------------------------------------------


def test_a_working_memory_lives_seven_days_and_to_the_end_of_that_day(actor: Actor, clock: Clock) -> None:
    """P18: within one UTC day nothing ends, so a payload does not change by time passing."""
    clock.now = datetime(2026, 11, 20, 8, 15, tzinfo=UTC)
    factories.remember(actor, "working", "state", key="k")
    clock.now = datetime(2026, 11, 27, 23, 59, 59, 999_999, tzinfo=UTC)
    assert active(actor) == ["state"]
    clock.now = datetime(2026, 11, 28, tzinfo=UTC)
    assert (active(actor), archived(actor)) == ([], ["state"])
    assert count_by_type(actor) == {}


@pytest.mark.parametrize("swept", [False, True])
def test_writing_its_key_again_restarts_the_week(actor: Actor, clock: Clock, swept: bool) -> None:
    """Also with the same words, also after it ended; before a sweep as after it."""
    factories.remember(actor, "working", "state", key="k")
    clock.forward(days=6)
    again = factories.remember(actor, "working", "state", key="k")
    assert (again.version, again.updated_at) == (2, clock.now)
    clock.forward(days=7)
    assert active(actor) == ["state"]
    clock.forward(days=2)
    assert active(actor) == []
    if swept:
        sweep(actor)
    back = factories.remember(actor, "working", "state", key="k")
    assert (back.number, back.archived_at, back.updated_at) == (1, None, clock.now)
    assert active(actor) == ["state"]
    assert counters(actor) == {"working": 1} == count_by_type(actor)


@pytest.mark.parametrize("swept", [False, True])
def test_what_ended_is_the_same_before_a_sweep_and_after_it(actor: Actor, clock: Clock, swept: bool) -> None:
    """Revised it stays archived; archived it stays so; restored its week begins again; forgotten it is in the bin."""
    for key in ("revised", "archived", "restored", "forgotten"):
        factories.remember(actor, "working", key, key=key)
    clock.forward(days=9)
    if swept:
        assert sweep(actor) == Swept(archived=4)
    memories.revise(actor, number=1, changes={"content": "revised again"})
    memories.archive(actor, number=2)
    memories.restore(actor, number=3)
    memories.forget(actor, number=4)
    sweep(actor)
    assert (active(actor), archived(actor)) == (["restored"], ["archived", "revised again"])
    assert get_memory(actor, number=3).updated_at == clock.now
    assert counters(actor) == {"working": 1} == count_by_type(actor)


def test_only_working_memories_end_by_time(actor: Actor, clock: Clock) -> None:
    for kind in ("core", "episodic", "axiom"):
        factories.remember(actor, kind, kind)
    clock.forward(days=400)
    assert sweep(actor) == Swept()
    assert active(actor) == ["axiom", "core", "episodic"]


# The bin -------------------------------------------------------------------------------------------------------------


def test_what_is_forgotten_is_nowhere_but_in_the_bin(actor: Actor, clock: Clock) -> None:
    number = factories.remember(actor, content="zebra", tags=("stripes",)).number
    at = clock.forward(hours=1)
    memories.forget(actor, number=number)
    assert (active(actor), archived(actor)) == ([], [])
    assert recall(actor, query=RecallQuery("zebra stripes")).total_matched == 0
    (binned,) = page_bin(actor).results
    assert (binned.number, binned.forgotten_at, binned.tags) == (number, at, ["stripes"])
    for act in (
        lambda: get_memory(actor, number=number),
        lambda: memories.forget(actor, number=number),
        lambda: memories.archive(actor, number=number),
        lambda: memories.revise(actor, number=number, changes={"content": "x"}),
    ):
        with pytest.raises(NotFound) as refused:
            act()
        assert refused.value.detail == f"There is no mem-{number}."
    assert counters(actor) == {} == count_by_type(actor)


def test_the_bin_gives_back_what_was_active_and_what_was_archived(actor: Actor) -> None:
    number = factories.remember(actor, content="zebra", tags=("stripes",)).number
    memories.archive(actor, number=number)
    memories.forget(actor, number=number)
    memory = memories.restore(actor, number=number)
    assert (memory.archived_at, memory.forgotten_at, memory.tags) == (None, None, ["stripes"])
    assert recall(actor, query=RecallQuery("stripes")).total_matched == 1
    assert counters(actor) == {"episodic": 1} == count_by_type(actor)


def test_a_working_memory_from_the_bin_starts_its_week(actor: Actor, clock: Clock) -> None:
    number = factories.remember(actor, "working", "state", key="k").number
    memories.forget(actor, number=number)
    clock.forward(days=20)
    assert memories.restore(actor, number=number).updated_at == clock.now
    assert active(actor) == ["state"]


@pytest.mark.parametrize("kind", ["core", "working"])
def test_a_forgotten_key_is_free_and_coming_back_to_a_taken_one_is_a_conflict(actor: Actor, kind: str) -> None:
    first = factories.remember(actor, kind, "first", key="k").number
    memories.forget(actor, number=first)
    second = factories.remember(actor, kind, "second", key="k")
    assert (second.number, second.version) == (first + 1, 1)
    before = dump()
    with pytest.raises(Conflict) as refused:
        memories.restore(actor, number=first)
    assert "“k”" in refused.value.detail
    assert dump() == before
    memories.forget(actor, number=second.number)
    memories.restore(actor, number=first)
    assert active(actor) == ["first"]


def test_a_sweep_destroys_after_thirty_days(actor: Actor, clock: Clock) -> None:
    """Row, tags, words, versions; the number is never given again."""
    number = factories.remember(actor, content="zebra", tags=("a",)).number
    memories.revise(actor, number=number, changes={"content": "zebra crossing"})
    memories.forget(actor, number=number)
    clock.forward(days=30)
    assert sweep(actor) == Swept()
    assert memories.restore(actor, number=number).content == "zebra crossing"
    memories.forget(actor, number=number)
    clock.forward(days=30, microseconds=1)
    assert sweep(actor) == Swept(destroyed=1)
    for model in (Memory, MemoryTag, MemoryWords, MemoryRevision):
        assert model.objects.count() == 0
    assert found_by_the_database("zebra") == 0
    with pytest.raises(NotFound):
        memories.restore(actor, number=number)
    assert Event.objects.get(verb="memory.destroyed").what == {"memories": [f"mem-{number}"]}
    assert factories.remember(actor).number == number + 1


def test_a_sweep_does_many_tenants_and_many_rows(
    actor: Actor, other_actor: Actor, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than one step holds, in every tenant; repeated it does nothing."""
    monkeypatch.setattr(retention, "_AT_ONCE", 20)
    for agent in (actor, other_actor):
        drafts = [MemoryDraft(MemoryType.WORKING, f"state {n}", key=f"k{n}") for n in range(50)]
        memories.remember_many(agent, drafts=drafts)
        for n in range(30):
            memories.forget(agent, number=factories.remember(agent, content=f"forgotten {n}").number)
        factories.remember(agent, content="kept")
    clock.forward(days=31)
    assert sweep(actor) == Swept(archived=100, destroyed=60)
    before = dump()
    assert sweep(actor) == Swept()
    assert dump() == before
    for agent in (actor, other_actor):
        assert counters(agent) == {"episodic": 1} == count_by_type(agent)
        told = Event.objects.of(agent).filter(verb="memory.ended").values_list("what", flat=True)
        assert sum(what["memories"] for what in told) == 50


def test_sweeping_is_the_operators(actor: Actor) -> None:
    _, owner = factories.person_in(Tenant.objects.get(pk=actor.tenant))
    for someone in (actor, owner):
        with pytest.raises(NotPermitted) as refused:
            retention.sweep(someone)
        assert refused.value.data["scope"] == Scope.OPERATE
