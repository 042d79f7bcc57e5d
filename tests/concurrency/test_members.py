"""Owners who leave at the same instant: one stays."""

from __future__ import annotations

import threading

import pytest

from memories.engine.actor import Actor
from memories.engine.kinds import Role
from memories.errors import Conflict
from memories.models import Membership, Person
from memories.services import tenants
from tests import factories
from tests.concurrency.crowd import A_LONG_TIME, at_once, errors, take_the_lock_away

pytestmark = pytest.mark.django_db(transaction=True)


def leave_at_once() -> list[object]:
    """Two owners, each removing themself."""
    tenant = factories.make_tenant()
    both = [factories.person_in(tenant, Role.OWNER) for _ in range(2)]
    return at_once(
        [lambda actor=actor, person=person: tenants.remove_member(actor, person=person) for person, actor in both]
    )


def test_of_two_owners_who_leave_at_once_one_stays(transactional_db: None) -> None:
    assert [type(error) for error in errors(leave_at_once())] == [Conflict]
    assert Membership.objects.filter(role="owner").count() == 1


def test_control_without_the_lock_nobody_is_left(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have seen that another owner stays before either of them goes."""
    check = tenants._check_an_owner_stays
    barrier = threading.Barrier(2)

    def check_then_meet(actor: Actor, person: Person) -> None:
        check(actor, person)
        barrier.wait(timeout=A_LONG_TIME)

    monkeypatch.setattr(tenants, "_check_an_owner_stays", check_then_meet)
    take_the_lock_away(monkeypatch)
    assert errors(leave_at_once()) == []
    assert not Membership.objects.exists()
