"""Reading stored capsules and relations as the engine's rows, as cheaply as each question allows.

What they mean, and who may ask, is not here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Aggregate, Case, Count, Exists, Func, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast, Left
from django.db.models.lookups import Exact

from memories.engine.actor import Actor
from memories.engine.capsules import CapsuleKind, CapsuleRow, Tier
from memories.engine.fences import EVERYWHERE, Fence
from memories.engine.pack import RANKED
from memories.engine.relations import Relation, RelationKind, Standing, standing_from, standing_of
from memories.models import Capsule, CapsuleRelation
from memories.models.base import TenantQuerySet

_COLUMNS = (
    "number",
    "content",
    "kind",
    "project_id",
    "valid_from",
    "valid_to",
    "confidence",
    "tier",
    "tainted",
    "forgotten_at",
)
_KINDS = {kind.value: kind for kind in CapsuleKind}
_TIERS = {tier.value: tier for tier in Tier}


class _Joined(Aggregate):
    """The values of a group as one text with commas between: 20,000 numbers for the price of reading one row."""

    function = "string_agg"
    template = "%(function)s(%(expressions)s, ',')"
    output_field = TextField()

    def as_sqlite(self, compiler, connection, **extra):  # type: ignore[no-untyped-def]
        return super().as_sql(compiler, connection, function="group_concat", **extra)


def weigh_standing(actor: Actor, *, capsule: Capsule, relations: Iterable[CapsuleRelation]) -> Standing:
    """Where one capsule stands, from its row and its relations, which were read already. No query."""
    row = _row(tuple(getattr(capsule, column) for column in _COLUMNS))
    return standing_of([row], [Relation(RelationKind(r.kind), r.source_number, r.target_number) for r in relations])


def read_relations(actor: Actor) -> list[Relation]:
    """Every relation of the tenant: a blocker outside the fence blocks too (C38). One query."""
    sources, targets = _ends_by_kind(actor, RelationKind, sources_of=RelationKind)
    return [
        Relation(kind, source, target)
        for kind in RelationKind
        for source, target in zip(sources[kind], targets[kind], strict=True)
    ]


def read_relations_of(actor: Actor, *, numbers: Collection[int]) -> list[Relation]:
    """The relations that have one of these few capsules at an end. One query."""
    touching = Q(source_number__in=numbers) | Q(target_number__in=numbers)
    rows = CapsuleRelation.objects.of(actor).filter(touching).values_list("kind", "source_number", "target_number")
    return [Relation(RelationKind(kind), source, target) for kind, source, target in rows]


def read_tombstones(actor: Actor) -> list[CapsuleRow]:
    """Every forgotten capsule of the tenant, for judging what still blocks. One query."""
    return [
        _row(values) for values in Capsule.objects.of(actor).filter(forgotten_at__isnull=False).values_list(*_COLUMNS)
    ]


def read_inside(actor: Actor, *, fence: Fence) -> list[CapsuleRow]:
    """The capsules inside the fence, whole. One query."""
    return _light_rows([_inside(actor, fence)], "content", "tainted")


def read_markers(actor: Actor, *, targets: Collection[int] | None = None) -> Standing:
    """What is superseded and done, of these few capsules or of all; without tombstones and `blocks`. One query."""
    rows = CapsuleRelation.objects.of(actor).filter(kind__in=(RelationKind.SUPERSEDES, RelationKind.PROVES))
    if targets is not None:
        rows = rows.filter(target_number__in=targets)
    joined = rows.values("kind").annotate(targets=_Joined(_AsText("target_number"))).values_list("kind", "targets")
    found = {kind: _numbers(numbers) for kind, numbers in (_read(joined) if targets or targets is None else ())}
    return standing_from(found.get(RelationKind.SUPERSEDES, ()), found.get(RelationKind.PROVES, ()), (), ())


def read_page(
    actor: Actor,
    *,
    fence: Fence,
    now: datetime,
    kind: CapsuleKind | None,
    tier: Tier | None,
    expired: bool | None,
    superseded: bool | None,
    limit: int,
    before: int | None,
) -> tuple[list[CapsuleRow], list[int], int]:
    """Of what passes every filter: the newest below `before`, the numbers from `before` on, and how many it is (C56).

    Both are ascending, and one more than `limit` at most. Two queries, three with a `before`.
    """
    passing = _inside(actor, fence)
    if kind is not None:
        passing = passing.filter(kind=kind)
    if tier is not None:
        passing = passing.filter(tier=tier)
    if expired is not None:
        past = Q(valid_to__isnull=False, valid_to__lt=now)
        passing = passing.filter(past if expired else ~past)
    if superseded is not None:
        replaced = CapsuleRelation.objects.of(actor).filter(kind=RelationKind.SUPERSEDES, target=OuterRef("pk"))
        passing = passing.filter(Exists(replaced) if superseded else ~Exists(replaced))
    older = passing if before is None else passing.filter(number__lt=before)
    rows = _light_rows([older.order_by("-number")[: limit + 1]], "content", "tainted")
    newer: list[int] = []
    if before is not None:
        following = passing.filter(number__gte=before).order_by("number")
        newer = [number for (number,) in _read(following.values_list("number")[: limit + 1])]
    return rows[::-1], newer, passing.count()


def read_counts(actor: Actor, *, fence: Fence) -> dict[tuple[CapsuleKind, str, Tier], int]:
    """How many capsules of each kind, project and tier are inside the fence. One query."""
    groups = _inside(actor, fence).values("kind", "project_id", "tier").annotate(count=Count("*"))
    return {
        (_KINDS[kind], project_id, _TIERS[tier]): count
        for kind, project_id, tier, count in _read(groups.values_list("kind", "project_id", "tier", "count"))
    }


def read_newest(actor: Actor, *, fence: Fence, limit: int) -> list[int]:
    """The numbers of the newest capsules inside the fence, ascending. One query."""
    newest = _inside(actor, fence).order_by("-number").values_list("number")[:limit]
    return [number for (number,) in _read(newest)][::-1]


def read_graph(actor: Actor, *, fence: Fence) -> tuple[Standing, list[int]]:
    """Where the tenant's capsules stand, and the numbers of the nodes inside the fence (C37). Three queries."""
    # Of a relation that replaces or proves, only the target matters here.
    kinds = (RelationKind.BLOCKS, RelationKind.SUPERSEDES, RelationKind.PROVES)
    sources, targets = _ends_by_kind(actor, kinds, sources_of=(RelationKind.BLOCKS,))
    blocks = list(zip(sources[RelationKind.BLOCKS], targets[RelationKind.BLOCKS], strict=True))
    ends = {*sources[RelationKind.BLOCKS], *targets[RelationKind.BLOCKS]}
    nodes: list[int] = []
    inside = _inside(actor, fence)
    if fence == EVERYWHERE:
        # Every end is inside, so only the tasks are asked for.
        inside = inside.filter(kind=CapsuleKind.TASK)
        nodes += ends
    groups = inside.values("kind", "project_id").annotate(numbers=_Joined(_AsText("number")))
    for kind, project_id, joined in _read(groups.values_list("kind", "project_id", "numbers")):
        if fence.matches(project_id):
            numbers = _numbers(joined)
            nodes += numbers if kind == CapsuleKind.TASK else ends.intersection(numbers)
    tombstones = Capsule.objects.of(actor).filter(forgotten_at__isnull=False)
    standing = standing_from(
        superseded=targets[RelationKind.SUPERSEDES],
        proven=targets[RelationKind.PROVES],
        forgotten=(number for (number,) in _read(tombstones.values_list("number"))),
        blocks=blocks,
    )
    return standing, nodes


