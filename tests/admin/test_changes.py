"""What the operator changes in the admin goes through services: same rules, same events, refusals on their field."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission

from memories.engine.actor import Via
from memories.engine.kinds import Role
from memories.errors import NotAuthenticated
from memories.models import ApiKey, Capsule, Event, Invitation, Membership, Memory, Person, Promise, Tenant
from memories.services import capsules, invitations, keys, memories, promises
from tests import factories
from tests.admin.conftest import address

TENANT = {
    "slug": "night-watch", "name": "Night Watch", "budget_tokens": "10000", "share_core": "40", "share_working": "30",
    "share_episodic": "30", "category_caps": '{"tools": 4000}',
}  # fmt: skip


def texts(response):
    return [str(message) for message in response.context["messages"]]


def run_action(client, kind, action, rows):
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(address(kind), data, follow=True)


def test_a_tenant_is_made_and_configured_through_the_services(operator_client):
    assert operator_client.post(address("tenant", "add"), TENANT).status_code == 302
    tenant = Tenant.objects.get()
    assert (tenant.slug, tenant.budget_tokens, tenant.share_core, tenant.category_caps) == (
        "night-watch", 10_000, 40, {"tools": 4_000},
    )  # fmt: skip
    told = Event.objects.order_by("pk").values_list("verb", "actor", "via")
    assert list(told) == [("tenant.created", "operator", "admin"), ("config.changed", "operator", "admin")]


def test_p46_a_changed_budget_is_an_event_and_the_slug_stays(operator_client, tenant):
    changed = {**TENANT, "budget_tokens": "8000", "category_caps": "{}"}
    assert operator_client.post(address("tenant", tenant.pk, "change"), changed).status_code == 302
    again = Tenant.objects.get()
    assert (again.slug, again.name, again.budget_tokens) == (tenant.slug, tenant.name, 8_000)
    assert Event.objects.latest("pk").what["new"]["budget_tokens"] == 8_000


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"slug": "Night Watch"}, "slug"),
        ({"name": "two\nlines\x00"}, "name"),
        ({"budget_tokens": "1999"}, "budget_tokens"),
        ({"share_core": "41"}, "__all__"),
        ({"category_caps": '{"nonsense": 4000}'}, "__all__"),
        ({"category_caps": '{"tools": "many"}'}, "category_caps"),
        ({"category_caps": "[1]"}, "category_caps"),
    ],
)
def test_a_refusal_stands_on_its_field_and_nothing_is_written(operator_client, wrong, field):
    page = operator_client.post(address("tenant", "add"), {**TENANT, **wrong})
    assert page.status_code == 200
    assert list(page.context["adminform"].form.errors) == [field]
    assert not Tenant.objects.exists()
    assert not Event.objects.exists()


def test_a_slug_that_is_taken_is_refused_like_everywhere(operator_client, tenant):
    page = operator_client.post(address("tenant", "add"), {**TENANT, "slug": tenant.slug})
    assert "already" in str(page.context["adminform"].form.errors)


def test_the_secret_of_a_new_key_is_shown_once(operator_client, tenant):
    data = {"tenant": tenant.pk, "name": "cron", "scopes": ["read", "boot"]}
    first = operator_client.post(address("apikey", "add"), data, follow=True)
    secret = re.search(r"rvl_\w+_\w+", texts(first)[0])[0]
    agent = keys.authenticate(secret, via=Via.REST)
    assert (agent.tenant_id, agent.scopes) == (tenant.pk, {"read", "boot"})
    for page in (address("apikey"), address("apikey", ApiKey.objects.get().pk, "change"), "/admin/"):
        assert secret not in operator_client.get(page).content.decode()


@pytest.mark.parametrize(
    "wrong", [{"scopes": []}, {"name": ""}, {"expires_at_0": "2001-01-01", "expires_at_1": "00:00"}]
)
def test_a_key_that_cannot_be_is_refused(operator_client, tenant, wrong):
    data = {"tenant": tenant.pk, "name": "cron", "scopes": ["read"], **wrong}
    page = operator_client.post(address("apikey", "add"), data)
    assert page.context["adminform"].form.errors
    assert not ApiKey.objects.exists()


def test_a_key_is_revoked_by_an_action_and_changed_nowhere(operator_client, tenant):
    secret = factories.issue_key(tenant)
    key = ApiKey.objects.get()
    operator_client.post(address("apikey", key.pk, "change"), {"name": "other", "scopes": ["write"]})
    assert ApiKey.objects.get().name == "test"
    assert texts(run_action(operator_client, "apikey", "revoke", [key])) == ["1 done, 0 refused."]
    with pytest.raises(NotAuthenticated):
        keys.authenticate(secret, via=Via.REST)
    assert Event.objects.latest("pk").verb == "key.revoked"


def test_a_member_is_added_changed_and_removed_through_the_services(operator_client, tenant):
    person = Person.objects.create_user("keeper", password="a-long-password")
    add = {"tenant": tenant.pk, "person": person.pk, "role": "viewer"}
    operator_client.post(address("membership", "add"), add)
    membership = Membership.objects.get()
    operator_client.post(address("membership", membership.pk, "change"), {"role": "owner"})
    assert Membership.objects.get().role == "owner"
    operator_client.post(address("membership", membership.pk, "delete"), {"post": "yes"})
    assert not Membership.objects.exists()
    verbs = Event.objects.filter(verb__startswith="member").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["member.added", "member.changed", "member.removed"]


def test_several_members_are_removed_at_once(operator_client, tenant):
    for _ in range(3):
        factories.person_in(tenant)
    data = {
        "action": "delete_selected", "_selected_action": [row.pk for row in Membership.objects.all()], "post": "yes",
    }  # fmt: skip
    operator_client.post(address("membership"), data)
    assert not Membership.objects.exists()
    assert Event.objects.filter(verb="member.removed").count() == 3


def test_memories_are_archived_restored_and_forgotten_through_the_services(operator_client, tenant, actor):
    memory = factories.remember(actor, content="something")
    run_action(operator_client, "memory", "archive", [memory])
    assert Memory.objects.get().archived_at is not None
    tenant.refresh_from_db()
    assert tenant.episodic_count == 0
    run_action(operator_client, "memory", "forget", [memory])
    assert Memory.objects.get().forgotten_at is not None
    run_action(operator_client, "memory", "restore", [memory])
    again = Memory.objects.get()
    assert (again.archived_at, again.forgotten_at) == (None, None)
    tenant.refresh_from_db()
    assert tenant.episodic_count == 1


def test_what_a_service_refuses_is_told_for_each_row(operator_client, actor):
    forgotten = factories.remember(actor, "working", "one", key="state")
    memories.forget(actor, number=forgotten.number)
    factories.remember(actor, "working", "two", key="state")
    told = texts(run_action(operator_client, "memory", "restore", [forgotten]))
    assert "another memory has its key" in told[0]
    assert told[1] == "0 done, 1 refused."


def test_p12_a_promise_is_released_without_decay(operator_client, actor, other_actor):
    rows = [promises.make(one, content="step 3").promise for one in (actor, other_actor)]
    assert texts(run_action(operator_client, "promise", "release", rows)) == ["2 done, 0 refused."]
    assert (Promise.objects.count(), Memory.objects.count()) == (0, 0)


def test_actions_are_not_offered_to_who_may_only_look(client, tenant, actor):
    memory = factories.remember(actor, content="something")
    staff = Person.objects.create_user("staff", password="a-long-password", is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_memory"))
    client.force_login(staff, backend="django.contrib.auth.backends.ModelBackend")
    run_action(client, "memory", "forget", [memory])
    assert Memory.objects.get().forgotten_at is None


def test_a_password_is_changed_by_djangos_own_form(operator_client, tenant):
    person, _ = factories.person_in(tenant)
    data = {"password1": "quite-another-word-9", "password2": "quite-another-word-9", "usable_password": "true"}
    assert operator_client.post(address("person", person.pk, "password"), data).status_code == 302
    assert Person.objects.get(pk=person.pk).check_password("quite-another-word-9")


def test_a_person_is_made_and_made_inactive(operator_client):
    add = {
        "username": "keeper", "password1": "quite-another-word-9", "password2": "quite-another-word-9",
        "usable_password": "true",
    }  # fmt: skip
    operator_client.post(address("person", "add"), add)
    person = Person.objects.get(username="keeper")
    operator_client.post(address("person", person.pk, "change"), {"username": "keeper"})
    again = Person.objects.get(username="keeper")
    assert not again.is_active
    assert again.check_password("quite-another-word-9")


def test_capsules_are_moved_and_forgotten_through_the_services(operator_client, actor):
    capsule, _ = capsules.capture(actor, values={"content": "known", "kind": "decision", "project_id": "atlas"})
    row = capsule.capsule
    for action, tier in (("archive", "archived"), ("quarantine", "quarantined"), ("activate", "active")):
        run_action(operator_client, "capsule", action, [row])
        assert Capsule.objects.get().tier == tier
    run_action(operator_client, "capsule", "forget", [row])
    gone = Capsule.objects.get()
    assert (gone.content, gone.forgotten_reason) == ("", "forgotten by the operator in the administration")
    verbs = list(Event.objects.order_by("-pk").values_list("verb", "via", "actor")[:4])
    assert [verb for verb, *_ in verbs] == ["capsule.forgotten", *["capsule.tier"] * 3]
    assert {(via, by) for _, via, by in verbs} == {("admin", "operator")}


def test_an_invitation_is_withdrawn_through_the_service(operator_client, tenant):
    made = invitations.make(factories.operator_in(tenant), role=Role.EDITOR)
    run_action(operator_client, "invitation", "withdraw", [made.invitation])
    assert not Invitation.objects.exists()
