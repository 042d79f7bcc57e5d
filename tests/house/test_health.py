"""What an operator's tools see."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from memories.services import promises
from revell import health
from tests import factories

KEY = "a-metrics-key-of-more-than-thirty-two-characters"


def test_healthz_asks_no_database(client):
    """No database mark on this test: a query would fail it."""
    response = client.get("/healthz")
    assert (response.status_code, response.text) == (200, "ok\n")


@pytest.mark.django_db
def test_readyz_is_ready_when_every_migration_is_applied(client):
    response = client.get("/readyz")
    assert (response.status_code, response.text) == (200, "ready\n")


@pytest.mark.django_db
def test_readyz_counts_the_migrations_that_are_missing(client, monkeypatch):
    monkeypatch.setattr(health, "_pending_migrations", lambda: 2)
    response = client.get("/readyz")
    assert (response.status_code, response["Retry-After"]) == (503, "30")
    assert (response.json()["code"], response.json()["pending_migrations"]) == ("unavailable", 2)


def test_readyz_says_that_the_database_does_not_answer(client, monkeypatch):
    def no_answer():
        raise DatabaseError("password hunter2")

    monkeypatch.setattr(health, "_pending_migrations", no_answer)
    response = client.get("/readyz")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "hunter2" not in response.text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("remote", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("192.0.2.7", {}, 401),
        ("", {}, 401),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, 401),
        ("127.0.0.1", {"Forwarded": "for=192.0.2.7"}, 401),
        ("192.0.2.7", {"Authorization": f"Bearer {KEY}"}, 200),
        ("192.0.2.7", {"Authorization": f"Bearer {KEY}x"}, 401),
        ("192.0.2.7", {"Authorization": KEY}, 401),
        ("192.0.2.7", {"Authorization": "Bearer schlüssel"}, 401),
    ],
)
def test_metrics_are_for_this_machine_or_the_key(client, settings, remote, headers, status):
    settings.METRICS_KEY = KEY
    response = client.get("/metrics", REMOTE_ADDR=remote, headers=headers)
    assert response.status_code == status
    if status == 401:
        assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.django_db
def test_no_key_is_no_way_in(client, settings):
    settings.METRICS_KEY = ""
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7", headers={"Authorization": "Bearer "}).status_code == 401


def figures(client):
    response = client.get("/metrics")
    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = [line.rsplit(" ", 1) for line in response.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


@pytest.mark.django_db
def test_metrics_of_an_empty_installation_are_zero(client):
    found = figures(client)
    assert found["revell_ready"] == 1
    assert (found["revell_tenants"], found["revell_boots_total"], found['revell_memories{type="core"}']) == (0, 0, 0)


def test_metrics_count_what_all_agents_have(client, actor, other_actor):
    factories.remember(actor, "core", "one")
    factories.remember(other_actor, "core", "two")
    promises.make(actor, content="see this now")
    found = figures(client)
    assert found["revell_tenants"] == 2
    assert found['revell_memories{type="core"}'] == 2
    assert (found["revell_promises"], found["revell_promise_bytes"]) == (1, 12)


@pytest.mark.django_db
def test_metrics_cost_the_same_with_more_agents(client, django_assert_num_queries):
    factories.make_tenant()
    with CaptureQueriesContext(connection) as first:
        figures(client)
    factories.make_tenant("Second")
    factories.make_tenant("Third")
    with django_assert_num_queries(len(first)):
        figures(client)


@pytest.mark.django_db
def test_metrics_say_that_the_database_is_away(client, monkeypatch):
    def no_answer(*args):
        raise DatabaseError

    monkeypatch.setattr(health, "_pending_migrations", no_answer)
    monkeypatch.setattr(health, "get_figures", no_answer)
    found = figures(client)
    assert found["revell_ready"] == 0
    assert "revell_tenants" not in found


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
def test_they_only_answer_questions(client, address):
    assert client.post(address).status_code == 405
