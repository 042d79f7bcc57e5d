"""What happens around every view: ids, headers, the limit of the body, unknown addresses, forged forms, faults."""

from __future__ import annotations

import contextlib
import io
import logging

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from memories.engine.limits import BODY_MAX_BYTES
from revell.middleware import CUT_SHORT, KnownLength, RequestIdFilter, client_address
from revell.urls import handler400, handler403, handler404, handler500  # noqa: F401  (Django looks for them here)
from revell.urls import urlpatterns as project_urls


@csrf_exempt
def echo(request):
    logging.getLogger("tests.echo").warning("seen")
    return HttpResponse(request.body)


@csrf_exempt
def roomy(request):
    return HttpResponse(str(len(request.read())))


roomy.body_max_bytes = 3 * BODY_MAX_BYTES


def fall(request):
    raise RuntimeError("the secret is hunter2")


urlpatterns = [
    path("api/v1/test-echo", echo),
    path("api/v1/test-fall", fall),
    path("test-echo", echo),
    path("test-roomy", roomy),
    path("test-form", lambda request: HttpResponse("sent")),
    path("test-fall", fall),
    *project_urls,
]
pytestmark = pytest.mark.urls(__name__)

PROBLEM = "application/problem+json"


def test_each_request_has_an_id_of_its_own(client):
    first, second = client.get("/test-echo"), client.get("/test-echo")
    assert len(first["X-Request-Id"]) == 32
    assert first["X-Request-Id"] != second["X-Request-Id"]


def test_the_log_carries_the_id_of_the_request(client):
    lines = []

    class Collect(logging.Handler):
        def emit(self, record):
            lines.append(record.request_id)

    collect = Collect()
    collect.addFilter(RequestIdFilter())
    logger = logging.getLogger("tests.echo")
    logger.addHandler(collect)
    try:
        response = client.get("/test-echo")
    finally:
        logger.removeHandler(collect)
    assert lines == [response["X-Request-Id"]]


def test_a_sane_id_of_the_caller_is_kept_and_any_other_is_not(client):
    assert client.get("/test-echo", headers={"X-Request-Id": "trace-12345678"})["X-Request-Id"] == "trace-12345678"
    for bad in ("short", "x" * 65, "with space in it", "new\nline-in-it"):
        assert client.get("/test-echo", headers={"X-Request-Id": bad})["X-Request-Id"] != bad


def test_the_headers_let_nothing_in_and_nothing_be_kept(client):
    response = client.get("/test-echo")
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert set(policy.values()) <= {"'self'", "'none'"}
    assert response["Cache-Control"] == "no-store"
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert "Strict-Transport-Security" not in response


@pytest.mark.django_db  # the end of a request looks after connections
def test_static_files_may_be_kept(client):
    with contextlib.closing(client.get("/static/admin/css/base.css")) as response:
        assert response.status_code == 200
        assert "max-age" in response["Cache-Control"]


def test_a_body_over_the_limit_is_refused_in_the_form_of_the_asker(client):
    program = client.post("/api/v1/test-echo", b"x" * (BODY_MAX_BYTES + 1), content_type="text/plain")
    assert (program.status_code, program["Content-Type"]) == (413, PROBLEM)
    person = client.post("/test-echo", b"x" * (BODY_MAX_BYTES + 1), content_type="text/plain")
    assert person.status_code == 413
    assert person["Content-Type"].startswith("text/")
    assert "2,097,152 bytes" in person.text


def test_a_problem_names_the_limit(client):
    problem = client.post("/api/v1/test-echo", b"x" * (BODY_MAX_BYTES + 1), content_type="text/plain").json()
    assert (problem["code"], problem["status"], problem["limit_bytes"]) == ("too_large", 413, BODY_MAX_BYTES)


def test_a_body_that_is_exactly_full_is_taken(client):
    response = client.post("/api/v1/test-echo", b"x" * BODY_MAX_BYTES, content_type="text/plain")
    assert response.status_code == 200
    assert len(response.content) == BODY_MAX_BYTES


def test_a_view_that_takes_files_says_how_much(client):
    fits = client.post("/test-roomy", b"x" * (BODY_MAX_BYTES + 1), content_type="application/zip")
    assert fits.text == str(BODY_MAX_BYTES + 1)
    assert client.post("/test-roomy", b"x" * (3 * BODY_MAX_BYTES + 1), content_type="a/b").status_code == 413


def test_a_chunked_body_is_read_and_measured():
    """Django alone would take it for empty."""
    seen = {}

    def application(environ, start_response):
        seen["length"] = environ["CONTENT_LENGTH"]
        seen["body"] = environ["wsgi.input"].read()
        return []

    class Drip(io.RawIOBase):
        """A stream that gives a few bytes at each read, as a network does."""

        def __init__(self, data):
            self.data = io.BytesIO(data)

        def read(self, size=-1):
            return self.data.read(min(size, 7))

    wrapped = KnownLength(application, limit=100)
    wrapped({"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": Drip(b"y" * 50)}, None)
    assert seen == {"length": "50", "body": b"y" * 50}
    wrapped({"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": Drip(b"y" * 500)}, None)
    assert seen["length"] == "101", "one byte over the limit is enough to be refused"


def test_a_chunked_body_over_the_limit_is_never_taken_in_part(client):
    """Also where a view allows more: it would get the first part for the whole."""
    assert client.post("/test-roomy", b"x" * 10, content_type="a/b").text == "10"
    assert client.post("/test-roomy", b"x" * 10, content_type="a/b", **{CUT_SHORT: True}).status_code == 413

    environ = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input": io.BytesIO(b"y" * 500)}
    KnownLength(lambda environ, start_response: [], limit=100)(environ, None)
    assert environ[CUT_SHORT] is True


def test_an_unknown_address_is_a_problem_for_programs_and_a_page_for_people(client):
    problem = client.get("/api/v1/test-nowhere")
    assert (problem.status_code, problem["Content-Type"], problem.json()["code"]) == (404, PROBLEM, "not_found")
    assert "/api/docs/" in problem.json()["detail"]
    page = client.get("/test-nowhere")
    assert page.status_code == 404
    assert "the first page" in page.text
    assert page["Content-Type"].startswith("text/")
    assert "Nothing is at this address" in page.text


@pytest.mark.parametrize("address", ["/api/v1/test-fall", "/test-fall"])
def test_a_fault_of_ours_says_nothing_but_where_the_log_has_it(address, caplog):
    response = Client(raise_request_exception=False).get(address)
    assert response.status_code == 500
    assert "hunter2" not in response.text
    assert response["X-Request-Id"] in response.text


def test_a_foreign_host_is_refused(client):
    assert client.get("/test-echo", headers={"host": "evil.example"}).status_code == 400
    problem = client.get("/api/v1/test-echo", headers={"host": "evil.example"})
    assert (problem.status_code, problem.json()["code"]) == (400, "invalid_input")


def test_a_form_without_its_secret_is_told_what_to_do():
    response = Client(enforce_csrf_checks=True).post("/test-form", {"a": "b"})
    assert response.status_code == 403
    assert "load the page again" in response.text


@pytest.mark.parametrize(
    ("behind_https", "forwarded", "address"),
    [
        (False, "1.2.3.4", "10.0.0.1"),
        (True, "1.2.3.4", "1.2.3.4"),
        (True, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (True, "", "10.0.0.1"),
    ],
)
def test_the_address_of_the_caller_is_the_proxy_s_word_only_behind_https(
    rf, settings, behind_https, forwarded, address
):
    settings.BEHIND_HTTPS = behind_https
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": forwarded} if forwarded else {})
    assert client_address(request) == address
