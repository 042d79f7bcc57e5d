"""Uploads: kept for one person for an hour, and applied as they were seen or not at all."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest

from memories.engine.actor import Actor
from memories.engine.imports import Change
from memories.engine.kinds import Role, Scope
from memories.engine.uploads import UploadKind
from memories.errors import Conflict, NotFound, NotPermitted
from memories.management import folders
from memories.models import Capsule, Event, Memory, Tenant, Upload
from memories.selectors.uploads import find_upload
from memories.services import archive, memories, retention, tenants, uploads, workspaces
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db
SOUL = {"SOUL.md": b"# Soul\n\n## Care\n\nI take care.\n", "notes.txt": b""}
LINES = b"""{"id":"a","kind":"task","project_id":"nott","content":"one"}
{"kind":"task","project_id":"nott","content":"two","blocked_by":["a"]}"""


@pytest.fixture
def person(tenant: Tenant) -> Actor:
    return factories.person_in(tenant, Role.EDITOR)[1]


def test_an_upload_is_kept_for_one_person_for_an_hour(person: Actor, tenant: Tenant, clock: Clock) -> None:
    uploads.keep(person, files=SOUL)
    _, other = factories.person_in(tenant, Role.OWNER)
    assert find_upload(person).files == 2
    assert find_upload(other) is None
    with pytest.raises(NotFound):
        uploads.plan(other)
    clock.forward(minutes=60)
    assert find_upload(person) is None
    for act in (lambda: uploads.plan(person), lambda: uploads.apply(person, mark="x")):
        with pytest.raises(NotFound):
            act()
    retention.sweep(factories.operator_in(tenant))
    assert not Upload.objects.exists()


def test_another_tenant_of_the_same_person_has_an_upload_of_its_own(person: Actor, other_tenant: Tenant) -> None:
    there = replace(person, tenant_id=other_tenant.pk)
    uploads.keep(person, files=SOUL)
    with pytest.raises(NotFound):
        uploads.plan(there)
    uploads.keep(there, files={"MEMORY.md": b"## State\n\nopen"})
    assert uploads.plan(person).workspace.steps[0].draft.path == "SOUL.md"
    assert Upload.objects.count() == 2


def test_a_new_upload_replaces_the_one_before(person: Actor) -> None:
    uploads.keep(person, files=SOUL)
    uploads.keep(person, files={"MEMORY.md": b"## State\n\nopen"})
    assert Upload.objects.count() == 1
    assert [step.draft.path for step in uploads.plan(person).workspace.steps] == ["MEMORY.md"]


def test_what_was_seen_is_what_is_applied(person: Actor) -> None:
    uploads.keep(person, files=SOUL)
    before = dump()
    planned = uploads.plan(person)
    assert dump() == before
    assert (planned.kind, planned.files, planned.workspace.count(Change.ADD)) == (UploadKind.WORKSPACE, 2, 1)
    assert uploads.plan(person).mark == planned.mark
    uploads.apply(person, mark=planned.mark)
    assert Memory.objects.get().key == "care"
    assert not Upload.objects.exists()
    with pytest.raises(NotFound):
        uploads.apply(person, mark=planned.mark)


def test_names_and_bytes_come_through_as_they_are(person: Actor) -> None:
    """Whatever a name holds, it names the same file in the plan."""
    hostile = {"a\u202eb.md": b"\xff\x00", "<img src=x>.md": b"1", "folder/": b"", "é" * 200: b"2"}
    uploads.keep(person, files=hostile)
    assert uploads._unpacked(Upload.objects.get()) == hostile


@pytest.mark.parametrize("change", ["the agent", "the upload", "the settings", "the mark"])
def test_when_the_plan_has_changed_nothing_is_applied(person: Actor, change: str) -> None:
    uploads.keep(person, files=SOUL)
    mark = uploads.plan(person).mark
    if change == "the agent":
        factories.remember(person, "core", "I care already.", key="care", category="soul")
    elif change == "the upload":
        uploads.keep(person, files=SOUL)
    elif change == "the settings":
        factories.remember(person, "core", "x" * 150, key="other", category="soul")
        tenants.configure(person, category_caps={"soul": 155})
    else:
        mark = mark[:-1]
    before = dump()
    with pytest.raises(Conflict, match="has changed since you looked"):
        uploads.apply(person, mark=mark)
    assert dump() == before
    uploads.apply(person, mark=uploads.plan(person).mark) if change != "the settings" else None
    assert Memory.objects.filter(key="care").exists() is (change != "the settings")


def test_a_fault_half_way_leaves_nothing(person: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**SOUL, "MEMORY.md": b"## State\n\nopen", "TOOLS.md": b"## Hammer\n\nheavy"}
    uploads.keep(person, files=files)
    mark = uploads.plan(person).mark
    real, calls = memories.store_imported, []

    def break_off(*given, **named):
        calls.append(named["file"])
        if len(calls) == 3:
            raise RuntimeError
        return real(*given, **named)

    monkeypatch.setattr(memories, "store_imported", break_off)
    before = dump()
    with pytest.raises(RuntimeError):
        uploads.apply(person, mark=mark)
    assert len(calls) == 3
    assert dump() == before


def test_an_import_that_does_something_else_is_taken_back(person: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads.keep(person, files=SOUL)
    mark = uploads.plan(person).mark
    real = workspaces.apply
    monkeypatch.setattr(workspaces, "apply", lambda actor, *, files: replace(real(actor, files=files), steps=()))
    before = dump()
    with pytest.raises(Conflict, match="was taken back"):
        uploads.apply(person, mark=mark)
    assert dump() == before


def test_a_whole_workspace_comes_in_as_the_command_brings_it(person: Actor, other_tenant: Tenant) -> None:
    files = folders.read(folders.SAMPLE).files
    uploads.keep(person, files=files)
    uploads.apply(person, mark=uploads.plan(person).mark)
    workspaces.apply(factories.operator_in(other_tenant), files=files)

    def rows(tenant_id: int) -> list[tuple[str, ...]]:
        return sorted(Memory.objects.filter(tenant=tenant_id).values_list("type", "category", "key", "content"))

    assert rows(person.tenant) == rows(other_tenant.pk) != []


def test_files_that_share_a_cap_are_planned_and_applied_alike(person: Actor) -> None:
    tools = b"---\ncategory: tools\n---\n## %s\n\n" + b"x" * 1_500
    files = {"TOOLS.md": tools % b"One", "USER.md": tools % b"Two", "SOUL.md": SOUL["SOUL.md"]}
    uploads.keep(person, files=files)
    planned = uploads.plan(person)
    assert len(planned.workspace.problems) == 1
    uploads.apply(person, mark=planned.mark)
    assert Memory.objects.count() == 2


def test_capsules_with_their_relations(person: Actor, clock: Clock) -> None:
    """What a line leaves to the moment of its import is no change of the plan."""
    uploads.keep(person, files={"atlas.jsonl": LINES, "README.md": b"hello"})
    planned = uploads.plan(person)
    assert (planned.kind, planned.capsules.new, planned.capsules.relations_new) == (UploadKind.CAPSULES, 2, 1)
    clock.forward(minutes=5)
    uploads.apply(person, mark=planned.mark)
    assert Capsule.objects.count() == 2
    uploads.keep(person, files={"atlas.jsonl": LINES})
    assert uploads.plan(person).capsules.new == 0


def test_decision_records_need_their_project(person: Actor) -> None:
    record = b"# 1. Use a queue\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use a queue.\n"
    uploads.keep(person, files={"0001-queue.md": record, "template.md": b"x"}, project_id="atlas")
    planned = uploads.plan(person)
    assert planned.faults == ()
    uploads.apply(person, mark=planned.mark)
    assert Capsule.objects.get().project_id == "atlas"


def test_what_cannot_come_in_says_every_fault_and_has_nothing_to_apply(person: Actor) -> None:
    uploads.keep(person, files={"atlas.jsonl": b'{"kind":"rumour"}\n[]\n'})
    planned = uploads.plan(person)
    assert len(planned.faults) >= 3
    assert planned.capsules is None
    before = dump()
    with pytest.raises(Conflict):
        uploads.apply(person, mark=planned.mark)
    assert dump() == before


def test_an_archive_comes_in_through_an_upload_too(person: Actor, other_actor: Actor) -> None:
    factories.remember(other_actor, content="The tide report was late.")
    out = io.BytesIO()
    archive.export(other_actor, out=out)
    with zipfile.ZipFile(out) as read:
        files = {name: read.read(name) for name in read.namelist()}
    uploads.keep(person, files=files)
    planned = uploads.plan(person)
    assert len(planned.archive.memories) == 1
    uploads.apply(person, mark=planned.mark)
    assert Memory.objects.get(tenant_id=person.tenant).content == "The tide report was late."
    uploads.keep(person, files=files)
    assert "empty agent only" in uploads.plan(person).faults[0]


def test_a_plan_that_nobody_could_read_is_refused(person: Actor) -> None:
    uploads.keep(person, files={"MEMORY.md": b"".join(b"## k%d\n\nx\n" % n for n in range(5_001))})
    assert "at most 5,000" in uploads.plan(person).faults[0]


def test_who_may_not_write_uploads_nothing(person: Actor, tenant: Tenant, actor: Actor) -> None:
    _, viewer = factories.person_in(tenant, Role.VIEWER)
    for someone in (viewer, actor):
        with pytest.raises(NotPermitted):
            uploads.keep(someone, files=SOUL)
    uploads.keep(person, files=SOUL)
    reduced = factories.without(person, Scope.WRITE)
    mark = uploads.plan(reduced).mark
    for act in (lambda: uploads.apply(reduced, mark=mark), lambda: uploads.discard(reduced)):
        with pytest.raises(NotPermitted):
            act()
    assert not Event.objects.filter(verb="memory.imported").exists()
