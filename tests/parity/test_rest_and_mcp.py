"""The same operation by REST and as a tool: the same rows, the same answer, the same error with the same figures."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Boot, Capsule, CapsuleRelation, Event, Memory, Promise, Tenant, TermAlias
from memories.services import promises
from tests import factories
from tests.api.conftest import Api
from tests.mcp.conftest import Mcp

# What two tenants can never have in common.
OF_ONE_ROW = ("id", "by", "actor")
OWN = {"served_to", "via"}


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both skins are called at the same moment, so that times are compared too."""
    moment = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: moment)


@dataclass(frozen=True, slots=True)
class Pair:
    """One call in both skins. `receipt`: REST answers without a body, the tool with what is gone. `refused` is the
    code of the error that both must give, "" for none.
    """

    rest: tuple[str, str]
    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    receipt: bool = False
    refused: str = ""

    def __str__(self) -> str:
        return f"{self.tool} {self.arguments}"[:80]


def pair(method: str, path: str, tool: str, body: Any = None, /, *, receipt: bool = False, **arguments: Any) -> Pair:
    return Pair((method, path), tool, {**(body or {}), **arguments}, body, receipt)


def wrong(code: str, method: str, path: str, tool: str, body: Any = None, /, **arguments: Any) -> Pair:
    return Pair((method, path), tool, {**(body or {}), **arguments}, body, refused=code)


