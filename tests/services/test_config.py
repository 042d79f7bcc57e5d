"""Settings of a tenant, what follows from them, and who may change them (P2, P31, P45 to P47)."""

from __future__ import annotations

from typing import Any

import pytest

from memories.engine.actor import Actor
from memories.engine.budget import Shares
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Category, Role, Scope
from memories.errors import BudgetOutOfRange, Conflict, InvalidInput, NotFound, NotPermitted, RevellError, SharesNot100
from memories.models import Event, Membership, Person, Tenant
from memories.selectors.tenants import actor_of, get_config, get_tenant_by_slug, list_for_person
from memories.services import boot, people, promises, tenants
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db


def test_p45_the_config_shows_budget_and_all_that_follows(actor: Actor) -> None:
    """P1, P3: with the defaults of a new tenant."""
    promises.make(actor, content="é" * 50)
    factories.remember(actor, "core", "I say what I know.")
    factories.remember(actor, "axiom", "Nie löschen.")
    config = get_config(actor)
    assert (config.budget_tokens, config.budget_bytes) == (22_000, 88_000)
    assert config.shares == Shares(50, 20, 30)
    assert (config.cap_bytes, config.used_bytes, config.over_bytes) == (8_800, 100, 0)
    assert (config.axiom_allowance_bytes, config.axiom_used_bytes) == (17_600, 13)
    assert config.category_caps == {
        "soul": 4_000, "identity": 4_000, "relationship": 2_500, "operations": 2_500, "tools": 2_500,
        "routine": 2_500, "reorient": 2_500, "accounts": 2_500,
    }  # fmt: skip
    assert config.category_used == {**dict.fromkeys(config.category_caps, 0), "soul": 18}


@pytest.mark.parametrize(
    ("budget_tokens", "allowance"), [(2_000, 2_048), (2_560, 2_048), (2_565, 2_052), (22_000, 17_600), (33_000, 26_400)]
)
def test_the_axiom_allowance_is_a_fifth_and_at_least_2048(actor: Actor, budget_tokens: int, allowance: int) -> None:
    tenants.configure(actor, budget_tokens=budget_tokens)
    assert get_config(actor).axiom_allowance_bytes == allowance


def test_p45_each_part_can_be_changed_alone_and_all_together(actor: Actor) -> None:
    tenants.configure(actor, budget_tokens=30_000)
    assert (get_config(actor).budget_tokens, get_config(actor).shares) == (30_000, Shares(50, 20, 30))
    tenants.configure(actor, share_core=40, share_episodic=40)
    assert (get_config(actor).budget_tokens, get_config(actor).shares) == (30_000, Shares(40, 20, 40))
    tenants.configure(actor, category_caps={"tools": 3_000})
    tenants.configure(actor, category_caps={"soul": 5_000})
    caps = get_config(actor).category_caps
    assert (caps["tools"], caps["soul"], caps["identity"]) == (3_000, 5_000, 4_000)
    tenants.configure(
        actor, budget_tokens=2_000, share_core=0, share_working=0, share_episodic=100, category_caps={"soul": 100}
    )
    config = get_config(actor)
    assert (config.budget_bytes, config.shares, config.category_caps["soul"]) == (8_000, Shares(0, 0, 100), 100)


