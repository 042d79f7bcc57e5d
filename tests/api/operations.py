"""Every operation of the REST skin once, for the tests of keys and tenants. One compares it with the routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Operation:
    """A call that succeeds with all scopes when `{memory}`, `{promise}`, `{boot}`, `{capsule}` are the caller's ids."""

    method: str
    path: str
    scope: str
    body: Any = None

    @property
    def names_a_row(self) -> bool:
        return "{" in self.path

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


OPERATIONS = (
    Operation("POST", "boot", "boot"),
    Operation("GET", "boot/preview", "read"),
    Operation("GET", "boot/config", "read"),
    Operation("PATCH", "boot/config", "configure", {"budget_tokens": 3_000}),
    Operation("GET", "boots", "read"),
    Operation("GET", "boots/{boot}", "read"),
    Operation("POST", "boots/{boot}/acknowledge", "boot"),
    Operation("GET", "promises", "read"),
    Operation("POST", "promises", "write", {"content": "a new note"}),
    Operation("DELETE", "promises/{promise}", "write"),
    Operation("GET", "memories", "read"),
    Operation("POST", "memories", "write", {"type": "episodic", "content": "new"}),
    Operation("GET", "memories/{memory}", "read"),
    Operation("PATCH", "memories/{memory}", "write", {"content": "changed"}),
    Operation("POST", "memories/{memory}/archive", "write"),
    Operation("POST", "memories/{memory}/restore", "write"),
    Operation("DELETE", "memories/{memory}", "write"),
    Operation("POST", "recall", "read", {"query": "zanzibar"}),
    Operation("GET", "capsules", "read"),
    Operation("POST", "capsules", "write", {"kind": "fact", "content": "new", "project_id": "nott"}),
    Operation("GET", "capsules/{capsule}", "read"),
    Operation("DELETE", "capsules/{capsule}", "write", {"reason": "wrong"}),
    Operation("PUT", "capsules/{capsule}/tier", "write", {"tier": "archived"}),
    # Ids in a body are looked up in the caller's tenant too: `test_isolation` sends the other's.
    Operation("POST", "capsules/relations", "write", {"kind": "blocks", "from": "cap-1", "to": "cap-2"}),
    Operation("GET", "capsules/aliases", "read"),
    Operation("POST", "capsules/aliases", "write", {"term": "database", "alias": "postgresql"}),
    Operation("POST", "capsules/retrieve", "read", {"terms": ["zanzibar"]}),
    Operation("POST", "capsules/digest", "read"),
    Operation("POST", "bootstrap", "read"),
    Operation(
        "POST", "hooks/codex", "boot", {"hook_event_name": "SessionStart", "session_id": "s", "source": "resume"}
    ),
    Operation("GET", "help", "read"),
    Operation("GET", "help/boot", "read"),
)
