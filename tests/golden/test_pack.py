"""Packs as a file, read from the database of the run: SQLite and PostgreSQL give the same bytes (C35, C51).

Two lines of the file are a call and its answer. Change the file only when the wire format changes: delete it, and the
test writes it anew and fails once.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.utils import timezone

from memories.engine.actor import Actor
from memories.models import Capsule
from memories.selectors import capsules as reading
from memories.services import capsules

GOLDEN = Path(__file__).with_name("packs.txt")
NOW = datetime(2026, 11, 30, 11, 24, 0, 123456, tzinfo=UTC)

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("bootstrap", {}),
    ("bootstrap", {"project_id": "atlas"}),
    ("bootstrap", {"project_prefix": "atlas", "terms": ["Schleuse lock", "berth"]}),
    ("bootstrap", {"project_id": "atlas/api", "ancestors": True}),
    ("bootstrap", {"project_prefix": "atlas", "token_budget": 200}),
    ("bootstrap", {"project_id": "knot"}),
    ("bootstrap", {"project_id": "港/七", "token_budget": 0}),
    ("bootstrap", {"project_id": "absent"}),
    ("digest", {"project_prefix": "atlas"}),
    ("list_page", {"superseded": False, "limit": 4}),
    ("retrieve", {"terms": ["berth", "quay 7"], "limit": 3}),
    ("retrieve", {"terms": ["nothing of the kind"]}),
]


def whole_project(actor: Actor) -> None:
    """Every kind, every marker, a loop, other scripts, and more of each list than a pack shows."""

    def capture(kind: str, content: str, project_id: str = "atlas", days: int = 1, **more: Any) -> None:
        values = {"kind": kind, "content": content, "project_id": project_id, **more}
        values.setdefault("valid_from", f"2026-11-{30 - days:02}T06:00:00.{days:06}Z")
        capsules.capture(actor, values=values)

    capture("constraint", "Never delete a berth record.\n\nClose it with a date.", confidence=0.9)
    capture("constraint", "Nothing moves on a Friday", days=20, confidence=0.9)
    capture("constraint", "The lock stays below 5 s", "atlas/api", confidence=1)
    capture("constraint", "Only until yesterday", valid_to="2026-11-29T23:59:59Z")
    capture("constraint", "港の規則：七番埠頭 👩🏽‍🚀", "港/七", confidence=1 / 3)
    capture("decision", "Two canaries")
    capture("decision", "One canary", supersedes=["cap-6"], days=2)
    capture("decision", "Schleuse: the lock opens at 06:40 " + "x" * 140, "atlas/web", confidence=0.1)
    capture("failure_pattern", "Rolling back api first hangs", valid_to="2026-11-29T00:00:00Z", days=5)
    capture("failure_pattern", 'It said "quay 7" \\ and meant 6', days=3)
    for number in range(12):
        capture("task", f"Step {number} of the berth map", blocked_by=["cap-11"] if number == 5 else [])
    capture("fact", "Step 0 is done", proves=["cap-11"])
    capture("task", "One end", "knot")
    capture("task", "The other end", "knot", blocks=["cap-24"], blocked_by=["cap-24"])
    capture("reference", "Berth list of quay 7: harbourctl berth list", derived_from=["cap-1"], supersedes=["cap-10"])
    capture("procedure", "Forget me")
    capsules.set_tier(actor, number=9, tier="archived")
    capsules.set_tier(actor, number=8, tier="quarantined")
    capsules.forget(actor, number=27, reason="as it says")
    Capsule.objects.filter(number=10).update(tainted=True)


@pytest.mark.django_db
def test_c35_c51_packs_and_their_siblings_are_the_golden_file(actor: Actor) -> None:
    """C11, C36, C59."""
    with mock.patch.object(timezone, "now", return_value=NOW):
        whole_project(actor)
        answers = [(name, call, getattr(reading, name)(actor, arguments=call).to_json()) for name, call in CALLS]
    text = "".join(f"{name} {json.dumps(call, ensure_ascii=False)}\n{answer}\n\n" for name, call, answer in answers)
    if not GOLDEN.exists():
        GOLDEN.write_bytes(text.encode())
        pytest.fail(f"{GOLDEN.name} was not there and is written now; look at it.")
    assert text.encode() == GOLDEN.read_bytes()
