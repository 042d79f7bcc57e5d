"""What tests act on: tenants, actors, memories. Everything is made through the services, as in real life."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime
from typing import Any

from memories.engine.actor import Actor, Via, operator
from memories.engine.delivery import BootRequest
from memories.engine.kinds import KEY_SCOPES, ROLE_SCOPES, MemoryType, Role, Scope, Source
from memories.engine.memories import MemoryDraft
from memories.models import Capsule, Memory, Person, Tenant
from memories.services import boot, capsules, keys, memories, promises, tenants

_numbers = itertools.count(1)


def make_tenant(name: str = "Clawbert", **config: Any) -> Tenant:
    """A new tenant; `config` as for `tenants.configure`."""
    tenant = tenants.create(operator(Via.COMMAND), slug=f"agent-{next(_numbers)}", name=name)
    if config:
        tenant = tenants.configure(operator_in(tenant), **config)
    return tenant


def operator_in(tenant: Tenant) -> Actor:
    return operator(Via.COMMAND, tenant_id=tenant.pk)


def agent_of(tenant: Tenant, *scopes: Scope | str) -> Actor:
    """An agent with all key scopes, or only those given. No key row stands behind it."""
    return Actor(
        tenant_id=tenant.pk,
        scopes=frozenset(Scope(scope) for scope in scopes or KEY_SCOPES),
        via=Via.REST,
        label="key rvl_testtest",
        source=Source.AGENT,
        key_id=1,
    )


def person_in(tenant: Tenant, role: Role = Role.OWNER, *, username: str = "") -> tuple[Person, Actor]:
    """A person who signs in with the password `a-long-password`, and the actor they are in the tenant."""
    person = Person.objects.create_user(username=username or f"person-{next(_numbers)}", password="a-long-password")
    tenants.set_member(operator_in(tenant), person=person, role=role)
    actor = Actor(
        tenant_id=tenant.pk,
        scopes=ROLE_SCOPES[role],
        via=Via.PAGE,
        label=person.get_username(),
        source=Source.HUMAN,
        person_id=person.pk,
        role=role,
    )
    return person, actor


def issue_key(tenant: Tenant, *scopes: Scope | str, **options: Any) -> str:
    """The secret of a real key with all scopes, or only those given."""
    chosen = [str(scope) for scope in scopes or KEY_SCOPES]
    return keys.issue(operator_in(tenant), name="test", scopes=chosen, **options).secret


def remember(actor: Actor, type: str = "episodic", content: str = "something happened", **fields: Any) -> Memory:
    """One stored memory; a core one is in soul, and keyed ones get a key of their own when none is given."""
    kind = MemoryType(type)
    if kind in (MemoryType.CORE, MemoryType.WORKING):
        fields.setdefault("key", f"key-{next(_numbers)}")
    if kind is MemoryType.CORE:
        fields.setdefault("category", "soul")
    return memories.remember(actor, draft=MemoryDraft(kind, content, **fields)).memory


def remember_many(actor: Actor, count: int, *, size: int = 60, at: datetime | None = None) -> None:
    """`count` episodic memories of `size` characters, in batches."""
    drafts = [MemoryDraft(MemoryType.EPISODIC, f"note {n} ".ljust(size, "."), occurred_at=at) for n in range(count)]
    for at_draft in range(0, count, 500):
        memories.remember_many(actor, drafts=drafts[at_draft : at_draft + 500])


def served_promise(actor: Actor, *, content: str = "see this now") -> tuple[str, str]:
    """The ids of a boot and of a promise that it showed and that is still pending, because nothing decayed yet."""
    promise = promises.make(actor, content=content).promise
    return f"boot-{boot.serve(actor, request=BootRequest()).boot}", str(promise)


def without(actor: Actor, *scopes: Scope) -> Actor:
    return replace(actor, scopes=actor.scopes - set(scopes))


def capture(actor: Actor, content: str = "the quay is long", kind: str = "fact", **values: Any) -> Capsule:
    """One stored capsule, in project nott when none is given."""
    given = {"content": content, "kind": kind, "project_id": "nott", **values}
    return capsules.capture(actor, values=given)[0].capsule
