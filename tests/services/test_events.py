"""The account of what happened: each write is one event, no read is one, and none holds a content or a secret."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memories.engine.actor import Actor, Via
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Acknowledge, Role, Scope
from memories.engine.memories import MemoryDraft, MemoryType
from memories.errors import NotPermitted, RevellError
from memories.models import Event, Person, Tenant
from memories.selectors import boot as boots
from memories.selectors import keys as key_rows
from memories.selectors import memories as memory_rows
from memories.selectors import promises as promise_rows
from memories.selectors.events import page_events
from memories.selectors.recall import RecallQuery, recall
from memories.selectors.tenants import get_config
from memories.services import boot, keys, memories, promises, retention, tenants
from tests import factories
from tests.services.conftest import Clock

pytestmark = pytest.mark.django_db

CONTENT = "a very secret content"


def new_events(act: Callable[[], Any]) -> list[Event]:
    """The events that `act` wrote."""
    last = Event.objects.order_by("-id").values_list("id", flat=True).first() or 0
    act()
    return list(Event.objects.filter(id__gt=last).order_by("id"))


def test_every_write_is_exactly_one_event(actor: Actor, clock: Clock) -> None:
    tenant = Tenant.objects.get(pk=actor.tenant)
    operator = factories.operator_in(tenant)
    _, owner = factories.person_in(tenant, Role.OWNER)
    person = Person.objects.create_user("reader")
    explicit = BootRequest(acknowledge=Acknowledge.EXPLICIT)
    prefix = ""

    def issue() -> None:
        nonlocal prefix
        prefix = keys.issue(owner, name="night watch", scopes=["read"]).key.prefix

    def core(content: str) -> MemoryDraft:
        return MemoryDraft(MemoryType.CORE, content, category="soul", key="k")

    writes: list[tuple[Actor, Callable[[], Any], str, dict[str, Any]]] = [
        (actor, lambda: promises.make(actor, content=CONTENT), "promise.made",
         {"promise": "prm-1", "size_bytes": 21}),
        (actor, lambda: boot.serve(actor, request=BootRequest()), "boot.served",
         {"boot": "boot-1", "channel": "agent", "promises": ["prm-1"]}),
        (actor, lambda: boot.decay(actor, boot=1), "promise.decayed",
         {"memory": "mem-1", "size_bytes": 21}),
        (actor, lambda: promises.make(actor, content=CONTENT), "promise.made", {"promise": "prm-2"}),
        (owner, lambda: promises.release(owner, number=2), "promise.released", {"promise": "prm-2"}),
        (actor, lambda: boot.serve(actor, request=explicit), "boot.served", {"boot": "boot-2", "promises": []}),
        (actor, lambda: boot.acknowledge(actor, number=2), "boot.acknowledged", {"boot": "boot-2"}),
        (actor, lambda: memories.remember(actor, draft=core(CONTENT)), "memory.remembered",
         {"memory": "mem-2", "type": "core", "created": True, "size_bytes": 21}),
        (actor, lambda: memories.remember(actor, draft=core("again")), "memory.remembered",
         {"memory": "mem-2", "created": False, "size_bytes": 5}),
        (actor, lambda: memories.remember_many(actor, drafts=[MemoryDraft(MemoryType.EPISODIC, CONTENT)] * 3),
         "memory.remembered", {"memories": 3, "created": 3, "size_bytes": 63}),
        (owner, lambda: memories.revise(owner, number=2, changes={"content": CONTENT}), "memory.revised",
         {"memory": "mem-2", "version": 3}),
        (actor, lambda: memories.archive(actor, number=2), "memory.archived", {"memory": "mem-2"}),
        (actor, lambda: memories.restore(actor, number=2), "memory.restored", {"memory": "mem-2"}),
        (actor, lambda: memories.forget(actor, number=2), "memory.forgotten", {"memory": "mem-2"}),
        (actor, lambda: tenants.configure(actor, budget_tokens=30_000), "config.changed", {}),
        (operator, lambda: tenants.set_member(operator, person=person, role=Role.VIEWER), "member.added",
         {"person": "reader", "role": "viewer"}),
        (operator, lambda: tenants.set_member(operator, person=person, role=Role.EDITOR), "member.changed",
         {"person": "reader", "role": "editor"}),
        (owner, issue, "key.issued", {"name": "night watch", "scopes": ["read"]}),
        (owner, lambda: keys.revoke(owner, prefix=prefix), "key.revoked", {}),
        (operator, lambda: clock.forward(days=31) and retention.sweep(operator), "memory.destroyed",
         {"memories": ["mem-2"]}),
    ]  # fmt: skip
    for who, act, verb, what in writes:
        clock.forward(seconds=1)
        (event,) = new_events(act)
        assert event.verb == verb
        assert (event.tenant_id, event.actor, event.via, event.at) == (tenant.pk, who.label, who.via, clock.now)
        assert event.what | what == event.what, verb
    told = json.dumps([event.what for event in Event.objects.all()])
    assert CONTENT not in told
    assert "secret" not in told


def test_writes_of_several_facts_are_one_event_each(actor: Actor, clock: Clock) -> None:
    """A boot that ends working memories on its way tells both; each promise that decays is told by itself."""
    factories.remember(actor, "working", "state", key="k")
    clock.forward(days=9)
    promises.make(actor, content="one")
    promises.make(actor, content="two")
    verbs = [event.verb for event in new_events(lambda: boot.serve(actor, request=BootRequest()))]
    assert verbs == ["memory.ended", "boot.served"]
    verbs = [event.verb for event in new_events(lambda: boot.decay(actor, boot=1))]
    assert verbs == ["promise.decayed", "promise.decayed"]


def test_no_read_and_no_refusal_is_an_event(actor: Actor) -> None:
    """P34: previews among them."""
    number = factories.remember(actor, content="zebra").number
    promises.make(actor, content="note")
    boot.serve(actor, request=BootRequest())

    def read_everything() -> None:
        boot.preview(actor, request=BootRequest(context_hint="zebra"))
        recall(actor, query=RecallQuery("zebra"))
        memory_rows.page_memories(actor, where=memory_rows.MemoryFilter())
        memory_rows.page_bin(actor)
        memory_rows.get_memory(actor, number=number)
        memory_rows.list_revisions(actor, number=number)
        promise_rows.list_pending(actor)
        promise_rows.list_served(actor)
        boots.page_boots(actor, limit=10)
        boots.get_boot(actor, number=1)
        key_rows.list_keys(actor)
        get_config(actor)
        page_events(actor)

    def be_refused() -> None:
        for act in (
            lambda: promises.make(actor, content=""),
            lambda: promises.make(actor, content="x" * 9_000),
            lambda: promises.release(actor, number=99),
            lambda: memories.forget(actor, number=99),
            lambda: memories.revise(actor, number=number, changes={"content": "x"}, version=9),
            lambda: tenants.configure(actor, budget_tokens=1),
            lambda: boot.acknowledge(actor, number=99),
            lambda: keys.issue(actor, name="n", scopes=["read"]),
        ):
            with pytest.raises(RevellError):
                act()

    assert new_events(read_everything) == []
    assert new_events(be_refused) == []


def test_events_are_listed_newest_first_and_by_verb(actor: Actor, other_actor: Actor) -> None:
    factories.remember(other_actor)
    for content in ("one", "two"):
        promises.make(actor, content=content)
    promises.release(actor, number=1)
    listed = page_events(actor).results
    assert [event.verb for event in listed][:3] == ["promise.released", "promise.made", "promise.made"]
    assert {event.tenant_id for event in listed} == {actor.tenant}
    assert [event.what["promise"] for event in page_events(actor, verb="promise.made").results] == ["prm-2", "prm-1"]
    assert page_events(actor, verb="no.such").total == 0
    with pytest.raises(NotPermitted):
        page_events(factories.without(actor, Scope.READ))


def test_an_event_tells_the_skin(actor: Actor, tenant: Tenant) -> None:
    secret = factories.issue_key(tenant)
    for via in (Via.REST, Via.MCP):
        promises.make(keys.authenticate(secret, via=via), content=f"by {via}")
    told = Event.objects.filter(verb="promise.made").order_by("id").values_list("via", "actor")
    label = f"key rvl_{secret.split('_')[1]}"
    assert list(told) == [("rest", label), ("mcp", label)]
