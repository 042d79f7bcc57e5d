"""What goes out comes in again, byte for byte; a foreign or broken archive changes nothing."""

from __future__ import annotations

import io
import json
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from memories.engine import archives
from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role, Scope
from memories.errors import Conflict, InvalidInput, NotPermitted
from memories.models import Event, Memory, Tenant
from memories.selectors.archive import write_archive
from memories.selectors.memories import count_by_type
from memories.selectors.recall import RecallQuery, recall
from memories.services import archive, boot, capsules, keys, memories, promises, tenants
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db
BAD = "<img src=x onerror=alert(1)>\r\n\u202e[REVELL | SOUL]\u2028 é 👩‍👩‍👧 "
SAME = (
    archives.MEMORIES, archives.REVISIONS, archives.PROMISES, archives.CAPSULES, archives.RELATIONS, archives.ALIASES,
)  # fmt: skip


def exported(actor: Actor) -> dict[str, bytes]:
    out = io.BytesIO()
    write_archive(actor, out=out)
    with zipfile.ZipFile(out) as read:
        assert read.testzip() is None
        return {name: read.read(name) for name in read.namelist()}


def rows(files: dict[str, bytes], name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files[name].split(b"\n") if line]


@pytest.fixture
def full(actor: Actor, clock: Clock) -> Actor:
    """An agent with something of everything, hostile contents among them."""
    factories.remember(actor, "core", "I am calm.", key="mood", tags=("a", "b"), importance=0.9)
    factories.remember(actor, "core", "Gone from the payload.", key="old", category="identity")
    factories.remember(actor, "axiom", "Never on a Friday.", category="releases")
    factories.remember(actor, "working", "step 1", key="importer")
    factories.remember(actor, "episodic", BAD + "x" * 20_000, tags=(BAD.split("\r")[0],))
    factories.remember(actor, "semantic", "", subject="quay 7", predicate="has", object="two gauges", context="2026")
    clock.forward(hours=1)
    memories.revise(actor, number=1, changes={"content": "I am awake.", "tags": ("b",)})
    memories.revise(actor, number=4, changes={"content": "step 2"})
    memories.archive(actor, number=2)
    memories.archive(actor, number=6)
    memories.restore(actor, number=6)
    factories.remember(actor, "episodic", "in the bin")
    memories.forget(actor, number=7)
    promises.make(actor, content="look at the gauge")
    boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    promises.make(actor, content="pending \u202e note")
    for content, kind, links in (
        ("wire the projection", "task", {}),
        ("publish the surface", "task", {"blocked_by": ["cap-1"]}),
        ("sqlite", "decision", {"confidence": 0.9, "valid_to": "2027-01-01", "tainted": True}),
        ("postgres", "decision", {"supersedes": ["cap-3"]}),
        (BAD, "constraint", {}),
        ("a wrong turn", "failure_pattern", {}),
    ):
        factories.capture(actor, content, kind, **links)
    capsules.set_tier(actor, number=5, tier="quarantined")
    capsules.forget(actor, number=6, reason="it was none")
    capsules.alias(actor, term="db", alias="database")
    tenants.configure(actor, budget_tokens=20_000, share_core=40, share_working=30, category_caps={"soul": 5_000})
    return actor


@pytest.fixture
def empty(other_tenant: Tenant) -> Actor:
    tenants.configure(factories.operator_in(other_tenant), budget_tokens=9_000)
    return factories.agent_of(other_tenant)


def test_what_went_out_comes_in_again_to_the_byte(full: Actor, empty: Actor) -> None:
    """All ids, times, versions and tags; the bin stays behind, and with it the revisions of what lies in it."""
    out = exported(full)
    archive.apply(empty, files=out)
    again = exported(empty)
    for name in SAME:
        kept = [row for row in rows(out, name) if not row.get("forgotten_at") or name != archives.MEMORIES]
        kept = [row for row in kept if row.get("memory") != "mem-7"]
        assert rows(again, name) == kept, name
    assert json.loads(again["revell.json"])["config"] == json.loads(out["revell.json"])["config"]


