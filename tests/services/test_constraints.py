"""The database refuses what the services refuse, also to a hand that goes past them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import CheckConstraint, Model, UniqueConstraint
from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.models import (
    ApiKey,
    Boot,
    Capsule,
    CapsuleRelation,
    Event,
    Invitation,
    Membership,
    Memory,
    MemoryRevision,
    MemoryTag,
    Promise,
    ServedPromise,
    Tenant,
    TermAlias,
    TierChange,
    Upload,
)
from memories.services import boot, capsules, invitations, memories, promises, uploads
from tests import factories

pytestmark = pytest.mark.django_db

# constraint: (model, which row, what a hand would write there)
CHECKS: dict[str, list[tuple[type[Model], dict[str, Any], dict[str, Any]]]] = {
    "tenant_budget_in_range": [
        (Tenant, {}, {"budget_tokens": 1_999}),
        (Tenant, {}, {"budget_tokens": 33_001}),
    ],
    "tenant_shares_make_100": [
        (Tenant, {}, {"share_core": 51}),
        (Tenant, {}, {"share_core": 0}),
    ],
    "tenant_has_name": [(Tenant, {}, {"name": ""})],
    "membership_role_known": [(Membership, {}, {"role": "admin"})],
    "apikey_has_hash": [(ApiKey, {}, {"secret_hash": ""})],
    "invitation_role_known": [(Invitation, {}, {"role": "admin"})],
    "invitation_has_hash": [(Invitation, {}, {"code_hash": ""}), (Invitation, {}, {"prefix": ""})],
    "invitation_ends_later": [(Invitation, {}, {"expires_at": timezone.now() - timedelta(days=900)})],
    "memory_type_known": [(Memory, {"type": "episodic"}, {"type": "dream"})],
    "memory_source_known": [(Memory, {"type": "episodic"}, {"source": "elsewhere"})],
    "memory_importance_0_to_1": [
        (Memory, {"type": "episodic"}, {"importance": 1.01}),
        (Memory, {"type": "episodic"}, {"importance": -0.01}),
    ],
    "memory_size_in_range": [
        (Memory, {"type": "episodic"}, {"size_bytes": 0}),
        (Memory, {"type": "episodic"}, {"size_bytes": 32_769}),
    ],
    "memory_core_has_category_and_key": [
        (Memory, {"type": "core"}, {"category": "weather"}),
        (Memory, {"type": "core"}, {"category": ""}),
        (Memory, {"type": "core"}, {"key": ""}),
    ],
    "memory_working_has_key": [(Memory, {"type": "working"}, {"key": ""})],
    "memory_axiom_short_with_category": [
        (Memory, {"type": "axiom"}, {"size_chars": 251}),
        (Memory, {"type": "axiom"}, {"category": ""}),
    ],
    "memory_semantic_has_triple": [
        (Memory, {"type": "semantic"}, {"subject": ""}),
        (Memory, {"type": "semantic"}, {"predicate": ""}),
        (Memory, {"type": "semantic"}, {"object": ""}),
    ],
    "memory_version_from_1": [(Memory, {"type": "episodic"}, {"version": 0})],
    "promise_not_empty": [(Promise, {}, {"size_bytes": 0})],
    "boot_channel_known": [(Boot, {}, {"channel": "dashboard"})],
    "boot_acknowledge_known": [(Boot, {}, {"acknowledge": "never"})],
    "servedpromise_outcome_known": [(ServedPromise, {}, {"outcome": "lost"})],
    "capsule_kind_known": [(Capsule, {}, {"kind": "rumour"})],
    "capsule_tier_known": [(Capsule, {}, {"tier": "gold"})],
    "capsule_confidence_0_to_1": [
        (Capsule, {}, {"confidence": 1.01}),
        (Capsule, {}, {"confidence": -0.01}),
    ],
    "capsule_has_project": [(Capsule, {}, {"project_id": ""})],
    "capsule_valid_in_order": [(Capsule, {}, {"valid_to": timezone.now() - timedelta(days=900)})],
    "capsule_whole_or_tombstone": [
        (Capsule, {}, {"content": ""}),
        (Capsule, {}, {"content_hash": ""}),
        (Capsule, {}, {"forgotten_at": timezone.now(), "content": "", "content_hash": ""}),
        (Capsule, {}, {"forgotten_at": timezone.now(), "forgotten_reason": "kept"}),
    ],
    "capsulerelation_kind_known": [(CapsuleRelation, {}, {"kind": "likes"})],
    "tierchange_old_known": [(TierChange, {}, {"old": "gold"})],
    "tierchange_new_known": [(TierChange, {}, {"new": "gold"})],
    "termalias_says_something": [
        (TermAlias, {}, {"term": ""}),
        (TermAlias, {}, {"alias": ""}),
    ],
}


def copy_of(row: Model, **changes: Any) -> None:
    """The same row once more, under a key of its own."""
    row.pk = None
    row._state.adding = True
    for field, value in changes.items():
        setattr(row, field, value)
    row.save(force_insert=True)


# constraint: how a hand would write the second row
UNIQUES: dict[str, Callable[[], Any]] = {
    "membership_once_per_tenant": lambda: copy_of(Membership.objects.get(), role="viewer"),
    "memory_number_once": lambda: copy_of(Memory.objects.get(type="episodic")),
    "memory_core_key_once": lambda: copy_of(Memory.objects.get(type="core"), number=900),
    "memory_working_key_once": lambda: copy_of(Memory.objects.get(type="working"), number=900),
    "memorytag_once": lambda: copy_of(MemoryTag.objects.get(), position=9),
    "memoryrevision_once": lambda: copy_of(MemoryRevision.objects.get()),
    "promise_number_once": lambda: copy_of(Promise.objects.get(), content="another"),
    "boot_number_once": lambda: copy_of(Boot.objects.get(number=1)),
    "servedpromise_once_per_boot": lambda: copy_of(ServedPromise.objects.get(), outcome="released"),
    "servedpromise_decays_once": lambda: copy_of(ServedPromise.objects.get(), boot=Boot.objects.get(number=2)),
    "capsule_number_once": lambda: copy_of(Capsule.objects.get(number=1), content_hash="other"),
    "capsule_content_once_per_project": lambda: copy_of(Capsule.objects.get(number=1), number=900),
    "capsulerelation_once": lambda: copy_of(CapsuleRelation.objects.get()),
    "upload_once_per_person": lambda: copy_of(Upload.objects.get(), files=9),
    "termalias_once": lambda: copy_of(TermAlias.objects.get()),
}


@pytest.fixture
def rows(actor: Actor, tenant: Tenant) -> Actor:
    """One row of every kind."""
    _, person = factories.person_in(tenant)
    uploads.keep(person, files={"SOUL.md": b"# Soul"})
    factories.issue_key(tenant)
    invitations.make(factories.operator_in(tenant), role=Role.VIEWER)
    for kind in ("core", "working", "axiom"):
        factories.remember(actor, kind, "x")
    factories.remember(actor, "semantic", "", subject="a", predicate="b", object="c")
    promises.make(actor, content="a note that decays")
    boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    boot.serve(actor, request=BootRequest())
    promises.make(actor, content="a note")
    number = Memory.objects.get(type="episodic").number
    memories.revise(actor, number=number, changes={"content": "changed"})
    for content in ("one", "two"):
        capsules.capture(actor, values={"content": content, "kind": "decision", "project_id": "a/b"})
    capsules.relate(actor, kind="blocks", source="cap-1", target="cap-2")
    capsules.set_tier(actor, number=1, tier="archived")
    capsules.alias(actor, term="db", alias="database")
    return actor


@pytest.mark.parametrize("name", list(CHECKS))
def test_the_database_refuses_what_a_check_forbids(rows: Actor, name: str) -> None:
    for model, where, values in CHECKS[name]:
        found = model._default_manager.filter(**where)
        assert found.exists(), model
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            found.update(**values)


def test_the_database_refuses_a_capsule_that_relates_to_itself(rows: Actor) -> None:
    relation = CapsuleRelation.objects.get()
    with pytest.raises(IntegrityError, match="capsulerelation_not_to_itself"), transaction.atomic():
        CapsuleRelation.objects.filter(pk=relation.pk).update(target=relation.source)


@pytest.mark.parametrize("name", list(UNIQUES))
def test_the_database_refuses_the_second_of_what_is_once(rows: Actor, name: str) -> None:
    """PostgreSQL names the constraint; SQLite names its columns."""
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        UNIQUES[name]()
    if connection.vendor == "postgresql":
        assert name in str(refused.value)
    else:
        assert "UNIQUE" in str(refused.value)


def test_what_is_in_the_bin_or_open_does_not_count_as_the_first(rows: Actor) -> None:
    """The conditions of the unique constraints: a forgotten key is free, an outcome that is no decay may repeat."""
    core = Memory.objects.get(type="core")
    Memory.objects.filter(pk=core.pk).update(forgotten_at=timezone.now())
    copy_of(core, number=900)
    copy_of(ServedPromise.objects.get(), boot=Boot.objects.get(number=2), outcome="decayed_elsewhere")
    assert Memory.objects.filter(type="core").count() == 2
    assert ServedPromise.objects.count() == 2


def test_every_constraint_is_tried() -> None:
    """A new constraint needs a case here."""
    named = {
        constraint.name
        for model in apps.get_app_config("memories").get_models()
        for constraint in model._meta.constraints
        if isinstance(constraint, CheckConstraint | UniqueConstraint)
    }
    assert named == {*CHECKS, *UNIQUES, "capsulerelation_not_to_itself"}


def test_numbers_may_be_the_same_in_two_tenants(rows: Actor, other_tenant: Tenant) -> None:
    promise = Promise.objects.get()
    copy_of(promise, tenant=other_tenant)
    assert Promise.objects.filter(number=promise.number).count() == 2


def test_what_a_tenant_owns_goes_with_it(rows: Actor, tenant: Tenant, other_tenant: Tenant) -> None:
    """And nothing of another tenant goes."""
    neighbour = factories.agent_of(other_tenant)
    factories.remember(neighbour)
    Tenant.objects.filter(pk=tenant.pk).delete()
    for model in apps.get_app_config("memories").get_models():
        if any(field.name == "tenant" for field in model._meta.fields):
            left = model._default_manager.values_list("tenant_id", flat=True)
            assert set(left) <= {other_tenant.pk}, model
    assert Memory.objects.count() == 1
    assert Event.objects.filter(tenant=other_tenant).exists()
