"""The tools as an agent meets them: what they say of themselves, what they answer, how they refuse."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
from django.db import DatabaseError, OperationalError

from memories.engine.help import TOPICS
from memories.mcp import operations
from memories.mcp.guide import INSTRUCTIONS, PROMPTS
from memories.mcp.tools import TOOLS, listed
from memories.models import Boot, Event, Memory, Promise
from memories.selectors import boot as boot_rows
from memories.services import boot as boot_service
from tests import factories
from tests.guards.test_surface import in_table
from tests.mcp.conftest import Mcp, read

LIST_MAX_CHARS = 20_000
PURPOSE_MAX_CHARS = 520


def test_the_whole_list_is_short(mcp):
    answer = mcp.message("tools/list").content.decode()
    assert len(answer) < LIST_MAX_CHARS
    assert len(json.dumps({"tools": listed()}, separators=(",", ":"))) < LIST_MAX_CHARS - 500


def test_each_tool_says_when_to_use_it_and_what_it_does_to_the_rows():
    for tool in listed():
        assert re.fullmatch("[a-z_]+", tool["name"])
        assert 40 < len(tool["description"]) < PURPOSE_MAX_CHARS
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert {"oneOf", "anyOf", "allOf"} & set(tool["inputSchema"]) == set(), "many clients take no alternatives"
        assert set(tool["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert "$ref" not in json.dumps(tool)


def test_what_only_reads_says_so_and_nothing_else_does():
    writing = {tool.name for tool in TOOLS if {tool.scope, tool.changing} & {"write", "boot", "configure"}}
    assert {tool["name"] for tool in listed() if not tool["annotations"]["readOnlyHint"]} == writing


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.hints.reads], ids=lambda tool: tool.name)
def test_a_tool_that_only_reads_writes_nothing(mcp, actor, tool):
    factories.remember(actor, "core", "who I am", key="me")
    before = (list(Memory.objects.values()), list(Promise.objects.values()), Event.objects.count())
    needed = {"query": "who"} if "query" in listed_of(tool.name)["inputSchema"].get("required", ()) else {}
    mcp.call(tool.name, needed)
    assert (list(Memory.objects.values()), list(Promise.objects.values()), Event.objects.count()) == before


def listed_of(name):
    return next(tool for tool in listed() if tool["name"] == name)


def test_p14_the_tool_for_promises_says_what_belongs_where():
    purpose = listed_of("revell_payload_promise")["description"]
    for words in ("once", "budget", "(core)", "(axiom)", "(episodic)", "(working)"):
        assert words in purpose


def test_p13_no_tool_lifts_a_promise_into_lasting_memory(mcp):
    """And the words for agents say what to do instead."""
    takes_promise = [tool["name"] for tool in listed() if "prm" in json.dumps(tool["inputSchema"])]
    assert set(takes_promise) <= {"revell_payload_release"}
    promise = mcp.told("revell_payload_promise", {"content": "who I might be"})
    assert mcp.refused("revell_remember", {"id": promise["id"], "type": "core"})["code"] in (
        "not_found",
        "invalid_input",
    )
    assert mcp.refused("revell_archive", {"id": promise["id"]})["code"] == "not_found"
    assert "read it again" in INSTRUCTIONS


def test_the_instructions_are_short_and_name_what_to_call_first():
    assert len(INSTRUCTIONS) <= 1_900
    assert INSTRUCTIONS.index("revell_boot") < 120
    named = set(re.findall(r"\b(?:revell|memory)_[a-z_]+", INSTRUCTIONS + "".join(p.text for p in PROMPTS)))
    assert named <= in_table("mcp")[0] | in_table("mcp")[1]


def test_help_names_only_tools_that_exist(mcp):
    text = " ".join(topic.text for topic in TOPICS)
    assert set(re.findall(r"\b(?:revell|memory)_[a-z_]+", text)) <= {tool.name for tool in TOOLS}
    assert mcp.told("revell_help", {"topic": "boot"})["name"] == "boot"
    assert [topic["name"] for topic in mcp.told("revell_help")["topics"]] == [topic.name for topic in TOPICS]
    assert mcp.refused("revell_help", {"topic": "nonsense"})["code"] == "not_found"


def test_an_answer_is_the_same_as_values_and_as_text(mcp):
    result = mcp.call("revell_remember", {"type": "episodic", "content": '日本 and "quotes"'})
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert "日本" in result["content"][0]["text"]
    refused = mcp.call("revell_remember", {"type": "episodic"})
    assert json.loads(refused["content"][0]["text"]) == refused["structuredContent"]


def test_every_answer_fits_the_schema_that_the_tool_shows(mcp):
    """Strict clients check it, errors too."""
    calls = {
        "revell_boot": {"acknowledge": "explicit"},
        "revell_boot_acknowledge": {"id": "boot-1"},
        "revell_payload_promise": {"content": "see this"},
        "revell_remember": {"type": "core", "category": "soul", "key": "k", "content": "who"},
        "revell_recall": {"query": "who"},
        "revell_archive": {"id": "mem-1"},
        "revell_payload_release": {"id": "prm-1"},
        "memory_capture": {"kind": "fact", "content": "c", "project_id": "p"},
        "memory_retrieve": {"terms": ["c"]},
        "memory_get": {"id": "cap-1"},
        "memory_tier": {"id": "cap-1", "tier": "archived"},
        "memory_forget": {"id": "cap-1", "reason": "r"},
    }
    for tool in listed():
        if tool["name"] not in calls:
            calls[tool["name"]] = {}
    assert set(calls) == {tool.name for tool in TOOLS}
    for name, arguments in calls.items():
        schema = listed_of(name)["outputSchema"]
        jsonschema.validate(mcp.call(name, arguments)["structuredContent"], schema)
        jsonschema.validate(mcp.refused(name, {"nonsense": True}), schema)


# Boots ----------------------------------------------------------------------------------------------------------------


def test_p36_p37_a_boot_is_the_payload_as_text_and_its_promises_decay(mcp):
    mcp.told("revell_payload_promise", {"content": "see this now"})
    response = mcp.message("tools/call", {"name": "revell_boot", "arguments": {"channel": "post_compact"}})
    result = read(response)["result"]
    stored = Boot.objects.get()
    assert result["content"] == [{"type": "text", "text": stored.payload}]
    assert result["structuredContent"]["payload"] == stored.payload
    assert (result["structuredContent"]["boot_id"], stored.channel, stored.via) == ("boot-1", "post_compact", "mcp")
    assert "see this now" in stored.payload
    assert [memory.tags for memory in Memory.objects.all()] == [["payload-promise-decayed"]]
    assert not Promise.objects.exists()


def test_p38_the_payload_is_handed_over_before_anything_decays(mcp, actor):
    factories.remember_many(actor, 40, size=300)
    mcp.told("revell_payload_promise", {"content": "see this now"})
    response = mcp.message("tools/call", {"name": "revell_boot", "arguments": {}})
    pieces = []
    for piece in response.streaming_content:
        pieces.append(piece)
        assert Promise.objects.count() == 1, "nothing decays while a piece is on its way"
    assert len(pieces) > 2
    assert not Promise.objects.exists()
    assert json.loads(b"".join(pieces))["result"]["structuredContent"]["boot_id"] == "boot-1"


def test_p38_p39_a_connection_that_breaks_leaves_the_promise_pending(mcp):
    mcp.told("revell_payload_promise", {"content": "see this now"})
    response = mcp.message("tools/call", {"name": "revell_boot", "arguments": {}})
    next(response.streaming_content)
    response._iterator.close()  # what a server does then
    assert Promise.objects.count() == 1
    assert "see this now" in mcp.told("revell_boot")["payload"]


def test_p39_a_decay_that_fails_does_not_harm_the_answer(mcp, monkeypatch):
    mcp.told("revell_payload_promise", {"content": "see this now"})

    def fail(*_, **__):
        raise DatabaseError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(boot_service, "decay", fail)
        assert "see this now" in mcp.told("revell_boot")["payload"]
    assert Promise.objects.count() == 1


def test_p42_an_explicit_boot_says_how_to_acknowledge_it(mcp):
    mcp.told("revell_payload_promise", {"content": "see this now"})
    result = mcp.call("revell_boot", {"acknowledge": "explicit"})
    assert "revell_boot_acknowledge" in result["content"][1]["text"]
    assert "boot-1" in result["content"][1]["text"]
    assert Promise.objects.count() == 1
    for _ in range(2):
        told = mcp.told("revell_boot_acknowledge", {"id": "boot-1"})
        assert [one["outcome"] for one in told["promises"]] == ["decayed"]
    assert not Promise.objects.exists()


def test_p43_the_same_key_gives_the_same_bytes_and_consumes_nothing(mcp):
    first = mcp.told("revell_boot", {"idempotency_key": "k"})
    mcp.told("revell_payload_promise", {"content": "made in between"})
    again = mcp.told("revell_boot", {"idempotency_key": "k"})
    assert (first["repeat"], again["repeat"]) == (False, True)
    assert {**first, "repeat": True} == again
    assert (Boot.objects.count(), Promise.objects.count()) == (1, 1)


def test_p45_config_shows_without_arguments_and_changes_with_them(mcp, tenant):
    assert mcp.told("revell_boot_config")["budget_tokens"] == 22_000
    changed = mcp.told("revell_boot_config", {"budget_tokens": 3_000, "shares": {"core": 40, "episodic": 40}})
    assert (changed["budget_tokens"], changed["shares"]) == (3_000, {"core": 40, "working": 20, "episodic": 40})
    assert mcp.refused("revell_boot_config", {"budget_tokens": 3})["code"] == "budget_out_of_range"
    reader = Mcp(factories.issue_key(tenant, "read"))
    assert reader.told("revell_boot_config")["budget_tokens"] == 3_000
    refused = reader.refused("revell_boot_config", {"budget_tokens": 4_000})
    assert (refused["code"], refused["data"]) == ("not_permitted", {"scope": "configure"})


# Memories -------------------------------------------------------------------------------------------------------------


def test_a_memory_is_remembered_revised_read_archived_and_forgotten(mcp):
    made = mcp.told("revell_remember", {"type": "working", "key": "task", "content": "half done", "tags": ["a"]})
    assert (made["id"], made["source"], made["version"]) == ("mem-1", "agent", 1)
    again = mcp.told("revell_remember", {"type": "working", "key": "task", "content": "nearly done"})
    assert (again["id"], again["version"]) == ("mem-1", 2)
    by_id = mcp.told("revell_remember", {"id": "mem-1", "content": "done", "version": 2})
    assert (by_id["content"], by_id["version"]) == ("done", 3)
    stale = mcp.refused("revell_remember", {"id": "mem-1", "content": "late", "version": 2})
    assert (stale["code"], stale["data"]["current"]["content"]) == ("stale_version", "done")
    assert mcp.told("revell_recall_exact", {"id": "mem-1"}) == by_id
    assert mcp.told("revell_archive", {"id": "mem-1"})["archived_at"]
    assert mcp.told("revell_recall_exact", {"archived": True})["total"] == 1
    assert mcp.told("revell_archive", {"id": "mem-1", "restore": True})["archived_at"] is None
    assert mcp.told("revell_forget", {"id": "mem-1"}) == {"id": "mem-1", "forgotten": True}
    assert mcp.refused("revell_recall_exact", {"id": "mem-1"})["code"] == "not_found"


def test_pages_of_memories_lead_to_each_other(mcp, actor):
    factories.remember_many(actor, 5)
    first = mcp.told("revell_recall_exact", {"limit": 2})
    assert (len(first["results"]), first["total"], first["previous"]) == (2, 5, None)
    second = mcp.told("revell_recall_exact", {"limit": 2, "cursor": first["next"]})
    assert {one["id"] for one in first["results"]} & {one["id"] for one in second["results"]} == set()
    assert mcp.told("revell_recall_exact", {"limit": 2, "cursor": second["previous"]})["results"] == first["results"]


def test_p48_recall_finds_a_served_promise(mcp):
    mcp.told("revell_payload_promise", {"content": "the zanzibar matter is open"})
    mcp.told("revell_boot")
    found = mcp.told("revell_recall", {"query": "zanzibar"})
    assert [hit["tags"] for hit in found["results"]] == [["payload-promise-decayed"]]
    assert found["total_matched"] == 1


def test_p6_a_full_cap_is_a_tool_error_with_its_figures(mcp):
    listed_before = mcp.told("revell_payload_list")
    refused = mcp.refused("revell_payload_promise", {"content": "x" * (listed_before["free_bytes"] + 1)})
    assert (refused["code"], refused["data"]["over_bytes"]) == ("promise_cap_exceeded", 1)
    assert refused["message"].endswith(".")
    assert mcp.told("revell_payload_list") == listed_before


def test_p10_p12_a_promise_is_made_once_listed_and_released(mcp):
    made = mcp.told("revell_payload_promise", {"content": "once"})
    assert mcp.told("revell_payload_promise", {"content": "once"})["already_pending"] is True
    assert [one["id"] for one in mcp.told("revell_payload_list")["results"]] == [made["id"]]
    assert mcp.told("revell_payload_release", {"id": made["id"]}) == {"id": made["id"], "released": True}
    assert mcp.refused("revell_payload_release", {"id": made["id"]})["code"] == "not_found"


# Refusals -------------------------------------------------------------------------------------------------------------


def test_what_no_tool_takes_is_refused_by_name(mcp):
    for tool in TOOLS:
        refused = mcp.refused(tool.name, {"nonsense": 1})
        assert refused["code"] == "invalid_input", tool.name
        assert "nonsense" in refused["errors"], tool.name


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_key_without_the_scope_is_told_which(tenant, tool):
    others = {"read", "write", "boot", "configure"} - {tool.scope}
    refused = Mcp(factories.issue_key(tenant, *others)).refused(tool.name)
    assert (refused["code"], refused["data"]) == ("not_permitted", {"scope": tool.scope})


def test_a_database_that_does_not_answer_is_told_as_such(mcp, monkeypatch):
    def busy(*_, **__):
        raise OperationalError("database is locked")

    monkeypatch.setattr(operations, "list_pending", busy)
    refused = mcp.refused("revell_payload_list")
    assert (refused["code"], refused["data"]) == ("unavailable", {"retry_after": 2})


def test_a_bug_tells_no_detail(mcp, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(operations, "list_pending", broken)
    response = mcp.message("tools/call", {"name": "revell_payload_list", "arguments": {}})
    assert read(response)["error"]["code"] == -32603
    assert b"secret" not in response.content


def test_an_unknown_tool_is_an_error_of_the_protocol(mcp):
    assert mcp.error("tools/call", {"name": "revell_nothing"})["code"] == -32602
    assert mcp.error("tools/call", {"name": "revell_boot", "arguments": []})["code"] == -32602
    assert not Boot.objects.exists()


# Resources and prompts ------------------------------------------------------------------------------------------------


def test_p34_p35_the_preview_resource_is_the_next_boot_and_consumes_nothing(mcp, actor):
    mcp.told("revell_payload_promise", {"content": "see this now"})
    for _ in range(2):
        (shown,) = mcp.result("resources/read", {"uri": "revell://boot/preview"})["contents"]
    assert shown["mimeType"] == "text/plain"
    assert not Boot.objects.exists()
    assert shown["text"] == mcp.told("revell_boot")["payload"]
    assert boot_rows.get_boot(actor, number=1).payload == shown["text"]


def test_resources_and_prompts_are_listed_and_read(mcp):
    for resource in mcp.result("resources/list")["resources"]:
        (shown,) = mcp.result("resources/read", {"uri": resource["uri"]})["contents"]
        assert (shown["uri"], shown["mimeType"]) == (resource["uri"], resource["mimeType"])
        assert shown["text"]
    assert mcp.result("resources/templates/list")["resourceTemplates"] == []
    names = [prompt["name"] for prompt in mcp.result("prompts/list")["prompts"]]
    assert names == ["start_of_session", "before_compaction"]
    for name in names:
        (message,) = mcp.result("prompts/get", {"name": name})["messages"]
        assert message["role"] == "user"
        assert "revell_" in message["content"]["text"]


def test_what_is_not_there_is_an_error_of_the_protocol(mcp, tenant):
    error = mcp.error("resources/read", {"uri": "revell://nothing"})
    assert (error["code"], error["data"]) == (-32602, {"uri": "revell://nothing"})
    earlier = Mcp(mcp.key, "2025-11-25").error("resources/read", {"uri": "revell://nothing"})
    assert earlier["code"] == -32002
    assert mcp.error("prompts/get", {"name": "nothing"})["code"] == -32602
    writer = Mcp(factories.issue_key(tenant, "write"))
    assert writer.error("resources/read", {"uri": "revell://boot/preview"})["data"] == {"code": "not_permitted"}
