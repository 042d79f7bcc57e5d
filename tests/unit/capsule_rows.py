"""Short ways to write capsules and relations in tests of the pure engine: the shorthand of the contract."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memories.engine.capsules import CapsuleKind, CapsuleRow
from memories.engine.relations import Relation, RelationKind

NOW = datetime(2026, 11, 30, 8, 15, tzinfo=UTC)

CONSTRAINT = CapsuleKind.CONSTRAINT
DECISION = CapsuleKind.DECISION
TRAP = CapsuleKind.FAILURE_PATTERN
TASK = CapsuleKind.TASK
FACT = CapsuleKind.FACT


def cap(
    number: int, kind: CapsuleKind = FACT, content: str = "", project_id: str = "nott", **fields: Any
) -> CapsuleRow:
    """cap-`number`: project nott, active, confidence 0.6, valid from now, no expiry, unless said otherwise."""
    fields.setdefault("valid_from", NOW)
    return CapsuleRow(number, content or f"capsule {number}", kind, project_id, **fields)


def blocks(*pairs: tuple[int, int]) -> list[Relation]:
    return [Relation(RelationKind.BLOCKS, source, target) for source, target in pairs]


def supersedes(*pairs: tuple[int, int]) -> list[Relation]:
    return [Relation(RelationKind.SUPERSEDES, source, target) for source, target in pairs]


def proves(*pairs: tuple[int, int]) -> list[Relation]:
    return [Relation(RelationKind.PROVES, source, target) for source, target in pairs]


F0 = [
    cap(1, CONSTRAINT, "never force-push main", confidence=0.9),
    cap(2, CONSTRAINT, "never skip the backup step", confidence=0.5),
    cap(3, DECISION, "we picked sqlite for the local store"),
    cap(4, TRAP, "runner tmp quota makes cargo exit 1 silently"),
    cap(5, TASK, "wire the projection"),
    cap(6, TASK, "publish the surface"),
]
F0_RELATIONS = blocks((5, 6))
