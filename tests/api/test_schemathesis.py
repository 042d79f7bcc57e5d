"""Schemathesis with all its checks: what the schema allows is taken, what it forbids is refused, nothing is a 5xx.

The settings, and the exceptions with their reasons, are in `schemathesis.toml`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

from memories.models import Boot, Memory, Tenant
from revell.wsgi import application
from tests import factories

schema = schemathesis.openapi.from_wsgi(
    "/api/schema/", application, config=SchemathesisConfig.from_path(Path(__file__).parent / "schemathesis.toml")
)


@pytest.fixture
def key(tenant):
    """A key, rows to find, and one database connection for all requests: they share the test's transaction."""
    actor = factories.agent_of(tenant)
    factories.remember(actor, "core", "I say what I know.")
    factories.remember(actor, "semantic", "", subject="a", predicate="is", object="b")
    factories.remember_many(actor, 3)
    factories.served_promise(actor)
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield factories.issue_key(tenant)
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


# The rows of the fixture may change from example to example: what is asked of an answer holds for any rows.
@pytest.mark.slow
@schema.parametrize()
@settings(suppress_health_check=list(HealthCheck), deadline=None, derandomize=True, database=None)
def test_every_operation_keeps_its_word(case, key):
    response = case.call(headers={"Authorization": f"Bearer {key}"})
    case.validate_response(response, headers={"Authorization": f"Bearer {key}"})
    assert response.status_code < 500
    assert Tenant.objects.count() == 1


@pytest.mark.slow
def test_it_reached_what_is_behind_the_key(key):
    """A control: with a key the calls come through, so that the checks above look at more than refusals."""
    body = {"type": "episodic", "content": "x"}
    case = schema["/api/v1/memories"]["POST"].Case(body=body, media_type="application/json")
    assert case.call(headers={"Authorization": f"Bearer {key}"}).status_code == 201
    case = schema["/api/v1/boot"]["POST"].Case()
    assert case.call(headers={"Authorization": f"Bearer {key}"}).status_code == 200
    assert (Memory.objects.filter(content="x").count(), Boot.objects.count()) == (1, 2)
