"""Times the reading half of capsules on the database of `DATABASE_URL`: 10,000 capsules, 20,000 relations.

Like `measure`, whose timing it uses. Kinds are mixed as projects mix them, over 40 projects; work blocks later work, so
the graph has no cycle and is as deep as real ones.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from datetime import timedelta

from tests.bench.measure import Timed, settle, speed, timed  # first, because it sets Django up

# isort: split
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from memories.engine.actor import Via, operator
from memories.engine.capsules import CapsuleKind, content_hash
from memories.engine.relations import RelationKind
from memories.models import Capsule, CapsuleRelation, Tenant
from memories.selectors import capsules
from memories.services import tenants
from tests import factories
from tests.bench.rows import Vocabulary

COUNT = 10_000
PROJECTS = 40
KINDS = {
    CapsuleKind.CONSTRAINT: 3, CapsuleKind.DECISION: 15, CapsuleKind.FAILURE_PATTERN: 12, CapsuleKind.TASK: 40,
    CapsuleKind.PROCEDURE: 10, CapsuleKind.FACT: 15, CapsuleKind.REFERENCE: 5,
}  # fmt: skip
RELATIONS = {
    RelationKind.BLOCKS: 10, RelationKind.PROVES: 4, RelationKind.SUPERSEDES: 2, RelationKind.DERIVED_FROM: 4,
}  # fmt: skip


def main(count: int) -> None:
    call_command("migrate", verbosity=0)
    vocabulary = Vocabulary(random.Random(7))
    # The measurements of memories came first and have taken the slugs that factories give.
    tenant = tenants.create(operator(Via.COMMAND), slug="atlas", name="Atlas")
    fill(tenant, count, vocabulary)
    settle()
    print(f"\n{connection.vendor}: {count:,} capsules, {2 * count:,} relations, times in ms\n", flush=True)
    print(f"| {connection.vendor} | queries | p50 / p95 · processor |\n| --- | --- | --- |")
    for name, action in actions(tenant, vocabulary).items():
        found: Timed = timed({count: action})[count]
        print(f"| {name} | {found.queries} | {found.p50:.1f} / {found.p95:.1f} · {found.cpu:.1f} |", flush=True)
    print(f"\n{speed()}")


def actions(tenant: Tenant, vocabulary: Vocabulary) -> dict[str, Callable[[], object]]:
    actor = factories.agent_of(tenant)

    def terms() -> list[str]:
        return [vocabulary.asked(2), vocabulary.asked(1), vocabulary.asked(1)]

    return {
        "pack": lambda: capsules.bootstrap(actor, arguments={}).to_json(),
        "pack, three terms": lambda: capsules.bootstrap(actor, arguments={"terms": terms()}).to_json(),
        "pack of one project": lambda: capsules.bootstrap(actor, arguments={"project_id": "atlas/p3"}).to_json(),
        "retrieve": lambda: capsules.retrieve(actor, arguments={"terms": terms()}).to_json(),
        "digest": lambda: capsules.digest(actor, arguments={}).to_json(),
        "list": lambda: capsules.list_page(actor, arguments={}).to_json(),
        "get": lambda: capsules.get_capsule(actor, number=7),
    }


def fill(tenant: Tenant, count: int, vocabulary: Vocabulary) -> None:
    chance, now = vocabulary.chance, timezone.now()
    kinds = chance.choices(list(KINDS), list(KINDS.values()), k=count)

    def capsule(number: int) -> Capsule:
        content = f"{' '.join(vocabulary.text(12))} {number}\n\n{' '.join(vocabulary.text(60))}"
        return Capsule(
            tenant=tenant, number=number, content=content, kind=kinds[number - 1],
            project_id=f"atlas/p{number % PROJECTS}", confidence=chance.choice([0.5, 0.6, 0.7, 0.9]),
            valid_from=now - timedelta(days=chance.randrange(300)), source="bench", content_hash=content_hash(content),
            created_at=now, created_by="bench",
        )  # fmt: skip

    stored = Capsule.objects.bulk_create(map(capsule, range(1, count + 1)), batch_size=500)
    pairs: set[tuple[RelationKind, int, int]] = set()
    while len(pairs) < 2 * count:
        kind = chance.choices(list(RELATIONS), list(RELATIONS.values()))[0]
        earlier, later = sorted(chance.sample(range(count), 2))
        pairs.add((kind, earlier, later) if kind is RelationKind.BLOCKS else (kind, later, earlier))
    CapsuleRelation.objects.bulk_create(
        (
            CapsuleRelation(
                tenant=tenant, kind=kind, source=stored[source], target=stored[target],
                source_number=source + 1, target_number=target + 1, created_at=now,
            )
            for kind, source, target in sorted(pairs)
        ),
        batch_size=500,
    )  # fmt: skip
    Tenant.objects.filter(pk=tenant.pk).update(next_capsule=count + 1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT)
