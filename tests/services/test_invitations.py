"""Invitations: shown once, hashed, one person each, told alike whatever is wrong with them."""

from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.test.utils import override_settings

from memories.engine.actor import Actor
from memories.engine.invitations import read_code
from memories.engine.kinds import Role, Scope
from memories.errors import Conflict, InvalidInput, NotFound, NotPermitted
from memories.models import Event, Invitation, Membership, Person, Tenant
from memories.selectors.invitations import list_invitations
from memories.services import invitations, retention
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db
PASSWORD = "right horse battery"


@pytest.fixture
def owner(tenant: Tenant) -> Actor:
    return factories.person_in(tenant, Role.OWNER)[1]


@pytest.fixture
def guest(db: None) -> Person:
    return Person.objects.create_user("guest", password=PASSWORD)


def test_a_code_is_shown_once_and_only_its_hash_is_stored(owner: Actor, clock: Clock) -> None:
    made = invitations.make(owner, role=Role.EDITOR)
    row = Invitation.objects.get()
    assert (row.role, row.created_by, row.created_at) == ("editor", owner.label, clock.now)
    assert made.code.startswith(f"{row}-")
    for hidden in (made.code, made.code.replace("-", ""), made.code[len(str(row)) + 1 :]):
        assert hidden not in repr(dump())
        assert hidden not in json.dumps(list(Event.objects.values_list("what", flat=True)))


def test_two_codes_have_nothing_in_common(owner: Actor) -> None:
    codes = [read_code(invitations.make(owner, role=Role.VIEWER).code) for _ in range(20)]
    assert len({code[:8] for code in codes}) == len({code[8:] for code in codes}) == 20


def test_a_person_comes_in_with_the_role_and_the_code_is_used_up(owner: Actor, guest: Person, clock: Clock) -> None:
    made = invitations.make(owner, role=Role.EDITOR)
    membership = invitations.accept(code=made.code, person=guest)
    assert (membership.tenant_id, membership.person, membership.role) == (owner.tenant, guest, "editor")
    event = Event.objects.latest("id")
    assert (event.verb, event.actor, event.via, event.at) == ("member.joined", "guest", "page", clock.now)
    assert event.what == {"person": "guest", "role": "editor", "invitation": str(made.invitation)}
    another = Person.objects.create_user("another")
    before = dump()
    with pytest.raises(InvalidInput):
        invitations.accept(code=made.code, person=another)
    assert dump() == before


def test_somebody_new_chooses_a_name_and_a_password(owner: Actor) -> None:
    code = invitations.make(owner, role=Role.VIEWER).code
    membership = invitations.accept_as_new(code=code, username="newcomer", password=PASSWORD)
    assert membership.person.check_password(PASSWORD)
    assert not membership.person.is_staff
    assert Event.objects.latest("id").actor == "newcomer"


@pytest.mark.parametrize(
    ("username", "password", "field"),
    [
        ("newcomer", "short", "password"),
        ("newcomer", "12345678901234", "password"),
        ("newcomer", "password123", "password"),
        ("newcomer-of-harbour", "newcomer-of-harbour", "password"),
        ("", PASSWORD, "username"),
        ("two words", PASSWORD, "username"),
        ("x" * 151, PASSWORD, "username"),
        ("guest", PASSWORD, "username"),
    ],
)
def test_a_bad_name_or_password_leaves_no_person_and_the_code_good(
    owner: Actor, guest: Person, username: str, password: str, field: str
) -> None:
    code = invitations.make(owner, role=Role.VIEWER).code
    before = dump()
    with pytest.raises((InvalidInput, Conflict)) as refused:
        invitations.accept_as_new(code=code, username=username, password=password)
    assert set(refused.value.errors) == {field}
    assert dump() == before
    assert invitations.accept(code=code, person=guest).role == "viewer"


def test_a_code_never_changes_a_role(owner: Actor, tenant: Tenant) -> None:
    """Neither down, which would be a trap, nor up: on the page an owner sees whom they give a role."""
    person, _ = factories.person_in(tenant, Role.OWNER)
    code = invitations.make(owner, role=Role.VIEWER).code
    before = dump()
    with pytest.raises(Conflict):
        invitations.accept(code=code, person=person)
    assert dump() == before


