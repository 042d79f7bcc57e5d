"""Every operation and where it can be reached: one row each, one column for each skin, a reason for each blank.

The table follows the operations, not the code. `test_surface.py` compares it with the routes and the tools that exist.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Blank:
    """There is none, on purpose."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotYet:
    """There will be these. The guard fails as soon as one of them exists, so that the row is put right."""

    names: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Operation:
    """`rest` as "METHOD path" below `/api/v1/`, `mcp` as names of tools, `scope` of the API key.

    No key holds the scope manage: what needs it is done by people on pages.
    """

    name: str
    scope: str
    rest: tuple[str, ...] | Blank | NotYet
    mcp: tuple[str, ...] | Blank | NotYet


LATER = "written after the first services"

OPERATIONS = (
    Operation("serve a boot", "boot", ("POST boot",), ("revell_boot",)),
    Operation(
        "preview a boot",
        "read",
        ("GET boot/preview",),
        Blank("an agent that looks would pay for the text twice; people look, agents boot"),
    ),
    Operation(
        "acknowledge a boot",
        "boot",
        ("POST boots/{id}/acknowledge",),
        ("revell_boot_acknowledge",),
    ),
    Operation(
        "past boots",
        "read",
        ("GET boots", "GET boots/{id}"),
        Blank("an agent has its payload already; the history is for people"),
    ),
    Operation("show config", "read", ("GET boot/config",), ("revell_boot_config",)),
    Operation("change config", "configure", ("PATCH boot/config",), ("revell_boot_config",)),
    Operation("make a promise", "write", ("POST promises",), ("revell_payload_promise",)),
    Operation("list promises", "read", ("GET promises",), ("revell_payload_list",)),
    Operation(
        "release a promise",
        "write",
        ("DELETE promises/{id}",),
        ("revell_payload_release",),
    ),
    Operation("remember", "write", ("POST memories",), ("revell_remember",)),
    Operation(
        "read memories",
        "read",
        ("GET memories", "GET memories/{id}"),
        ("revell_recall_exact",),
    ),
    Operation("revise a memory", "write", ("PATCH memories/{id}",), ("revell_remember",)),
    Operation(
        "archive and restore a memory",
        "write",
        ("POST memories/{id}/archive", "POST memories/{id}/restore"),
        ("revell_archive",),
    ),
    Operation("forget a memory", "write", ("DELETE memories/{id}",), ("revell_forget",)),
    Operation("recall", "read", ("POST recall",), ("revell_recall",)),
    Operation("capture a capsule", "write", ("POST capsules",), ("memory_capture",)),
    Operation(
        "read capsules",
        "read",
        ("GET capsules", "GET capsules/{id}"),
        ("memory_list", "memory_get"),
    ),
    Operation("relate capsules", "write", ("POST capsules/relations",), ("memory_relate",)),
    Operation("change a capsule's tier", "write", ("PUT capsules/{id}/tier",), ("memory_tier",)),
    Operation("forget a capsule", "write", ("DELETE capsules/{id}",), ("memory_forget",)),
    Operation("list aliases", "read", ("GET capsules/aliases",), ("memory_alias",)),
    Operation("make an alias", "write", ("POST capsules/aliases",), ("memory_alias",)),
    Operation("compile a pack", "read", ("POST bootstrap",), ("memory_bootstrap",)),
    Operation("retrieve capsules", "read", ("POST capsules/retrieve",), ("memory_retrieve",)),
    Operation("digest capsules", "read", ("POST capsules/digest",), ("memory_digest",)),
    Operation("help", "read", ("GET help", "GET help/{id}"), ("revell_help",)),
    Operation(
        "deliver at a session's start",
        "boot",
        ("POST hooks/{id}",),
        Blank("an agent's hook calls over HTTP, before the agent can call a tool"),
    ),
    Operation(
        "invite, change and remove members",
        "manage",
        Blank("a key that leaked must not let people in; owners do it on the Members page"),
        Blank("an agent must not decide who looks after it"),
    ),
    Operation(
        "import files and archives",
        "write",
        Blank("a program sends memories and capsules themselves; a plan is for eyes"),
        Blank("a program sends memories and capsules themselves; a plan is for eyes"),
    ),
    Operation(
        "export everything",
        "read",
        Blank("the operator has export_tenant; a leaked key must not take it all at once"),
        Blank("an agent has no place to put a file"),
    ),
    Operation(
        "read what happened",
        "read",
        Blank("the account is for the people who look after the agent"),
        Blank("an agent would pay for rows that tell it nothing to remember"),
    ),
)