@pytest.mark.parametrize("budget_tokens", [2_000, 33_000])
def test_p2_the_ends_of_the_range_are_in_it(actor: Actor, budget_tokens: int) -> None:
    assert tenants.configure(actor, budget_tokens=budget_tokens).budget_tokens == budget_tokens


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"budget_tokens": 1_999}, BudgetOutOfRange),
        ({"budget_tokens": 33_001}, BudgetOutOfRange),
        ({"budget_tokens": 0}, BudgetOutOfRange),
        ({"budget_tokens": -22_000}, BudgetOutOfRange),
        ({"share_core": 51}, SharesNot100),
        ({"share_core": 101, "share_working": -1, "share_episodic": 0}, SharesNot100),
        ({"share_core": 0, "share_working": 0, "share_episodic": 0}, SharesNot100),
        ({"category_caps": {"soul": 99}}, InvalidInput),
        ({"category_caps": {"soul": 100_001}}, InvalidInput),
        ({"category_caps": {"weather": 2_000}}, InvalidInput),
        ({"budget_tokens": 30_000, "share_core": 51}, SharesNot100),
        ({"budget_tokens": 1, "share_core": 40, "share_episodic": 40}, BudgetOutOfRange),
        ({"budget_tokens": 30_000, "category_caps": {"weather": 2_000}}, InvalidInput),
    ],
)
def test_p45_a_change_is_all_or_nothing(actor: Actor, changes: dict[str, Any], error: type[RevellError]) -> None:
    """P2, P31: one wrong part refuses everything, with the range in the message."""
    before = dump()
    with pytest.raises(error) as refused:
        tenants.configure(actor, **changes)
    assert refused.type is error
    assert refused.value.errors
    if error is BudgetOutOfRange:
        assert "2,000 to 33,000" in refused.value.detail
    assert dump() == before


def test_p46_a_change_is_an_event_with_old_and_new_values(actor: Actor, clock: Clock) -> None:
    at = clock.forward(minutes=5)
    tenants.configure(actor, budget_tokens=33_000, share_core=40, share_episodic=40, category_caps={"soul": 5_000})
    event = Event.objects.get(verb="config.changed")
    assert (event.at, event.actor, event.via) == (at, "key rvl_testtest", "rest")
    assert event.what == {
        "old": {"budget_tokens": 22_000, "shares": [50, 20, 30], "category_caps": {}},
        "new": {"budget_tokens": 33_000, "shares": [40, 20, 40], "category_caps": {"soul": 5_000}},
    }


def test_p46_a_change_takes_effect_at_the_next_boot(actor: Actor) -> None:
    factories.remember_many(actor, 400, size=200)
    first = boot.serve(actor, request=BootRequest())
    tenants.configure(actor, budget_tokens=2_000)
    second = boot.serve(actor, request=BootRequest())
    assert first.size_bytes > 8_000 >= second.size_bytes
    assert (first.manifest["budget_tokens"], second.manifest["budget_tokens"]) == (22_000, 2_000)


def test_p46_changing_nothing_is_no_event(actor: Actor) -> None:
    before = dump()
    tenants.configure(actor, budget_tokens=22_000, share_core=50)
    tenants.configure(actor)
    assert dump() == before


def test_configuring_needs_its_scope_and_viewers_lack_it(actor: Actor) -> None:
    tenant = Tenant.objects.get(pk=actor.tenant)
    _, viewer = factories.person_in(tenant, Role.VIEWER)
    before = dump()
    for someone in (viewer, factories.without(actor, Scope.CONFIGURE)):
        with pytest.raises(NotPermitted) as refused:
            tenants.configure(someone, budget_tokens=33_000)
        assert refused.value.data["scope"] == "configure"
    assert dump() == before
    _, editor = factories.person_in(tenant, Role.EDITOR)
    assert tenants.configure(editor, budget_tokens=33_000).budget_tokens == 33_000


# Tenants and members -------------------------------------------------------------------------------------------------


def test_a_new_tenant_is_named_after_its_slug_and_a_taken_slug_is_a_conflict(actor: Actor) -> None:
    operator = factories.operator_in(Tenant.objects.get(pk=actor.tenant))
    made = tenants.create(operator, slug="night-watch")
    assert (made.name, made.budget_tokens) == ("night-watch", 22_000)
    event = Event.objects.get(tenant=made)
    assert (event.verb, event.what) == ("tenant.created", {"slug": "night-watch"})
    before = dump()
    with pytest.raises(Conflict):
        tenants.create(operator, slug="night-watch", name="Another")
    assert dump() == before
    assert get_tenant_by_slug(operator, slug="night-watch") == made


