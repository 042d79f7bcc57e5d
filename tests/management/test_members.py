"""Who may look after an agent, from the command line."""

from __future__ import annotations

import json

import pytest

from memories.engine.kinds import Role
from memories.errors import Conflict, InvalidInput, NotFound
from memories.models import Membership, Person
from memories.services import tenants
from tests import factories


def test_add_member_gives_and_changes_a_role(command, tenant):
    Person.objects.create_user("keeper", password="a-long-password")
    assert "keeper is viewer" in command("add_member", tenant.slug, "keeper", "--role", "viewer")
    told = json.loads(command("add_member", tenant.slug, "keeper", "--role", "owner", "--json"))
    assert told == {"username": "keeper", "tenant": tenant.slug, "role": "owner"}
    assert Membership.objects.get().role == "owner"


def test_add_member_makes_a_person_with_a_password_of_its_own(command, tenant):
    told = json.loads(command("add_member", tenant.slug, "keeper", "--role", "editor", "--create", "--json"))
    person = Person.objects.get()
    assert person.check_password(told["password"])
    assert (person.is_staff, person.is_superuser) == (False, False)
    printed = command("add_member", tenant.slug, "second", "--role", "editor", "--create")
    assert Person.objects.get(username="second").check_password(printed.split()[-1])


def test_add_member_refuses_an_unknown_person_and_a_name_that_is_taken(command, tenant):
    with pytest.raises(NotFound):
        command("add_member", tenant.slug, "keeper", "--role", "viewer")
    Person.objects.create_user("keeper", password="a-long-password")
    with pytest.raises(Conflict):
        command("add_member", tenant.slug, "keeper", "--role", "viewer", "--create")
    assert not Membership.objects.exists()


@pytest.mark.parametrize("username", ["", "two words", "x" * 151])
def test_add_member_refuses_what_is_no_name(command, tenant, username):
    with pytest.raises(InvalidInput):
        command("add_member", tenant.slug, username, "--role", "viewer", "--create")
    assert not Person.objects.exists()


def test_add_member_for_an_unknown_agent_makes_no_person(command, db):
    with pytest.raises(NotFound):
        command("add_member", "nobody", "keeper", "--role", "viewer", "--create")
    assert not Person.objects.exists()


def test_removing_a_member_ends_their_role_and_is_told_in_an_event(tenant):
    person, _ = factories.person_in(tenant, Role.EDITOR)
    tenants.remove_member(factories.operator_in(tenant), person=person)
    assert not Membership.objects.exists()
    with pytest.raises(NotFound):
        tenants.remove_member(factories.operator_in(tenant), person=person)


def test_the_only_owner_cannot_give_the_agent_away_but_the_operator_can(tenant):
    person, actor = factories.person_in(tenant, Role.OWNER)
    with pytest.raises(Conflict):
        tenants.remove_member(actor, person=person)
    with pytest.raises(Conflict):
        tenants.set_member(actor, person=person, role=Role.VIEWER)
    factories.person_in(tenant, Role.OWNER)
    tenants.set_member(actor, person=person, role=Role.VIEWER)
    tenants.remove_member(factories.operator_in(tenant), person=Person.objects.latest("pk"))
    assert [member.role for member in Membership.objects.all()] == ["viewer"]
