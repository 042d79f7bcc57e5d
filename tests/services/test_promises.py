"""Promises: the cap, making, listing and releasing them (P1 to P13)."""

from __future__ import annotations

import inspect
import itertools

import pytest

from memories.engine.actor import Actor
from memories.engine.budget import budget_bytes
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Scope
from memories.engine.promises import cap_bytes
from memories.errors import InvalidInput, NotFound, NotPermitted, PromiseCapExceeded
from memories.models import Event, Promise, Tenant
from memories.selectors.promises import list_pending, list_served
from memories.selectors.tenants import get_config
from memories.services import boot, memories, promises, tenants
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db

CAPS = [
    (2_000, 1_024), (2_559, 1_024), (2_560, 1_024), (2_562, 1_024), (2_563, 1_025), (2_570, 1_028),
    (22_000, 8_800), (33_000, 13_200),
]  # fmt: skip


@pytest.mark.parametrize(("budget_tokens", "cap"), CAPS)
def test_p3_the_cap_is_a_tenth_of_the_budget_and_at_least_1024(budget_tokens: int, cap: int) -> None:
    assert cap_bytes(budget_tokens) == cap
    assert max(1_024, budget_bytes(budget_tokens) // 10) == cap


@pytest.mark.parametrize(("budget_tokens", "cap"), CAPS)
def test_p7_exactly_full_is_allowed_and_one_byte_more_is_not(budget_tokens: int, cap: int) -> None:
    """P3, P4: in one promise, and in several together."""
    actor = factories.agent_of(factories.make_tenant(budget_tokens=budget_tokens))
    with pytest.raises(PromiseCapExceeded):
        promises.make(actor, content="x" * (cap + 1))
    made = promises.make(actor, content="x" * cap)
    assert (made.used_bytes, made.free_bytes) == (cap, 0)
    with pytest.raises(PromiseCapExceeded):
        promises.make(actor, content="y")

    actor = factories.agent_of(factories.make_tenant(budget_tokens=budget_tokens))
    promises.make(actor, content="a" * 1_000)
    with pytest.raises(PromiseCapExceeded) as refused:
        promises.make(actor, content="b" * (cap - 999))
    assert refused.value.data["over_bytes"] == 1
    assert promises.make(actor, content="b" * (cap - 1_000)).free_bytes == 0


@pytest.mark.parametrize(
    ("content", "size"),
    [
        ("plain", 5),
        ("é", 2),
        ("e\u0301", 3),
        ("漢字", 6),
        ("👍", 4),
        ("👩‍👩‍👧‍👦", 25),
        ("🇩🇪", 8),
        ("a\tb\nc", 5),
        ("مرحبا", 10),
        ("\u2028line", 7),
    ],
)
def test_p1_sizes_are_utf8_bytes_never_characters(actor: Actor, content: str, size: int) -> None:
    """P9: stored unchanged to the byte, whatever its language."""
    made = promises.make(actor, content=content)
    assert (made.promise.size_bytes, made.used_bytes) == (size, size)
    assert Promise.objects.get().content.encode() == content.encode()
    assert list_pending(actor).promises[0].content.encode() == content.encode()


def test_p1_the_cap_counts_bytes_where_characters_would_fit(actor: Actor) -> None:
    promises.make(actor, content="👍" * 2_200)  # 8,800 bytes
    with pytest.raises(PromiseCapExceeded):
        promises.make(actor, content="x")


def test_p1_the_same_letter_composed_and_decomposed_are_two_promises(actor: Actor) -> None:
    """P9, P10: to the byte, so nothing is normalised."""
    promises.make(actor, content="\u00e9")
    assert promises.make(actor, content="e\u0301").already_pending is False


@pytest.mark.parametrize(
    "content",
    ["", " ", "\n\n\t", "\u00a0\u2003", "\u200b\u200d\ufeff", "\x00", "a\x00b", "a\x07b", "a\rb", "a\x1b[31m", "a\x7f",
     "a\x85b", "a\ud800b", "\udfff"],
)  # fmt: skip
def test_p9_blank_and_control_characters_are_refused_and_nothing_is_written(actor: Actor, content: str) -> None:
    before = dump()
    with pytest.raises(InvalidInput) as refused:
        promises.make(actor, content=content)
    assert list(refused.value.errors) == ["content"]
    assert dump() == before


@pytest.mark.parametrize("content", ["  spaces around  ", "\n\nfirst line empty", "tab\there", "ends with newline\n"])
def test_p9_white_space_is_kept(actor: Actor, content: str) -> None:
    promises.make(actor, content=content)
    assert Promise.objects.get().content == content


def test_p9_the_answer_has_id_size_usage_cap_and_free_bytes(actor: Actor) -> None:
    promises.make(actor, content="first")
    made = promises.make(actor, content="Step 3 of 5.")
    assert str(made.promise) == "prm-2"
    assert made.promise.size_bytes == 12
    assert (made.used_bytes, made.cap_bytes, made.free_bytes) == (17, 8_800, 8_783)
    assert made.already_pending is False


def test_p6_the_refusal_names_the_usage_and_both_ways_out(actor: Actor) -> None:
    promises.make(actor, content="x" * 8_000)
    before = dump()
    with pytest.raises(PromiseCapExceeded) as refused:
        promises.make(actor, content="y" * 900)
    error = refused.value
    assert error.code == "promise_cap_exceeded"
    assert error.data == {"cap_bytes": 8_800, "used_bytes": 8_000, "requested_bytes": 900, "over_bytes": 100}
    assert "8,000 of 8,800 bytes" in error.detail
    assert "Shorten" in error.detail
    assert "release" in error.detail
    assert dump() == before


def test_p4_the_cap_is_the_tenants_and_follows_the_budget_at_once(actor: Actor) -> None:
    promises.make(actor, content="x" * 8_800)
    with pytest.raises(PromiseCapExceeded):
        promises.make(actor, content="y")
    tenants.configure(actor, budget_tokens=33_000)
    assert promises.make(actor, content="y" * 4_400).free_bytes == 0


def test_p4_another_tenants_promises_do_not_count(actor: Actor, other_actor: Actor) -> None:
    promises.make(other_actor, content="x" * 8_800)
    assert promises.make(actor, content="y").used_bytes == 1


def test_p8_lowering_the_budget_deletes_nothing_and_refuses_new_ones(actor: Actor) -> None:
    for letter in "abc":
        promises.make(actor, content=letter * 2_000)
    tenants.configure(actor, budget_tokens=2_000)
    pending = list_pending(actor)
    assert [promise.content[0] for promise in pending.promises] == ["a", "b", "c"]
    assert (pending.cap_bytes, pending.used_bytes, pending.free_bytes, pending.over_bytes) == (1_024, 6_000, 0, 4_976)
    config = get_config(actor)
    assert (config.cap_bytes, config.used_bytes, config.over_bytes) == (1_024, 6_000, 4_976)
    with pytest.raises(PromiseCapExceeded) as refused:
        promises.make(actor, content="d")
    assert refused.value.data["over_bytes"] == 4_977

    promises.release(actor, number=1)
    promises.release(actor, number=2)
    promises.release(actor, number=3)
    assert promises.make(actor, content="d").free_bytes == 1_023


def test_p8_p29_what_a_lowered_budget_has_no_room_for_stays_pending(actor: Actor) -> None:
    tenants.configure(actor, budget_tokens=33_000)
    for letter in "abc":
        promises.make(actor, content=letter * 4_000)
    tenants.configure(actor, budget_tokens=2_000)
    served = boot.serve(actor, request=BootRequest())
    boot.decay(actor, boot=served.boot)
    assert served.size_bytes <= 8_000
    assert [promise.number for promise in list_pending(actor).promises] == [2, 3]
    section = next(s for s in served.manifest["sections"] if s["name"] == "promised")
    assert section["included"] == ["prm-1"]
    assert [(one["id"], one["reason"]) for one in section["left_out"]] == [("prm-2", "no_room"), ("prm-3", "no_room")]


def test_p10_a_retried_promise_is_the_same_promise(actor: Actor) -> None:
    first = promises.make(actor, content="Step 3 of 5.")
    before = dump()
    again = promises.make(actor, content="Step 3 of 5.")
    assert again.already_pending is True
    assert again.promise.number == first.promise.number
    assert (again.used_bytes, again.free_bytes) == (12, 8_788)
    assert dump() == before


def test_p10_is_harmless_also_when_the_cap_is_full_or_lowered(actor: Actor) -> None:
    promises.make(actor, content="x" * 8_800)
    assert promises.make(actor, content="x" * 8_800).already_pending is True
    tenants.configure(actor, budget_tokens=2_000)
    assert promises.make(actor, content="x" * 8_800).already_pending is True


def test_p10_what_decayed_or_was_released_can_be_promised_again(actor: Actor) -> None:
    promises.make(actor, content="again")
    promises.release(actor, number=1)
    assert promises.make(actor, content="again").already_pending is False
    boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    made = promises.make(actor, content="again")
    assert (made.already_pending, made.promise.number) == (False, 3)


def test_p10_another_tenants_same_text_is_its_own(actor: Actor, other_actor: Actor) -> None:
    promises.make(other_actor, content="again")
    assert promises.make(actor, content="again").already_pending is False


def test_p11_the_list_is_oldest_first_with_the_use_of_the_cap(actor: Actor, clock: Clock) -> None:
    moments = []
    for content in ("one", "two", "three"):
        moments.append(clock.forward(minutes=1))
        promises.make(actor, content=content)
    pending = list_pending(actor)
    assert [(p.number, p.content, p.size_bytes) for p in pending.promises] == [
        (1, "one", 3),
        (2, "two", 3),
        (3, "three", 5),
    ]
    assert [promise.created_at for promise in pending.promises] == moments
    assert (pending.budget_tokens, pending.cap_bytes, pending.used_bytes) == (22_000, 8_800, 11)
    assert (pending.free_bytes, pending.over_bytes) == (8_789, 0)


def test_p11_promises_of_one_instant_are_listed_in_the_order_of_their_numbers(actor: Actor, clock: Clock) -> None:
    for content in "abcdefghijkl":
        promises.make(actor, content=content)
    assert [promise.number for promise in list_pending(actor).promises] == list(range(1, 13))


def test_p12_a_release_withdraws_without_decay(actor: Actor) -> None:
    promises.make(actor, content="Step 3 of 5.")
    promises.release(actor, number=1)
    assert list_pending(actor).promises == []
    assert list_served(actor) == []
    assert "Step 3" not in boot.preview(actor, request=BootRequest()).text
    assert Event.objects.filter(verb="promise.released").count() == 1


def test_p12_unknown_decayed_and_foreign_are_indistinguishable(actor: Actor, other_actor: Actor) -> None:
    """Also in the text: the sentence names the number that was asked for and nothing else."""
    for content in ("one", "two", "three", "four"):
        promises.make(other_actor, content=content)
    promises.make(actor, content="mine")
    boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    promises.make(actor, content="mine too")
    promises.release(actor, number=2)
    before = dump()
    told = set()
    for number in (1, 2, 3, 4, 99, 0, -1, 2**63, 10**30):
        with pytest.raises(NotFound) as refused:
            promises.release(actor, number=number)
        assert (refused.value.data, refused.value.errors) == ({}, {})
        told.add(refused.value.detail.replace(f"prm-{number}.", "prm-N."))
    assert len(told) == 1
    assert dump() == before


def test_numbers_of_promises_are_never_reused(actor: Actor) -> None:
    for expected in (1, 2, 3):
        assert promises.make(actor, content=f"note {expected}").promise.number == expected
        promises.release(actor, number=expected)
    assert Tenant.objects.get(pk=actor.tenant).next_promise == 4


def test_promises_need_the_scopes_to_write_and_to_read(actor: Actor) -> None:
    promises.make(actor, content="note")
    before = dump()
    for act, scope in (
        (lambda a: promises.make(a, content="x"), Scope.WRITE),
        (lambda a: promises.release(a, number=1), Scope.WRITE),
        (list_pending, Scope.READ),
        (list_served, Scope.READ),
    ):
        with pytest.raises(NotPermitted) as refused:
            act(factories.without(actor, scope))
        assert refused.value.data["scope"] == scope
    assert dump() == before


def test_p13_no_service_promotes_a_promise(actor: Actor) -> None:
    """What a promise can do is a closed list, and no writer of memories takes the number of a promise."""
    verbs = {name for name, _ in inspect.getmembers(promises, inspect.isfunction) if not name.startswith("_")}
    assert verbs - {"dataclass", "lock_tenant"} == {"make", "release"}
    writers = inspect.getmembers(memories, inspect.isfunction)
    parameters = itertools.chain.from_iterable(inspect.signature(function).parameters for _, function in writers)
    assert not any("promise" in name for name in parameters)
