"""Serving, previewing, decaying and acknowledging, at the level of the services (P34 to P44)."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from memories.engine.actor import Actor
from memories.engine.budget import Shares
from memories.engine.delivery import BootRequest
from memories.engine.kinds import DECAY_TAG, ROLE_SCOPES, Acknowledge, Channel, Outcome, Role, Scope
from memories.engine.limits import BOOT_TEXTS_KEPT
from memories.errors import BudgetOutOfRange, InvalidInput, NotFound, NotPermitted, SharesNot100
from memories.models import Boot, Event, Memory, Promise, ServedPromise, Tenant
from memories.selectors.boot import find_boot_before, get_boot, page_boots
from memories.selectors.memories import get_memory, list_revisions
from memories.selectors.promises import list_pending, list_served
from memories.selectors.recall import RecallQuery, recall
from memories.services import boot, memories, promises, retention, tenants
from memories.services.boot import WhatIf
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db

REQUESTS = [
    BootRequest(),
    BootRequest(channel=Channel.SESSION_START, session_id="s-1"),
    BootRequest(channel=Channel.POST_COMPACT),
    BootRequest(context_hint="migration step"),
    BootRequest(context_hint="'\"()*: NOT NEAR"),
    BootRequest(project_prefix="work/importer"),
    BootRequest(max_chars=2_000),
    BootRequest(acknowledge=Acknowledge.EXPLICIT),
]


def deliver(actor: Actor, **options: Any) -> boot.Served:
    """One whole delivery: served, and decayed as the skins do."""
    served = boot.serve(actor, request=BootRequest(**options))
    boot.decay(actor, boot=served.boot)
    return served


@pytest.fixture
def full(actor: Actor, clock: Clock) -> Actor:
    """An agent with some of everything: two promises, all types, archived, ended, forgotten and decayed memories."""
    clock.forward(days=-9)
    factories.remember(actor, "working", "ended: the migration of last week", key="old")
    clock.forward(days=9)
    factories.remember(actor, "core", "I say what I know.", key="honesty")
    factories.remember(actor, "core", "Tools lie in the shed.", category="tools", key="shed")
    factories.remember(actor, "axiom", "Never force-push main.", category="git")
    factories.remember(actor, "working", "Migration: step 3 of 5.", key="migration")
    factories.remember(actor, "semantic", "", subject="the importer", predicate="reads", object="CSV files")
    archived = factories.remember(actor, "working", "archived: the migration plan", key="plan")
    memories.archive(actor, number=archived.number)
    factories.remember_many(actor, 30)
    forgotten = factories.remember(actor, content="a forgotten migration")
    memories.forget(actor, number=forgotten.number)
    promises.make(actor, content="a promise that decayed: migration")
    deliver(actor)
    promises.make(actor, content="Step 3 of 5.")
    promises.make(actor, content="Ask for the key.\nTwice.")
    return actor


# Preview -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_", REQUESTS)
def test_p34_a_preview_leaves_every_table_unchanged(full: Actor, request_: BootRequest) -> None:
    """P47: with what-ifs too, and any number of times."""
    before = dump()
    for what_if in (None, WhatIf(), WhatIf(budget_tokens=2_000), WhatIf(shares=Shares(0, 0, 100))):
        for _ in range(2):
            boot.preview(full, request=request_, what_if=what_if)
    assert dump() == before


@pytest.mark.parametrize("request_", REQUESTS)
def test_p35_preview_and_serve_give_the_same_bytes(full: Actor, request_: BootRequest) -> None:
    """P18: also though the serve archives what ended by time."""
    shown = boot.preview(full, request=request_)
    served = boot.serve(full, request=request_)
    assert served.payload.encode() == shown.text.encode()
    assert served.manifest == json.loads(json.dumps(shown.manifest))
    assert Memory.objects.get(key="old").archived_at is not None


def test_p35_a_person_previews_the_bytes_that_the_agent_gets(full: Actor) -> None:
    _, viewer = factories.person_in(Tenant.objects.get(pk=full.tenant), Role.VIEWER)
    assert boot.preview(viewer, request=BootRequest()).text == boot.serve(full, request=BootRequest()).payload


def test_p47_a_what_if_preview_is_the_preview_under_these_settings(full: Actor) -> None:
    what_if = WhatIf(budget_tokens=2_100, shares=Shares(10, 20, 70))
    told = boot.preview(full, request=BootRequest(), what_if=what_if)
    before = boot.preview(full, request=BootRequest())
    assert told.text != before.text
    tenants.configure(full, budget_tokens=2_100, share_core=10, share_working=20, share_episodic=70)
    assert boot.preview(full, request=BootRequest()).text == told.text


@pytest.mark.parametrize("budget_tokens", [0, -1, 1_999, 33_001, 10**12])
def test_p2_p47_a_what_if_obeys_the_range_of_the_budget(actor: Actor, budget_tokens: int) -> None:
    with pytest.raises(BudgetOutOfRange) as refused:
        boot.preview(actor, request=BootRequest(), what_if=WhatIf(budget_tokens=budget_tokens))
    assert "2,000 to 33,000" in refused.value.detail


@pytest.mark.parametrize("shares", [Shares(50, 20, 31), Shares(-1, 50, 51), Shares(101, -1, 0), Shares(0, 0, 0)])
def test_p31_p47_a_what_if_obeys_the_shares(actor: Actor, shares: Shares) -> None:
    with pytest.raises(SharesNot100):
        boot.preview(actor, request=BootRequest(), what_if=WhatIf(shares=shares))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("context_hint", "x" * 1_001),
        ("context_hint", "a\x00b"),
        ("context_hint", "\ud800"),
        ("project_prefix", "x" * 201),
        ("project_prefix", "a\nb"),
        ("session_id", "x" * 201),
        ("session_id", "a\x1bb"),
        ("idempotency_key", "x" * 201),
        ("idempotency_key", "\x00"),
        ("max_chars", 1_999),
        ("max_chars", 132_001),
        ("max_chars", -1),
    ],
)
def test_bad_options_are_refused_by_name_alike_in_preview_and_serve(actor: Actor, field: str, value: Any) -> None:
    before = dump()
    for call in (boot.preview, boot.serve):
        with pytest.raises(InvalidInput) as refused:
            call(actor, request=BootRequest(**{field: value}))
        assert list(refused.value.errors) == [field]
    assert dump() == before


# Serving -------------------------------------------------------------------------------------------------------------


def test_p36_persons_cannot_serve_and_every_channel_of_an_agent_can(actor: Actor) -> None:
    """The dashboard has no way to serve: no role holds the scope."""
    tenant = Tenant.objects.get(pk=actor.tenant)
    promises.make(actor, content="note")
    for role in Role:
        assert Scope.BOOT not in ROLE_SCOPES[role]
        _, person = factories.person_in(tenant, role)
        for act in (
            lambda p: boot.serve(p, request=BootRequest()),
            lambda p: boot.decay(p, boot=1),
            lambda p: boot.acknowledge(p, number=1),
        ):
            with pytest.raises(NotPermitted) as refused:
                act(person)
            assert refused.value.data["scope"] == "boot"
    assert Boot.objects.count() == 0
    assert len(list_pending(actor).promises) == 1
    for channel in Channel:
        assert boot.serve(actor, request=BootRequest(channel=channel)).payload
    assert set(Boot.objects.values_list("channel", flat=True)) == set(Channel)


def test_p44_every_serve_is_a_boot_row(full: Actor, clock: Clock) -> None:
    clock.forward(minutes=3)
    served = boot.serve(
        full,
        request=BootRequest(
            channel=Channel.SESSION_START, session_id="s-1", context_hint="migration", project_prefix="a/b",
            max_chars=9_500,
        ),
    )  # fmt: skip
    row = get_boot(full, number=served.boot)
    assert (row.actor, row.via, row.created_at) == ("key rvl_testtest", "rest", clock.now)
    assert (row.channel, row.session_id, row.context_hint, row.project_prefix, row.max_chars) == (
        "session_start", "s-1", "migration", "a/b", 9_500,
    )  # fmt: skip
    assert row.budget_tokens == 22_000
    assert row.payload == served.payload
    assert row.size_bytes == len(served.payload.encode()) <= 9_500
    assert row.sha256 == hashlib.sha256(served.payload.encode()).hexdigest() == served.sha256
    assert row.manifest == served.manifest
    assert [(s.number, s.content, s.outcome) for s in row.served.all()] == [
        (2, "Step 3 of 5.", "shown"),
        (3, "Ask for the key.\nTwice.", "shown"),
    ]
    boot.decay(full, boot=served.boot)
    row = get_boot(full, number=served.boot)
    assert {(s.outcome, s.ended_at) for s in row.served.all()} == {("decayed", clock.now)}
    assert [get_memory(full, number=s.memory.number).content for s in row.served.all() if s.memory] == [
        "Step 3 of 5.",
        "Ask for the key.\nTwice.",
    ]


def test_p44_a_person_reads_the_text_again_and_the_one_before(full: Actor) -> None:
    first, second = deliver(full), deliver(full)
    _, viewer = factories.person_in(Tenant.objects.get(pk=full.tenant), Role.VIEWER)
    assert get_boot(viewer, number=second.boot).payload == second.payload
    before = find_boot_before(viewer, number=second.boot)
    assert before is not None
    assert before.payload == first.payload
    assert find_boot_before(viewer, number=1) is None
    assert [row.number for row in page_boots(viewer, limit=50).results] == [3, 2, 1]


def test_p44_the_text_of_a_boot_does_not_change_when_its_memories_do(full: Actor) -> None:
    served = deliver(full)
    memories.revise(full, number=Memory.objects.get(key="honesty").number, changes={"content": "changed"})
    assert get_boot(full, number=served.boot).payload == served.payload


def test_p44_the_texts_of_the_last_hundred_boots_are_kept(actor: Actor, other_actor: Actor) -> None:
    """Rows, sizes and manifests stay for good; another tenant's boots do not count."""
    foreign = boot.serve(other_actor, request=BootRequest())
    for _ in range(BOOT_TEXTS_KEPT + 3):
        boot.serve(actor, request=BootRequest())
    kept = Boot.objects.of(actor).exclude(payload="").order_by("number").values_list("number", flat=True)
    assert list(kept) == list(range(4, BOOT_TEXTS_KEPT + 4))
    pruned = get_boot(actor, number=1)
    assert pruned.payload == ""
    assert pruned.size_bytes > 0
    assert pruned.manifest["sections"]
    assert get_boot(other_actor, number=1).payload == foreign.payload
    before = dump()
    retention.sweep(factories.operator_in(Tenant.objects.get(pk=actor.tenant)))
    assert dump() == before