def read_ranked(actor: Actor, *, fence: Fence, with_content: bool) -> list[CapsuleRow]:
    """What the sections of a pack are chosen from, with contents only where terms are looked for. One query."""
    rows = _inside(actor, fence).filter(kind__in=[kind.value for kind in RANKED])
    return _light_rows([rows], "content" if with_content else Value(""), Value(0))


def read_whole(actor: Actor, *, fence: Fence, constraints: bool, numbers: Collection[int]) -> dict[int, CapsuleRow]:
    """The capsules of these few numbers, and all constraints inside the fence if wanted, with contents. One query.

    Constraints are asked for by their kind, because there may be more of them than a statement takes numbers.
    """
    living = Capsule.objects.of(actor).filter(forgotten_at__isnull=True)
    parts = [living.filter(number__in=numbers)] if numbers else []
    if constraints:
        parts.append(living.filter(_within(fence), kind=CapsuleKind.CONSTRAINT))
    # Two parts with an index each; one condition with OR makes SQLite look at every capsule.
    return {row.number: row for row in _light_rows(parts, "content", "tainted")}


def _light_rows(
    parts: Iterable[TenantQuerySet[Capsule]], content: str | Value, tainted: str | Value
) -> list[CapsuleRow]:
    """Rows of capsules that are not forgotten, without what only costs: there may be thousands of them."""
    columns = [
        rows.annotate(since=_IsoText("valid_from"), until=_IsoText("valid_to")).values_list(
            "number",
            content,
            "kind",
            "project_id",
            "since",
            "until",
            "confidence",
            "tier",
            tainted,
        )
        for rows in parts
    ]
    if not columns:
        return []
    moment = datetime.fromisoformat
    return [
        CapsuleRow(
            number,
            text,
            _KINDS[kind],
            project_id,
            moment(since),
            None if until is None else moment(until),
            confidence,
            _TIERS[tier],
            bool(flagged),
        )
        for number, text, kind, project_id, since, until, confidence, tier, flagged in _read(*columns)
    ]


