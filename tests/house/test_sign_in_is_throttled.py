"""Guesses at the sign-in end in a wait, and never tell whether a name exists."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model

pytestmark = pytest.mark.django_db
ADDRESS = "/admin/login/"
WRONG, RIGHT = "wrong", "right horse battery"


def guess(client, name, address="192.0.2.1", *, password=WRONG):
    return client.post(ADDRESS, {"username": name, "password": password}, REMOTE_ADDR=address)


@pytest.fixture
def keeper():
    return get_user_model().objects.create_superuser("keeper", password=RIGHT)


def test_too_many_guesses_from_one_address_have_to_wait(client, keeper):
    for _ in range(settings.AXES_FAILURE_LIMIT - 1):
        assert guess(client, "keeper").status_code == 200
    refused = guess(client, "keeper")
    assert refused.status_code == 429
    assert refused["Retry-After"] == "900"
    assert "Wait 15 minutes" in refused.text
    assert guess(client, "keeper", password=RIGHT).status_code == 429


def test_another_address_may_still_sign_in(client, keeper):
    for _ in range(settings.AXES_FAILURE_LIMIT):
        guess(client, "keeper")
    assert guess(client, "keeper", "192.0.2.2", password=RIGHT).status_code == 302


def test_the_answers_are_the_same_for_a_name_that_does_not_exist(client, keeper):
    def answers(name, address):
        found = [guess(client, name, address) for _ in range(settings.AXES_FAILURE_LIMIT + 1)]
        texts = [response.text if response.status_code == 429 else "" for response in found]
        return [(r.status_code, r.headers.get("Retry-After"), name in t) for r, t in zip(found, texts, strict=True)]

    assert answers("keeper", "192.0.2.3") == answers("nobody-here", "192.0.2.4")