FULL = {"type": "core", "category": "soul", "key": "k", "content": "x" * 4_001}
FINDING = {"content": "new", "kind": "decision", "project_id": "nott", "confidence": 1}
BUDGET = {"budget_tokens": 3_000, "shares": {"core": 55, "working": 15}}
PAIRS = (
    pair("POST", "boots/boot-1/acknowledge", "revell_boot_acknowledge", id="boot-1"),
    wrong("not_found", "POST", "boots/boot-9/acknowledge", "revell_boot_acknowledge", id="boot-9"),
    pair("GET", "boot/config", "revell_boot_config"),
    pair(
        "PATCH", "boot/config", "revell_boot_config", {"budget_tokens": 3_000, "shares": {"core": 40, "episodic": 40}}
    ),
    wrong("budget_out_of_range", "PATCH", "boot/config", "revell_boot_config", {"budget_tokens": 1}),
    wrong("shares_not_100", "PATCH", "boot/config", "revell_boot_config", {"shares": {"core": 90}}),
    wrong(
        "invalid_input", "PATCH", "boot/config", "revell_boot_config", {"shares": {"core": "x", "soul": 1}, "colour": 1}
    ),
    pair("GET", "promises", "revell_payload_list"),
    wrong("invalid_input", "GET", "promises?colour=1", "revell_payload_list", colour=1),
    pair("POST", "promises", "revell_payload_promise", {"content": "a new note"}),
    pair("POST", "promises", "revell_payload_promise", {"content": "see this now"}),
    wrong("promise_cap_exceeded", "POST", "promises", "revell_payload_promise", {"content": "x" * 9_000}),
    wrong("invalid_input", "POST", "promises", "revell_payload_promise", {"content": " "}),
    wrong("invalid_input", "POST", "promises", "revell_payload_promise", {"content": None}),
    pair("DELETE", "promises/prm-1", "revell_payload_release", id="prm-1", receipt=True),
    wrong("not_found", "DELETE", "promises/prm-9", "revell_payload_release", id="prm-9"),
    wrong("not_found", "DELETE", "promises/mem-1", "revell_payload_release", id="mem-1"),
    pair("POST", "memories", "revell_remember", {"type": "episodic", "content": "new", "tags": ["a", "b"]}),
    pair("POST", "memories", "revell_remember", {"type": "core", "category": "soul", "key": "me", "content": "anew"}),
    pair("POST", "memories", "revell_remember", {"type": "semantic", "subject": "a", "predicate": "b", "object": "c"}),
    wrong("axiom_too_long", "POST", "memories", "revell_remember", {"type": "axiom", "content": "x" * 251}),
    wrong("category_cap_exceeded", "POST", "memories", "revell_remember", FULL),
    wrong("invalid_input", "POST", "memories", "revell_remember", {"type": "nonsense", "importance": 2, "x": 1}),
    wrong("invalid_input", "POST", "memories", "revell_remember", {}),
    pair("PATCH", "memories/mem-1", "revell_remember", {"content": "changed"}, id="mem-1"),
    wrong("invalid_input", "PATCH", "memories/mem-1", "revell_remember", {"importance": 7}, id="mem-1"),
    wrong("not_found", "PATCH", "memories/mem-99", "revell_remember", {"content": "changed"}, id="mem-99"),
    pair("GET", "memories/mem-1", "revell_recall_exact", id="mem-1"),
    wrong("not_found", "GET", "memories/mem-99", "revell_recall_exact", id="mem-99"),
    pair("GET", "memories?type=core&limit=5", "revell_recall_exact", type="core", limit=5),
    wrong("invalid_input", "GET", "memories?type=nonsense&limit=0", "revell_recall_exact", type="nonsense", limit=0),
    wrong("invalid_input", "GET", "memories?cursor=nonsense", "revell_recall_exact", cursor="nonsense"),
    pair("POST", "memories/mem-1/archive", "revell_archive", id="mem-1"),
    pair("POST", "memories/mem-1/restore", "revell_archive", id="mem-1", restore=True),
    wrong("not_found", "POST", "memories/mem-99/archive", "revell_archive", id="mem-99"),
    wrong("not_found", "POST", "memories/mem-99/restore", "revell_archive", id="mem-99", restore=True),
    pair("DELETE", "memories/mem-1", "revell_forget", id="mem-1", receipt=True),
    wrong("not_found", "DELETE", "memories/mem-99", "revell_forget", id="mem-99"),
    pair("POST", "recall", "revell_recall", {"query": "who", "limit": 5, "types": ["core"]}),
    wrong("invalid_input", "POST", "recall", "revell_recall", {"query": "", "limit": 0}),
    pair("POST", "capsules", "memory_capture", {**FINDING, "supersedes": ["cap-1"]}),
    pair("POST", "capsules", "memory_capture", {"content": "one", "kind": "task", "project_id": "nott"}),
    wrong(
        "invalid_input",
        "POST",
        "capsules",
        "memory_capture",
        {"kind": "chore", "project_id": "a//b", "blocks": "cap-1", "x": 1},
    ),
    wrong("not_found", "POST", "capsules", "memory_capture", {**FINDING, "blocks": ["cap-99"]}),
    pair("GET", "capsules?limit=0", "memory_list", limit=0),
    wrong(
        "invalid_input",
        "GET",
        "capsules?limit=500&kind=chore&cursor=x",
        "memory_list",
        limit=500,
        kind="chore",
        cursor="x",
    ),
    pair("GET", "capsules/cap-2", "memory_get", id="cap-2"),
    wrong("not_found", "GET", "capsules/cap-99", "memory_get", id="cap-99"),
    pair("POST", "capsules/relations", "memory_relate", {"kind": "blocks", "from": "cap-2", "to": "cap-1"}),
    wrong(
        "invalid_input",
        "POST",
        "capsules/relations",
        "memory_relate",
        {"kind": "blocks", "from": "cap-1", "to": "cap-1"},
    ),
    wrong("invalid_input", "POST", "capsules/relations", "memory_relate", {"kind": "knows", "from": 1, "note": "x"}),
    wrong(
        "relation_cycle",
        "POST",
        "capsules/relations",
        "memory_relate",
        {"kind": "supersedes", "from": "cap-1", "to": "cap-3"},
    ),
    pair("PUT", "capsules/cap-1/tier", "memory_tier", {"tier": "archived"}, id="cap-1"),
    wrong("invalid_input", "PUT", "capsules/cap-1/tier", "memory_tier", {"tier": "gone"}, id="cap-1"),
    pair("DELETE", "capsules/cap-1", "memory_forget", {"reason": "wrong"}, id="cap-1"),
    wrong("invalid_input", "DELETE", "capsules/cap-1", "memory_forget", id="cap-1"),
    pair("GET", "capsules/aliases", "memory_alias"),
    pair("POST", "capsules/aliases", "memory_alias", {"term": "uno", "alias": "one"}),
    wrong("invalid_input", "POST", "capsules/aliases", "memory_alias", {"term": "!"}),
    pair("POST", "bootstrap", "memory_bootstrap", {"project_prefix": "nott", "terms": ["two"], "token_budget": 90}),
    wrong(
        "invalid_input",
        "POST",
        "bootstrap",
        "memory_bootstrap",
        {"project_prefix": "nott/", "intent": "x", "token_budget": -1},
    ),
    pair("POST", "capsules/retrieve", "memory_retrieve", {"terms": ["one"], "limit": 1}),
    wrong("invalid_input", "POST", "capsules/retrieve", "memory_retrieve", {}),
    pair("POST", "capsules/digest", "memory_digest", {"project_id": "nott"}),
    wrong("invalid_input", "POST", "capsules/digest", "memory_digest", {"project_id": ""}),
    pair("GET", "help", "revell_help"),
    pair("GET", "help/boot", "revell_help", topic="boot"),
    wrong("not_found", "GET", "help/nonsense", "revell_help", topic="nonsense"),
)