def test_all_that_is_wrong_with_a_code_is_told_alike(owner: Actor, guest: Person, clock: Clock) -> None:
    used, withdrawn, expired = (invitations.make(owner, role=Role.VIEWER) for _ in range(3))
    invitations.accept_as_new(code=used.code, username="newcomer", password=PASSWORD)
    invitations.withdraw(owner, prefix=withdrawn.invitation.prefix)
    good = invitations.make(owner, role=Role.VIEWER)
    other = "a" if good.code[-1] != "a" else "b"
    codes = [used.code, withdrawn.code, good.code[:-1] + other, good.code + "x", "", "\0", "é" * 28, "a" * 28, "\ud800"]
    clock.forward(days=7)
    codes += [expired.code]
    told = set()
    before = dump()
    for code in codes:
        for act in (
            lambda code=code: invitations.check(code=code),
            lambda code=code: invitations.accept(code=code, person=guest),
            lambda code=code: invitations.accept_as_new(code=code, username="x", password=PASSWORD),
        ):
            with pytest.raises(InvalidInput) as refused:
                act()
            told.add((refused.value.detail, tuple(refused.value.errors)))
    assert len(told) == 1
    assert dump() == before


def test_a_code_is_good_until_the_last_moment_of_its_seven_days(owner: Actor, guest: Person, clock: Clock) -> None:
    made = invitations.make(owner, role=Role.VIEWER)
    clock.forward(days=7, seconds=-1)
    assert list_invitations(owner) == [made.invitation]
    clock.forward(seconds=1)
    assert list_invitations(owner) == []
    with pytest.raises(InvalidInput):
        invitations.accept(code=made.code, person=guest)


def test_a_code_may_be_typed_in_any_way(owner: Actor, guest: Person) -> None:
    code = invitations.make(owner, role=Role.VIEWER).code
    typed = f"  {code.upper().replace('-', ' ')}\n"
    assert invitations.accept(code=typed, person=guest).role == "viewer"


def test_codes_outlive_a_change_of_the_secret_key_as_keys_do(owner: Actor, guest: Person) -> None:
    code = invitations.make(owner, role=Role.VIEWER).code
    with override_settings(SECRET_KEY="n" * 50, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        invitations.check(code=code)
    with override_settings(SECRET_KEY="n" * 50), pytest.raises(InvalidInput):
        invitations.accept(code=code, person=guest)


def test_an_unknown_code_is_hashed_like_a_known_one(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    code = invitations.make(owner, role=Role.VIEWER).code
    hashed: list[str] = []
    real = invitations.keyed_hash
    monkeypatch.setattr(invitations, "keyed_hash", lambda *given: hashed.append("") or real(*given))
    invitations.check(code=code)
    known = len(hashed)
    with pytest.raises(InvalidInput):
        invitations.check(code="a" * 28)
    assert len(hashed) == 2 * known


def test_only_owners_make_and_withdraw_them(tenant: Tenant, owner: Actor, actor: Actor) -> None:
    made = invitations.make(owner, role=Role.VIEWER)
    before = dump()
    for someone in (actor, factories.person_in(tenant, Role.EDITOR)[1], factories.person_in(tenant, Role.VIEWER)[1]):
        before = dump()
        with pytest.raises(NotPermitted):
            invitations.make(someone, role=Role.VIEWER)
        with pytest.raises(NotPermitted):
            invitations.withdraw(someone, prefix=made.invitation.prefix)
    assert dump() == before
    with pytest.raises(NotPermitted):
        list_invitations(factories.without(actor, Scope.READ))


def test_another_tenants_invitation_is_not_there(owner: Actor, other_tenant: Tenant) -> None:
    _, other_owner = factories.person_in(other_tenant, Role.OWNER)
    made = invitations.make(other_owner, role=Role.OWNER)
    with pytest.raises(NotFound):
        invitations.withdraw(owner, prefix=made.invitation.prefix)
    assert list_invitations(owner) == []
    assert Invitation.objects.count() == 1


def test_a_sweep_drops_those_that_expired_and_says_so_once(owner: Actor, tenant: Tenant, clock: Clock) -> None:
    old = invitations.make(owner, role=Role.VIEWER)
    clock.forward(days=6)
    young = invitations.make(owner, role=Role.VIEWER)
    clock.forward(days=1)
    operator = factories.operator_in(tenant)
    assert retention.sweep(operator).expired == 1
    assert list(Invitation.objects.all()) == [young.invitation]
    event = Event.objects.latest("id")
    assert (event.verb, event.what) == ("invitation.expired", {"invitations": [str(old.invitation)]})
    before = dump()
    assert retention.sweep(operator) == retention.Swept()
    assert dump() == before
    assert Membership.objects.count() == 1
