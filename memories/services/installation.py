"""The first agent of an empty installation, with everything it needs to be looked at and to boot, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction

from memories.engine.actor import Actor
from memories.engine.kinds import KEY_SCOPES, Scope
from memories.errors import Conflict
from memories.models import Person, Tenant
from memories.selectors.installation import get_installation
from memories.services import capsule_imports, keys, people, promises, tenants, workspaces


@dataclass(frozen=True, slots=True)
class SetUp:
    """What was made. `secret` is the API key: this is the only moment at which it exists."""

    administrator: Person
    tenant: Tenant
    secret: str
    memories: int
    promises: int
    capsules: int


@transaction.atomic
def set_up(
    actor: Actor,
    *,
    username: str,
    password: str,
    slug: str,
    name: str,
    files: Mapping[str, bytes],
    notes: Sequence[str],
    findings: Mapping[str, bytes],
) -> SetUp:
    """An administrator who owns one agent and a key for it, and what the agent begins with.

    That are memories from the workspace `files`, promises from `notes`, capsules from the files `findings`. One
    transaction: a fault half-way leaves nothing. Conflict when the installation is not empty.
    """
    actor.require(Scope.OPERATE)
    if not get_installation(actor).is_empty:
        raise Conflict("This installation is set up already; nothing was changed.")
    administrator = people.create_administrator(actor, username=username, password=password)
    tenant = tenants.create(actor, slug=slug, name=name, owner=administrator)
    inside = replace(actor, tenant_id=tenant.pk)
    brought = workspaces.apply(inside, files=files)
    if brought.problems:
        raise Conflict("The workspace does not come in whole: " + "; ".join(map(str, brought.problems)))
    for note in notes:
        promises.make(inside, content=note)
    found = capsule_imports.apply(inside, files=findings)
    issued = keys.issue(inside, name="quickstart", scopes=KEY_SCOPES)
    return SetUp(
        administrator,
        tenant,
        issued.secret,
        memories=len(brought.steps),
        promises=len(notes),
        capsules=found.new,
    )