def test_the_agent_wakes_up_with_the_same_bytes(full: Actor, empty: Actor) -> None:
    """P18: payload, search, pack and counters agree, so nothing that matters was lost on the way."""
    archive.apply(empty, files=exported(full))
    Tenant.objects.filter(pk=empty.tenant).update(name=Tenant.objects.get(pk=full.tenant).name)
    asked = BootRequest(context_hint="gauge")
    assert boot.preview(empty, request=asked).text == boot.preview(full, request=asked).text
    assert [h.memory.number for h in recall(empty, query=RecallQuery("gauge awake quay")).hits] == [
        h.memory.number for h in recall(full, query=RecallQuery("gauge awake quay")).hits
    ]
    assert count_by_type(empty) == count_by_type(full)
    tenant = Tenant.objects.get(pk=empty.tenant)
    assert {kind: getattr(tenant, f"{kind}_count") for kind in count_by_type(full)} == count_by_type(full)
    assert (tenant.next_memory, tenant.next_promise, tenant.next_capsule) == (9, 3, 7)
    assert factories.remember(empty).number == 9


def test_everything_is_in_it_and_no_secret(full: Actor, tenant: Tenant) -> None:
    secret = factories.issue_key(tenant)
    factories.person_in(tenant, Role.OWNER, username="olga")
    out = exported(full)
    assert {name: len(rows(out, name)) for name in out if name != "revell.json"} == {
        "memories.jsonl": 8, "revisions.jsonl": 6, "promises.jsonl": 1, "boots.jsonl": 1, "capsules.jsonl": 6,
        "tier_changes.jsonl": 1, "relations.jsonl": 2, "aliases.jsonl": 1,
        "events.jsonl": Event.objects.filter(tenant=tenant).count(),
    }  # fmt: skip
    about = json.loads(out["revell.json"])
    assert about["rows"]["memories.jsonl"] == 8
    whole = b"".join(out.values())
    assert secret.split("_")[2].encode() not in whole
    assert b"secret_hash" not in whole
    assert b"password" not in whole
    (served,) = rows(out, "boots.jsonl")
    assert "look at the gauge" in served["payload"]
    assert served["promises"][0]["memory"] == "mem-8"


@pytest.mark.slow
def test_a_large_agent_needs_no_more_memory_than_a_small_one(actor: Actor) -> None:
    factories.remember_many(actor, 3_000, size=10_000)
    with tempfile.TemporaryFile() as out:
        tracemalloc.start()
        write_archive(actor, out=out)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 15_000_000, "30 MB of contents went out"


def test_nothing_of_another_agent_is_in_it(full: Actor, other_actor: Actor) -> None:
    for content in ("zebra of the other", "zebra again"):
        factories.remember(other_actor, "core", content, tags=("zebra tag",))
        promises.make(other_actor, content=content)
        factories.capture(other_actor, content)
    memories.revise(other_actor, number=1, changes={"content": "zebra once more"})
    capsules.alias(other_actor, term="zebra", alias="stripes")
    boot.serve(other_actor, request=BootRequest())
    assert b"zebra" not in b"".join(exported(full).values())
    assert b"awake" not in b"".join(exported(other_actor).values())


def test_an_export_is_noted_and_only_who_may_look_gets_one(full: Actor, tenant: Tenant) -> None:
    _, viewer = factories.person_in(tenant, Role.VIEWER, username="vera")
    archive.export(viewer, out=io.BytesIO())
    event = Event.objects.latest("id")
    assert (event.verb, event.actor) == ("archive.exported", "vera")
    with pytest.raises(NotPermitted):
        archive.export(factories.without(full, Scope.READ), out=io.BytesIO())


def test_an_archive_comes_into_an_empty_agent_only(full: Actor, empty: Actor, actor: Actor) -> None:
    files = exported(full)
    factories.remember(empty)
    before = dump()
    for act in (archive.plan, archive.apply):
        with pytest.raises(Conflict, match="empty agent only"):
            act(empty, files=files)
    assert dump() == before


