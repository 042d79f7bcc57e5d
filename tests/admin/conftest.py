"""The operator, signed in to the admin, and one row of everything to look at."""

from __future__ import annotations

import pytest
from django.test import Client

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.models import Person, Tenant
from memories.services import boot, capsules, invitations, memories, promises
from tests import factories

# What the admin lists, as its addresses name it.
KINDS = (
    "tenant",
    "membership",
    "apikey",
    "person",
    "memory",
    "promise",
    "boot",
    "event",
    "invitation",
    "capsule",
    "capsulerelation",
    "termalias",
)


@pytest.fixture
def operator_client(db: None) -> Client:
    client = Client(raise_request_exception=True)
    client.force_login(
        Person.objects.create_superuser("operator", password="a-long-password"),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    return client


def fill(tenant: Tenant, times: int = 1) -> None:
    """`times` rows of every kind that a tenant holds."""
    actor = factories.agent_of(tenant)
    for number in range(times):
        factories.person_in(tenant, Role.EDITOR)
        factories.issue_key(tenant)
        memory = factories.remember(actor, content=f"first {number}", tags=("a", "b"))
        memories.revise(actor, number=memory.number, changes={"content": f"second {number}"})
        promises.make(actor, content=f"served {number}")
        invitations.make(factories.operator_in(tenant), role=Role.VIEWER)
        decision = {"kind": "decision", "project_id": "atlas"}
        known, _ = capsules.capture(actor, values={**decision, "content": f"known {memory.number}"})
        newer = {**decision, "content": f"newer {memory.number}", "supersedes": [str(known.capsule)]}
        capsules.capture(actor, values=newer)
        capsules.set_tier(actor, number=known.capsule.number, tier="archived")
        capsules.alias(actor, term=f"term {memory.number}", alias=f"alias {memory.number}")
        boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    for number in range(times):
        promises.make(actor, content=f"pending {number}")


def address(kind: str, *parts: object) -> str:
    return "/".join(("/admin/memories", kind, *map(str, parts), ""))
