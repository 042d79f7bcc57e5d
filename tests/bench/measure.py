"""Times boots, recalls, writes and pages of tenants of each size on the database of `DATABASE_URL`, as Markdown tables.

Sizes take turns at every run, so that a machine that is slower for a while is so for all of them. What is named neither
REST nor tool nor page is at the level of the services; these are the whole stack of the server, without a socket. Times
are wall clock in milliseconds; the processor time of this process stands beside them, because it says more on a busy
machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from dataclasses import dataclass

from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

import revell.wsgi  # noqa: F401  (sets Django up as the server does; models need that)

# isort: split
from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import MemoryType
from memories.engine.limits import EPISODIC_WINDOW, WORKING_WINDOW
from memories.engine.memories import MemoryDraft
from memories.models import Memory, Tenant
from memories.selectors.recall import RecallQuery, recall
from memories.services import boot, memories, promises
from tests import factories
from tests.bench.rows import Vocabulary, grow
from tests.bench.server import watch
from tests.bench.skins import Action, by_skin, pages

RUNS = 30
WARM_UP = 5
WRITERS = 64
WRITES_EACH = 10
BARE = "bare query of its rows"


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds: median, 95th percentile, median processor time; and the queries of one run."""

    p50: float
    p95: float
    cpu: float
    queries: int


def main(sizes: list[int]) -> None:
    call_command("migrate", verbosity=0)
    vocabulary = Vocabulary(random.Random(7))
    tenants = {size: factories.make_tenant() for size in sorted(sizes)}
    started = time.perf_counter()
    for size, tenant in tenants.items():
        grow(tenant, size, vocabulary)
    settle()
    filled = time.perf_counter() - started
    print(f"\n{_database()}: filled in {filled:.0f} s, {RUNS} runs of each\n", flush=True)
    print(_header(list(tenants)), flush=True)
    by_size = {size: actions(tenant, vocabulary) for size, tenant in tenants.items()}
    bare_now: dict[int, Timed] = {}
    for name in next(iter(by_size.values())):
        found = timed({size: chosen[name] for size, chosen in by_size.items()})
        bare_now = bare_now or found
        print(_line(name, found, bare_now), flush=True)
    largest = max(tenants)
    print("\n| 64 writers at once | failed | lost | writes a second | one write, p50 / p95 / longest |")
    print("| --- | --- | --- | --- | --- |")
    print(write_at_once(tenants[largest]), flush=True)
    keys = {size: factories.issue_key(tenant) for size, tenant in tenants.items()}
    memory = watch(keys, words=vocabulary.asked(3))
    if memory:
        print("\n| a server with one worker | its memory, MB |\n| --- | --- |")
        print("\n".join(f"| {what} | {mb:.0f} |" for what, mb in memory))
    print(f"\n{speed()}", flush=True)


def actions(tenant: Tenant, vocabulary: Vocabulary) -> dict[str, Action]:
    """What is measured, by name."""
    actor = factories.agent_of(tenant)
    open_boots: list[int] = []

    def promise() -> None:
        while open_boots:
            boot.decay(actor, boot=open_boots.pop())
        promises.make(actor, content=" ".join(vocabulary.text(20)))

    def serve() -> None:
        open_boots.append(boot.serve(actor, request=BootRequest()).boot)

    def promise_and_serve() -> None:
        promise()
        serve()

    def decay() -> None:
        boot.decay(actor, boot=open_boots.pop())

    def remember() -> None:
        memories.remember(actor, draft=MemoryDraft(MemoryType.EPISODIC, " ".join(vocabulary.text(40))))

    # The commonest word of all: nearly every memory holds it.
    common = vocabulary.words[0]
    chosen: dict[str, Action] = {
        BARE: bare(actor),
        "preview": lambda: boot.preview(actor, request=BootRequest()),
        "preview with a hint": lambda: boot.preview(actor, request=BootRequest(context_hint=vocabulary.asked(6))),
        "serve": Prepared(serve, promise),
        "decay": Prepared(decay, promise_and_serve),
        "recall": lambda: recall(actor, query=RecallQuery(vocabulary.asked(3))),
        "recall, commonest word": lambda: recall(actor, query=RecallQuery(common)),
        "remember": remember,
    }
    skins: dict[str, Action] = {
        name: action if prepare is None else Prepared(action, prepare)
        for name, (action, prepare) in by_skin(tenant, vocabulary).items()
    }
    return chosen | skins | pages(tenant, vocabulary)


@dataclass(frozen=True, slots=True)
class Prepared:
    """An action whose preparation is not timed."""

    action: Action
    prepare: Action

    def __call__(self) -> object:
        return self.action()


