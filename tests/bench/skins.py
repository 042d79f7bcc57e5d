"""The same operations by REST and as tools, and the pages of memories: what a caller of a skin asks for.

All through Django's test client: the whole stack of the server without a socket, in this process, so that its processor
time can be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.test import Client
from django.urls import reverse

from memories.models import Tenant
from memories.services import promises
from tests import factories
from tests.bench.rows import Vocabulary

Action = Callable[[], object]


class Rest:
    def __init__(self, secret: str) -> None:
        self.client = Client(headers={"authorization": f"Bearer {secret}", "host": "127.0.0.1"})

    def __call__(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        data = "" if body is None else json.dumps(body)
        response = self.client.generic(method, f"/api/v1/{path}", data=data, content_type="application/json")
        assert response.status_code in (200, 201), response.content
        return bytes(response.getvalue())


class Tools:
    def __init__(self, secret: str) -> None:
        self.client = Client(
            headers={
                "authorization": f"Bearer {secret}", "host": "127.0.0.1", "mcp-protocol-version": "2025-06-18",
                "accept": "application/json, text/event-stream",
            }
        )  # fmt: skip

    def __call__(self, tool: str, arguments: dict[str, Any]) -> bytes:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        response = self.client.generic(
            "POST", reverse("mcp"), data=json.dumps(message), content_type="application/json"
        )
        told = bytes(response.getvalue())
        assert response.status_code == 200, told
        assert b'"isError":true' not in told.replace(b" ", b""), told
        return told


def by_skin(tenant: Tenant, vocabulary: Vocabulary) -> dict[str, tuple[Action, Action | None]]:
    """By name: the action, and what goes before it and is not timed."""
    secret = factories.issue_key(tenant)
    rest, tools, actor = Rest(secret), Tools(secret), factories.agent_of(tenant)
    made: list[int] = []

    def promise() -> dict[str, str]:
        return {"content": " ".join(vocabulary.text(20))}

    def memory() -> dict[str, str]:
        return {"type": "episodic", "content": " ".join(vocabulary.text(40))}

    def asked() -> dict[str, str]:
        return {"query": vocabulary.asked(3)}

    def room_for_one() -> None:
        tenant.refresh_from_db(fields=["next_promise"])
        if made:
            promises.release(actor, number=made.pop())
        made.append(tenant.next_promise)

    def no_promise() -> None:
        if made:
            promises.release(actor, number=made.pop())

    return {
        "REST preview": (lambda: rest("GET", "boot/preview"), no_promise),
        "REST serve and decay": (lambda: rest("POST", "boot", {}), no_promise),
        "tool serve and decay": (lambda: tools("revell_boot", {}), None),
        "REST recall": (lambda: rest("POST", "recall", asked()), None),
        "tool recall": (lambda: tools("revell_recall", asked()), None),
        "REST promises": (lambda: rest("GET", "promises"), None),
        "tool promises": (lambda: tools("revell_payload_list", {}), None),
        "REST remember": (lambda: rest("POST", "memories", memory()), None),
        "tool remember": (lambda: tools("revell_remember", memory()), None),
        "REST promise": (lambda: rest("POST", "promises", promise()), room_for_one),
        "tool promise": (lambda: tools("revell_payload_promise", promise()), room_for_one),
    }


def pages(tenant: Tenant, vocabulary: Vocabulary) -> dict[str, Action]:
    """The Memories page as a browser asks for it."""
    person, _ = factories.person_in(tenant)
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(person)
    address = reverse("memories", args=[tenant.slug])

    def get(query: str) -> str:
        response = client.get(address + query)
        assert response.status_code == 200, response.content
        return response.content.decode()

    cursor = re.search(r"cursor=(n[-0-9]+)", get(""))
    assert cursor is not None
    return {
        "page of memories": lambda: get(""),
        "page, the next one": lambda: get(f"?cursor={cursor[1]}"),
        "page, with a tag": lambda: get("?tag=topic-3"),
        "page, of a category": lambda: get("?category=soul"),
        "page, archived ones": lambda: get("?archived=1"),
        "page, a search": lambda: get(f"?q={vocabulary.asked(2).replace(' ', '+')}"),
    }