def prepared(tenant: Tenant) -> Tenant:
    actor = factories.agent_of(tenant)
    factories.remember(actor, "core", "who I am", key="me")
    factories.remember(actor, "episodic", "what happened")
    factories.served_promise(actor)
    factories.capture(actor, "one", "task")
    factories.capture(actor, "two", "task", blocked_by=["cap-1"])
    factories.capture(actor, "three", "constraint", supersedes=["cap-1"])
    return tenant


def without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: without(one, names) for name, one in value.items() if name not in names}
    return [without(one, names) for one in value] if isinstance(value, list | tuple) else value


def rows(tenant: Tenant) -> list[Any]:
    """What is stored for `tenant`, without what differs by itself."""
    kept = []
    for model in (Memory, Promise, Boot, Capsule, CapsuleRelation, TermAlias, Event):
        for row in model.objects.filter(tenant=tenant).order_by("pk").values():
            if row.get("verb") not in ("tenant.created", "key.issued"):
                kept.append([model.__name__, {k: v for k, v in row.items() if not k.endswith(OF_ONE_ROW)}])
    settings = Tenant.objects.filter(pk=tenant.pk).values("budget_tokens", "share_core", "share_working").get()
    return [*without(kept, {"via", "manifest", "payload", "sha256"}), settings]


@pytest.mark.parametrize("each", PAIRS, ids=str)
def test_the_same_call_gives_the_same_by_rest_and_by_mcp(tenant, each):
    by_rest, by_mcp = prepared(tenant), prepared(factories.make_tenant(tenant.name))
    response = Api(factories.issue_key(by_rest)).call(*each.rest, each.body)
    result = Mcp(factories.issue_key(by_mcp)).call(each.tool, each.arguments)
    told = result["structuredContent"]
    assert result["isError"] == (response.status_code >= 400) == bool(each.refused), (response.content, told)
    if result["isError"]:
        assert told["code"] == each.refused
        problem = response.json()
        standard = {"type", "title", "status", "code", "detail", "errors"}
        assert (told["code"], told["errors"]) == (problem["code"], problem["errors"])
        assert told["message"] == problem["detail"]
        own = {name: value for name, value in problem.items() if name not in standard}
        assert without(told["data"], OWN) == without(own, OWN)
    elif each.receipt:
        assert (response.status_code, told["id"]) == (204, each.arguments["id"])
    else:
        # Cursors: REST gives whole addresses, and both ways.
        pages = OWN | ({"next", "previous"} if each.tool == "memory_list" else set())
        assert without(told, pages) == without(response.json(), pages)
    assert rows(by_mcp) == rows(by_rest)


def test_a_boot_gives_the_same_by_rest_and_by_mcp(tenant):
    """P38: the same bytes, and the same promises decayed afterwards. The manifest is REST's alone (decision 10)."""
    by_rest, by_mcp = prepared(tenant), prepared(factories.make_tenant(tenant.name))
    for actor in (factories.agent_of(by_rest), factories.agent_of(by_mcp)):
        promises.make(actor, content="for the next boot")
    asked = {"channel": "post_compact", "session_id": "s-1"}
    for options in (asked, {**asked, "channel": "nonsense", "max_chars": 1, "colour": 1}):
        response = Api(factories.issue_key(by_rest)).post("boot", options)
        result = Mcp(factories.issue_key(by_mcp)).call("revell_boot", options)
        told, given = result["structuredContent"], json.loads(response.getvalue())
        if options is asked:
            assert "for the next boot" in told["payload"]
            assert told == without(given, {"manifest"})
            assert not Promise.objects.exists()
        else:
            assert (response.status_code, result["isError"]) == (400, True)
            assert (told["code"], told["errors"]) == (given["code"], given["errors"])
        assert rows(by_mcp) == rows(by_rest)
