"""The protocol alone: bytes and headers in, status and object out, in both eras."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from memories.mcp.protocol import (
    BATCH_MAX,
    HANDSHAKE,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MODERN,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Call,
    Fault,
    Reply,
    Result,
    Server,
    answer,
)

SERVER = Server("revell", "Revell", "9.9", "Call revell_boot first.", {"tools": {}})
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
META = {VERSION_KEY: MODERN[0], CAPABILITIES_KEY: {}}


class Seen:
    """Serves `tools/list` and `tools/call`, and keeps the calls."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def __call__(self, call: Call) -> Result:
        self.calls.append(call)
        if call.method == "tools/list":
            return Result({"tools": []}, fresh_ms=5, shared=True)
        if call.method == "resources/read":
            return Result({"contents": []}, fresh_ms=0)
        if call.method == "tools/call":
            return Result({"content": []})
        raise Fault(METHOD_NOT_FOUND, "no such method")


def send(sent: Any, headers: dict[str, str] | None = None, seen: Seen | None = None) -> Reply:
    body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    return answer(body, headers or {}, server=SERVER, serve=seen or Seen())


def request(method: str, params: Any = None, id: Any = 7) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})}


def modern(method: str, params: dict[str, Any] | None = None, **headers: str) -> Reply:
    """A request of the stateless era with what it needs; `headers` replace some (an empty text takes one away)."""
    params = {"_meta": META, **(params or {})}
    sent = {"mcp-protocol-version": MODERN[0], "mcp-method": method}
    if "name" in params:
        sent["mcp-name"] = params["name"]
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return send(request(method, params), {name: value for name, value in sent.items() if value})


def code(reply: Reply) -> tuple[int, int]:
    return reply.status, reply.body["error"]["code"]


# Both eras ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, {"mcp-protocol-version": MODERN[0]}], ids=["handshake", "stateless"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", PARSE_ERROR),
        (b"{", PARSE_ERROR),
        (b"\xff", PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"1" * 5_000, PARSE_ERROR),
        (b"null", INVALID_REQUEST),
        (b'"ping"', INVALID_REQUEST),
        (b'{"id": 1, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', INVALID_REQUEST),
        (b"[]", INVALID_REQUEST),
    ],
)
def test_what_is_no_message_is_400_and_runs_nothing(body, expected, headers):
    seen = Seen()
    reply = send(body, headers, seen)
    assert code(reply) == (400, expected)
    assert seen.calls == []
    json.dumps(reply.body)


@pytest.mark.parametrize("id_", [0, -1, "", "a", 2**60])
def test_the_id_comes_back_as_it_was(id_):
    assert send(request("ping", id=id_)).body["id"] == id_
    assert send(request("nothing", id=id_)).body["id"] == id_


@pytest.mark.parametrize("version", ["", *HANDSHAKE, MODERN[0]])
def test_a_notification_is_taken_with_202_and_no_body(version):
    seen = Seen()
    headers = {"mcp-protocol-version": version} if version else {}
    for method in ("notifications/initialized", "notifications/cancelled", "tools/call"):
        assert send({"jsonrpc": "2.0", "method": method}, headers, seen) == Reply(202)
    assert seen.calls == []


# The stateless era ----------------------------------------------------------------------------------------------------


def test_discover_says_what_there_is_and_who_it_is():
    reply = modern("server/discover")
    assert reply.status == 200
    result = reply.body["result"]
    assert result["supportedVersions"] == list(MODERN)
    assert (result["capabilities"], result["instructions"]) == ({"tools": {}}, "Call revell_boot first.")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == {
        "name": "revell",
        "version": "9.9",
        "title": "Revell",
    }
    assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
    assert result["ttlMs"] > 0


def test_results_say_how_long_they_may_be_kept_and_by_whom():
    assert {k: modern("tools/list").body["result"][k] for k in ("ttlMs", "cacheScope")} == {
        "ttlMs": 5,
        "cacheScope": "public",
    }
    read = modern("resources/read", {"uri": "x"}, mcp_name="x").body["result"]
    assert (read["ttlMs"], read["cacheScope"]) == (0, "private")
    called = modern("tools/call", {"name": "a"}).body["result"]
    assert called["resultType"] == "complete"
    assert "ttlMs" not in called


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "x"])
def test_what_is_not_there_is_404(method):
    assert code(modern(method)) == (404, METHOD_NOT_FOUND)


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"_meta": None},
        {"_meta": {CAPABILITIES_KEY: {}}},
        {"_meta": {VERSION_KEY: MODERN[0]}},
        {"_meta": {**META, CAPABILITIES_KEY: []}},
    ],
)
def test_a_request_without_its_envelope_is_refused(params):
    headers = {"mcp-protocol-version": MODERN[0], "mcp-method": "tools/list"}
    assert code(send(request("tools/list", params), headers)) == (400, INVALID_PARAMS)


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": ""},
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_protocol_version": "2026-07-28,2026-07-28"},
        {"mcp_method": ""},
        {"mcp_method": "TOOLS/CALL"},
        {"mcp_method": "tools/list"},
        {"mcp_name": ""},
        {"mcp_name": "other"},
        {"mcp_name": "=?base64?!!?="},
        {"mcp_name": "=?base64?YR==?="},
    ],
    ids=str,
)
def test_a_header_that_says_something_else_than_the_body_is_refused(headers):
    """Whoever routes or counts by headers must not be fooled."""
    assert code(modern("tools/call", {"name": "a"}, **headers)) == (400, HEADER_MISMATCH)


