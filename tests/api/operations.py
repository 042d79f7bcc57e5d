"""Every operation of the REST skin once, for the tests of keys and tenants. One compares it with the routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Operation:
    """A call that succeeds with all scopes when `{memory}`, `{promise}` and `{boot}` are ids of the caller's own."""

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
    Operation(
        "POST", "hooks/codex", "boot", {"hook_event_name": "SessionStart", "session_id": "s", "source": "resume"}
    ),
    Operation("GET", "help", "read"),
    Operation("GET", "help/boot", "read"),
)
