"""Reading for boots: a payload's rows in a fixed number of queries, and past boots. Assembling is `engine.boot`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import connection
from django.db.models import Case, F, Prefetch, QuerySet, When

from memories.engine.actor import Actor
from memories.engine.boot import BootConfig, BootRows, Content, MemoryRow
from memories.engine.budget import Shares
from memories.engine.kinds import MemoryType, Scope
from memories.engine.lifecycle import idempotency_cutoff, working_cutoff
from memories.engine.limits import EPISODIC_WINDOW, RECALLED_MAX, WORKING_WINDOW
from memories.engine.promises import PromiseRow
from memories.errors import NotFound
from memories.models import Boot, Memory, Promise, ServedPromise, Tenant
from memories.selectors.pages import Page, cut_page
from memories.selectors.recall import recall_for_boot


def boot_snapshot(
    actor: Actor,
    *,
    now: datetime,
    recall_query: str = "",
    tenant: Tenant | None = None,
    config: BootConfig | None = None,
) -> BootRows:
    """All rows of a payload but the contents of memories.

    Seven queries, eight with `tenant` not given; a `recall_query` with a word in it adds four. None of them reads
    more rows when the tenant stores more than the windows hold (P25). `config` replaces the tenant's own (P47).
    """
    tenant = tenant or Tenant.objects.get(pk=actor.tenant)
    active = Memory.objects.of(actor).active(now)
    live = Memory.objects.of(actor).filter(archived_at__isnull=True, forgotten_at__isnull=True)
    columns = ("number", "type", "wire_bytes", "category", "key", "importance")

    core_and_axioms = [
        _row(values) for values in live.filter(type__in=(MemoryType.CORE, MemoryType.AXIOM)).values_list(*columns)
    ]
    cutoff = working_cutoff(now)
    working = live.filter(type=MemoryType.WORKING)
    ended = working.filter(updated_at__lt=cutoff).count()
    window = active.filter(type=MemoryType.WORKING).order_by("-updated_at", "-number")[:WORKING_WINDOW]
    newest = live.filter(type=MemoryType.EPISODIC).order_by("-occurred_at", "-number")[:EPISODIC_WINDOW]

    recalled = []
    if recall_query:
        best = recall_for_boot(actor, query=recall_query, now=now, limit=RECALLED_MAX)
        found = {
            values[0]: _row(values[:6], archived=values[6] is not None or values[1] == MemoryType.WORKING)
            for values in Memory.objects.of(actor).filter(number__in=best).values_list(*columns, "archived_at")
        }
        recalled = [found[number] for number in best if number in found]

    return BootRows(
        config=config or config_of(tenant),
        promises=[
            PromiseRow(*values)
            for values in Promise.objects.of(actor).order_by("number").values_list("number", "content", "created_at")
        ],
        core=[row for row in core_and_axioms if row.type is MemoryType.CORE],
        axioms=[row for row in core_and_axioms if row.type is MemoryType.AXIOM],
        working=[_row(values) for values in window.values_list(*columns)],
        episodic=_numbers(newest.values_list("number", "wire_bytes")),
        recalled=recalled,
        active={
            MemoryType.CORE: tenant.core_count,
            MemoryType.WORKING: tenant.working_count - ended,
            MemoryType.EPISODIC: tenant.episodic_count,
            MemoryType.SEMANTIC: tenant.semantic_count,
            MemoryType.AXIOM: tenant.axiom_count,
        },
    )


def config_of(tenant: Tenant) -> BootConfig:
    """The tenant's own part in a payload."""
    return BootConfig(
        name=tenant.name,
        budget_tokens=tenant.budget_tokens,
        shares=Shares(tenant.share_core, tenant.share_working, tenant.share_episodic),
    )


def boot_contents(actor: Actor, *, numbers: Collection[int]) -> dict[int, Content]:
    """What `engine.boot.compose` needs, by number. One query."""
    at = Case(When(type=MemoryType.WORKING, then=F("updated_at")), default=F("occurred_at"))
    rows = Memory.objects.of(actor).filter(number__in=numbers).annotate(at=at)
    return {number: Content(text, at) for number, text, at in rows.values_list("number", "content", "at")}


def find_repeat(actor: Actor, *, idempotency_key: str, now: datetime) -> Boot | None:
    """The boot that this key made within the last ten minutes, if its text is still there (P43)."""
    return (
        Boot.objects.of(actor)
        .filter(idempotency_key=idempotency_key, created_at__gte=idempotency_cutoff(now))
        .exclude(payload="")
        .order_by("-number")
        .first()
    )


def page_boots(actor: Actor, *, limit: int, cursor: str = "") -> Page[Boot]:
    """Past boots, newest first, without their texts and manifests (P44)."""
    actor.require(Scope.READ)
    served = ServedPromise.objects.select_related("memory").defer("content", "memory__content")
    rows = Boot.objects.of(actor).defer("payload", "manifest").prefetch_related(Prefetch("served", queryset=served))
    return cut_page(rows, keys=("-number",), limit=limit, cursor=cursor)


def get_boot(actor: Actor, *, number: int) -> Boot:
    """One boot with its text, manifest and served promises (P44)."""
    actor.require(Scope.READ)
    boot = Boot.objects.of(actor).prefetch_related("served__memory").filter(number=number).first()
    if boot is None:
        raise NotFound(f"There is no boot-{number}.")
    return boot


def find_boot_before(actor: Actor, *, number: int) -> Boot | None:
    """The boot before this one, to compare with."""
    actor.require(Scope.READ)
    return Boot.objects.of(actor).filter(number__lt=number).order_by("-number").first()


def _row(values: tuple[int, str, int, str, str, float], *, archived: bool = False) -> MemoryRow:
    number, kind, wire_bytes, category, key, importance = values
    return MemoryRow(number, MemoryType(kind), wire_bytes, category, key, importance, archived)


def _numbers(rows: QuerySet[Memory, tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of numbers as the driver gives them: for two thousand rows the ORM's own steps cost more than the query."""
    with connection.cursor() as cursor:
        cursor.execute(*rows.query.sql_with_params())
        found: list[tuple[int, int]] = cursor.fetchall()
    return found