@pytest.mark.parametrize("name", ["a", "日本", " edge ", "=?base64?YQ==?="])
def test_a_header_may_carry_any_name_in_base64(name):
    coded = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
    assert modern("tools/call", {"name": name}, mcp_name=f"  {coded} ").status == 200


def test_an_unknown_version_is_told_which_there_are():
    headers = {"mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list"}
    params = {"_meta": {**META, VERSION_KEY: "2099-01-01"}}
    reply = send(request("tools/list", params), headers)
    assert code(reply) == (400, UNSUPPORTED_VERSION)
    assert reply.body["error"]["data"] == {"supported": list(MODERN), "requested": "2099-01-01"}
    unheard = send({"jsonrpc": "2.0", "method": "notifications/x"}, {"mcp-protocol-version": "2099-01-01"})
    assert code(unheard) == (400, UNSUPPORTED_VERSION)


def test_the_stateless_era_has_no_batches_and_takes_no_answers():
    headers = {"mcp-protocol-version": MODERN[0]}
    assert code(send([request("tools/list", {"_meta": META})], headers)) == (400, INVALID_REQUEST)
    assert code(send({"jsonrpc": "2.0", "id": 1, "result": {}}, headers)) == (400, INVALID_REQUEST)


# The handshake era ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", HANDSHAKE)
def test_initialize_settles_the_version(version):
    reply = send(request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {}}))
    result = reply.body["result"]
    assert (reply.status, result["protocolVersion"]) == (200, version)
    assert result["serverInfo"]["name"] == "revell"
    assert result["instructions"] == "Call revell_boot first."
    assert ("title" in result["serverInfo"]) == (version != "2025-03-26"), "the title came with 2025-06-18"


@pytest.mark.parametrize("offered", ["2024-11-05", "2026-07-28", "2099-01-01", ""])
def test_an_offer_that_we_do_not_have_is_answered_with_our_newest(offered):
    assert send(request("initialize", {"protocolVersion": offered})).body["result"]["protocolVersion"] == HANDSHAKE[0]


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": 1}])
def test_initialize_without_a_version_is_refused(params):
    assert code(send(request("initialize", params))) == (200, INVALID_PARAMS)


@pytest.mark.parametrize("version", HANDSHAKE)
def test_methods_are_served_without_the_marks_of_the_other_era(version):
    seen = Seen()
    headers = {"mcp-protocol-version": version}
    assert send(request("tools/list"), headers, seen).body == {"jsonrpc": "2.0", "id": 7, "result": {"tools": []}}
    assert send(request("ping"), headers, seen).body["result"] == {}
    assert seen.calls == [Call(version, "tools/list", {})]
    assert code(send(request("server/discover"), headers, seen)) == (200, METHOD_NOT_FOUND)
    assert code(send(request("tools/list", [1]), headers, seen)) == (200, INVALID_PARAMS)


def test_without_a_header_the_version_before_it_is_spoken():
    seen = Seen()
    send(request("tools/list"), {}, seen)
    assert seen.calls == [Call("2025-03-26", "tools/list", {})]


def test_batches_belong_to_2025_03_26():
    batch = [request("ping", id=1), {"jsonrpc": "2.0", "method": "notifications/x"}, request("nothing", id=2), 5]
    reply = send(batch)
    assert reply.status == 200
    assert [(one["id"], one.get("error", {}).get("code")) for one in reply.body] == [
        (1, None),
        (2, METHOD_NOT_FOUND),
        (None, INVALID_REQUEST),
    ]
    for version in ("2025-06-18", "2025-11-25"):
        assert code(send(batch, {"mcp-protocol-version": version})) == (400, INVALID_REQUEST)
    assert send([{"jsonrpc": "2.0", "method": "notifications/x"}]) == Reply(202)
    alone = send([request("initialize", {"protocolVersion": "2025-03-26"})])
    assert alone.body[0]["error"]["code"] == INVALID_REQUEST
    assert code(send([request("ping")] * (BATCH_MAX + 1))) == (400, INVALID_REQUEST)


def test_answers_of_the_client_are_taken_and_dropped():
    assert send({"jsonrpc": "2.0", "id": 1, "result": {}}) == Reply(202)
    assert send({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}) == Reply(202)