def test_a_boot_costs_the_same_number_of_queries_however_much_is_stored(actor: Actor) -> None:
    """P25, P30: with few rows and with many, with one promise and with ten."""

    def queries(act: Any) -> int:
        with CaptureQueriesContext(connection) as captured:
            act()
        return len(captured)

    promises.make(actor, content="note")
    factories.remember(actor, content="note")
    request = BootRequest(context_hint="note")
    few = queries(lambda: boot.preview(actor, request=request)), queries(lambda: boot.serve(actor, request=request))
    factories.remember_many(actor, 600)
    for n in range(10):
        promises.make(actor, content=f"note {n}")
        factories.remember(actor, "core", f"claim {n}")
        factories.remember(actor, "axiom", f"rule {n}")
    many = queries(lambda: boot.preview(actor, request=request)), queries(lambda: boot.serve(actor, request=request))
    assert many == few


# Decay ---------------------------------------------------------------------------------------------------------------


def test_p37_the_fields_of_a_decayed_promise(actor: Actor, clock: Clock) -> None:
    content = "Fivel found it: 07:30 UTC.\n\tIf chunks stop landing — 漢字 👩‍👩‍👧‍👦 — look. "
    made_at = clock.now
    promises.make(actor, content=content)
    served_at = clock.forward(hours=2)
    served = boot.serve(actor, request=BootRequest())
    decayed_at = clock.forward(seconds=3)
    (ending,) = boot.decay(actor, boot=served.boot)
    assert made_at < served_at < decayed_at
    assert (ending.number, ending.outcome, ending.ended_at) == (1, Outcome.DECAYED, decayed_at)
    assert ending.memory is not None
    memory = get_memory(actor, number=ending.memory)
    assert memory.content.encode() == content.encode()
    assert memory.tags == [DECAY_TAG] == ["payload-promise-decayed"]
    assert (memory.type, memory.source, memory.importance) == ("episodic", "agent", 0.5)
    assert memory.occurred_at == served_at
    assert (memory.created_at, memory.updated_at, memory.version) == (decayed_at, decayed_at, 1)
    assert (memory.key, memory.category, memory.archived_at, memory.forgotten_at) == ("", "", None, None)
    assert memory.size_bytes == len(content.encode())
    assert Promise.objects.count() == 0
    assert Tenant.objects.get(pk=actor.tenant).episodic_count == 1