def bare(actor: Actor) -> Action:
    """The rows of one boot and nothing else: the floor that the database itself sets."""
    payload = boot.preview(actor, request=BootRequest())
    numbers = [
        int(one.removeprefix("mem-"))
        for section in payload.manifest["sections"]
        for one in section["included"]
        if one.startswith("mem-")
    ]
    live = "tenant_id = %s AND archived_at IS NULL AND forgotten_at IS NULL"
    table = Memory._meta.db_table
    columns = "number, type, wire_bytes, category, key, importance"
    marks = ", ".join(["%s"] * len(numbers))
    statements = [
        (f"SELECT {columns} FROM {table} WHERE {live} AND type IN ('core', 'axiom')", [actor.tenant]),
        (f"SELECT {columns} FROM {table} WHERE {live} AND type = 'working' LIMIT {WORKING_WINDOW}", [actor.tenant]),
        (
            f"SELECT number, wire_bytes FROM {table} WHERE {live} AND type = 'episodic' "
            f"ORDER BY occurred_at DESC, number DESC LIMIT {EPISODIC_WINDOW}",
            [actor.tenant],
        ),
        (
            f"SELECT number, content, occurred_at FROM {table} WHERE tenant_id = %s AND number IN ({marks})",
            [actor.tenant, *numbers],
        ),
    ]

    def read() -> None:
        with connection.cursor() as cursor:
            for statement, values in statements:
                cursor.execute(statement, values)
                cursor.fetchall()

    return read


def timed(by_size: dict[int, Action]) -> dict[int, Timed]:
    """The times of `RUNS` calls at each size, by turns, after a few that warm up."""
    wall: dict[int, list[float]] = {size: [] for size in by_size}
    cpu: dict[int, list[float]] = {size: [] for size in by_size}
    for number in range(-WARM_UP, RUNS):
        for size, action in by_size.items():
            _prepare(action)
            started, cpu_started = time.perf_counter(), time.process_time()
            action()
            cpu_ended, ended = time.process_time(), time.perf_counter()
            if number >= 0:
                wall[size].append((ended - started) * 1_000)
                cpu[size].append((cpu_ended - cpu_started) * 1_000)
    return {
        size: Timed(
            statistics.median(wall[size]),
            statistics.quantiles(wall[size], n=20)[-1],
            statistics.median(cpu[size]),
            _queries(action),
        )
        for size, action in by_size.items()
    }


def _prepare(action: Action) -> None:
    if isinstance(action, Prepared):
        action.prepare()


def _queries(action: Action) -> int:
    _prepare(action)
    with CaptureQueriesContext(connection) as queries:
        action()
    told = [query["sql"] for query in queries.captured_queries]
    return sum(not sql.startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "SET ")) for sql in told)


def write_at_once(tenant: Tenant) -> str:
    """64 threads that write into one tenant: how many writes failed, were lost, and came through in a second."""
    actor = factories.agent_of(tenant)
    before = Memory.objects.count()
    barrier = threading.Barrier(WRITERS + 1)
    failed: list[str] = []
    wall: list[float] = []

    def write(writer: int) -> None:
        connection.ensure_connection()
        barrier.wait()
        for number in range(WRITES_EACH):
            started = time.perf_counter()
            try:
                memories.remember(actor, draft=MemoryDraft(MemoryType.EPISODIC, f"write {number} of writer {writer}"))
            except Exception as error:  # noqa: BLE001  (whatever it is, it is a failed write)
                failed.append(f"{type(error).__name__}: {error}")
            wall.append((time.perf_counter() - started) * 1_000)
        connection.close()

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    barrier.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    asked = WRITERS * WRITES_EACH
    lost = asked - len(failed) - (Memory.objects.count() - before)
    line = (
        f"| {connection.vendor} | {len(failed)} | {lost} | {asked / seconds:,.0f} "
        f"| {statistics.median(wall):,.0f} / {statistics.quantiles(wall, n=20)[-1]:,.0f} / {max(wall):,.0f} ms |"
    )
    return "\n".join((line, *sorted(set(failed))[:3]))


def _header(sizes: list[int]) -> str:
    columns = [f"{size:,}" for size in sizes]
    columns += [f"× {sizes[0]:,}", "× bare"]
    return f"| {connection.vendor} | queries | {' | '.join(columns)} |\n|{' --- |' * (len(columns) + 2)}"


def _line(name: str, found: dict[int, Timed], bare_query: dict[int, Timed]) -> str:
    """p50 / p95 · processor at each size; then the largest against the smallest, and against the bare query."""
    least, most = min(found), max(found)
    cells = [f"{one.p50:.1f} / {one.p95:.1f} · {one.cpu:.1f}" for one in found.values()]
    grown = f"{found[most].p50 / found[least].p50:.2f}"
    above = f"{found[most].p50 / bare_query[most].p50:.1f}" if "preview" in name or "serve" in name else ""
    return f"| {name} | {found[most].queries} | {' | '.join(cells)} | {grown} | {above} |"


def _database() -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT sqlite_version()")
            return f"SQLite {cursor.fetchone()[0]}, a file"
        cursor.execute("SHOW server_version")
        return f"PostgreSQL {cursor.fetchone()[0].split()[0]}, on this machine, nothing synced to disk"


def speed() -> str:
    """How fast this machine is just now: the shortest and the longest time of a loop that is not Revell's."""
    times = []
    for _ in range(20):
        started = time.perf_counter()
        sum(number * number for number in range(200_000))
        times.append((time.perf_counter() - started) * 1_000)
    return f"a loop of 200,000 multiplications takes {min(times):.0f} to {max(times):.0f} ms here"


def settle() -> None:
    """What a server in use has behind it after so many writes."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            cursor.execute("VACUUM (ANALYZE)")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
