"""A client of the REST API with a key of `tenant`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from memories.models import Tenant
from tests import factories

PROBLEM = "application/problem+json"


class Api:
    """Calls below `/api/v1/` with a key; `raw` sends bytes as they are."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.client = Client()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        raw = b"" if body is None else json.dumps(body).encode()
        return self.raw(method, path, raw, **headers)

    def raw(self, method: str, path: str, body: bytes, **headers: str) -> HttpResponse:
        sent = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        sent |= {name.replace("_", "-"): text for name, text in headers.items()}
        kind = sent.pop("Content-Type", "application/json" if body else "")
        address = path if path.startswith("http") else f"/api/v1/{path}"
        return self.client.generic(method, address, body, content_type=kind, headers=sent)

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.call("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> HttpResponse:
        return self.call("DELETE", path, **headers)


@pytest.fixture
def api(tenant: Tenant) -> Api:
    return Api(factories.issue_key(tenant))


@pytest.fixture
def other_api(other_tenant: Tenant) -> Api:
    return Api(factories.issue_key(other_tenant))


def check_refused(response: HttpResponse, status: int, code: str, *fields: str) -> dict[str, Any]:
    """The problem in `response`, which must have this status, this code and faults in exactly these fields."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == PROBLEM
    problem = response.json()
    assert (problem["code"], problem["status"], sorted(problem["errors"])) == (code, status, sorted(fields)), problem
    assert problem["detail"].endswith((".", "…}.")), problem["detail"]
    assert problem["type"].startswith("urn:revell:problem:")
    return problem
