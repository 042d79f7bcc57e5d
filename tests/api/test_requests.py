"""How requests are read and faults are told: strict JSON, known names only, and no input that becomes a 5xx."""

from __future__ import annotations

import json

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.test import Client

from memories.engine.limits import BODY_MAX_BYTES
from memories.selectors import recall as recall_selector
from memories.services import keys
from tests.api.conftest import check_refused


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b'{"query": "x",}',
        b"{'query': 'x'}",
        b'{"query": "x"} {}',
        b'\xef\xbb\xbf{"query": "x"}',
        b'{"query": "\xff"}',
        b'{"query": "x", "min_importance": NaN}',
        b'{"query": "x", "min_importance": Infinity}',
        b'{"query": "x", "min_importance": -Infinity}',
        b'{"query": "x", "query": "y"}',
        b'{"query": "x", "limit": ' + b"9" * 5_000 + b"}",
        b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"query": ' * 50_000 + b"1" + b"}" * 50_000,
        b'{"a\tb": 1}',
        b" ",
    ],
)
def test_what_is_not_json_is_refused(api, body):
    problem = check_refused(api.raw("POST", "recall", body), 400, "invalid_input")
    assert problem["detail"].startswith("The body is")


@pytest.mark.parametrize("body", [b"null", b"[]", b'"text"', b"7", b"true", b'[{"query": "x"}]'])
def test_json_that_is_no_object_is_refused(api, body):
    check_refused(api.raw("POST", "recall", body), 400, "invalid_input", "")


def test_a_number_beyond_all_bounds_is_refused_by_field(api):
    check_refused(
        api.raw("POST", "recall", b'{"query": "x", "min_importance": 1e999}'), 400, "invalid_input", "min_importance"
    )
    check_refused(api.raw("POST", "recall", b'{"query": "x", "limit": 1e999}'), 400, "invalid_input", "limit")
    check_refused(
        api.raw("POST", "recall", b'{"query": "x", "limit": ' + b"9" * 4_000 + b"}"), 400, "invalid_input", "limit"
    )


def test_a_whole_number_may_be_written_with_a_point(api):
    assert api.raw("POST", "recall", b'{"query": "x", "limit": 5.0}').status_code == 200


def test_unknown_names_are_told_all_at_once_however_they_look(api):
    names = ["qeury", "\ud800", "é" * 500, "", "a.b", "\u2028"]
    response = api.post("recall", {"query": "x", **dict.fromkeys(names, 1)})
    assert response.status_code == 400
    told = response.json()["errors"]
    assert "qeury" in told
    assert "\\ud800" in told
    assert max(map(len, told)) <= 81
    assert "query, limit, types" in told["qeury"][0]
    many = api.post("recall", {f"field{n}": 1 for n in range(1_000)})
    assert len(many.json()["errors"]) == 11, "ten unknown ones and the query that is missing"


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", ""],
)
def test_a_body_in_another_form_is_refused(api, kind):
    problem = check_refused(
        api.raw("POST", "recall", b'{"query": "x"}', **{"Content-Type": kind}), 415, "unsupported_media_type"
    )
    assert problem["available"] == ["application/json"]


def test_a_charset_beside_the_type_is_no_fault(api):
    body = '{"query": "ünïcode"}'.encode()
    response = api.raw("POST", "recall", body, **{"Content-Type": "application/json; charset=utf-8"})
    assert response.json()["scope"]["query"] == "ünïcode"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "memories", "GET, POST"),
        ("DELETE", "boot", "POST"),
        ("GET", "boot", "POST"),
        ("PATCH", "promises/prm-1", "DELETE"),
        ("OPTIONS", "memories", "GET, POST"),
        ("TRACE", "recall", "POST"),
    ],
)
def test_a_verb_that_an_address_does_not_have(api, method, path, allowed):
    response = api.call(method, path)
    problem = check_refused(response, 405, "method_not_allowed")
    assert set(response["Allow"].split(", ")) >= set(allowed.split(", "))
    assert problem["allowed"] == response["Allow"].split(", ")


def test_an_unknown_address_is_a_problem(api):
    for path in ("nothing", "memories/", "memories/mem-1/promote", "boot/", "../v1/boots"):
        assert api.get(path).json()["code"] == "not_found"


def test_head_answers_like_get_without_a_body(api):
    response = api.call("HEAD", "memories")
    assert (response.status_code, response.content) == (200, b"")


def test_a_body_over_the_limit_is_refused_before_it_is_read(api):
    problem = check_refused(api.raw("POST", "memories", b"x" * (BODY_MAX_BYTES + 1)), 413, "too_large")
    assert problem["limit_bytes"] == BODY_MAX_BYTES
    full = json.dumps({"items": [{"type": "episodic", "content": "x" * 30_000}] * 69}).encode()
    assert api.raw("POST", "memories", full + b" " * (BODY_MAX_BYTES - len(full))).status_code == 201


@pytest.mark.parametrize("fault", [OperationalError("database is locked"), InterfaceError("connection already closed")])
@pytest.mark.parametrize("place", ["key", "call"])
def test_a_database_that_does_not_answer_is_unavailable(api, monkeypatch, fault, place):
    def fail(*args, **options):
        raise fault

    if place == "key":
        monkeypatch.setattr(keys, "authenticate", fail)
    else:
        monkeypatch.setattr(recall_selector, "_candidates", fail)
    response = api.post("recall", {"query": "x"})
    problem = check_refused(response, 503, "unavailable")
    assert int(response["Retry-After"]) == problem["retry_after"] > 0
    assert "locked" not in response.text


def test_a_fault_of_ours_is_a_problem_without_detail(api, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError("the secret is hunter2")

    monkeypatch.setattr(recall_selector, "_candidates", fail)
    api.client = Client(raise_request_exception=False)
    response = api.post("recall", {"query": "x"})
    assert (response.status_code, response["Content-Type"]) == (500, "application/problem+json")
    assert response.json()["code"] == "internal"
    assert "hunter2" not in response.text
    assert response["X-Request-Id"] in response.json()["detail"]


def test_answers_are_private_and_plain_json(api):
    response = api.get("memories")
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in response


def test_content_comes_back_as_it_was_sent(api):
    content = "\r\n\t leading, trailing \u2028 and \u0085 and e\u0301 and 👩‍👩‍👧\x01\n "
    assert api.post("memories", {"type": "episodic", "content": content}).json()["content"] == content
    assert api.get("memories/mem-1").json()["content"] == content


def test_each_request_leaves_no_transaction_open(api):
    api.get("boot/preview")
    api.post("recall", {"query": 7})
    assert not connection.needs_rollback
