"""API keys: issued once, hashed, revoked, and told alike whatever is wrong with them."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test.utils import override_settings

from memories.engine.actor import Actor, Via
from memories.engine.kinds import KEY_SCOPES, Role, Scope, Source
from memories.errors import InvalidInput, NotAuthenticated, NotFound, NotPermitted
from memories.models import ApiKey, Event, Tenant
from memories.selectors.keys import list_keys
from memories.services import keys
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(tenant: Tenant) -> Actor:
    return factories.operator_in(tenant)


def test_a_key_is_shown_once_and_only_its_hash_is_stored(owner: Actor, clock: Clock) -> None:
    issued = keys.issue(owner, name=" night watch ", scopes=["boot", "read"])
    prefix = issued.secret.split("_")[1]
    assert issued.secret.startswith("rvl_")
    assert issued.secret.isascii()
    assert len(issued.secret) >= 48
    row = ApiKey.objects.get()
    assert (row.name, row.prefix, row.scopes) == ("night watch", prefix, ["read", "boot"])
    assert (row.created_at, row.created_by, row.last_used_at) == (clock.now, "operator", None)
    assert issued.secret not in repr(dump())
    assert issued.secret.split("_")[2] not in repr(dump())
    assert str(row) == f"rvl_{prefix}"


def test_two_keys_differ_in_every_part(owner: Actor) -> None:
    secrets = [keys.issue(owner, name="same", scopes=["read"]).secret for _ in range(20)]
    assert len({secret.split("_")[1] for secret in secrets}) == 20
    assert len({secret.split("_")[2] for secret in secrets}) == 20


def test_authenticate_makes_the_actor(owner: Actor, tenant: Tenant) -> None:
    issued = keys.issue(owner, name="n", scopes=["write", "read"])
    actor = keys.authenticate(issued.secret, via=Via.MCP)
    assert actor == Actor(
        tenant_id=tenant.pk,
        scopes=frozenset({Scope.READ, Scope.WRITE}),
        via=Via.MCP,
        label=f"key {issued.key}",
        source=Source.AGENT,
        key_id=issued.key.pk,
    )


def refusal(secret: str) -> tuple[str, str, dict[str, object], dict[str, list[str]]]:
    with pytest.raises(NotAuthenticated) as refused:
        keys.authenticate(secret, via=Via.REST)
    error = refused.value
    return error.code, error.detail, error.data, error.errors


def test_unknown_wrong_revoked_and_expired_are_told_alike(
    owner: Actor, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same answer, and the same work: the hash is computed in every case."""
    good = keys.issue(owner, name="good", scopes=["read"]).secret
    revoked = keys.issue(owner, name="revoked", scopes=["read"])
    keys.revoke(owner, prefix=revoked.key.prefix)
    expired = keys.issue(owner, name="expired", scopes=["read"], expires_at=clock.now + timedelta(hours=1)).secret
    clock.forward(hours=1)
    prefix, rest = good.split("_")[1:]
    before = dump()

    hashed = []
    real = keys._hashed
    monkeypatch.setattr(keys, "_hashed", lambda *given: hashed.append(given) or real(*given))
    told = set()
    for secret in (
        revoked.secret,
        expired,
        f"rvl_{prefix}_{rest[:-1]}{'a' if rest[-1] != 'a' else 'b'}",
        f"rvl_{prefix}_",
        f"rvl_{prefix}_{rest}x",
        f"rvl_unknown1_{rest}",
        "rvl_unknown1_" + "x" * 40,
    ):
        hashed.clear()
        told.add(repr(refusal(secret)))
        assert len(hashed) == 1
    assert len(told) == 1
    assert dump() == before
    assert keys.authenticate(good, via=Via.REST).can(Scope.READ)


@pytest.mark.parametrize(
    "secret",
    ["", " ", "_", "__", "rvl_", "rvl__", "rvl_a", "rvl_a_b_c", "RVL_a_b", "rvl_\x00_x", "rvl_a\x00b_c", "rvl_é_x",
     "rvl_a_\ud800", "\ud800", "rvl_\ud800_x", "x" * 100_000, "_" * 10_000, "rvl_' OR 1=1 --_x", "rvl_%_x", "rvl_" +
     "a" * 5_000 + "_x"],
)  # fmt: skip
def test_no_credential_breaks_the_door(owner: Actor, secret: str) -> None:
    keys.issue(owner, name="n", scopes=["read"])
    assert refusal(secret)[0] == "not_authenticated"


def test_a_key_works_until_it_expires(owner: Actor, clock: Clock) -> None:
    secret = keys.issue(owner, name="n", scopes=["read"], expires_at=clock.now + timedelta(hours=1)).secret
    clock.forward(minutes=59, seconds=59)
    assert keys.authenticate(secret, via=Via.REST)
    clock.forward(seconds=1)
    refusal(secret)


