"""How many queries the calls cost, which does not depend on how much there is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.delivery import BootRequest
from memories.services import boot
from tests import factories


def queries(call):
    """The queries of the second of two calls: the first dates the key."""
    call()
    with CaptureQueriesContext(connection) as seen:
        call()
    return [query["sql"] for query in seen]


@pytest.mark.parametrize("path", ["memories?limit=100", "memories?archived=true&tag=x", "boots?limit=100", "promises"])
def test_a_list_of_30_costs_what_a_list_of_10_costs(api, actor, path):
    def add(count):
        for n in range(count):
            factories.remember(actor, tags=("x", f"t{n}"))
            memory = factories.remember(actor, tags=("x", "y"))
            api.post(f"memories/{memory}/archive")
            factories.served_promise(actor, content=f"{path} {count} {n}")

    add(10)
    ten = queries(lambda: api.get(path))
    add(20)
    thirty = queries(lambda: api.get(path))
    assert len(thirty) == len(ten), thirty


def test_recall_of_many_costs_what_recall_of_few_costs(api, actor):
    factories.remember_many(actor, 5)
    few = queries(lambda: api.post("recall", {"query": "note", "limit": 50}))
    factories.remember_many(actor, 100)
    assert len(queries(lambda: api.post("recall", {"query": "note", "limit": 50}))) == len(few)


# With the row of the key; the serve with its lock, its savepoints, its records and the look for what is to decay.
PREVIEW_QUERIES = 8
SERVE_QUERIES = 15


@pytest.mark.slow
def test_p25_a_boot_costs_the_same_with_500_and_with_10_000_memories(api, actor):
    for n in range(5):
        factories.remember(actor, "core", f"trait {n}")
        factories.remember(actor, "axiom", f"rule {n}")
        factories.remember(actor, "working", f"state {n}")
    counts = []
    for more in (485, 9_500):
        factories.remember_many(actor, more, at=datetime(2026, 11, 1, tzinfo=UTC))
        preview = queries(lambda: api.get("boot/preview"))
        serve = queries(lambda: api.post("boot").getvalue())
        counts.append((len(preview), len(serve)))
    assert counts == [(PREVIEW_QUERIES, SERVE_QUERIES)] * 2
    assert boot.preview(actor, request=BootRequest()).manifest["totals"]["episodic"]["active"] == 9_985