def _read(query: QuerySet[Any, Any], *others: QuerySet[Any, Any]) -> list[tuple[Any, ...]]:
    """The rows of the queries, one behind the other, as the driver gives them: Django would look at every value."""
    sql, values = (query.union(*others, all=True) if others else query).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _inside(actor: Actor, fence: Fence) -> TenantQuerySet[Capsule]:
    return Capsule.objects.of(actor).filter(_within(fence), forgotten_at__isnull=True)


def _within(fence: Fence) -> Q:
    """What is inside, as `Fence.matches` says it, on both databases alike.

    LIKE would take capitals for small letters on SQLite, and a range would depend on the collation; what a name begins
    with is compared as it stands.
    """
    own = Q()
    if fence.project_id is not None:
        own &= Q(project_id=fence.project_id)
    if fence.project_prefix is not None:
        own &= Q(project_id=fence.project_prefix) | Q(Exact(Left("project_id", len(fence.under or "")), fence.under))
    if fence.ancestor_projects:
        own |= Q(project_id__in=fence.ancestor_projects)
    return own


def _ends_by_kind(
    actor: Actor, kinds: Iterable[RelationKind], *, sources_of: Iterable[RelationKind]
) -> tuple[dict[RelationKind, list[int]], dict[RelationKind, list[int]]]:
    """The sources and the targets of the relations of each of `kinds`, in one order. One query.

    Both texts of a group are made in one pass over its rows, so their places agree.
    """
    rows = CapsuleRelation.objects.of(actor).filter(kind__in=list(kinds)).values("kind")
    source = Case(When(kind__in=list(sources_of), then=_AsText("source_number")), output_field=TextField())
    joined = rows.annotate(sources=_Joined(source), targets=_Joined(_AsText("target_number")))
    found = {kind: ends for kind, *ends in _read(joined.values_list("kind", "sources", "targets"))}
    sources = {kind: _numbers(found[kind][0]) if kind in found else [] for kind in kinds}
    targets = {kind: _numbers(found[kind][1]) if kind in found else [] for kind in kinds}
    return sources, targets


def _numbers(joined: str | None) -> list[int]:
    # A JSON reader makes thousands of numbers in half the time of split and int.
    numbers: list[int] = json.loads(f"[{joined or ''}]")
    return numbers


class _AsText(Cast):
    """A number as text; SQLite joins numbers as they are."""

    def __init__(self, field: str) -> None:
        super().__init__(field, TextField())

    def as_sqlite(self, compiler, connection, **extra):  # type: ignore[no-untyped-def]
        return compiler.compile(self.source_expressions[0])


class _IsoText(Func):
    """A time as text in UTC that `datetime.fromisoformat` reads: a third of what drivers and Django take for a time."""

    template = "to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00:00'"
    output_field = TextField()

    def as_sqlite(self, compiler, connection, **extra):  # type: ignore[no-untyped-def]
        return super().as_sql(compiler, connection, template="%(expressions)s || '+00:00'", **extra)


def _row(values: tuple) -> CapsuleRow:
    number, content, kind, project_id, valid_from, valid_to, confidence, tier, tainted, forgotten_at = values
    return CapsuleRow(
        number,
        content,
        _KINDS[kind],
        project_id,
        valid_from,
        valid_to,
        confidence,
        _TIERS[tier],
        tainted,
        forgotten_at,
    )
