"""No operation reaches another tenant: its ids answer as ids that do not exist, in the same words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.errors import NotFound
from memories.models import Person, Tenant
from memories.selectors import boot as boot_rows
from memories.selectors import capsules as capsule_rows
from memories.selectors import events as event_rows
from memories.selectors import keys as key_rows
from memories.selectors import memories as memory_rows
from memories.selectors import promises as promise_rows
from memories.selectors import recall as recall_rows
from memories.selectors import tenants as tenant_rows
from memories.services import boot, capsules, keys, memories, promises, tenants
from tests import factories
from tests.services.tables import dump

pytestmark = pytest.mark.django_db

# Each takes the number of something that is another tenant's.
BY_NUMBER: dict[str, Callable[[Actor, int], Any]] = {
    "release": lambda actor, n: promises.release(actor, number=n),
    "acknowledge": lambda actor, n: boot.acknowledge(actor, number=n),
    "get_boot": lambda actor, n: boot_rows.get_boot(actor, number=n),
    "get_memory": lambda actor, n: memory_rows.get_memory(actor, number=n),
    "list_revisions": lambda actor, n: memory_rows.list_revisions(actor, number=n),
    "revise": lambda actor, n: memories.revise(actor, number=n, changes={"content": "stolen"}),
    "revise, knowing the version": lambda actor, n: memories.revise(
        actor, number=n, changes={"content": "stolen"}, version=1
    ),
    "archive": lambda actor, n: memories.archive(actor, number=n),
    "restore": lambda actor, n: memories.restore(actor, number=n),
    "forget": lambda actor, n: memories.forget(actor, number=n),
    "get_capsule": lambda actor, n: capsule_rows.get_capsule(actor, number=n),
    "set_tier": lambda actor, n: capsules.set_tier(actor, number=n, tier="archived"),
    "forget a capsule": lambda actor, n: capsules.forget(actor, number=n, reason="stolen"),
}

SECRET = "zebra of the other tenant"


@pytest.fixture
def theirs(other_actor: Actor) -> Actor:
    """Another tenant with three of everything; its numbers 1 to 3 exist there and nowhere else."""
    for n in (1, 2, 3):
        factories.remember(other_actor, content=f"{SECRET} {n}", tags=("stripes",))
        promises.make(other_actor, content=f"{SECRET} promised {n}")
        boot.serve(other_actor, request=BootRequest())
        capsules.capture(
            other_actor, values={"content": f"{SECRET} captured {n}", "kind": "decision", "project_id": "a/b"}
        )
    return other_actor


@pytest.mark.parametrize("operation", list(BY_NUMBER))
def test_another_tenants_number_is_not_found(actor: Actor, theirs: Actor, operation: str) -> None:
    """P12: a person with every right in their own tenant too. The words are those of a number nobody has."""
    _, owner = factories.person_in(Tenant.objects.get(pk=actor.tenant), Role.OWNER)
    act = BY_NUMBER[operation]
    before = dump()
    told = set()
    for someone in (actor, factories.operator_in(Tenant.objects.get(pk=actor.tenant))):
        for number in (1, 2, 3, 999):
            with pytest.raises(NotFound) as refused:
                act(someone, number)
            assert refused.value.data == {}
            told.add(refused.value.detail.replace(f"-{number}", "-N"))
    assert len(told) == 1
    assert dump() == before
    if operation not in ("acknowledge",):
        with pytest.raises(NotFound):
            act(owner, 1)


def test_the_operations_are_all_there() -> None:
    """Every service and selector that takes a number or a prefix is asked above, or here by name."""
    asked_elsewhere = {
        "boot.decay": "has no answer to tell apart: below",
        "boot.find_boot_before": "answers with one's own boot or none: below",
        "memories.new_row": "makes a row for the tenant it is given and looks nothing up",
        "capsules.new_row": "makes a row for the tenant it is given and looks nothing up",
        "keys.get_key": "through keys.revoke: tests/services/test_keys.py",
        "keys.revoke": "tests/services/test_keys.py",
    }
    modules = (promises, boot, memories, capsules, keys, boot_rows, memory_rows, capsule_rows, key_rows, promise_rows)
    found = set()
    for module in modules:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            public = function.__module__ == module.__name__ and not name.startswith("_")
            if public and {"number", "boot", "prefix"} & set(inspect.signature(function).parameters):
                found.add(f"{module.__name__.rsplit('.', 1)[1]}.{name}")
    covered = {
        "promises.release", "boot.acknowledge", "boot.get_boot", "memories.get_memory", "memories.list_revisions",
        "memories.revise", "memories.archive", "memories.restore", "memories.forget", "capsules.get_capsule",
        "capsules.set_tier", "capsules.forget",
    }  # fmt: skip
    assert found == covered | set(asked_elsewhere)


def test_decaying_another_tenants_boot_does_nothing(actor: Actor, theirs: Actor) -> None:
    before = dump()
    assert boot.decay(actor, boot=1) == []
    assert boot_rows.find_boot_before(actor, number=99) is None
    assert dump() == before


def test_relations_to_another_tenants_capsules_are_not_found(actor: Actor, theirs: Actor) -> None:
    capsules.capture(actor, values={"content": "mine", "kind": "decision", "project_id": "a/b"})
    before = dump()
    told = set()
    for number in (2, 3, 999):
        with pytest.raises(NotFound) as refused:
            capsules.relate(actor, kind="blocks", source="cap-1", target=f"cap-{number}")
        told.add(repr(refused.value.detail).replace(f"cap-{number}", "cap-N"))
    assert len(told) == 1
    assert dump() == before


@pytest.mark.parametrize(
    "read",
    [
        promise_rows.list_pending,
        promise_rows.list_served,
        lambda actor: boot_rows.page_boots(actor, limit=50),
        lambda actor: memory_rows.page_memories(actor, where=memory_rows.MemoryFilter()),
        lambda actor: memory_rows.page_memories(actor, where=memory_rows.MemoryFilter(tags=("stripes",))),
        memory_rows.page_bin,
        memory_rows.get_use,
        memory_rows.count_by_type,
        key_rows.list_keys,
        lambda actor: event_rows.page_events(actor, verb="promise.made"),
        lambda actor: recall_rows.recall(actor, query=recall_rows.RecallQuery("zebra")).hits,
        lambda actor: boot.preview(actor, request=BootRequest(context_hint="zebra stripes")).text,
        tenant_rows.get_config,
        capsule_rows.list_projects,
        capsule_rows.list_aliases,
        lambda actor: capsule_rows.list_page(actor, arguments={}),
        lambda actor: capsule_rows.retrieve(actor, arguments={"terms": ["zebra"]}),
        lambda actor: capsule_rows.bootstrap(actor, arguments={"project_id": "a/b"}),
    ],
)
def test_no_list_shows_what_is_another_tenants(actor: Actor, other_actor: Actor, read: Callable[[Actor], Any]) -> None:
    """The answer is the same before and after the other tenant fills its space."""
    before = repr(read(actor))
    for n in (1, 2, 3):
        factories.remember(other_actor, content=f"{SECRET} {n}", tags=("stripes",))
        factories.remember(other_actor, "core", f"{SECRET} core {n}")
        memories.forget(other_actor, number=factories.remember(other_actor, content=f"{SECRET} gone {n}").number)
        promises.make(other_actor, content=f"{SECRET} promised {n}")
        served = boot.serve(other_actor, request=BootRequest())
        boot.decay(other_actor, boot=served.boot)
        capsules.capture(
            other_actor, values={"content": f"{SECRET} captured {n}", "kind": "decision", "project_id": "a/b"}
        )
        factories.issue_key(Tenant.objects.get(pk=other_actor.tenant))
    after = repr(read(actor))
    assert after == before
    assert SECRET not in after


def test_neighbours_share_keys_names_and_numbers_freely(actor: Actor, other_actor: Actor) -> None:
    """Uniqueness is per tenant: what one writes never refuses the other."""
    for agent in (actor, other_actor):
        core = factories.remember(agent, "core", "same", key="k", category="soul")
        working = factories.remember(agent, "working", "same", key="k")
        made = promises.make(agent, content="same")
        served = boot.serve(agent, request=BootRequest(idempotency_key="same"))
        assert (core.number, working.number, made.promise.number, served.boot, served.repeat) == (1, 2, 1, 1, False)


def test_a_person_of_two_tenants_is_held_to_the_one_they_act_in(tenant: Tenant, other_tenant: Tenant) -> None:
    person = Person.objects.create_user("reader")
    tenants.set_member(factories.operator_in(tenant), person=person, role=Role.OWNER)
    tenants.set_member(factories.operator_in(other_tenant), person=person, role=Role.VIEWER)
    factories.remember(factories.agent_of(other_tenant), content="theirs")
    here, _ = tenant_rows.actor_of(person, slug=tenant.slug)
    there, _ = tenant_rows.actor_of(person, slug=other_tenant.slug)
    assert (here.role, there.role) == (Role.OWNER, Role.VIEWER)
    with pytest.raises(NotFound):
        memory_rows.get_memory(here, number=1)
    assert memory_rows.get_memory(there, number=1).content == "theirs"


def test_an_actor_of_a_tenant_that_is_gone_finds_nothing(tenant: Tenant) -> None:
    """Between a key's check and its call the tenant may go: that is an answer, not a fault."""
    actor = factories.agent_of(tenant)
    operator = factories.operator_in(tenant)
    factories.remember(actor)
    Tenant.objects.filter(pk=tenant.pk).delete()
    before = dump()
    for act in (
        lambda: promises.make(actor, content="note"),
        lambda: promises.release(actor, number=1),
        lambda: promise_rows.list_pending(actor),
        lambda: boot.serve(actor, request=BootRequest()),
        lambda: boot.preview(actor, request=BootRequest()),
        lambda: boot.acknowledge(actor, number=1),
        lambda: factories.remember(actor),
        lambda: memories.archive(actor, number=1),
        lambda: tenants.configure(actor, budget_tokens=3_000),
        lambda: tenant_rows.get_config(actor),
        lambda: keys.issue(operator, name="n", scopes=["read"]),
    ):
        with pytest.raises(NotFound):
            act()
    assert recall_rows.recall(actor, query=recall_rows.RecallQuery("something")).hits == []
    assert dump() == before
