"""A client of MCP with a key of `tenant`, in either era, without a socket."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from memories.models import Tenant
from tests import factories

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Mcp:
    """Calls `/mcp` with a key. `version` chooses the era; `raw` sends bytes as they are."""

    def __init__(self, key: str, version: str = MODERN) -> None:
        self.key = key
        self.version = version
        self.client = Client()

    def raw(self, body: bytes, *, method: str = "POST", **headers: str) -> HttpResponse:
        sent = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        sent |= {"Accept": "application/json, text/event-stream"}
        sent |= {name.replace("_", "-"): text for name, text in headers.items()}
        kind = sent.pop("Content-Type", "application/json")
        return self.client.generic(method, "/mcp", body, content_type=kind, headers=sent)

    def message(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> HttpResponse:
        """One request, with all that its era asks for."""
        params = dict(params or {})
        sent = {"MCP_Protocol_Version": self.version}
        if self.version == MODERN:
            params = {"_meta": META, **params}
            sent |= {"Mcp_Method": method}
            if method in NAMED:
                sent |= {"Mcp_Name": params.get(NAMED[method], "")}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.raw(json.dumps(body).encode(), **{**sent, **headers})

    def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        response = self.message(method, params)
        assert response.status_code == 200, read(response)
        return read(response)["result"]

    def error(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return read(self.message(method, params))["error"]

    def call(self, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result of a tool, an error of the domain too."""
        return self.result("tools/call", {"name": name, "arguments": arguments or {}})

    def told(self, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """What a tool answers when it succeeds."""
        result = self.call(name, arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    def refused(self, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """What a tool answers when it is refused."""
        result = self.call(name, arguments)
        assert result["isError"], result
        return result["structuredContent"]


def read(response: HttpResponse) -> Any:
    """The JSON of an answer, streamed or not."""
    raw = b"".join(response.streaming_content) if response.streaming else response.content
    return json.loads(raw)


@pytest.fixture
def mcp(tenant: Tenant) -> Mcp:
    return Mcp(factories.issue_key(tenant))


@pytest.fixture
def other_mcp(other_tenant: Tenant) -> Mcp:
    return Mcp(factories.issue_key(other_tenant))