def test_revoking_ends_a_key_at_once_and_twice_is_harmless(owner: Actor, clock: Clock) -> None:
    issued = keys.issue(owner, name="n", scopes=["read"])
    keys.authenticate(issued.secret, via=Via.REST)
    keys.revoke(owner, prefix=issued.key.prefix)
    refusal(issued.secret)
    before = dump()
    clock.forward(hours=1)
    keys.revoke(owner, prefix=issued.key.prefix)
    assert dump() == before


@pytest.mark.parametrize("prefix", ["", "unknown1", "\x00", "\ud800", "x" * 5_000, "%"])
def test_revoking_an_unknown_or_foreign_key_is_not_found(owner: Actor, other_tenant: Tenant, prefix: str) -> None:
    foreign = keys.issue(factories.operator_in(other_tenant), name="n", scopes=["read"])
    told = set()
    for one in (prefix, foreign.key.prefix):
        with pytest.raises(NotFound) as refused:
            keys.revoke(owner, prefix=one)
        told.add(refused.value.detail.replace(f"rvl_{one}.", "rvl_….") if one else refused.value.detail[:-1] + "….")
    assert len(told) == 1
    assert keys.authenticate(foreign.secret, via=Via.REST)


def test_the_last_use_is_written_at_most_once_a_minute(owner: Actor, clock: Clock) -> None:
    """Writing a date at every call would make every read a write."""
    secret = keys.issue(owner, name="n", scopes=["read"]).secret
    first = clock.now
    keys.authenticate(secret, via=Via.REST)
    clock.forward(seconds=59)
    keys.authenticate(secret, via=Via.REST)
    assert ApiKey.objects.get().last_used_at == first
    clock.forward(seconds=2)
    keys.authenticate(secret, via=Via.REST)
    assert ApiKey.objects.get().last_used_at == clock.now


def test_a_key_outlives_a_new_secret_key_that_names_the_old_one(owner: Actor) -> None:
    with override_settings(SECRET_KEY="the-old-secret-key-of-the-installation"):
        secret = keys.issue(owner, name="n", scopes=["read"]).secret
    with override_settings(SECRET_KEY="the-new-secret-key-of-the-installation"):
        refusal(secret)
    with override_settings(
        SECRET_KEY="the-new-secret-key-of-the-installation",
        SECRET_KEY_FALLBACKS=["another-one", "the-old-secret-key-of-the-installation"],
    ):
        assert keys.authenticate(secret, via=Via.REST)


@pytest.mark.parametrize(
    "scopes", [[], ["manage"], ["operate"], ["read", "manage"], ["unknown"], ["read", ""], ["READ"]]
)
def test_a_key_holds_scopes_of_keys_only(owner: Actor, scopes: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        keys.issue(owner, name="n", scopes=scopes)
    assert list(refused.value.errors) == ["scopes"]


def test_bad_names_and_past_expiries_are_refused(owner: Actor, clock: Clock) -> None:
    before = dump()
    for name in ("", " ", "x" * 101, "a\nb", "a\x00b", "\ud800"):
        with pytest.raises(InvalidInput) as refused:
            keys.issue(owner, name=name, scopes=["read"])
        assert list(refused.value.errors) == ["name"]
    for moment in (clock.now, clock.now - timedelta(days=1), clock.now.replace(tzinfo=None) + timedelta(days=1)):
        with pytest.raises(InvalidInput) as refused:
            keys.issue(owner, name="n", scopes=["read"], expires_at=moment)
        assert list(refused.value.errors) == ["expires_at"]
    assert dump() == before


def test_only_people_who_manage_issue_and_revoke(owner: Actor, tenant: Tenant) -> None:
    issued = keys.issue(owner, name="n", scopes=list(KEY_SCOPES))
    agent = keys.authenticate(issued.secret, via=Via.REST)
    _, editor = factories.person_in(tenant, Role.EDITOR)
    for someone in (agent, editor):
        for act in (
            lambda a: keys.issue(a, name="n", scopes=["read"]),
            lambda a: keys.revoke(a, prefix=issued.key.prefix),
        ):
            with pytest.raises(NotPermitted) as refused:
                act(someone)
            assert refused.value.data["scope"] == "manage"
    _, person = factories.person_in(tenant, Role.OWNER)
    assert keys.issue(person, name="n", scopes=["read"]).key.created_by == person.label


def test_keys_are_listed_newest_first_with_revoked_ones(owner: Actor, other_tenant: Tenant) -> None:
    factories.issue_key(other_tenant)
    first = keys.issue(owner, name="first", scopes=["read"]).key
    keys.issue(owner, name="second", scopes=["read"])
    keys.revoke(owner, prefix=first.prefix)
    assert [key.name for key in list_keys(owner)] == ["second", "first"]


def test_events_of_keys_hold_no_secret(owner: Actor) -> None:
    issued = keys.issue(owner, name="night watch", scopes=["read"])
    keys.revoke(owner, prefix=issued.key.prefix)
    told = {event.verb: event.what for event in Event.objects.filter(verb__startswith="key.")}
    assert told["key.issued"] == {"key": str(issued.key), "name": "night watch", "scopes": ["read"]}
    assert told["key.revoked"] == {"key": str(issued.key)}
    assert issued.secret.split("_")[2] not in json.dumps(told)
