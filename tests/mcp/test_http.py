"""What HTTP asks of the address, before and around the protocol: keys, origins, verbs, media types, sizes."""

from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.test import Client

from memories.engine.limits import BODY_MAX_BYTES
from memories.services import keys
from tests import factories
from tests.mcp.conftest import Mcp, read

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


def check_problem(response, status, code):
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")
    told = json.loads(response.content)
    assert (told["status"], told["code"]) == (status, code)
    return told


def test_without_a_good_key_nothing_is_answered(tenant, mcp):
    expired = factories.issue_key(tenant)
    keys.revoke(factories.operator_in(tenant), prefix=expired.split("_")[1])
    for key in ("", "rvl_nobody_nothing", "x", expired):
        response = Mcp(key).raw(PING)
        check_problem(response, 401, "not_authenticated")
        assert response["WWW-Authenticate"] == "Bearer"
    for authorization in ("Basic abc", "Bearer", "Bearer  ", mcp.key):
        check_problem(Mcp("").raw(PING, Authorization=authorization), 401, "not_authenticated")
    in_address = Client().generic("POST", f"/mcp?key={mcp.key}", PING, content_type="application/json")
    check_problem(in_address, 401, "not_authenticated")
    assert mcp.raw(PING).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])
def test_the_address_answers_post_only(mcp, method):
    response = mcp.raw(b"", method=method, Accept="text/event-stream")
    assert check_problem(response, 405, "method_not_allowed")["allowed"] == ["POST"]
    assert response["Allow"] == "POST"


@pytest.mark.parametrize(
    "origin", ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8000", "https://revell.example.org"]
)
def test_pages_of_this_machine_and_of_allowed_hosts_may_call(mcp, monkeypatch, origin):
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["revell.example.org", "testserver"])
    assert mcp.raw(PING, Origin=origin).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example.com", "null", "", "http://localhost.evil.example.com", "http://127.0.0.1.nip.io", "http://["],
)
def test_pages_from_elsewhere_may_not(mcp, monkeypatch, origin):
    """Also when any host is allowed, because a page of anybody's can name any host."""
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["*"])
    check_problem(mcp.raw(PING, Origin=origin), 403, "not_permitted")


def test_a_host_that_is_not_ours_is_refused(mcp):
    check_problem(mcp.raw(PING, Host="evil.example.com"), 400, "invalid_input")


def test_a_form_of_another_site_cannot_call(tenant):
    """No cookie counts here, so there is nothing that a forged form could borrow; the body must be JSON besides."""
    client = Client(enforce_csrf_checks=True)
    key = factories.issue_key(tenant)
    sent = client.generic(
        "POST", "/mcp", PING, content_type="application/json", headers={"Authorization": f"Bearer {key}"}
    )
    assert sent.status_code == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        check_problem(Mcp(key).raw(PING, **{"Content-Type": kind}), 415, "unsupported_media_type")


def test_the_answer_is_json(mcp):
    response = mcp.raw(PING, Accept="application/json;q=0.9, text/event-stream")
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert response["Cache-Control"] == "no-store"
    assert "Mcp-Session-Id" not in response
    for accept in ("*/*", "application/*"):
        assert mcp.raw(PING, Accept=accept).status_code == 200
    check_problem(mcp.raw(PING, Accept="text/event-stream"), 406, "not_acceptable")


def test_a_body_over_the_limit_is_refused(mcp):
    check_problem(mcp.raw(b" " * BODY_MAX_BYTES + PING), 413, "too_large")


def test_what_utf8_cannot_carry_comes_back_as_it_was_sent(mcp):
    body = b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/call", "params": {"name": "\\ud800"}}'
    response = mcp.raw(body)
    assert response.status_code == 200
    assert json.loads(response.content)["id"] == "\ud800"
    refused = Mcp(mcp.key, "2025-11-25").refused("revell_remember", {"type": "episodic", "content": "\ud800"})
    assert refused["code"] == "invalid_input"


def test_a_batch_with_a_boot_settles_its_promises(mcp):
    mcp.told("revell_payload_promise", {"content": "see this now"})
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "revell_boot"}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "revell_payload_list"}},
    ]
    answers = read(mcp.raw(json.dumps(calls).encode()))
    assert answers[1]["result"]["structuredContent"]["total"] == 1, "not yet: the payload has not left"
    assert mcp.told("revell_payload_list")["total"] == 0


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_every_version_reaches_the_tools(tenant, version):
    client = Mcp(factories.issue_key(tenant), version)
    assert client.told("revell_remember", {"type": "episodic", "content": "hello"})["id"] == "mem-1"
    assert client.told("revell_recall", {"query": "hello"})["total_matched"] == 1
    assert len(client.result("tools/list")["tools"]) > 10


def test_another_tenants_ids_look_like_nothing(mcp, other_mcp):
    mcp.told("revell_remember", {"type": "episodic", "content": "mine"})
    mcp.told("revell_payload_promise", {"content": "mine too"})
    mcp.told("revell_boot", {"acknowledge": "explicit"})
    for name, arguments in {
        "revell_recall_exact": {"id": "mem-1"},
        "revell_remember": {"id": "mem-1", "content": "theirs"},
        "revell_archive": {"id": "mem-1"},
        "revell_forget": {"id": "mem-1"},
        "revell_payload_release": {"id": "prm-1"},
        "revell_boot_acknowledge": {"id": "boot-1"},
    }.items():
        unknown = other_mcp.refused(name, {**arguments, "id": arguments["id"].replace("-1", "-99")})
        refused = other_mcp.refused(name, arguments)
        assert refused["code"] == "not_found"
        assert {k: v for k, v in refused.items() if k != "message"} == {
            k: v for k, v in unknown.items() if k != "message"
        }
    assert mcp.told("revell_recall_exact", {"id": "mem-1"})["version"] == 1
