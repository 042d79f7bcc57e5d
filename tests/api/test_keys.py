"""Keys over REST: who comes in, with which scopes, and that a key stays out of addresses and logs."""

from __future__ import annotations

import logging
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.engine.kinds import KEY_SCOPES
from memories.models import ApiKey
from memories.services import keys
from tests import factories
from tests.api.conftest import Api, check_refused
from tests.api.operations import OPERATIONS
from tests.guards.routes import routes
from tests.guards.surface import OPERATIONS as SURFACE


def test_the_operations_of_these_tests_are_all_that_there_are():
    as_route = {
        f"{one.method} " + re.sub(r"{\w+}|(?<=help/)boot|(?<=hooks/)codex", "{id}", one.path) for one in OPERATIONS
    }
    assert as_route == {
        f"{method} {route.path.removeprefix('api/v1/')}"
        for route in routes()
        if route.path.startswith("api/v1/")
        for method in route.methods()
    }
    scopes = {name: row.scope for row in SURFACE if isinstance(row.rest, tuple) for name in row.rest}
    for one in OPERATIONS:
        assert (
            scopes[f"{one.method} " + re.sub(r"{\w+}|(?<=help/)boot|(?<=hooks/)codex", "{id}", one.path)] == one.scope
        ), str(one)


@pytest.fixture
def ids(actor):
    """Rows of the tenant, for the addresses of the operations."""
    memory = factories.remember(actor, content="zanzibar")
    boot, promise = factories.served_promise(actor)
    capsules = [factories.capture(actor, f"quay {n}") for n in range(2)]
    return {"memory": str(memory), "promise": promise, "boot": boot, "capsule": str(capsules[1])}


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_each_operation_works_with_its_scope_alone(tenant, ids, operation):
    api = Api(factories.issue_key(tenant, operation.scope))
    response = api.call(operation.method, operation.path.format(**ids), operation.body)
    assert 200 <= response.status_code < 300, response.getvalue()


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_each_operation_refuses_every_other_scope_and_names_its_own(tenant, ids, operation):
    others = [scope for scope in KEY_SCOPES if scope != operation.scope]
    api = Api(factories.issue_key(tenant, *others))
    # Whoever may not call is not told what is wrong with the call, either.
    for body in (operation.body, {"no": "such field"}):
        response = api.call(operation.method, operation.path.format(**ids), body)
        problem = check_refused(response, 403, "not_permitted")
        assert problem["scope"] == operation.scope
        assert f"“{operation.scope}”" in problem["detail"]


def bad_keys(tenant):
    good = factories.issue_key(tenant)
    revoked = factories.issue_key(tenant)
    keys.revoke(factories.operator_in(tenant), prefix=revoked.split("_")[1])
    expired = factories.issue_key(tenant, expires_at=timezone.now() + timedelta(hours=1))
    ApiKey.objects.filter(prefix=expired.split("_")[1]).update(expires_at=timezone.now() - timedelta(seconds=1))
    return [
        revoked,
        expired,
        good[:-1],
        good + "x",
        good.upper(),
        good.replace("rvl_", "rvl-"),
        "rvl_" + good.split("_")[2],
        "rvl_aaaaaaaa_" + "a" * 40,
        "x",
        "rvl__",
        "é" * 10,
        "a" * 8_000,
        f"{good} {good}",
    ]


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if not one.names_a_row], ids=str)
def test_without_a_key_nothing_answers(tenant, operation):
    response = Api("").call(operation.method, operation.path, operation.body)
    check_refused(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"] == "Bearer"


def test_garbage_revoked_and_expired_keys_are_told_alike(tenant):
    told = set()
    for key in bad_keys(tenant):
        response = Api(key).get("memories")
        check_refused(response, 401, "not_authenticated")
        assert response["WWW-Authenticate"] == "Bearer"
        told.add(response.content)
    assert len(told) == 1


@pytest.mark.parametrize(
    "header", ["{key}", "Basic {key}", "Token {key}", "Bearer", "Bearer ", "Bearer: {key}", "Bearer{key}"]
)
def test_only_the_bearer_scheme_is_read(tenant, header):
    key = factories.issue_key(tenant)
    check_refused(Api("").get("memories", Authorization=header.format(key=key)), 401, "not_authenticated")


def test_the_scheme_is_read_in_any_case(tenant):
    key = factories.issue_key(tenant)
    assert Api("").get("memories", Authorization=f"bearer {key}").status_code == 200


def test_a_key_in_an_address_or_a_cookie_or_a_body_is_no_key(tenant):
    key = factories.issue_key(tenant)
    for path in (f"memories?api_key={key}", f"memories?key={key}", f"memories?access_token={key}"):
        check_refused(Api("").get(path), 401, "not_authenticated")
    check_refused(Api("").post("recall", {"query": "x", "api_key": key}), 401, "not_authenticated")
    check_refused(Api("").get("memories", Cookie=f"Authorization=Bearer {key}"), 401, "not_authenticated")


def test_a_session_of_a_person_is_no_key(tenant):
    person, _ = factories.person_in(tenant)
    api = Api("")
    api.client.force_login(person)
    check_refused(api.get("memories"), 401, "not_authenticated")


def test_no_key_stands_in_the_log_or_in_an_answer(api, tenant, caplog):
    caplog.set_level(logging.DEBUG)
    secret = api.key.split("_")[2]
    check_refused(Api(api.key + "x").get("memories"), 401, "not_authenticated")
    answers = [
        api.get(f"memories?nonsense={api.key}").content,
        api.post("recall", {"query": 7}).content,
        api.get("memories/mem-9").content,
        api.get("boots").content,
    ]
    assert secret not in caplog.text
    assert all(secret.encode() not in answer for answer in answers)


def test_the_use_of_a_key_is_dated_once_a_minute(api):
    api.get("memories")
    first = ApiKey.objects.get().last_used_at
    assert first is not None
    api.get("memories")
    assert ApiKey.objects.get().last_used_at == first
