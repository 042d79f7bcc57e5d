"""Importing a workspace into a tenant: what lands, what stays out, and that a second time changes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memories.engine.actor import Actor
from memories.engine.imports import Change
from memories.engine.kinds import MemoryType, Scope, Source
from memories.engine.lifecycle import working_cutoff
from memories.errors import NotPermitted
from memories.models import Event, Memory, MemoryRevision, Tenant
from memories.selectors.memories import count_by_type
from memories.services import memories, tenants, workspaces
from tests import factories

FILES = {
    "SOUL.md": b"---\ntags: [a, b]\nimportance: 0.9\n---\n# Soul\n\n## Care\n\nI check twice.\n\n## Doubt\n\nI ask.\n",
    "MEMORY.md": b"## Release 2.4\n\nweb waits\n",
    "memory/2026-11-28.md": b"# 2026-11-28\n\nquiet\n\n## 14:30 Deploy\n\nmoved\n",
}


def rows(actor: Actor) -> list[Memory]:
    return list(Memory.objects.of(actor).order_by("number").prefetch_related("tag_rows"))


def counts(actor: Actor) -> tuple[int, int, int]:
    return (
        Memory.objects.of(actor).count(),
        MemoryRevision.objects.of(actor).count(),
        Event.objects.filter(tenant_id=actor.tenant, verb="memory.imported").count(),
    )


@pytest.mark.django_db
def test_a_folder_lands_with_everything_its_files_say(actor: Actor) -> None:
    outcome = workspaces.apply(actor, files=FILES)
    assert outcome.count(Change.ADD) == 5
    assert outcome.problems == ()
    care, doubt, release, quiet, deploy = rows(actor)
    assert (care.type, care.category, care.key, care.content) == ("core", "soul", "care", "I check twice.")
    assert (care.tags, care.importance, care.source) == (["a", "b"], 0.9, Source.IMPORT)
    assert (doubt.key, doubt.content) == ("doubt", "I ask.")
    assert (release.type, release.key, release.content) == ("working", "release-2.4", "web waits")
    assert (quiet.type, quiet.key, quiet.content) == ("episodic", "", "quiet")
    assert quiet.occurred_at == datetime(2026, 11, 28, tzinfo=UTC)
    assert deploy.occurred_at == datetime(2026, 11, 28, 14, 30, tzinfo=UTC)
    assert deploy.content == "## 14:30 Deploy\n\nmoved"


@pytest.mark.django_db
def test_each_file_is_one_event_with_sizes_and_no_contents(actor: Actor) -> None:
    workspaces.apply(actor, files=FILES)
    events = Event.objects.filter(tenant_id=actor.tenant, verb="memory.imported").order_by("pk")
    assert [(event.what["file"], event.what.get("memories", 1)) for event in events] == [
        ("SOUL.md", 2),
        ("MEMORY.md", 1),
        ("memory/2026-11-28.md", 2),
    ]
    assert "I check twice" not in str([event.what for event in events])


@pytest.mark.django_db
def test_the_counters_of_the_tenant_agree_afterwards(actor: Actor) -> None:
    """P30."""
    workspaces.apply(actor, files=FILES)
    workspaces.apply(actor, files=FILES | {"SOUL.md": b"## Care\n\nI check three times.\n\n## New\n\nx"})
    tenant = Tenant.objects.get(pk=actor.tenant)
    counted = {"core": tenant.core_count, "working": tenant.working_count, "episodic": tenant.episodic_count}
    assert counted == count_by_type(actor) == {"core": 3, "working": 1, "episodic": 2}


@pytest.mark.django_db
def test_a_second_time_writes_nothing_at_all(actor: Actor) -> None:
    workspaces.apply(actor, files=FILES)
    before = counts(actor)
    outcome = workspaces.apply(actor, files=FILES)
    assert (outcome.count(Change.ADD), outcome.count(Change.REVISE), outcome.count(Change.SAME)) == (0, 0, 5)
    assert counts(actor) == before


@pytest.mark.django_db
def test_a_plan_says_what_apply_does_and_writes_nothing(actor: Actor) -> None:
    workspaces.apply(actor, files={"SOUL.md": b"## Care\n\nI look once."})
    before = counts(actor)
    files = FILES | {"USER.md": b"\xff", "IDENTITY.md": b"x" * 4_001, "notes.md": b""}
    planned = workspaces.plan(actor, files=files)
    assert counts(actor) == before
    assert workspaces.apply(actor, files=files) == planned
    assert planned.count(Change.REVISE) == 1
    assert [problem.path for problem in planned.problems] == ["USER.md", "IDENTITY.md"]


@pytest.mark.django_db
def test_a_changed_text_revises_and_keeps_the_earlier_version(actor: Actor) -> None:
    workspaces.apply(actor, files=FILES)
    care = rows(actor)[0]
    workspaces.apply(actor, files={"SOUL.md": b"## Care\n\nI check three times."})
    (revision,) = MemoryRevision.objects.of(actor).filter(memory=care)
    assert revision.data["content"] == "I check twice."
    care = rows(actor)[0]
    # The file says nothing of tags and importance any more, so they stay.
    assert (care.content, care.tags, care.importance) == ("I check three times.", ["a", "b"], 0.9)
    assert Memory.objects.of(actor).count() == 5


@pytest.mark.django_db
def test_what_somebody_else_wrote_on_that_day_is_found_too(actor: Actor) -> None:
    factories.remember(actor, content="quiet", occurred_at=datetime(2026, 11, 28, 23, 59, 59, tzinfo=UTC))
    factories.remember(actor, content="moved", occurred_at=datetime(2026, 11, 29, tzinfo=UTC))
    outcome = workspaces.apply(actor, files={"memory/2026-11-28.md": b"quiet", "memory/2026-11-28-b.md": b"moved"})
    assert [step.change for step in outcome.steps] == [Change.ADD, Change.SAME]


@pytest.mark.django_db
def test_what_repeats_within_a_day_lands_once(actor: Actor) -> None:
    files = {"memory/2026-11-28.md": b"## A\n\nx\n\n## A\n\nx", "memory/2026-11-28-b.md": b"## A\n\nx"}
    planned = workspaces.plan(actor, files=files)
    assert workspaces.apply(actor, files=files) == planned
    assert Memory.objects.of(actor).count() == 1


@pytest.mark.django_db
def test_a_file_over_its_cap_is_left_out_as_a_whole_and_the_others_land(actor: Actor) -> None:
    factories.remember(actor, "core", "k" * 1_000, category="tools")
    files = FILES | {"TOOLS.md": b"## A\n\n" + b"a" * 900 + b"\n\n## B\n\n" + b"b" * 700}
    outcome = workspaces.apply(actor, files=files)
    assert [str(problem) for problem in outcome.problems] == [
        "TOOLS.md: 1,600 characters for tools and 1,000 already there, 100 over its cap of 2,500. "
        "Shorten the file, archive a lesser memory, or raise the cap."
    ]
    assert Memory.objects.of(actor).filter(category="tools").count() == 1
    assert outcome.count(Change.ADD) == 5


@pytest.mark.django_db
def test_a_cap_that_a_tenant_raised_holds(actor: Actor, tenant: Tenant) -> None:
    tenants.configure(factories.operator_in(tenant), category_caps={"soul": 5_000})
    assert workspaces.apply(actor, files={"SOUL.md": b"x" * 5_000}).problems == ()


@pytest.mark.django_db
def test_a_cap_counts_the_file_as_a_whole_however_its_parts_shift(actor: Actor, tenant: Tenant) -> None:
    """One section grows before another shrinks, also when the cap was lowered below what is there."""
    file = b"## A\n\n%s\n\n## B\n\n%s"
    workspaces.apply(actor, files={"SOUL.md": file % (b"a" * 500, b"b" * 3_500)})
    assert workspaces.apply(actor, files={"SOUL.md": file % (b"a" * 3_500, b"b" * 500)}).problems == ()
    tenants.configure(factories.operator_in(tenant), category_caps={"soul": 1_000})
    assert workspaces.apply(actor, files={"SOUL.md": file % (b"a" * 600, b"b" * 400)}).problems == ()
    assert [row.size_chars for row in rows(actor)] == [600, 400]


@pytest.mark.django_db
def test_an_archived_memory_comes_back_only_with_another_text(actor: Actor) -> None:
    workspaces.apply(actor, files=FILES)
    care = rows(actor)[0]
    memories.archive(actor, number=care.number)
    assert workspaces.apply(actor, files=FILES).count(Change.SAME) == 5
    assert rows(actor)[0].archived_at is not None
    workspaces.apply(actor, files={"SOUL.md": b"## Care\n\nI check three times."})
    assert rows(actor)[0].archived_at is None


@pytest.mark.django_db
def test_an_archived_memory_counts_for_no_cap(actor: Actor) -> None:
    old = factories.remember(actor, "core", "o" * 3_000, key="old")
    memories.archive(actor, number=old.number)
    assert workspaces.apply(actor, files={"SOUL.md": b"n" * 4_000}).problems == ()


@pytest.mark.django_db
def test_a_working_memory_that_ended_is_left_ended_by_the_same_text(actor: Actor) -> None:
    workspaces.apply(actor, files=FILES)
    now = datetime.now(UTC)
    Memory.objects.of(actor).filter(type=MemoryType.WORKING).update(updated_at=working_cutoff(now) - timedelta(days=1))
    assert workspaces.apply(actor, files=FILES).count(Change.SAME) == 5
    workspaces.apply(actor, files={"MEMORY.md": b"## Release 2.4\n\nweb moved"})
    assert Memory.objects.of(actor).active(now).filter(type=MemoryType.WORKING).count() == 1


@pytest.mark.django_db
def test_what_is_in_the_bin_does_not_count_as_there(actor: Actor) -> None:
    workspaces.apply(actor, files=FILES)
    for row in rows(actor):
        memories.forget(actor, number=row.number)
    assert workspaces.apply(actor, files=FILES).count(Change.ADD) == 5


@pytest.mark.django_db
def test_a_file_with_more_sections_than_a_batch_takes_lands(actor: Actor) -> None:
    many = "\n\n".join(f"## Section {n}\n\ntext {n}" for n in range(600)).encode()
    files = {"MEMORY.md": many, "memory/2026-11-28.md": many}
    assert workspaces.apply(actor, files=files).count(Change.ADD) == 1_200
    assert workspaces.apply(actor, files=files).count(Change.SAME) == 1_200


@pytest.mark.django_db
def test_the_last_day_of_the_calendar_is_a_day(actor: Actor) -> None:
    for path in ("memory/9999-12-31.md", "memory/0001-01-01.md"):
        assert workspaces.apply(actor, files={path: b"x"}).count(Change.ADD) == 1
        assert workspaces.apply(actor, files={path: b"x"}).count(Change.SAME) == 1


@pytest.mark.django_db
def test_another_tenant_sees_nothing_and_lends_nothing(actor: Actor, other_actor: Actor) -> None:
    workspaces.apply(other_actor, files=FILES)
    assert workspaces.apply(actor, files=FILES).count(Change.ADD) == 5
    assert len(rows(actor)) == len(rows(other_actor)) == 5


@pytest.mark.django_db
def test_applying_needs_write_and_planning_needs_read(actor: Actor) -> None:
    reader = replace(actor, scopes=frozenset({Scope.READ}))
    assert workspaces.plan(reader, files=FILES).count(Change.ADD) == 5
    with pytest.raises(NotPermitted):
        workspaces.apply(reader, files=FILES)
    with pytest.raises(NotPermitted):
        workspaces.plan(factories.without(actor, Scope.READ), files=FILES)


@pytest.mark.django_db
def test_a_file_that_fails_half_way_leaves_nothing_of_it(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = memories.store_imported

    def failing(actor: Actor, **given: object) -> object:
        whole(actor, **given)  # type: ignore[arg-type]
        if given["file"] == "MEMORY.md":
            raise RuntimeError("the disk is full")
        return None

    monkeypatch.setattr(memories, "store_imported", failing)
    with pytest.raises(RuntimeError):
        workspaces.apply(actor, files=FILES)
    assert [row.type for row in rows(actor)] == ["core", "core"]