@pytest.mark.parametrize(
    "slug", ["", "Night", "night watch", "-night", "night-", "a--b", "x" * 51, "né", "a\x00b", "a/b"]
)
def test_a_bad_slug_is_refused(actor: Actor, slug: str) -> None:
    operator = factories.operator_in(Tenant.objects.get(pk=actor.tenant))
    with pytest.raises(InvalidInput):
        tenants.create(operator, slug=slug)
    with pytest.raises(NotFound):
        get_tenant_by_slug(operator, slug=slug)


@pytest.mark.parametrize("name", ["   ", "x" * 101, "two\nlines", "a\x00b", "a\u2028b", "\u200b", "\ud800"])
def test_a_bad_name_is_refused(actor: Actor, name: str) -> None:
    before = dump()
    with pytest.raises(InvalidInput):
        tenants.create(factories.operator_in(Tenant.objects.get(pk=actor.tenant)), slug="night-watch", name=name)
    assert dump() == before


def test_making_tenants_is_the_operators(actor: Actor) -> None:
    _, owner = factories.person_in(Tenant.objects.get(pk=actor.tenant), Role.OWNER)
    for someone in (actor, owner):
        with pytest.raises(NotPermitted):
            tenants.create(someone, slug="night-watch")


def test_a_member_has_one_role_and_each_change_is_an_event(tenant: Tenant) -> None:
    person, _ = factories.person_in(tenant, Role.VIEWER)
    tenants.set_member(factories.operator_in(tenant), person=person, role=Role.EDITOR)
    assert Membership.objects.get(person=person).role == "editor"
    verbs = Event.objects.filter(verb__startswith="member.").order_by("id").values_list("verb", flat=True)
    assert list(verbs) == ["member.added", "member.changed"]
    actor, _ = actor_of(person, slug=tenant.slug)
    assert actor.can(Scope.CONFIGURE)
    assert not actor.can(Scope.MANAGE)


@pytest.mark.parametrize("slug", ["nobody-there", "", "\x00", "\ud800", "x" * 5_000])
def test_a_person_without_membership_finds_no_agent(tenant: Tenant, slug: str) -> None:
    person = Person.objects.create_user("stranger")
    told = set()
    for one in (slug, tenant.slug):
        with pytest.raises(NotFound) as refused:
            actor_of(person, slug=one)
        told.add(refused.value.detail.replace(f"“{one}”", "“…”"))
    assert len(told) == 1


def test_a_person_sees_the_agents_they_belong_to_and_no_others(tenant: Tenant, other_tenant: Tenant) -> None:
    person, _ = factories.person_in(tenant, Role.VIEWER)
    agent = factories.agent_of(tenant)
    promises.make(agent, content="a note")
    boot.serve(agent, request=BootRequest())
    promises.make(factories.agent_of(other_tenant), content="another note")
    (seen,) = list_for_person(person)
    assert (seen.tenant, seen.role, seen.pending, seen.used_bytes, seen.cap_bytes) == (tenant, "viewer", 1, 6, 8_800)
    assert seen.last_boot is not None
    assert seen.last_boot.number == 1


def test_an_administrator_is_made_once(actor: Actor) -> None:
    operator = factories.operator_in(Tenant.objects.get(pk=actor.tenant))
    person = people.create_administrator(operator, username="keeper", password="a-long-password")
    assert person.is_superuser
    with pytest.raises(Conflict):
        people.create_administrator(operator, username="keeper", password="another-password")
    with pytest.raises(NotPermitted):
        people.create_administrator(actor, username="intruder", password="a-long-password")


@pytest.mark.parametrize("username", ["", "  ", "a\x00b", "x" * 151, "\ud800"])
def test_an_administrator_needs_a_name(actor: Actor, username: str) -> None:
    operator = factories.operator_in(Tenant.objects.get(pk=actor.tenant))
    with pytest.raises(InvalidInput) as refused:
        people.create_administrator(operator, username=username, password="a-long-password")
    assert list(refused.value.errors) == ["username"]


def test_every_category_has_a_cap(actor: Actor) -> None:
    assert set(get_config(actor).category_caps) == set(Category)
