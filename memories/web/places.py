"""Where a person is while a page is made. Who may be there is decided in `access.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memories.engine.actor import Actor


@dataclass(frozen=True, slots=True)
class Place:
    """An agent, and the actor that the signed-in person is in it."""

    actor: Actor
    tenant: Any
    person: Any
