"""What the databases do with the hot queries: no table is read from end to end, and nothing large is put in order.

On PostgreSQL a plan for few rows says nothing about many, so here each query is planned as if reading a whole table and
sorting were the dearest things of all: where they are planned nevertheless, no index can answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction

from memories.engine.actor import Actor, Via
from memories.engine.delivery import BootRequest
from memories.engine.kinds import MemoryType
from memories.models import Memory, Promise, Tenant
from memories.selectors import capsules
from memories.selectors.events import page_events
from memories.selectors.keys import list_keys
from memories.selectors.memories import MemoryFilter, page_memories
from memories.selectors.promises import list_pending
from memories.selectors.recall import RecallQuery, recall
from memories.services import boot, keys
from tests import factories

pytestmark = pytest.mark.django_db

# Any cursor of that list; the row that it names need not be there.
LATER = f"n-{(datetime(2026, 1, 1, tzinfo=UTC) - datetime.min.replace(tzinfo=UTC)).days * 86_400 * 1_000_000}-7"


def listed(**where: Any) -> Callable[[Actor], object]:
    return lambda actor: page_memories(actor, where=MemoryFilter(**where))


# Without a sort: what a boot and a list of memories ask for comes out of an index in its order, and ends early.
IN_ORDER: dict[str, Callable[[Actor], object]] = {
    "preview": lambda actor: boot.preview(actor, request=BootRequest()),
    "serve": lambda actor: boot.serve(actor, request=BootRequest()),
    "promises": list_pending,
    "memories": listed(),
    "memories, a later page": lambda actor: page_memories(actor, where=MemoryFilter(), cursor=LATER),
    "memories of a type": listed(type=MemoryType.EPISODIC),
    "memories of a category": listed(category="soul"),
    "memories with a key": listed(key="stance"),
    "memories with a tag": listed(tags=("dock",)),
    "memories with two tags": listed(tags=("dock", "quay")),
    "memories of a type with a tag": listed(type=MemoryType.SEMANTIC, tags=("dock",)),
    "archived memories": listed(archived=True),
    "events": lambda actor: page_events(actor, limit=50),
}
# These put few rows in order, or all rows inside a fence by something that is computed.
BY_INDEX: dict[str, Callable[[Actor], object]] = {
    "keys": list_keys,
    "capsules": lambda actor: capsules.list_page(actor, arguments={}),
    "capsules of a project": lambda actor: capsules.list_page(actor, arguments={"project_prefix": "harbour"}),
    "pack": lambda actor: capsules.bootstrap(actor, arguments={}),
    "recall": lambda actor: recall(actor, query=RecallQuery("event claim")),
    "recall of some": lambda actor: recall(
        actor, query=RecallQuery("event", types=(MemoryType.EPISODIC,), tags=("dock",), min_importance=0.1)
    ),
    "hint": lambda actor: boot.preview(actor, request=BootRequest(context_hint="event claim")),
}


@pytest.fixture
def actor() -> Actor:
    """Two rows of each, so that no query is left out because there is nothing to ask for."""
    actor = factories.agent_of(factories.make_tenant())
    for place in range(2):
        factories.remember(actor, content=f"event {place}", tags=("dock", "quay"))
        factories.remember(actor, "core", f"claim {place}", category="soul", key=f"stance-{place}")
        factories.remember(actor, "working", f"state {place}", key=f"state-{place}")
        factories.capture(actor, f"the quay is {place} long")
    return actor


@pytest.mark.parametrize("name", IN_ORDER)
def test_p25_no_table_is_read_whole_and_nothing_is_sorted(actor: Actor, name: str) -> None:
    asked = plans_of(lambda: IN_ORDER[name](actor))
    assert asked
    assert [plan for plan in asked if reads_a_table(plan) or sorts(plan)] == []


@pytest.mark.parametrize("name", BY_INDEX)
def test_no_table_is_read_whole(actor: Actor, name: str) -> None:
    asked = plans_of(lambda: BY_INDEX[name](actor))
    assert asked
    assert [plan for plan in asked if reads_a_table(plan)] == []


def test_no_table_is_read_whole_to_know_a_key(actor: Actor) -> None:
    secret = factories.issue_key(Tenant.objects.get(pk=actor.tenant))
    asked = plans_of(lambda: keys.authenticate(secret, via=Via.REST))
    assert asked
    assert [plan for plan in asked if reads_a_table(plan)] == []


@pytest.mark.sqlite
def test_the_archive_is_listed_and_counted_by_its_own_index(actor: Actor) -> None:
    """A page of it, and how much there is in all, cost nothing for what is not archived."""
    asked = plans_of(lambda: page_memories(actor, where=MemoryFilter(archived=True)))
    assert [plan for plan in asked if any("memory_newest_archived" in line for line in plan[1:])] == asked[:2]
    assert "COUNT(*)" in asked[0][0]


@pytest.mark.sqlite
def test_p25_the_window_of_a_boot_comes_from_its_index_alone(actor: Actor) -> None:
    """2,000 looks into the table cost more than everything else that the database does for a boot."""
    asked = plans_of(lambda: boot.preview(actor, request=BootRequest()))
    assert sum("COVERING INDEX memory_episodic_window" in line for plan in asked for line in plan) == 1


def test_control_a_whole_table_and_a_sort_are_seen(actor: Actor) -> None:
    """The same look at queries that have no index."""
    (whole,) = plans_of(lambda: list(Memory.objects.filter(content="event 1")))
    assert reads_a_table(whole)
    (sorted_,) = plans_of(lambda: list(Memory.objects.filter(tenant_id=actor.tenant).order_by("subject")))
    assert sorts(sorted_)
    (by_index,) = plans_of(lambda: list(Promise.objects.of(actor).order_by("number")))
    assert not reads_a_table(by_index)
    assert not sorts(by_index)


def plans_of(action: Callable[[], object]) -> list[list[str]]:
    """The plan of each SELECT that `action` makes, with its own parameters, as lines."""
    asked: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql.lstrip("(").startswith(("SELECT", "WITH")):
            asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        action()
    explain = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
    plans = []
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for way in ("seqscan", "sort", "bitmapscan", "hashjoin", "hashagg"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
        for sql, params in asked:
            cursor.execute(explain + sql, params)
            plans.append([sql, *(str(row[-1]) for row in cursor.fetchall())])
    return plans


def reads_a_table(plan: Sequence[str]) -> bool:
    if connection.vendor == "sqlite":
        ways = [line for line in plan[1:] if line.startswith("SCAN ") and " memories_" in f" {line[5:]}"]
        return any("INDEX" not in line for line in ways)
    return any("Seq Scan on memories_" in line for line in plan[1:])


def sorts(plan: Sequence[str]) -> bool:
    if 'FROM "memories_memorytag"' in plan[0] and '"memory_id" IN' in plan[0]:
        return False  # the tags of the memories on one page
    if connection.vendor == "sqlite":
        return any("TEMP B-TREE FOR ORDER BY" in line for line in plan[1:])
    return any(line.strip().removeprefix("->").strip().startswith(("Sort ", "Incremental Sort ")) for line in plan[1:])