def test_p37_source_is_agent_also_when_a_person_promised_or_a_command_served(actor: Actor) -> None:
    tenant = Tenant.objects.get(pk=actor.tenant)
    _, owner = factories.person_in(tenant)
    promises.make(owner, content="from a person")
    operator = factories.operator_in(tenant)
    boot.decay(operator, boot=boot.serve(operator, request=BootRequest()).boot)
    assert Memory.objects.get().source == "agent"


def test_p41_only_what_the_payload_showed_decays(actor: Actor) -> None:
    promises.make(actor, content="shown and kept")
    promises.make(actor, content="shown and released")
    served = boot.serve(actor, request=BootRequest())
    promises.make(actor, content="made in between")
    promises.release(actor, number=2)
    endings = boot.decay(actor, boot=served.boot)
    assert [(ending.number, ending.outcome) for ending in endings] == [(1, "decayed"), (2, "released")]
    assert [promise.content for promise in list_pending(actor).promises] == ["made in between"]
    assert [memory.content for memory in Memory.objects.all()] == ["shown and kept"]


def test_p41_a_promise_released_and_made_again_in_between_stays_pending(actor: Actor) -> None:
    """The same words, another promise: this one was not shown."""
    promises.make(actor, content="note")
    served = boot.serve(actor, request=BootRequest())
    promises.release(actor, number=1)
    promises.make(actor, content="note")
    boot.decay(actor, boot=served.boot)
    assert [promise.number for promise in list_pending(actor).promises] == [2]
    assert Memory.objects.count() == 0


