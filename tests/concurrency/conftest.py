"""Tenants for threads: rows that other connections see, so every test here works outside a transaction."""

from __future__ import annotations

import pytest

from memories.engine.actor import Actor
from tests import factories


@pytest.fixture
def actor(transactional_db: None) -> Actor:
    """An agent with all scopes of a key, in a tenant that every connection sees."""
    return factories.agent_of(factories.make_tenant())
