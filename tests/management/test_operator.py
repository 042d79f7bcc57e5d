"""The operator's small commands: tenants, keys, members, sweeps. Exit codes are in `test_process.py`."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.engine.actor import Actor, Via
from memories.engine.kinds import Scope
from memories.errors import BudgetOutOfRange, Conflict, InvalidInput, NotAuthenticated, NotFound, SharesNot100
from memories.models import ApiKey, Event, Memory, Tenant
from memories.services import keys
from tests import factories


def test_create_tenant_prints_exactly_slug_and_name_as_json(command):
    printed = command("create_tenant", "night-watch", "--name", "Night Watch", "--json")
    assert json.loads(printed) == {"slug": "night-watch", "name": "Night Watch"}
    assert Tenant.objects.get().name == "Night Watch"


def test_create_tenant_takes_the_slug_for_a_name_and_says_what_to_do_next(command):
    printed = command("create_tenant", "night-watch")
    assert "night-watch (night-watch)" in printed
    assert "issue_key night-watch" in printed


@pytest.mark.parametrize("slug", ["Night", "night watch", "night-", "", "n" * 51])
def test_create_tenant_refuses_a_bad_slug_and_writes_nothing(command, slug):
    with pytest.raises(InvalidInput):
        command("create_tenant", slug)
    assert not Tenant.objects.exists()


def test_create_tenant_refuses_a_slug_that_is_taken(command, tenant):
    with pytest.raises(Conflict):
        command("create_tenant", tenant.slug)


def test_issue_key_prints_exactly_key_and_prefix_as_json_and_the_key_works(command, tenant):
    printed = command("issue_key", tenant.slug, "--name", "cron", "--scopes", "read, boot", "--json")
    told = json.loads(printed)
    assert set(told) == {"key", "prefix"}
    assert told["key"].startswith(f"rvl_{told['prefix']}_")
    actor = keys.authenticate(told["key"], via=Via.REST)
    assert (actor.tenant_id, actor.scopes) == (tenant.pk, {Scope.READ, Scope.BOOT})


def test_issue_key_without_scopes_gives_what_an_agent_needs(command, tenant):
    command("issue_key", tenant.slug, "--name", "agent")
    assert ApiKey.objects.get().scopes == ["read", "write", "boot"]


def test_issue_key_ends_after_the_days_that_were_asked_for(command, tenant):
    command("issue_key", tenant.slug, "--name", "agent", "--expires-in-days", "3")
    left = ApiKey.objects.get().expires_at - timezone.now()
    assert timedelta(days=2, hours=23) < left <= timedelta(days=3)


@pytest.mark.parametrize(
    "options",
    [["--scopes", "read,fly"], ["--scopes", ","], ["--scopes", "manage"], ["--expires-in-days", "0"],
     ["--expires-in-days", "99999999"], ["--name", " "]],
)  # fmt: skip
def test_issue_key_refuses_what_no_key_can_be(command, tenant, options):
    with pytest.raises(InvalidInput):
        command("issue_key", tenant.slug, "--name", "agent", *options)
    assert not ApiKey.objects.exists()


def test_the_secret_of_a_key_is_in_no_event(command, tenant):
    secret = json.loads(command("issue_key", tenant.slug, "--name", "agent", "--json"))["key"]
    assert all(secret.rsplit("_", 1)[1] not in json.dumps(event.what) for event in Event.objects.all())


def test_revoke_key_ends_it_and_is_harmless_when_repeated(command, tenant):
    secret = factories.issue_key(tenant)
    shown = secret.rsplit("_", 1)[0]
    first = json.loads(command("revoke_key", tenant.slug, shown, "--json"))
    assert json.loads(command("revoke_key", tenant.slug, shown, "--json")) == first
    with pytest.raises(NotAuthenticated):
        keys.authenticate(secret, via=Via.REST)


def test_revoke_key_takes_a_whole_secret_and_repeats_only_its_public_part(command, tenant):
    secret = factories.issue_key(tenant)
    assert secret.rsplit("_", 1)[1] not in command("revoke_key", tenant.slug, secret)
    assert ApiKey.objects.get().revoked_at is not None


def test_revoke_key_does_not_reach_into_another_tenant(command, tenant, other_tenant):
    secret = factories.issue_key(other_tenant)
    with pytest.raises(NotFound):
        command("revoke_key", tenant.slug, secret)
    assert ApiKey.objects.get().revoked_at is None


@pytest.mark.parametrize(
    "call",
    [["issue_key", "nobody", "--name", "a"], ["revoke_key", "nobody", "x"], ["boot", "nobody"],
     ["boot_preview", "nobody"]],
)  # fmt: skip
def test_an_unknown_agent_is_not_found(command, call):
    with pytest.raises(NotFound):
        command(*call)


def test_sweep_says_what_it_did(command, actor: Actor):
    memory = factories.remember(actor, "working", "half way")
    Memory.objects.filter(pk=memory.pk).update(updated_at=timezone.now() - timedelta(days=9))
    assert json.loads(command("sweep", "--json")) == {"archived": 1, "destroyed": 0, "pruned": 0, "expired": 0}
    assert command("sweep").startswith("Archived 0 working memories, destroyed 0 from the bin")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--budget-tokens", "1999"], BudgetOutOfRange),
        (["--shares", "50,20,31"], SharesNot100),
        (["--shares", "50,50"], InvalidInput),
        (["--shares", "a,b,c"], InvalidInput),
        (["--max-chars", "10"], InvalidInput),
        (["--hint", "x" * 1_001], InvalidInput),
    ],
)
def test_boot_preview_refuses_like_every_other_skin(command, tenant, options, error):
    with pytest.raises(error):
        command("boot_preview", tenant.slug, *options)
