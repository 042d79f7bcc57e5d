"""The schema: complete, without warnings, true to the routes, and browsable without any outside host."""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command

from tests.guards.surface import OPERATIONS

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def schema(client):
    return client.get("/api/schema/", headers={"Accept": "application/json"}).json()


def operations(schema):
    return {
        f"{method.upper()} {path}": described
        for path, methods in schema["paths"].items()
        for method, described in methods.items()
        if method in METHODS
    }


def test_it_validates_without_a_warning(tmp_path):
    target = tmp_path / "schema.yml"
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(target))
    assert target.read_text().startswith("openapi: 3.1.")


def test_it_holds_every_operation_and_no_other(schema):
    there = {re.sub(r"{\w+}", "{id}", name.replace("/api/v1/", "")) for name in operations(schema)}
    assert there == {name for row in OPERATIONS if isinstance(row.rest, tuple) for name in row.rest}


def test_every_operation_tells_its_errors_as_problems_and_asks_for_a_key(schema):
    for name, described in operations(schema).items():
        assert described["security"] == [{"apiKey": []}], name
        assert described["summary"], name
        statuses = set(described["responses"])
        expected = {"400", "401", "403", "406", "500", "503"}
        if described.get("requestBody") or name.startswith(("POST", "PATCH")):
            expected |= {"413", "415"}
        if "/{id}" in name:
            expected |= {"404"}
        assert expected <= statuses, name
        for status in statuses:
            if status.startswith(("4", "5")):
                content = described["responses"][status]["content"]
                assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}, (
                    f"{name} {status}"
                )


def test_the_key_is_a_bearer_key(schema):
    assert schema["components"]["securitySchemes"]["apiKey"]["scheme"] == "bearer"


def test_what_goes_in_names_all_its_fields(schema):
    def closed(kind):
        return all(map(closed, kind["oneOf"])) if "oneOf" in kind else kind.get("additionalProperties") is False

    kinds = schema["components"]["schemas"]
    for name in (
        "BootIn",
        "PromiseIn",
        "MemoryIn",
        "MemoryBatch",
        "MemoryChange",
        "RecallIn",
        "ConfigChange",
        "SharesIn",
    ):
        assert closed(kinds[name]), name


def test_both_forms_of_a_payload_are_told(schema):
    for name in ("POST /api/v1/boot", "GET /api/v1/boot/preview"):
        assert set(operations(schema)[name]["responses"]["200"]["content"]) == {"application/json", "text/plain"}


def test_the_pages_need_no_outside_host(client):
    page = client.get("/api/docs/")
    assert page.status_code == 200
    assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page.text)
