"""A key sees its tenant and nothing else: every operation with the other tenant's ids."""

from __future__ import annotations

import pytest
from django.apps import apps

from memories.services import capsules
from tests import factories
from tests.api.conftest import check_refused
from tests.api.operations import OPERATIONS

MARK = "zanzibar"


@pytest.fixture
def theirs(tenant, other_actor):
    """Rows of the other tenant, with numbers that the caller's own tenant does not have."""
    for n in range(3):
        memory = factories.remember(other_actor, content=f"{MARK} {n}", tags=(MARK,))
        boot, promise = factories.served_promise(other_actor, content=f"{MARK} promise {n}")
        capsule = factories.capture(other_actor, f"{MARK} {n}", project_id=MARK)
        capsules.alias(other_actor, term=MARK, alias=f"{MARK} {n}")
    return {"memory": str(memory), "promise": promise, "boot": boot, "capsule": str(capsule)}


def rows_of(tenant):
    """Every row of a tenant, as values; its key is dated by use."""
    return {
        model.__name__: list(model._base_manager.filter(tenant=tenant).order_by("pk").values())
        for model in apps.get_app_config("memories").get_models()
        if model.__name__ not in ("Person", "Tenant", "ApiKey")
    }


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_another_tenant_s_rows_are_not_there(api, actor, other_tenant, theirs, operation):
    for n in range(2):
        factories.capture(actor, f"mine {n}")
    before = rows_of(other_tenant)
    response = api.call(operation.method, operation.path.format(**theirs), operation.body)
    if operation.names_a_row:
        foreign = check_refused(response, 404, "not_found")
        unknown = operation.path.format(memory="mem-4711", promise="prm-4711", boot="boot-4711", capsule="cap-4711")
        problem = check_refused(api.call(operation.method, unknown, operation.body), 404, "not_found")
        number = next(one for name, one in theirs.items() if f"{{{name}}}" in operation.path).split("-")[1]
        assert foreign["detail"] == problem["detail"].replace("4711", number), "told like an id that nobody has"
    else:
        assert response.status_code < 300
        assert MARK.encode() not in response.getvalue().replace(b'"query":"zanzibar"', b"").replace(
            b'["zanzibar"]', b""
        )
    assert rows_of(other_tenant) == before


def test_ids_in_a_body_are_looked_up_in_one_s_own_tenant(api, actor, other_tenant, theirs):
    """C5: told like an id that nobody has."""
    factories.capture(actor, "mine")
    before = rows_of(other_tenant)
    for path, body in (
        ("capsules/relations", {"kind": "blocks", "from": "cap-1", "to": "cap-3"}),
        ("capsules/relations", {"kind": "supersedes", "from": "cap-3", "to": "cap-1"}),
        ("capsules", {"kind": "task", "content": "new", "project_id": "nott", "blocked_by": ["cap-3"]}),
    ):
        assert check_refused(api.post(path, body), 404, "not_found")["detail"] == "There is no cap-3."
    assert rows_of(other_tenant) == before


def test_nothing_in_a_request_names_another_tenant(api, other_tenant, theirs):
    for path in (f"memories?tenant={other_tenant.slug}", f"boot/preview?tenant_id={other_tenant.pk}"):
        assert api.get(path).status_code == 400
    body = {"type": "episodic", "content": "x", "tenant": other_tenant.slug}
    check_refused(api.post("memories", body), 400, "invalid_input", "tenant")
    for header in ("X_Tenant", "X_Revell_Tenant"):
        assert api.get("memories", **{header: other_tenant.slug}).json()["total"] == 0


def test_the_same_key_text_in_two_tenants_is_two_memories(api, other_api):
    core = {"type": "core", "category": "soul", "key": "honesty", "content": "mine"}
    assert api.post("memories", core).status_code == 201
    assert other_api.post("memories", {**core, "content": "theirs"}).status_code == 201
    assert api.get("memories").json()["results"][0]["content"] == "mine"


def test_an_idempotency_key_belongs_to_its_tenant(api, other_api):
    first = api.post("boot", {"idempotency_key": "same"})
    assert first.getvalue()
    assert b'"repeat":false' in other_api.post("boot", {"idempotency_key": "same"}).getvalue()


def test_a_cursor_of_another_tenant_shows_only_one_s_own(api, other_api, theirs):
    cursor = other_api.get("memories?limit=1").json()["next"].split("cursor=")[1]
    assert api.get(f"memories?cursor={cursor}").json()["results"] == []