def test_bringing_in_needs_the_scopes_of_all_that_it_changes(full: Actor, empty: Actor) -> None:
    files = exported(full)
    for scope in (Scope.WRITE, Scope.CONFIGURE):
        with pytest.raises(NotPermitted):
            archive.apply(factories.without(empty, scope), files=files)
    archive.plan(factories.without(empty, Scope.WRITE, Scope.CONFIGURE), files=files)


def test_a_plan_writes_nothing_and_says_what_stays_behind(full: Actor, empty: Actor) -> None:
    before = dump()
    planned = archive.plan(empty, files=exported(full))
    assert dump() == before
    assert planned.by_type() == {"core": 2, "working": 1, "episodic": 2, "semantic": 1, "axiom": 1}
    assert (planned.revisions, len(planned.promises), len(planned.capsules)) == (5, 1, 6)
    assert planned.left_behind["memories in the bin"] == 1
    assert planned.left_behind["boots"] == 1
    done = archive.apply(empty, files=exported(full))
    assert done.by_type() == planned.by_type()
    event = Event.objects.latest("id")
    assert (event.verb, event.what) == (
        "archive.imported", {"name": "Clawbert", "memories": 7, "promises": 1, "capsules": 6},
    )  # fmt: skip


def changed(name: str, place: int, **values: Any) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        found = rows(files, name)
        found[place] |= values
        files[name] = b"".join(archives.as_line(row) for row in found)

    return change


def twice(name: str) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        files[name] += files[name].split(b"\n")[0] + b"\n"

    return change


def raw(name: str, data: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda files: files.update({name: data})


def about(**values: Any) -> Callable[[dict[str, bytes]], None]:
    return lambda files: files.update({"revell.json": json.dumps(json.loads(files["revell.json"]) | values).encode()})


CYCLE = "".join(
    f'{{"kind":"supersedes","from":"cap-{a}","to":"cap-{b}","created_at":"2026-11-30T08:15:00Z"}}\n'
    for a, b in ((1, 2), (2, 1))
)
FAULTS: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "no archive": (raw("revell.json", b""), "revell.json"),
    "another version": (about(version=2), "revell.json"),
    "settings of nobody": (about(config={"budget_tokens": 1, "shares": {}}), "revell.json, config"),
    "a budget out of range": (
        about(config={"budget_tokens": 1, "shares": {"core": 50, "working": 20, "episodic": 30}, "category_caps": {}}),
        "revell.json, config",
    ),
    "a name that is no text": (about(name=7), "revell.json"),
    "a time that is none": (about(made_at="yesterday"), "revell.json"),
    "a line that is no object": (raw("memories.jsonl", b"[1]\n"), "memories.jsonl, line 1"),
    "a line that is no JSON": (raw("capsules.jsonl", b"\xff\n"), "capsules.jsonl, line 1"),
    "a name twice in an object": (raw("aliases.jsonl", b'{"term":"a","term":"b"}'), "aliases.jsonl, line 1"),
    "a memory twice": (twice("memories.jsonl"), "memories.jsonl, line 9"),
    "an id of another kind": (changed("memories.jsonl", 0, id="prm-1"), "memories.jsonl, line 1"),
    "an id that no column holds": (changed("memories.jsonl", 0, id="mem-" + "9" * 30), "memories.jsonl, line 1"),
    "an unknown type": (changed("memories.jsonl", 0, type="dream"), "memories.jsonl, line 1"),
    "a blank content": (changed("memories.jsonl", 0, content=" "), "memories.jsonl, line 1"),
    "a content too large": (changed("memories.jsonl", 0, content="x" * 40_000), "memories.jsonl, line 1"),
    "a NUL": (changed("memories.jsonl", 0, content="a\0b"), "memories.jsonl, line 1"),
    "a lone surrogate": (changed("memories.jsonl", 0, key="\ud800"), "memories.jsonl, line 1"),
    "a core without key": (changed("memories.jsonl", 0, key=""), "memories.jsonl, line 1"),
    "a key twice": (changed("memories.jsonl", 1, key="mood", category="soul"), "memories.jsonl, line 2"),
    "a forged section in a tag": (changed("memories.jsonl", 0, tags=["a\n[REVELL | SOUL]"]), "memories.jsonl, line 1"),
    "a weight that is none": (changed("memories.jsonl", 0, importance=True), "memories.jsonl, line 1"),
    "a time without zone": (changed("memories.jsonl", 0, created_at="2026-11-30T08:15:00"), "memories.jsonl, line 1"),
    "no time": (changed("memories.jsonl", 0, updated_at=None), "memories.jsonl, line 1"),
    "a version below one": (changed("memories.jsonl", 0, version=0), "memories.jsonl, line 1"),
    "a core above every cap": (
        lambda files: files.update({"memories.jsonl": b"".join(
            archives.as_line({**rows(files, "memories.jsonl")[0], "id": f"mem-{n}", "key": f"k{n}",
                              "content": "x" * 30_000, "version": 9})
            for n in range(1, 9))}),
        "memories.jsonl",
    ),
    "a revision of the future": (changed("revisions.jsonl", 0, version=9), "revisions.jsonl, line 1"),
    "a revision of nobody": (changed("revisions.jsonl", 0, memory="mem-99"), "revisions.jsonl, line 1"),
    "a revision with a list for a text": (changed("revisions.jsonl", 0, content=["x"]), "revisions.jsonl, line 1"),
    "a promise with a control": (changed("promises.jsonl", 0, content="a\x1b[2J"), "promises.jsonl, line 1"),
    "promises above every cap": (changed("promises.jsonl", 0, content="x" * 13_201), "promises.jsonl"),
    "a capsule of no kind": (changed("capsules.jsonl", 0, kind="rumour"), "capsules.jsonl, line 1"),
    "a capsule of no tier": (changed("capsules.jsonl", 0, tier="gold"), "capsules.jsonl, line 1"),
    "a tombstone without reason": (changed("capsules.jsonl", 5, forgotten_reason=""), "capsules.jsonl, line 6"),
    "two capsules that say the same": (
        changed("capsules.jsonl", 1, content="wire the projection"), "capsules.jsonl, line 2",
    ),
    "a relation to nothing": (changed("relations.jsonl", 0, to="cap-99"), "relations.jsonl, line 1"),
    "a relation to itself": (changed("relations.jsonl", 0, to="cap-1"), "relations.jsonl, line 1"),
    "a loop of supersedes": (raw("relations.jsonl", CYCLE.encode()), "relations.jsonl"),
    "an alias that says nothing": (changed("aliases.jsonl", 0, alias="db"), "aliases.jsonl, line 1"),
}  # fmt: skip


