"""One code that several people type at the same instant lets exactly one of them in."""

from __future__ import annotations

import pytest

from memories.engine import invitations as engine
from memories.engine.kinds import Role
from memories.errors import InvalidInput
from memories.models import Event, Invitation, Membership, Person
from memories.services import invitations
from tests import factories
from tests.concurrency.crowd import A_LONG_TIME, at_once, errors, meet_at

pytestmark = pytest.mark.django_db(transaction=True)
GUESTS = 8
PASSWORD = "right horse battery"


@pytest.fixture
def code(transactional_db: None) -> str:
    return invitations.make(factories.operator_in(factories.make_tenant()), role=Role.EDITOR).code


def test_of_eight_guests_with_one_code_one_comes_in(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All eight have seen the code to be good before the first of them uses it."""
    people = [Person.objects.create_user(f"guest-{n}") for n in range(GUESTS)]
    meeting = meet_at(monkeypatch, engine, "is_open", parties=GUESTS, patience=A_LONG_TIME)
    results = at_once([lambda person=person: invitations.accept(code=code, person=person) for person in people])
    assert meeting.met == GUESTS
    assert [type(error) for error in errors(results)] == [InvalidInput] * (GUESTS - 1)
    assert Membership.objects.count() == 1
    assert Invitation.objects.count() == 0
    assert Event.objects.filter(verb="member.joined").count() == 1


def test_those_who_came_too_late_leave_no_person_behind(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = meet_at(monkeypatch, engine, "is_open", parties=GUESTS, patience=A_LONG_TIME)
    results = at_once(
        [
            lambda n=n: invitations.accept_as_new(code=code, username=f"new-{n}", password=PASSWORD)
            for n in range(GUESTS)
        ]
    )
    assert meeting.met == GUESTS
    assert len(errors(results)) == GUESTS - 1
    assert Person.objects.count() == Membership.objects.count() == 1


def test_control_without_the_claim_all_of_them_come_in(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [Person.objects.create_user(f"guest-{n}") for n in range(GUESTS)]
    meet_at(monkeypatch, engine, "is_open", parties=GUESTS, patience=A_LONG_TIME)
    monkeypatch.setattr(invitations, "_claim", lambda invitation: True)
    results = at_once([lambda person=person: invitations.accept(code=code, person=person) for person in people])
    assert errors(results) == []
    assert Membership.objects.count() == GUESTS
