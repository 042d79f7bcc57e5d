"""What was stored by an earlier version is there after an upgrade, and found."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command

from memories.engine.kinds import MemoryType, Source
from memories.engine.moments import moment_of
from memories.models import MemoryWords
from memories.selectors.recall import RecallQuery, recall
from memories.services import memories
from tests import factories
from tests.services.tables import found_by_the_database

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def migrated() -> Iterator[None]:
    yield
    call_command("migrate", verbosity=0)


def test_what_recall_reads_is_made_anew_from_what_is_stored(migrated: None) -> None:
    """P48: forwards after backwards, with times that have microseconds, none, and lie before 1970."""
    actor = factories.agent_of(factories.make_tenant())
    moments = [datetime(2026, 11, 30, 8, tzinfo=UTC), datetime(1969, 7, 20, 20, 17, 40, 123456, tzinfo=UTC)]
    moments.append(moments[0] + timedelta(microseconds=1))
    for moment, source in zip(moments, Source, strict=True):
        factories.remember(actor, content="tide gauges", occurred_at=moment, source=source)
    forgotten = factories.remember(actor, content="tide gone")
    memories.forget(actor, number=forgotten.number)

    call_command("migrate", "memories", "0010", verbosity=0)
    call_command("migrate", verbosity=0)

    rows = MemoryWords.objects.order_by("pk")
    assert [(row.number, moment_of(row.occurred_us)) for row in rows] == list(enumerate(moments, start=1))
    assert [row.words for row in rows] == ["tide gaug", "tide gaug human", "tide gaug import"]
    assert (found_by_the_database("gaug"), found_by_the_database("gone")) == (3, 0)
    found = recall(actor, query=RecallQuery("gauge", types=(MemoryType.EPISODIC,)))
    assert {hit.memory.number for hit in found.hits} == {1, 2, 3}
    memories.forget(actor, number=1)
    memories.revise(actor, number=2, changes={"content": "quay"})
    assert found_by_the_database("gaug") == 1
