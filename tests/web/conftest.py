"""Signed-in clients for the pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from memories.engine.kinds import Role
from memories.models import Tenant
from tests import factories

SignIn = Callable[..., Client]


@pytest.fixture
def sign_in(tenant: Tenant) -> SignIn:
    """A client that is signed in as somebody with a role in the tenant (the owner), or as a person given."""

    def make(role: Role = Role.OWNER, *, person=None) -> Client:
        client = Client()
        if person is None:
            person, _ = factories.person_in(tenant, role)
        client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return make


@pytest.fixture
def owner(sign_in: SignIn) -> Client:
    return sign_in()


@pytest.fixture
def at(tenant: Tenant) -> Callable[[str], str]:
    """The address of a page of the tenant."""
    return lambda page="": f"/agents/{tenant.slug}/{page}"
