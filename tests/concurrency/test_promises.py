"""Promises that are made at the same instant: the cap holds, nothing is doubled."""

from __future__ import annotations

import pytest

from memories.engine import promises as engine
from memories.engine.actor import Actor
from memories.errors import PromiseCapExceeded
from memories.models import Event, Promise
from memories.services import promises, tenants
from tests.concurrency.crowd import A_LONG_TIME, at_once, errors, meet_at, take_the_lock_away

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 16
SIZE = 1_000  # eight fit under the 8,800 bytes of the default budget


def promise_at_once(actor: Actor) -> list[object]:
    return at_once([lambda n=n: promises.make(actor, content=f"{n:02}".ljust(SIZE, ".")) for n in range(WRITERS)])


def pending_bytes() -> int:
    return sum(Promise.objects.values_list("size_bytes", flat=True))


def test_p5_sixteen_promises_at_once_never_pass_the_cap(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = meet_at(monkeypatch, engine, "check_cap", parties=WRITERS)
    results = promise_at_once(actor)
    refused = errors(results)
    assert meeting.met == 0
    assert {type(error) for error in refused} == {PromiseCapExceeded}
    assert len(refused) == WRITERS - 8
    assert pending_bytes() == 8 * SIZE
    assert sorted(Promise.objects.values_list("number", flat=True)) == list(range(1, 9))
    assert Event.objects.filter(verb="promise.made").count() == 8


def test_p5_control_without_the_lock_the_cap_is_passed(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = meet_at(monkeypatch, engine, "check_cap", parties=WRITERS, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    results = promise_at_once(actor)
    assert errors(results) == []
    assert meeting.met == WRITERS
    assert pending_bytes() == WRITERS * SIZE > engine.cap_bytes(22_000)


def test_p5_exactly_full_is_reached_from_both_sides_at_once(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """P7: two promises of half the cap each fit together; of three, one is refused."""
    meet_at(monkeypatch, engine, "check_cap", parties=3)
    results = at_once([lambda c=c: promises.make(actor, content=c * 4_400) for c in "abc"])
    assert [type(error) for error in errors(results)] == [PromiseCapExceeded]
    assert pending_bytes() == engine.cap_bytes(22_000)


def test_p10_the_same_promise_at_once_is_one_promise(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meet_at(monkeypatch, engine, "check_cap", parties=8)
    results = at_once([lambda: promises.make(actor, content="Step 3 of 5.")] * 8)
    assert errors(results) == []
    assert {made.promise.number for made in results} == {1}
    assert sorted(made.already_pending for made in results) == [False] + [True] * 7
    assert Promise.objects.count() == 1


def test_p10_control_without_the_lock_the_promise_is_doubled(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    meet_at(monkeypatch, engine, "check_cap", parties=8, patience=A_LONG_TIME)
    take_the_lock_away(monkeypatch)
    results = at_once([lambda: promises.make(actor, content="Step 3 of 5.")] * 8)
    assert errors(results) == []
    assert Promise.objects.count() == 8


def test_p5_a_promise_and_a_lower_budget_at_once_agree(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """P4, P8: the promise is judged by one of the two budgets, wholly before or wholly after the change."""
    meet_at(monkeypatch, engine, "check_cap", parties=2)
    made, configured = at_once(
        [
            lambda: promises.make(actor, content="x" * 5_000),
            lambda: tenants.configure(actor, budget_tokens=2_000),
        ]
    )
    assert configured.budget_tokens == 2_000
    order = list(Event.objects.order_by("id").values_list("verb", flat=True))[-2:]
    if isinstance(made, Exception):
        assert isinstance(made, PromiseCapExceeded)
        assert made.data["cap_bytes"] == 1_024
        assert pending_bytes() == 0
    else:
        assert order == ["promise.made", "config.changed"]
        assert pending_bytes() == 5_000
    with pytest.raises(PromiseCapExceeded):
        promises.make(actor, content="y" * 1_025)


def test_p12_the_same_release_at_once_succeeds_once(actor: Actor) -> None:
    promises.make(actor, content="Step 3 of 5.")
    results = at_once([lambda: promises.release(actor, number=1)] * 6)
    assert len(errors(results)) == 5
    assert {error.code for error in errors(results)} == {"not_found"}  # type: ignore[attr-defined]
    assert Event.objects.filter(verb="promise.released").count() == 1