def test_p40_decaying_again_changes_nothing(actor: Actor) -> None:
    promises.make(actor, content="note")
    served = deliver(actor)
    before = dump()
    assert boot.decay(actor, boot=served.boot) == []
    assert dump() == before


def test_p40_of_two_boots_that_showed_it_the_second_names_the_same_memory(actor: Actor) -> None:
    promises.make(actor, content="note")
    first = boot.serve(actor, request=BootRequest())
    second = boot.serve(actor, request=BootRequest())
    assert "note" in first.payload
    assert "note" in second.payload
    (late,) = boot.decay(actor, boot=second.boot)
    (early,) = boot.decay(actor, boot=first.boot)
    assert (late.outcome, early.outcome) == ("decayed", "decayed_elsewhere")
    assert late.memory == early.memory == Memory.objects.get().number
    shown = list_served(actor)
    assert [(s.boot.number, s.outcome) for s in shown] == [(2, "decayed"), (1, "decayed_elsewhere")]


def fail_for(content: str, error: Exception) -> Any:
    """An execute wrapper under which the memory with this content cannot be inserted."""

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("INSERT") and '"memories_memory"' in sql and content in (params or ()):
            raise error
        return execute(sql, params, many, context)

    return connection.execute_wrapper(wrapper)


@pytest.mark.parametrize("error", [DatabaseError("disk full"), OSError("no space"), ValueError("a bug")])
def test_p39_a_decay_that_fails_leaves_its_promise_and_harms_nothing_else(
    actor: Actor, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    for content in ("good one", "secret broken one", "good two"):
        promises.make(actor, content=content)
    served = boot.serve(actor, request=BootRequest())
    caplog.set_level(logging.ERROR)
    with fail_for("secret broken one", error):
        endings = boot.decay(actor, boot=served.boot)
    assert [(ending.number, ending.outcome) for ending in endings] == [
        (1, "decayed"), (2, "failed"), (3, "decayed"),
    ]  # fmt: skip
    assert [(p.number, p.content) for p in list_pending(actor).promises] == [(2, "secret broken one")]
    # Shown on the boot's page, logged with its id, and the log holds no content.
    assert [s.outcome for s in get_boot(actor, number=served.boot).served.all()] == ["decayed", "failed", "decayed"]
    assert "prm-2 of boot-1" in caplog.text
    assert not any("secret" in message for message in caplog.messages)
    assert Tenant.objects.get(pk=actor.tenant).episodic_count == 2 == Memory.objects.count()

    # Until it lands: the next boot shows the same content, fails again, and the third lands.
    with fail_for("secret broken one", error):
        again = deliver(actor)
    assert "• prm-2 " in again.payload
    assert "secret broken one" in again.payload
    third = deliver(actor)
    assert "• prm-2 " in third.payload
    assert sorted(Memory.objects.values_list("content", flat=True)) == ["good one", "good two", "secret broken one"]
    assert "• prm-2 " not in deliver(actor).payload


def test_p39_a_failed_decay_can_be_settled_by_the_same_boot(actor: Actor) -> None:
    promises.make(actor, content="broken one")
    served = boot.serve(actor, request=BootRequest())
    with fail_for("broken one", DatabaseError("disk full")):
        boot.decay(actor, boot=served.boot)
    (ending,) = boot.decay(actor, boot=served.boot)
    assert ending.outcome is Outcome.DECAYED
    assert ServedPromise.objects.get().outcome == "decayed"


def test_p39_a_failure_that_cannot_even_be_recorded_is_harmless(actor: Actor) -> None:
    promises.make(actor, content="note")
    served = boot.serve(actor, request=BootRequest())

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE")):
            raise DatabaseError("read-only file system")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        (ending,) = boot.decay(actor, boot=served.boot)
    assert ending.outcome is Outcome.FAILED
    assert len(list_pending(actor).promises) == 1


# Explicit acknowledgement --------------------------------------------------------------------------------------------


def test_p42_nothing_decays_until_it_is_acknowledged(actor: Actor, clock: Clock) -> None:
    promises.make(actor, content="note")
    served = boot.serve(actor, request=BootRequest(acknowledge=Acknowledge.EXPLICIT))
    before = dump()
    assert boot.decay(actor, boot=served.boot) == []
    assert dump() == before

    again = boot.serve(actor, request=BootRequest(acknowledge=Acknowledge.EXPLICIT))
    assert "• prm-1 " in again.payload

    at = clock.forward(minutes=1)
    row = boot.acknowledge(actor, number=served.boot)
    assert row.acknowledged_at == at
    assert [(s.outcome, s.ended_at) for s in row.served.all()] == [("decayed", at)]
    assert list_pending(actor).promises == []
    assert "• prm-1 " not in boot.preview(actor, request=BootRequest()).text


def test_p42_acknowledging_twice_is_harmless(actor: Actor, clock: Clock) -> None:
    promises.make(actor, content="note")
    served = boot.serve(actor, request=BootRequest(acknowledge=Acknowledge.EXPLICIT))
    first = boot.acknowledge(actor, number=served.boot)
    promises.make(actor, content="note")
    before = dump()
    clock.forward(minutes=1)
    second = boot.acknowledge(actor, number=served.boot)
    assert second.acknowledged_at == first.acknowledged_at
    assert dump() == before


def test_p42_an_automatic_boot_decays_what_an_unacknowledged_one_showed(actor: Actor) -> None:
    """P40: the late acknowledgement then finds that it became a memory elsewhere."""
    promises.make(actor, content="note")
    explicit = boot.serve(actor, request=BootRequest(acknowledge=Acknowledge.EXPLICIT))
    deliver(actor)
    row = boot.acknowledge(actor, number=explicit.boot)
    assert [s.outcome for s in row.served.all()] == ["decayed_elsewhere"]
    assert Memory.objects.count() == 1


def test_p42_acknowledging_tries_again_what_failed(actor: Actor) -> None:
    promises.make(actor, content="broken one")
    served = boot.serve(actor, request=BootRequest(acknowledge=Acknowledge.EXPLICIT))
    with fail_for("broken one", DatabaseError("disk full")):
        assert [s.outcome for s in boot.acknowledge(actor, number=served.boot).served.all()] == ["failed"]
    assert [s.outcome for s in boot.acknowledge(actor, number=served.boot).served.all()] == ["decayed"]


@pytest.mark.parametrize("number", [0, -1, 99, 2**63, 10**30])
def test_p42_an_unknown_boot_is_not_found(actor: Actor, number: int) -> None:
    with pytest.raises(NotFound):
        boot.acknowledge(actor, number=number)
    assert boot.decay(actor, boot=number) == []


def test_p42_a_key_that_may_only_boot_acknowledges(actor: Actor) -> None:
    """It needs no scope to read for that."""
    promises.make(actor, content="note")
    booter = factories.agent_of(Tenant.objects.get(pk=actor.tenant), Scope.BOOT)
    served = boot.serve(booter, request=BootRequest(acknowledge=Acknowledge.EXPLICIT))
    assert boot.acknowledge(booter, number=served.boot).acknowledged_at is not None


# Idempotency ---------------------------------------------------------------------------------------------------------


def test_p43_the_same_key_answers_the_stored_payload(actor: Actor, clock: Clock) -> None:
    promises.make(actor, content="note")
    first = boot.serve(actor, request=BootRequest(idempotency_key="k"))
    boot.decay(actor, boot=first.boot)
    factories.remember(actor, content="something new")
    before = dump()
    clock.forward(minutes=9, seconds=59)
    again = boot.serve(actor, request=BootRequest(idempotency_key="k", context_hint="other options"))
    assert (first.repeat, again.repeat) == (False, True)
    assert again.payload.encode() == first.payload.encode()
    assert (again.boot, again.sha256, again.manifest, again.size_bytes) == (
        first.boot, first.sha256, first.manifest, first.size_bytes,
    )  # fmt: skip
    assert boot.decay(actor, boot=again.boot) == []
    assert dump() == before


def test_p43_the_window_is_ten_minutes(actor: Actor, clock: Clock) -> None:
    first = boot.serve(actor, request=BootRequest(idempotency_key="k"))
    clock.forward(minutes=10)
    assert boot.serve(actor, request=BootRequest(idempotency_key="k")).repeat is True
    clock.forward(microseconds=1)
    later = boot.serve(actor, request=BootRequest(idempotency_key="k"))
    assert (later.repeat, later.boot) == (False, first.boot + 1)
    # The window begins anew with the later boot.
    clock.forward(minutes=9)
    assert boot.serve(actor, request=BootRequest(idempotency_key="k")).boot == later.boot


def test_p43_another_key_or_none_serves_again(actor: Actor) -> None:
    numbers = [
        boot.serve(actor, request=BootRequest(idempotency_key=key)).boot for key in ("k", "K", "k ", "", "", "k")
    ]
    assert numbers == [1, 2, 3, 4, 5, 1]


def test_p43_another_tenants_same_key_is_its_own(actor: Actor, other_actor: Actor) -> None:
    promises.make(actor, content="private note")
    boot.serve(actor, request=BootRequest(idempotency_key="k"))
    foreign = boot.serve(other_actor, request=BootRequest(idempotency_key="k"))
    assert foreign.repeat is False
    assert "private note" not in foreign.payload


def test_p43_a_repeat_after_a_broken_delivery_lets_the_promise_decay(actor: Actor) -> None:
    """P38: the first answer broke, so nothing decayed; the retry delivers the same bytes, and then it does."""
    promises.make(actor, content="note")
    first = boot.serve(actor, request=BootRequest(idempotency_key="k"))
    again = boot.serve(actor, request=BootRequest(idempotency_key="k"))
    assert [ending.outcome for ending in boot.decay(actor, boot=again.boot)] == [Outcome.DECAYED]
    assert again.payload == first.payload


# What time ends ------------------------------------------------------------------------------------------------------


def test_a_serve_archives_what_ended_by_time(actor: Actor, clock: Clock) -> None:
    """P30: the account holds no ended memory, in the preview before and in the serve."""
    factories.remember(actor, "working", "the old state", key="old")
    clock.forward(days=8)
    factories.remember(actor, "working", "the new state", key="new")
    for payload, manifest in (
        (lambda p: (p.text, p.manifest))(boot.preview(actor, request=BootRequest())),
        (lambda s: (s.payload, s.manifest))(boot.serve(actor, request=BootRequest())),
    ):
        assert "the old state" not in payload
        assert manifest["totals"]["working"] == {"active": 1, "included": 1, "left_out": 0}
    old = Memory.objects.get(key="old")
    assert old.archived_at == clock.now
    assert Tenant.objects.get(pk=actor.tenant).working_count == 1
    assert [event.what for event in Event.objects.filter(verb="memory.ended")] == [{"memories": 1}]


# What decayed --------------------------------------------------------------------------------------------------------


def test_p48_recall_finds_a_decayed_promise_at_once_by_words_and_by_tag(actor: Actor) -> None:
    promises.make(actor, content="Fivel found the encrypter ceiling")
    promises.make(actor, content="an unrelated note")
    assert recall(actor, query=RecallQuery("encrypter ceiling")).hits == []
    deliver(actor)
    by_words = recall(actor, query=RecallQuery("encrypter ceiling"))
    assert [hit.memory.content for hit in by_words.hits] == ["Fivel found the encrypter ceiling"]
    by_tag = recall(actor, query=RecallQuery("payload-promise-decayed"))
    assert by_tag.total_matched == 2
    tagged = recall(actor, query=RecallQuery("note", tags=(DECAY_TAG,)))
    assert [hit.memory.content for hit in tagged.hits] == ["an unrelated note"]


def test_p49_a_decayed_promise_is_an_episodic_memory_like_any_other(actor: Actor) -> None:
    promises.make(actor, content="a note that decays")
    deliver(actor)
    number = Memory.objects.get().number
    memories.revise(actor, number=number, changes={"tags": (DECAY_TAG, "keep"), "importance": 0.9})
    assert get_memory(actor, number=number).tags == [DECAY_TAG, "keep"]
    assert [revision.data["tags"] for revision in list_revisions(actor, number=number)] == [[DECAY_TAG]]
    memories.archive(actor, number=number)
    memories.restore(actor, number=number)
    memories.forget(actor, number=number)
    assert recall(actor, query=RecallQuery("note decays")).hits == []
    with pytest.raises(NotFound):
        get_memory(actor, number=number)
    # The boot that showed it still tells what became of it.
    assert get_boot(actor, number=1).served.get().content == "a note that decays"


def test_p49_destroying_what_decayed_leaves_the_account_of_the_boot(actor: Actor, clock: Clock) -> None:
    promises.make(actor, content="a note that decays")
    served = deliver(actor)
    memories.forget(actor, number=1)
    clock.forward(days=31)
    retention.sweep(factories.operator_in(Tenant.objects.get(pk=actor.tenant)))
    assert Memory.objects.count() == 0
    shown = get_boot(actor, number=served.boot).served.get()
    assert (shown.outcome, shown.memory) == ("decayed", None)
    assert boot.decay(actor, boot=served.boot) == []
