"""Laws of the reading half, held against the real database: what it answers is what the pure engine answers.

The engine itself is held against slow references in `tests/property`.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.engine import listing, pack
from memories.engine import retrieve as finding
from memories.engine.actor import Actor
from memories.engine.capsules import CapsuleKind, CapsuleRow, Tier, content_hash
from memories.engine.fences import Fence
from memories.engine.relations import Relation, RelationKind
from memories.models import Capsule, CapsuleRelation
from memories.selectors import capsules as reading
from memories.services import capsules
from tests import factories
from tests.management.conftest import environment
from tests.unit.capsule_rows import NOW

# Names that a pattern, a collation or a range could take for one another.
NAMES = [
    "nott", "nott/x", "nott/x/y", "nott/z", "nottx", "nott-old", "nott0", "Nott", "NOTT/x", "n_tt", "n_tt/x", "n%",
    "n%/x", "*", "no", "nött", "nött/x", "日本", "日本/港", "日", "a/b", "a b", "ß", "ss",
]  # fmt: skip
FIELDS = st.fixed_dictionaries({
    "kind": st.sampled_from(CapsuleKind),
    "project_id": st.sampled_from(NAMES),
    "content": st.one_of(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12),
        st.sampled_from(["alpha", "ALPHA beta", "Ünïcode 港", 'quo"te\\', "👨‍👩‍👧" * 40, "a\nb"]),
    ),
    "valid_from": st.integers(-400, 40).map(lambda days: NOW + timedelta(days=days, microseconds=days * 7)),
    "valid_to": st.sampled_from([None, None, timedelta(), timedelta(days=30)]),
    "confidence": st.sampled_from([0.0, 0.1, 0.6, 1 / 3, 1.0]),
    "tier": st.sampled_from([Tier.ACTIVE, Tier.ACTIVE, *Tier]),
    "tainted": st.booleans(),
    "forgotten_at": st.sampled_from([None, None, None, NOW]),
})  # fmt: skip
FENCES = st.fixed_dictionaries(
    {}, optional={
        "project_id": st.sampled_from(NAMES), "project_prefix": st.sampled_from(NAMES), "ancestors": st.booleans()
    }
)  # fmt: skip
FEW = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@st.composite
def findings(draw: st.DrawFn) -> tuple[list[CapsuleRow], list[Relation]]:
    """What a tenant may hold: contents differ, and what is valid to a day was valid from an earlier one."""
    rows = []
    for number in range(1, draw(st.integers(0, 14)) + 1):
        fields = draw(FIELDS)
        lasts = fields.pop("valid_to")
        fields["content"] = "" if fields["forgotten_at"] else f"{fields['content']} #{number}"
        rows.append(
            CapsuleRow(number=number, valid_to=None if lasts is None else fields["valid_from"] + lasts, **fields)
        )
    ends = st.integers(1, max(len(rows), 1))
    pairs = draw(st.lists(st.tuples(st.sampled_from(RelationKind), ends, ends), unique=True, max_size=14))
    return rows, [Relation(*pair) for pair in pairs if pair[1] != pair[2]]


def store(actor: Actor, rows: list[CapsuleRow], relations: list[Relation], chance: random.Random) -> None:
    """Writes all of it in an order of its own."""
    stored = [
        Capsule(
            tenant_id=actor.tenant, created_at=NOW, created_by="test", source="test",
            content_hash=content_hash(row.content) if row.content else "",
            forgotten_reason="wrong" if row.forgotten_at else "", **row._asdict(),
        )
        for row in chance.sample(rows, len(rows))
    ]  # fmt: skip
    by_number = {row.number: row for row in Capsule.objects.bulk_create(stored)}
    CapsuleRelation.objects.bulk_create(
        CapsuleRelation(
            tenant_id=actor.tenant, kind=kind, source=by_number[source], target=by_number[target],
            source_number=source, target_number=target, created_at=NOW,
        )
        for kind, source, target in chance.sample(relations, len(relations))
    )  # fmt: skip


@pytest.mark.django_db
@given(findings(), FENCES, st.sampled_from([0, 90, 1_500]), st.randoms(use_true_random=False))
@FEW
def test_the_database_answers_what_the_engine_answers(
    held: tuple[list[CapsuleRow], list[Relation]], fence: dict[str, Any], budget: int, chance: random.Random
) -> None:
    """C24, C25, C26, C27, C51: for every fence and every order of insertion, byte for byte, totals included."""
    rows, relations = held
    terms = ["alpha", "unicode"]
    within = Fence(**fence)
    expected = [
        pack.compile_pack(rows, relations, now=NOW, terms=terms, fence=within, token_budget=budget).to_json(),
        listing.digest(rows, relations, now=NOW, fence=within).to_json(),
        listing.list_capsules(rows, relations, now=NOW, fence=within, limit=5).to_json(),
        finding.retrieve(rows, relations, now=NOW, terms=terms, fence=within, token_budget=budget).to_json(),
    ]
    with transaction.atomic(), mock.patch.object(timezone, "now", return_value=NOW):
        for _ in range(2):
            actor = factories.agent_of(factories.make_tenant())
            store(actor, rows, relations, chance)
            assert [
                reading.bootstrap(actor, arguments={**fence, "terms": terms, "token_budget": budget}).to_json(),
                reading.digest(actor, arguments=fence).to_json(),
                reading.list_page(actor, arguments={**fence, "limit": 5}).to_json(),
                reading.retrieve(actor, arguments={**fence, "terms": terms, "token_budget": budget}).to_json(),
            ] == expected
        transaction.set_rollback(True)


FILTERS = st.fixed_dictionaries(
    {"limit": st.integers(0, 4)},
    optional={
        "kind": st.sampled_from(CapsuleKind), "tier": st.sampled_from(Tier), "expired": st.booleans(),
        "superseded": st.booleans(), "before": st.integers(1, 15),
    },
)  # fmt: skip


@pytest.mark.django_db
@given(findings(), FENCES, FILTERS, st.sampled_from([["alpha beta", "unicode"], ["ALPHA", "港"], ["n 1", "quo"]]))
@settings(FEW, max_examples=60)
def test_lists_and_aliases_answer_what_the_engine_answers(
    held: tuple[list[CapsuleRow], list[Relation]], fence: dict[str, Any], asked: dict[str, Any], terms: list[str]
) -> None:
    """C54, C56: every filter by itself and with others, on every page, and words by alias."""
    rows, relations = held
    within = Fence(**fence)
    arguments = {name: str(value) if name in ("kind", "tier") else value for name, value in asked.items()}
    if "before" in arguments:
        arguments["cursor"] = f"cap-{arguments.pop('before')}"
    with transaction.atomic(), mock.patch.object(timezone, "now", return_value=NOW):
        actor = factories.agent_of(factories.make_tenant())
        store(actor, rows, relations, random.Random(1))
        capsules.alias(actor, term="unicode", alias="quo te")
        capsules.alias(actor, term="unicode", alias="alpha")
        page = reading.list_page(actor, arguments={**fence, **arguments})
        found = reading.retrieve(actor, arguments={**fence, "terms": terms})
        transaction.set_rollback(True)
    assert page == listing.list_capsules(rows, relations, now=NOW, fence=within, **asked)
    assert found == finding.retrieve(
        rows, relations, now=NOW, fence=within, terms=terms, aliases={"unicode": ["quo te", "alpha"]}
    )


def dump() -> dict[str, list[tuple]]:
    """Every row of every table."""
    return {model._meta.label: list(model._default_manager.order_by("pk").values_list()) for model in apps.get_models()}


@pytest.mark.django_db
def test_c52_no_table_is_changed_by_any_reading(actor: Actor) -> None:
    one = {"kind": "task", "content": "one", "project_id": "nott"}
    capsules.capture(actor, values=one)
    capsules.capture(actor, values={**one, "content": "two", "blocked_by": ["cap-1"]})
    capsules.capture(actor, values={**one, "content": "three", "supersedes": ["cap-2"]})
    capsules.set_tier(actor, number=1, tier="archived")
    capsules.forget(actor, number=3, reason="wrong")
    capsules.alias(actor, term="uno", alias="one")
    before = dump()
    for arguments in ({}, {"project_prefix": "nott"}, {"project_id": "absent"}):
        reading.bootstrap(actor, arguments={**arguments, "terms": ["one"], "token_budget": 0})
        reading.bootstrap(actor, arguments=arguments)
        reading.retrieve(actor, arguments={**arguments, "terms": ["uno"]})
        reading.digest(actor, arguments=arguments)
        reading.list_page(actor, arguments=arguments)
    for number in (1, 2, 3):
        reading.get_capsule(actor, number=number)
    reading.list_aliases(actor)
    reading.list_projects(actor)
    assert dump() == before


PRINT_PACK = """
import sys
import django
django.setup()
from memories.engine.actor import Actor, Via
from memories.engine.kinds import KEY_SCOPES
from memories.selectors import capsules
actor = Actor(int(sys.argv[1]), frozenset(KEY_SCOPES), Via.REST, "test")
sys.stdout.buffer.write(capsules.bootstrap(actor, arguments={"terms": ["three", "two"]}).to_json().encode())
"""


@pytest.mark.django_db(transaction=True)
def test_c51_other_processes_give_the_same_bytes() -> None:
    actor = factories.agent_of(factories.make_tenant())
    old = {"valid_from": "2020-01-01T00:00:00Z", "project_id": "nott"}
    for number in range(12):
        for kind in ("constraint", "decision", "failure_pattern", "task"):
            capsules.capture(actor, values={**old, "kind": kind, "content": f"{kind} {number} two"})
    for number in range(2, 12):
        capsules.relate(actor, kind="blocks", source=f"cap-{4 * number}", target=f"cap-{4 * number - 4}")
    packs = {
        subprocess.run(
            [sys.executable, "-c", PRINT_PACK, str(actor.tenant)],
            cwd=Path(__file__).parents[2],
            env=environment(DJANGO_SETTINGS_MODULE="revell.settings", PYTHONHASHSEED=seed),
            check=True,
            capture_output=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert packs == {reading.bootstrap(actor, arguments={"terms": ["three", "two"]}).to_json().encode()}
    assert json.loads(packs.pop())["ready"]["next_action"]["id"] == "cap-44"


@pytest.mark.django_db
def test_c29_the_next_action_stands_apart_from_the_further_ready_ones(actor: Actor) -> None:
    one = {"kind": "task", "project_id": "nott"}
    for number in range(1, 14):
        capsules.capture(actor, values={**one, "content": f"step {number}"})
    ready: Any = reading.bootstrap(actor, arguments={"project_id": "nott"}).to_wire()["ready"]
    assert list(ready) == ["next_action", "ready", "ready_total"]
    assert ready["next_action"] == {"id": "cap-1", "headline": "step 1", "kind": "task"}
    assert [row["id"] for row in ready["ready"]] == [f"cap-{number}" for number in range(2, 12)]
    assert ready["ready_total"] == 13
