"""Serving, previewing and decaying, at the level of the services."""

from __future__ import annotations

import pytest

from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.services import boot, promises
from tests import factories


@pytest.mark.django_db
def test_p35_a_preview_has_the_bytes_of_the_next_serve(actor: Actor) -> None:
    factories.remember(actor, "core", "I say what I know.")
    promises.make(actor, content="Step 3 of 5.")
    shown = boot.preview(actor, request=BootRequest())
    assert boot.serve(actor, request=BootRequest()).payload == shown.text