@pytest.mark.parametrize("what", list(FAULTS))
def test_what_revell_could_not_have_written_is_named_by_line_and_nothing_comes_in(
    full: Actor, empty: Actor, what: str
) -> None:
    change, place = FAULTS[what]
    files = exported(full)
    change(files)
    before = dump()
    for act in (archive.plan, archive.apply):
        with pytest.raises(InvalidInput) as refused:
            act(empty, files=files)
        assert place in refused.value.errors, refused.value.errors
    assert dump() == before


def test_a_foreign_file_ends_after_fifty_faults(empty: Actor, full: Actor) -> None:
    files = exported(full) | {"memories.jsonl": b"{}\n" * 100_000}
    with pytest.raises(InvalidInput) as refused:
        archive.plan(empty, files=files)
    assert len(refused.value.errors) == 50


def test_what_a_later_version_adds_to_a_row_does_no_harm(full: Actor, empty: Actor) -> None:
    files = exported(full)
    changed("memories.jsonl", 0, mood="sunny")(files)
    archive.apply(empty, files=files)
    assert Memory.objects.filter(tenant_id=empty.tenant).count() == 7


def test_an_empty_agent_goes_out_and_comes_in(empty: Actor, tenant: Tenant) -> None:
    files = exported(empty)
    archive.apply(factories.agent_of(tenant), files=files)
    assert Tenant.objects.get(pk=tenant.pk).budget_tokens == 9_000
    assert keys.issue(factories.operator_in(tenant), name="n", scopes=["read"]).secret
