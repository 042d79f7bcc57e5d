"""Writers of memories at once: no failed write, no lost write, numbers without gap or repeat, counters that agree."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError

from memories.engine import memories as engine
from memories.engine import wire
from memories.engine.actor import Actor, Via
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Category, MemoryType
from memories.engine.memories import MemoryDraft
from memories.errors import CategoryCapExceeded, RevellError, StaleVersion
from memories.models import ApiKey, Event, Memory, MemoryRevision, MemoryWords, Tenant
from memories.selectors.memories import count_by_type
from memories.selectors.recall import RecallQuery, recall
from memories.services import boot, keys, memories, promises, retention
from tests import factories
from tests.concurrency.crowd import A_LONG_TIME, at_once, errors, meet_at, take_the_lock_away, take_the_turns_away

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 64


def episodic(content: str) -> MemoryDraft:
    return MemoryDraft(MemoryType.EPISODIC, content)


def core(content: str, *, key: str = "honesty") -> MemoryDraft:
    return MemoryDraft(MemoryType.CORE, content, category=Category.SOUL, key=key)


def counters(actor: Actor) -> dict[str, int]:
    tenant = Tenant.objects.get(pk=actor.tenant)
    told = {str(kind): getattr(tenant, f"{kind}_count") for kind in MemoryType}
    return {kind: number for kind, number in told.items() if number}


def test_64_writers_at_once_lose_nothing(actor: Actor) -> None:
    """No failed write, no lost write, numbers 1..n without gap or repeat; each is found and recorded (P30)."""
    results = at_once(
        [lambda n=n: memories.remember(actor, draft=episodic(f"writer{n} was here")) for n in range(WRITERS)]
    )
    assert errors(results) == []
    assert sorted(result.memory.number for result in results) == list(range(1, WRITERS + 1))
    assert set(Memory.objects.values_list("content", flat=True)) == {f"writer{n} was here" for n in range(WRITERS)}
    assert MemoryWords.objects.count() == WRITERS
    assert Event.objects.filter(verb="memory.remembered").count() == WRITERS
    assert counters(actor) == {"episodic": WRITERS} == count_by_type(actor)
    assert recall(actor, query=RecallQuery("writer63")).total_matched >= 1


def test_64_writers_control_without_the_lock_writes_fail(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight are enough: they read one next number, meet, and seven of them fail to write."""
    eight = 8
    meet_at(monkeypatch, wire, "body_bytes", parties=eight, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    monkeypatch.setattr(memories, "lock_tenant", lambda actor: Tenant.objects.get(pk=actor.tenant))
    results = at_once([lambda n=n: memories.remember(actor, draft=episodic(f"writer{n}")) for n in range(eight)])
    assert len(errors(results)) == eight - 1


@pytest.mark.sqlite
def test_64_writers_control_with_deferred_transactions_writes_fail(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite lets a transaction that has read write only if nobody wrote meanwhile: hence BEGIN IMMEDIATE."""
    monkeypatch.setitem(settings.DATABASES["default"]["OPTIONS"], "transaction_mode", "DEFERRED")
    take_the_turns_away(monkeypatch)
    meet_at(monkeypatch, wire, "body_bytes", parties=8, patience=A_LONG_TIME)
    results = at_once([lambda n=n: memories.remember(actor, draft=episodic(f"writer{n}")) for n in range(8)])
    assert {type(error) for error in errors(results)} == {OperationalError}
    assert len(errors(results)) == 7


def test_64_writers_of_every_kind_at_once(actor: Actor) -> None:
    """Promises, memories of all types, batches, keys and boots together: each number sequence is whole."""
    secret = factories.issue_key(Tenant.objects.get(pk=actor.tenant))

    def work(n: int) -> Callable[[], Any]:
        kinds: tuple[Callable[[], Any], ...] = (
            lambda: promises.make(actor, content=f"note {n}"),
            lambda: memories.remember(actor, draft=episodic(f"event {n}")),
            lambda: memories.remember(actor, draft=core(f"claim {n}", key=f"key-{n}")),
            lambda: memories.remember(actor, draft=MemoryDraft(MemoryType.WORKING, f"state {n}", key=f"key-{n}")),
            lambda: memories.remember(actor, draft=MemoryDraft(MemoryType.AXIOM, f"rule {n}")),
            lambda: memories.remember_many(actor, drafts=[episodic(f"batch {n}.{i}") for i in range(5)]),
            lambda: boot.serve(actor, request=BootRequest()),
            lambda: keys.authenticate(secret, via=Via.REST),
        )
        return kinds[n % len(kinds)]

    assert errors(at_once([work(n) for n in range(WRITERS)])) == []
    tenant = Tenant.objects.get(pk=actor.tenant)
    assert sorted(Memory.objects.values_list("number", flat=True)) == list(range(1, 8 * 9 + 1))
    assert (tenant.next_memory, tenant.next_promise, tenant.next_boot) == (73, 9, 9)
    assert counters(actor) == count_by_type(actor) == {"episodic": 48, "core": 8, "working": 8, "axiom": 8}


def test_two_upserts_of_one_core_key_are_one_memory_and_one_revision(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting = meet_at(monkeypatch, engine, "check_category_cap", parties=2)
    results = at_once([lambda c=c: memories.remember(actor, draft=core(c)) for c in ("I say.", "I tell.")])
    assert errors(results) == []
    assert meeting.met == 0
    assert sorted(result.created for result in results) == [False, True]
    memory = Memory.objects.get()
    kept = MemoryRevision.objects.get()
    assert (memory.version, kept.version) == (2, 1)
    assert {memory.content, kept.data["content"]} == {"I say.", "I tell."}
    assert counters(actor) == {"core": 1}


def test_two_upserts_control_without_the_lock_one_write_fails(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meet_at(monkeypatch, engine, "check_category_cap", parties=2, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    results = at_once([lambda c=c: memories.remember(actor, draft=core(c)) for c in ("I say.", "I tell.")])
    assert len(errors(results)) == 1
    assert not isinstance(errors(results)[0], RevellError)


def test_a_category_cap_holds_under_sixteen_writers(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Soul holds 4,000 characters: eight of these and no more."""
    meet_at(monkeypatch, engine, "check_category_cap", parties=16)
    results = at_once([lambda n=n: memories.remember(actor, draft=core("x" * 500, key=f"k{n}")) for n in range(16)])
    assert [type(error) for error in errors(results)] == [CategoryCapExceeded] * 8
    assert counters(actor) == {"core": 8} == count_by_type(actor)


def test_a_category_cap_control_without_the_lock_is_passed(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meet_at(monkeypatch, engine, "check_category_cap", parties=16, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    results = at_once([lambda n=n: memories.remember(actor, draft=core("x" * 500, key=f"k{n}")) for n in range(16)])
    assert errors(results) == []
    assert Memory.objects.count() == 16


def test_of_two_revisions_of_one_version_one_is_stale(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = factories.remember(actor, content="as it was")
    meet_at(monkeypatch, memories, "_check_version", parties=2)
    results = at_once(
        [
            lambda c=c: memories.revise(actor, number=memory.number, changes={"content": c}, version=1)
            for c in ("first", "second")
        ]
    )
    assert [type(error) for error in errors(results)] == [StaleVersion]
    memory.refresh_from_db()
    assert memory.version == 2
    assert MemoryRevision.objects.get().data["content"] == "as it was"


def test_of_two_revisions_control_without_the_lock_none_is_stale(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loser then fails on the unique revision instead of being told what is there now."""
    memory = factories.remember(actor, content="as it was")
    meet_at(monkeypatch, memories, "_check_version", parties=2, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    results = at_once(
        [
            lambda c=c: memories.revise(actor, number=memory.number, changes={"content": c}, version=1)
            for c in ("first", "second")
        ]
    )
    assert [error for error in errors(results) if isinstance(error, RevellError)] == []
    assert len(errors(results)) == 1


def test_p30_archiving_at_once_counts_once(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = factories.remember(actor)
    factories.remember(actor)
    meet_at(monkeypatch, memories, "_check_version", parties=6)
    results = at_once([lambda: memories.archive(actor, number=memory.number)] * 6)
    assert errors(results) == []
    assert counters(actor) == {"episodic": 1} == count_by_type(actor)
    assert Event.objects.filter(verb="memory.archived").count() == 1


def test_p30_control_without_the_lock_the_counter_is_wrong(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The versions are not kept: their unique numbers would hide the fault."""
    memory = factories.remember(actor)
    for _ in range(9):
        factories.remember(actor)
    meet_at(monkeypatch, memories, "_check_version", parties=6, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    monkeypatch.setattr(memories, "_keep_version", lambda *given, **named: None)
    results = at_once([lambda: memories.archive(actor, number=memory.number)] * 6)
    assert errors(results) == []
    assert count_by_type(actor) == {"episodic": 9}
    assert counters(actor) == {"episodic": 4}


def act_at_random(actor: Actor, seed: int, *, steps: int) -> Counter[str]:
    """Random writes as agents and people make them; what is refused by a rule is refused and counted."""
    chance = random.Random(seed)
    done: Counter[str] = Counter()

    def number() -> int:
        return chance.randint(1, 40)

    def draft() -> MemoryDraft:
        kind = chance.choice(list(MemoryType))
        text = f"text {chance.randint(1, 9)}"
        if kind is MemoryType.CORE:
            return MemoryDraft(kind, text, category=chance.choice(list(Category)), key=f"k{chance.randint(1, 3)}")
        if kind is MemoryType.WORKING:
            return MemoryDraft(kind, text, key=f"k{chance.randint(1, 5)}")
        if kind is MemoryType.SEMANTIC:
            return MemoryDraft(kind, subject="it", predicate="is", object=text)
        return MemoryDraft(kind, text)

    def deliver() -> None:
        served = boot.serve(actor, request=BootRequest())
        boot.decay(actor, boot=served.boot)

    acts: dict[str, Callable[[], Any]] = {
        "remember": lambda: memories.remember(actor, draft=draft()),
        "remember_many": lambda: memories.remember_many(actor, drafts=[draft() for _ in range(chance.randint(1, 6))]),
        "revise": lambda: memories.revise(actor, number=number(), changes={"content": f"text {chance.random()}"}),
        "archive": lambda: memories.archive(actor, number=number()),
        "restore": lambda: memories.restore(actor, number=number()),
        "forget": lambda: memories.forget(actor, number=number()),
        "promise": lambda: promises.make(actor, content=f"note {chance.randint(1, 99)}"),
        "release": lambda: promises.release(actor, number=number()),
        "deliver": deliver,
        "sweep": lambda: retention.sweep(factories.operator_in(Tenant.objects.get(pk=actor.tenant))),
    }
    for _ in range(steps):
        name = chance.choice(list(acts))
        try:
            acts[name]()
        except RevellError as error:
            done[f"{name}: {error.code}"] += 1
        else:
            done[name] += 1
    return done


def test_p30_counters_equal_counted_rows_after_random_writes_at_once(actor: Actor) -> None:
    results = at_once([lambda seed=seed: act_at_random(actor, seed, steps=30) for seed in range(8)])
    assert errors(results) == []
    every: Counter[str] = sum(results, Counter())
    assert {"remember", "archive", "restore", "forget", "deliver"} <= set(every), every
    assert counters(actor) == count_by_type(actor)

    tenant = Tenant.objects.get(pk=actor.tenant)
    numbers = sorted(Memory.objects.values_list("number", flat=True))
    assert numbers == list(range(1, tenant.next_memory))
    live = Memory.objects.filter(forgotten_at__isnull=True)
    assert MemoryWords.objects.count() == live.count()
    for memory in live.prefetch_related("revisions"):
        versions = sorted(revision.version for revision in memory.revisions.all())
        assert len(versions) == len(set(versions))
        assert all(version < memory.version for version in versions)


def test_one_revocation_at_once_is_one_event(actor: Actor) -> None:
    owner = factories.operator_in(Tenant.objects.get(pk=actor.tenant))
    issued = keys.issue(owner, name="night watch", scopes=["read"])
    results = at_once([lambda: keys.revoke(owner, prefix=issued.key.prefix)] * 6)
    assert errors(results) == []
    assert ApiKey.objects.get().revoked_at is not None
    assert Event.objects.filter(verb="key.revoked").count() == 1
