"""Pages and cursors: forwards, backwards, ties, and cursors that were not made here."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import timedelta, timezone
from typing import Any

import pytest

from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import MemoryType, Scope
from memories.errors import InvalidInput, NotPermitted
from memories.models import Memory
from memories.selectors.boot import page_boots
from memories.selectors.events import page_events
from memories.selectors.memories import MemoryFilter, page_bin, page_memories
from memories.selectors.pages import Page
from memories.selectors.recall import RecallQuery, recall
from memories.services import boot, memories
from tests import factories
from tests.services.conftest import Clock

pytestmark = pytest.mark.django_db

EVERYTHING = MemoryFilter()

PAGERS: dict[str, Callable[..., Page[Any]]] = {
    "memories": lambda actor, **cut: page_memories(actor, where=EVERYTHING, **cut),
    "bin": page_bin,
    "boots": page_boots,
    "events": page_events,
}


def cursor_of(*parts: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(parts)).encode()).decode().rstrip("=")


def walk(page_at: Callable[[str], Page[Any]], *, by: str = "next", start: str = "") -> list[list[Any]]:
    """All pages in one direction, as lists of rows."""
    pages, cursor = [], start
    while True:
        page = page_at(cursor)
        pages.append(page.results)
        cursor = getattr(page, by)
        if not cursor:
            return pages


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 22, 23, 24, 200])
def test_pages_forwards_then_backwards_hold_each_row_once(actor: Actor, clock: Clock, limit: int) -> None:
    """With ties: many memories of one instant are in the order of their numbers."""
    for n in range(23):
        factories.remember(actor, content=f"note {n}", occurred_at=clock.now - timedelta(hours=n // 8))
    expected = sorted(Memory.objects.all(), key=lambda m: (m.occurred_at, m.number), reverse=True)

    def page_at(cursor: str) -> Page[Memory]:
        page = page_memories(actor, where=EVERYTHING, limit=limit, cursor=cursor)
        assert page.total == 23
        return page

    forwards = walk(page_at)
    assert [memory for page in forwards for memory in page] == expected
    assert all(len(page) == limit for page in forwards[:-1])
    last = page_at("")
    while last.next:
        last = page_at(last.next)
    backwards = walk(page_at, by="previous", start=last.previous) if last.previous else []
    assert list(reversed(backwards)) == forwards[:-1]


def test_the_first_page_has_no_previous_and_the_last_no_next(actor: Actor) -> None:
    factories.remember_many(actor, 5)
    first = page_memories(actor, where=EVERYTHING, limit=3)
    last = page_memories(actor, where=EVERYTHING, limit=3, cursor=first.next)
    assert (bool(first.previous), bool(first.next)) == (False, True)
    assert (bool(last.previous), bool(last.next)) == (True, False)
    again = page_memories(actor, where=EVERYTHING, limit=3, cursor=last.previous)
    assert (again.results, bool(again.previous), bool(again.next)) == (first.results, False, True)


def test_an_empty_list_is_one_empty_page(actor: Actor) -> None:
    page = page_memories(actor, where=EVERYTHING)
    assert (page.results, page.next, page.previous, page.total) == ([], "", "", 0)


def test_a_row_that_comes_or_goes_shifts_no_page(actor: Actor, clock: Clock) -> None:
    for n in range(6):
        clock.forward(minutes=1)
        factories.remember(actor, content=f"note {n}")
    first = page_memories(actor, where=EVERYTHING, limit=3)
    clock.forward(minutes=1)
    factories.remember(actor, content="note 6")
    memories.forget(actor, number=first.results[-1].number)
    second = page_memories(actor, where=EVERYTHING, limit=3, cursor=first.next)
    assert [memory.content for memory in second.results] == ["note 2", "note 1", "note 0"]


@pytest.mark.parametrize("name", list(PAGERS))
def test_every_list_pages_its_own_rows(actor: Actor, other_actor: Actor, name: str) -> None:
    for agent in (other_actor, actor):
        for n in range(5):
            memory = factories.remember(agent, content=f"note {n}")
            factories.remember(agent, content=f"kept {n}")
            memories.forget(agent, number=memory.number)
            boot.serve(agent, request=BootRequest())
    pages = walk(lambda cursor: PAGERS[name](actor, limit=2, cursor=cursor))
    rows = [row for page in pages for row in page]
    assert {row.tenant_id for row in rows} == {actor.tenant}
    assert len(rows) == len(set(rows)) == PAGERS[name](actor, limit=2).total >= 5
    keys = [getattr(row, "number", row.pk) for row in rows]
    assert keys == sorted(keys, reverse=True)


@pytest.mark.parametrize("limit", [0, -1, 201, 10**30])
@pytest.mark.parametrize("name", list(PAGERS))
def test_a_limit_out_of_range_is_refused(actor: Actor, name: str, limit: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        PAGERS[name](actor, limit=limit)
    assert list(refused.value.errors) == ["limit"]


BAD_CURSORS = [
    "x", "====", "!!!", "\x00", "\ud800", "é", " ", "a" * 5_000, "W10", "e30", "MQ", "bnVsbA", "Infinity",
    base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    base64.urlsafe_b64encode(b"[" * 20_000).decode(),
    base64.urlsafe_b64encode(b"[0," + b"9" * 5_000 + b"]").decode(),
    base64.urlsafe_b64encode(b"[0, NaN, 1]").decode(),
    cursor_of(), cursor_of(0), cursor_of(0, 1), cursor_of(2, 1), cursor_of("0", 1), cursor_of(None, 1),
    cursor_of([], 1), cursor_of(0, None),
    cursor_of(0, "1"), cursor_of(0, 1.5), cursor_of(0, True), cursor_of(0, [1]), cursor_of(0, {}),
    cursor_of(0, 2**63), cursor_of(0, -(2**63)), cursor_of(0, 10**30), cursor_of(0, -1), cursor_of(0, 2**63 - 1),
    *(cursor_of(0, moment, number) for moment in (
        "2026-11-30T08:15:00+00:00", "2026-11-30T08:15:00", "2026-11-30", "yesterday", "", 5, None,
        "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
        "9999-12-31T23:59:59.999999+00:00", "2026-11-30T08:15:00+23:59:59.999999",
    ) for number in (1, -1, 0, 2**63 - 1, 2**63, "1", None)),
]  # fmt: skip


@pytest.mark.parametrize("name", list(PAGERS))
def test_no_cursor_breaks_a_list(actor: Actor, name: str) -> None:
    """Either it is a place in this list, or it is refused by name: never anything else."""
    factories.remember(actor)
    boot.serve(actor, request=BootRequest())
    memories.forget(actor, number=factories.remember(actor).number)
    refused = 0
    for cursor in BAD_CURSORS:
        try:
            PAGERS[name](actor, limit=10, cursor=cursor)
        except InvalidInput as error:
            assert list(error.errors) == ["cursor"]
            refused += 1
    assert refused > 50


def test_a_cursor_of_another_list_is_refused(actor: Actor) -> None:
    factories.remember_many(actor, 3)
    cursor = page_memories(actor, where=EVERYTHING, limit=1).next
    for name in ("boots", "events"):
        with pytest.raises(InvalidInput):
            PAGERS[name](actor, limit=1, cursor=cursor)


def test_a_cursor_of_another_tenant_shows_only_ones_own_rows(actor: Actor, other_actor: Actor) -> None:
    factories.remember_many(other_actor, 3)
    factories.remember_many(actor, 3)
    cursor = page_memories(other_actor, where=EVERYTHING, limit=1).next
    rows = page_memories(actor, where=EVERYTHING, cursor=cursor).results
    assert all(row.tenant_id == actor.tenant for row in rows)


@pytest.mark.parametrize("name", list(PAGERS))
def test_every_list_needs_the_scope_to_read(actor: Actor, name: str) -> None:
    with pytest.raises(NotPermitted):
        PAGERS[name](factories.without(actor, Scope.READ), limit=10)


# Filters -------------------------------------------------------------------------------------------------------------


def test_filters_of_the_list(actor: Actor, clock: Clock) -> None:
    day = timedelta(days=1)
    a = factories.remember(actor, content="a", tags=("x", "y"), occurred_at=clock.now - 3 * day)
    b = factories.remember(actor, content="b", tags=("x",))
    c = factories.remember(actor, "core", "c", category="tools", key="shed")
    d = factories.remember(actor, "working", "d", key="shed")
    e = factories.remember(actor, "axiom", "e", category="tools")
    archived = factories.remember(actor, content="f", tags=("x",))
    memories.archive(actor, number=archived.number)
    memories.forget(actor, number=factories.remember(actor, content="g", tags=("x",)).number)

    def listed(**where: Any) -> list[Memory]:
        page = page_memories(actor, where=MemoryFilter(**where))
        assert page.total == len(page.results)
        return page.results

    assert listed() == [e, d, c, b, a]
    assert listed(type=MemoryType.EPISODIC) == [b, a]
    assert listed(category="tools") == [e, c]
    assert listed(key="shed") == [d, c]
    assert listed(type=MemoryType.CORE, category="tools", key="shed") == [c]
    assert listed(tags=("x",)) == [b, a]
    assert listed(tags=("x", "y")) == listed(tags=("y", "x", "y")) == [a]
    assert listed(tags=("x", "z")) == []
    assert listed(tags=("X",)) == []
    assert listed(source="human") == []
    assert listed(archived=True) == [archived]
    assert listed(archived=True, tags=("y",)) == []
    assert listed(until=clock.now - day) == [a]
    assert listed(since=clock.now) == [e, d, c, b]
    assert listed(since=a.occurred_at, until=a.occurred_at) == [a]


def test_a_time_filter_may_come_in_any_zone(actor: Actor, clock: Clock) -> None:
    """Also in one that a database would not read."""
    memory = factories.remember(actor)
    for zone in (timezone(timedelta(hours=14)), timezone(timedelta(hours=23, minutes=59, seconds=59, microseconds=9))):
        at = clock.now.astimezone(zone)
        assert page_memories(actor, where=MemoryFilter(since=at, until=at)).results == [memory]
        assert [hit.memory for hit in recall(actor, query=RecallQuery("something", since=at, until=at)).hits] == [
            memory
        ]
        other = factories.make_tenant()
        assert factories.remember(factories.agent_of(other), occurred_at=at).occurred_at == clock.now


def test_what_ended_by_time_is_listed_as_archived_before_any_sweep(actor: Actor, clock: Clock) -> None:
    ended = factories.remember(actor, "working", "state", key="old")
    clock.forward(days=9)
    assert page_memories(actor, where=EVERYTHING).results == []
    assert page_memories(actor, where=MemoryFilter(archived=True)).results == [ended]


@pytest.mark.parametrize("field", ["category", "key", "source"])
@pytest.mark.parametrize("value", ["\x00", "a\x00b", "\ud800"])
def test_a_filter_that_nothing_can_answer_is_refused(actor: Actor, field: str, value: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        page_memories(actor, where=MemoryFilter(**{field: value}))
    assert list(refused.value.errors) == [field]


def test_tags_that_nothing_can_have_are_refused(actor: Actor) -> None:
    for tags in (("\x00",), ("\ud800",), tuple(f"t{n}" for n in range(51))):
        with pytest.raises(InvalidInput) as refused:
            page_memories(actor, where=MemoryFilter(tags=tags))
        assert list(refused.value.errors) == ["tags"]
    with pytest.raises(InvalidInput):
        page_events(actor, verb="\x00")


def test_another_tenants_tags_do_not_count(actor: Actor, other_actor: Actor) -> None:
    factories.remember(other_actor, tags=("x", "y"))
    mine = factories.remember(actor, tags=("x",))
    assert page_memories(actor, where=MemoryFilter(tags=("x", "y"))).results == []
    assert page_memories(actor, where=MemoryFilter(tags=("x",))).results == [mine]


def test_a_list_costs_the_same_number_of_queries_with_10_rows_and_with_30(
    actor: Actor, django_assert_num_queries: Any
) -> None:
    for _ in range(10):
        factories.remember(actor, tags=("x", "y"))
    with django_assert_num_queries(4):
        assert [memory.tags for memory in page_memories(actor, where=EVERYTHING).results] == [["x", "y"]] * 10
    for _ in range(20):
        factories.remember(actor, tags=("x", "y"))
    with django_assert_num_queries(4):
        assert [memory.tags for memory in page_memories(actor, where=EVERYTHING).results] == [["x", "y"]] * 30
