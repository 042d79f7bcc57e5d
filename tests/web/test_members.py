"""Members: who may change what, the code that is shown once, and the page on which it is typed."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories.engine.kinds import Role
from memories.models import Invitation, Membership, Person
from memories.services import invitations
from tests import factories

pytestmark = pytest.mark.django_db
PASSWORD = "right horse battery"
NEW = {"way": "new", "username": "newcomer", "password": PASSWORD, "again": PASSWORD}


@pytest.fixture
def code(tenant) -> str:
    return invitations.make(factories.operator_in(tenant), role=Role.EDITOR).code


def rows_of(text: str) -> list[str]:
    """The names in the table of members, in order."""
    return re.findall(r'<th scope="row" class="wide any">([^<]*?)(?: <span|</th>)', text)


def test_the_list_says_who_in_which_role_since_when(sign_in, tenant, at):
    for name, role in (("vera", Role.VIEWER), ("olga", Role.OWNER), ("edda", Role.EDITOR)):
        factories.person_in(tenant, role, username=name)
    person, _ = factories.person_in(tenant, Role.OWNER, username="anna")
    text = sign_in(person=person).get(at("members/")).text
    assert rows_of(text) == ["anna", "olga", "edda", "vera"]
    assert "4 in all" in text
    assert re.search(r'anna <span class="tag quiet">you', text)
    since = Membership.objects.get(person=person).created_at
    assert f'datetime="{since:%Y-%m-%dT%H:%M:%SZ}"' in text


def test_a_role_is_changed_and_the_only_owner_stays_one(owner, tenant, at):
    person, _ = factories.person_in(tenant, Role.VIEWER, username="vera")
    member = Membership.objects.get(person=person)
    assert owner.post(at(f"members/{member.pk}/role"), {"role": "editor"})["Location"] == at("members/")
    assert Membership.objects.get(pk=member.pk).role == "editor"
    mine = Membership.objects.get(role="owner")
    refused = owner.post(at(f"members/{mine.pk}/role"), {"role": "viewer"})
    assert refused.status_code == 409
    assert "is the only owner of this agent" in refused.text
    assert Membership.objects.get(pk=mine.pk).role == "owner"
    assert owner.post(at(f"members/{member.pk}/role"), {"role": "king"}).status_code == 422
    assert owner.post(at(f"members/{member.pk}/role"), {}).status_code == 422


def test_removing_asks_once_in_a_dialog_that_names_whom(owner, tenant, at):
    person, _ = factories.person_in(tenant, Role.VIEWER, username="vera")
    address = at(f"members/{Membership.objects.get(person=person).pk}/remove/")
    asked = owner.get(address).text
    assert "<dialog" in asked
    assert "Remove vera?" in asked
    assert Membership.objects.filter(person=person).exists()
    assert owner.post(address)["Location"] == at("members/")
    assert not Membership.objects.filter(person=person).exists()
    assert owner.post(address).status_code == 404


def test_the_only_owner_cannot_leave_but_one_of_two_can(sign_in, tenant, at):
    person, _ = factories.person_in(tenant, Role.OWNER)
    client = sign_in(person=person)
    address = at(f"members/{Membership.objects.get(person=person).pk}/remove/")
    assert client.post(address).status_code == 409
    factories.person_in(tenant, Role.OWNER)
    assert "Leave Clawbert?" in client.get(address).text
    assert client.post(address)["Location"] == "/"
    assert client.get(at("members/")).status_code == 404


@pytest.mark.parametrize("role", [Role.EDITOR, Role.VIEWER])
def test_others_see_the_members_and_every_control_disabled_with_the_reason(sign_in, tenant, at, role, code):
    factories.person_in(tenant, Role.OWNER, username="olga")
    client = sign_in(role)
    text = client.get(at("members/")).text
    assert "olga" in text
    assert f"The role {role} does not have the scope “manage”" in text
    main = text.split("<main", 1)[1]
    controls = re.findall(r"<(?:button|select|input)\b[^>]*>", main)
    assert [one for one in controls if "hidden" not in one and "disabled" not in one] == []
    member = Membership.objects.get(person__username="olga")
    prefix = Invitation.objects.get().prefix
    for form in (f"{member.pk}/role", f"{member.pk}/remove/", "invite/", f"invitations/{prefix}/withdraw"):
        refused = client.post(at(f"members/{form}"), {"role": "owner"})
        assert refused.status_code == 403
        assert f"The role {role} does not have the scope “manage”" in refused.text
    assert (Membership.objects.count(), Invitation.objects.count()) == (2, 1)


def test_another_agents_members_and_invitations_are_not_there(owner, other_tenant, at):
    person, _ = factories.person_in(other_tenant, Role.VIEWER)
    number = Membership.objects.get(person=person).pk
    prefix = invitations.make(factories.operator_in(other_tenant), role=Role.OWNER).invitation.prefix
    for form in (f"{number}/role", f"{number}/remove/", f"invitations/{prefix}/withdraw"):
        assert owner.post(at(f"members/{form}"), {"role": "owner"}).status_code == 404
    assert Membership.objects.get(pk=number).role == "viewer"
    assert Invitation.objects.count() == 1


def test_a_code_is_shown_once_and_never_in_an_address(owner, at):
    made = owner.post(at("members/invite/"), {"role": "editor"})
    assert made.status_code == 200
    code = re.search(r'id="code"[^>]* value="([a-z0-9-]+)"', made.text)[1]
    invitations.check(code=code)
    assert "http://testserver/join/" in made.text
    assert made["Cache-Control"] == "no-store"
    later = owner.get(at("members/")).text
    assert code not in later
    assert f"{Invitation.objects.get()}-…" in later
    assert code not in re.findall(r'(?:href|action)="([^"]*)"', made.text)


def test_an_invitation_is_withdrawn(owner, at, code):
    prefix = Invitation.objects.get().prefix
    assert owner.post(at(f"members/invitations/{prefix}/withdraw"))["Location"] == at("members/")
    assert "Nobody is invited" in owner.get(at("members/")).text
    assert owner.post(at(f"members/invitations/{prefix}/withdraw")).status_code == 404


def test_ten_members_cost_as_many_queries_as_thirty(owner, tenant, at):
    counts = []
    for _ in range(3):
        for _ in range(10):
            factories.person_in(tenant, Role.VIEWER)
            invitations.make(factories.operator_in(tenant), role=Role.VIEWER)
        with CaptureQueriesContext(connection) as queries:
            owner.get(at("members/"))
        counts.append(len(queries))
    assert counts[0] == counts[2]


def test_somebody_new_joins_and_lands_in_the_agent(client, at, code, tenant):
    assert client.get("/join/").status_code == 200
    joined = client.post("/join/", {"code": code, **NEW})
    assert joined["Location"] == at()
    page = client.get(at(), follow=True)
    assert page.status_code == 200
    assert f"You are editor of {tenant.name}." in page.text
    assert Membership.objects.get().person.username == "newcomer"


def test_somebody_known_signs_in_with_the_code(client, at, code, other_tenant):
    factories.person_in(other_tenant, username="keeper")
    wrong = client.post("/join/", {"code": code, "way": "known", "username": "keeper", "password": "x"})
    assert wrong.status_code == 422
    assert "do not go together" in wrong.text
    assert 'id="way-known" name="way" value="known" checked' in wrong.text
    right = {"code": code, "way": "known", "username": "keeper", "password": "a-long-password"}
    assert client.post("/join/", right)["Location"] == at()
    assert client.get(at("preview/")).status_code == 200


def test_whoever_is_signed_in_only_types_the_code(sign_in, at, code, other_tenant):
    person, _ = factories.person_in(other_tenant, username="keeper")
    client = sign_in(person=person)
    form = client.get("/join/").text
    assert "You are signed in as <b>keeper</b>" in form
    assert 'name="password"' not in form
    assert client.post("/join/", {"code": code.upper()})["Location"] == at()
    again = client.post("/join/", {"code": code})
    assert again.status_code == 422


def test_a_member_keeps_their_role_and_the_code(owner, code):
    refused = owner.post("/join/", {"code": code})
    assert refused.status_code == 409
    assert "a code does not change your role" in refused.text
    assert Invitation.objects.count() == 1


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"code": "aaaa-bbbb"}, "This code is not accepted"),
        ({"password": "short", "again": "short"}, "too short"),
        ({"again": "another"}, "The two passwords differ"),
        ({"username": ""}, "A sign-in name has letters"),
        ({"username": "a\0b"}, "Null characters"),
    ],
)
def test_what_is_wrong_is_told_and_what_was_typed_stays_but_the_password(client, code, changed, told):
    given = {"code": code, **NEW, **changed}
    refused = client.post("/join/", given)
    assert refused.status_code == 422
    assert told in refused.text
    assert f'value="{given["code"]}"' in refused.text
    assert PASSWORD not in refused.text
    assert Person.objects.count() == 0
    assert client.get("/")["Location"].startswith("/sign-in/")


def test_a_taken_name_is_told_only_to_who_holds_a_good_code(client, code, tenant):
    factories.person_in(tenant, username="keeper")
    assert client.post("/join/", {"code": code, **NEW, "username": "keeper"}).status_code == 409
    stranger = [client.post("/join/", {"code": "x", **NEW, "username": name}).text for name in ("keeper", "nobody")]
    plain = [re.sub(r'csrfmiddlewaretoken" value="\w+"|value="(keeper|nobody)"', "", text) for text in stranger]
    assert plain[0] == plain[1]


@pytest.mark.parametrize("way", ["new", "known"])
def test_guesses_at_codes_and_at_passwords_are_counted_together(client, code, way):
    for n in range(settings.AXES_FAILURE_LIMIT - 1):
        given = {"code": "x" if n % 2 else code, "way": "known", "username": "keeper", "password": "x"}
        assert client.post("/join/", given).status_code == 422
    refused = client.post("/join/", {"code": "y", **NEW})
    assert refused.status_code == 429
    assert client.post("/join/", {"code": code, **NEW, "way": way}).status_code == 429
    assert client.post("/sign-in/", {"username": "keeper", "password": "x"}).status_code == 429
    assert Membership.objects.count() == 0
    assert Client(REMOTE_ADDR="192.0.2.9").post("/join/", {"code": code, **NEW}).status_code == 302


def test_hostile_names_are_shown_as_text(owner, tenant, at):
    """A name that an administrator's form let through, whatever it holds, is text on the page."""
    name = '<img src=x onerror=alert(1)>\u202egnp.txt "quoted"'
    person, _ = factories.person_in(tenant, Role.VIEWER, username=name)
    for page in ("members/", f"members/{Membership.objects.get(person=person).pk}/remove/"):
        text = owner.get(at(page)).text
        assert "<img" not in text
        assert "&lt;img src=x" in text
