"""Reading for boots: a payload's rows in a fixed number of queries, and past boots. Assembling is `engine.boot`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Prefetch

from memories.engine.actor import Actor
from memories.engine.boot import BootConfig, BootRows, Content, MemoryRow
from memories.engine.budget import Shares
from memories.engine.kinds import MemoryType, Scope
from memories.engine.lifecycle import idempotency_cutoff, working_cutoff
from memories.engine.limits import EPISODIC_WINDOW, RECALLED_MAX, WORKING_WINDOW
from memories.engine.promises import PromiseRow
from memories.errors import NotFound
from memories.models import Boot, Memory, ServedPromise, Tenant
from memories.selectors.pages import Page, cut_page
from memories.selectors.recall import recall_for_boot

# A boot's own statements in SQL: it has few milliseconds, and the ORM's work on them took longer than the database's.
# Each says the condition of its index word for word, without which SQLite does not use it. All parts are constants.
_COLUMNS = ("number", "type", "wire_bytes", "category", "key", "importance")
_LIVE = "FROM memories_memory WHERE tenant_id = %s AND archived_at IS NULL AND forgotten_at IS NULL"
_PROMISES = "SELECT number, content, created_at FROM memories_promise WHERE tenant_id = %s ORDER BY number"
_CORE_AND_AXIOMS = f"SELECT {', '.join(_COLUMNS)} {_LIVE} AND type IN ('core', 'axiom')"
_WORKING_ENDED = f"SELECT COUNT(*) {_LIVE} AND type = 'working' AND updated_at < %s"
_WORKING_WINDOW = (
    f"SELECT {', '.join(_COLUMNS)} {_LIVE} AND type = 'working' AND updated_at >= %s "
    f"ORDER BY updated_at DESC, number DESC LIMIT {WORKING_WINDOW}"
)
_EPISODIC_WINDOW = (
    f"SELECT number, wire_bytes {_LIVE} AND type = 'episodic' "
    f"ORDER BY occurred_at DESC, number DESC LIMIT {EPISODIC_WINDOW}"
)
_CONTENTS = (
    "SELECT number, content, CASE WHEN type = 'working' THEN updated_at ELSE occurred_at END "
    "FROM memories_memory WHERE tenant_id = %s AND number IN "
)


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
    core_and_axioms = [_row(values) for values in _read(_CORE_AND_AXIOMS, actor.tenant)]

    recalled = []
    if recall_query:
        best = recall_for_boot(actor, query=recall_query, now=now, limit=RECALLED_MAX)
        found = {
            values[0]: _row(values[:6], archived=values[6] is not None or values[1] == MemoryType.WORKING)
            for values in Memory.objects.of(actor).filter(number__in=best).values_list(*_COLUMNS, "archived_at")
        }
        recalled = [found[number] for number in best if number in found]

    return BootRows(
        config=config or config_of(tenant),
        promises=[
            PromiseRow(number, content, _moment(created_at))
            for number, content, created_at in _read(_PROMISES, actor.tenant)
        ],
        core=[row for row in core_and_axioms if row.type is MemoryType.CORE],
        axioms=[row for row in core_and_axioms if row.type is MemoryType.AXIOM],
        working=[_row(values) for values in _read(_WORKING_WINDOW, actor.tenant, _cutoff(now))],
        episodic=_read(_EPISODIC_WINDOW, actor.tenant),
        recalled=recalled,
        active={
            MemoryType.CORE: tenant.core_count,
            MemoryType.WORKING: tenant.working_count - count_ended(actor, now=now),
            MemoryType.EPISODIC: tenant.episodic_count,
            MemoryType.SEMANTIC: tenant.semantic_count,
            MemoryType.AXIOM: tenant.axiom_count,
        },
    )


def count_ended(actor: Actor, *, now: datetime) -> int:
    """Working memories that ended by time and that nothing has archived yet. One query."""
    [(ended,)] = _read(_WORKING_ENDED, actor.tenant, _cutoff(now))
    return int(ended)


def config_of(tenant: Tenant) -> BootConfig:
    """The tenant's own part in a payload."""
    return BootConfig(
        name=tenant.name,
        budget_tokens=tenant.budget_tokens,
        shares=Shares(tenant.share_core, tenant.share_working, tenant.share_episodic),
    )


def boot_contents(actor: Actor, *, numbers: Collection[int]) -> dict[int, Content]:
    """What `engine.boot.compose` needs, by number. One query."""
    if not numbers:
        return {}
    # Whole numbers, so they can stand in the statement itself; a parameter for each costs as much as the rows.
    found = _read(_CONTENTS + f"({', '.join(map(str, numbers))})", actor.tenant)
    return {number: Content(text, _moment(at)) for number, text, at in found}


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


def find_last_number(actor: Actor) -> int | None:
    """The number of the newest boot, without its text and manifest."""
    actor.require(Scope.READ)
    return Boot.objects.of(actor).order_by("-number").values_list("number", flat=True).first()


def find_boot_before(actor: Actor, *, number: int) -> Boot | None:
    """The boot before this one, to compare with."""
    actor.require(Scope.READ)
    return Boot.objects.of(actor).filter(number__lt=number).order_by("-number").first()


def _row(values: tuple[int, str, int, str, str, float], *, archived: bool = False) -> MemoryRow:
    number, kind, wire_bytes, category, key, importance = values
    return MemoryRow(number, MemoryType(kind), wire_bytes, category, key, importance, archived)


def _read(statement: str, *values: Any) -> list[Any]:
    """Rows as the driver gives them."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _cutoff(now: datetime) -> Any:
    """As the driver takes it."""
    return connection.ops.adapt_datetimefield_value(working_cutoff(now))


def _moment(told: str | datetime) -> datetime:
    """A time as a driver gives it: SQLite keeps no zone, and gives text where it comes out of an expression."""
    if isinstance(told, str):
        return datetime.fromisoformat(f"{told}+00:00")
    return told if told.tzinfo else told.replace(tzinfo=UTC)
