"""Times boots, recalls and writes at each size on the database of `DATABASE_URL`, and prints a table.

All in one process, at the level of the services (no HTTP), unless a line says "REST": that is the whole stack of the
server through Django's test client, without a socket. Times are wall clock in milliseconds; the time of the processor
stands beside them, because it says more on a busy machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import django
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import Resolver404, resolve

django.setup()

from memories.engine.actor import Actor  # noqa: E402  (models need a set-up Django)
from memories.engine.delivery import BootRequest  # noqa: E402
from memories.engine.kinds import MemoryType  # noqa: E402
from memories.engine.limits import EPISODIC_WINDOW, WORKING_WINDOW  # noqa: E402
from memories.engine.memories import MemoryDraft  # noqa: E402
from memories.models import Memory, Tenant  # noqa: E402
from memories.selectors.recall import RecallQuery, recall  # noqa: E402
from memories.services import boot, memories, promises  # noqa: E402
from tests import factories  # noqa: E402
from tests.bench.rows import Vocabulary, grow  # noqa: E402

RUNS = 40
WARM_UP = 5
WRITERS = 64
WRITES_EACH = 10
BASE = 1_000
RATIO = (500, 10_000)


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds: median, 95th percentile, median processor time; and the queries of one run."""

    p50: float
    p95: float
    cpu: float
    queries: int


def main(sizes: list[int]) -> None:
    call_command("migrate", verbosity=0)
    chance = random.Random(7)
    vocabulary = Vocabulary(chance)
    tenant = factories.make_tenant()
    secret = factories.issue_key(tenant)
    found: dict[int, dict[str, Timed]] = {}
    print(f"\n{_database()}: {RUNS} runs of each, times in ms\n", flush=True)
    print(f"{'memories':>9}  {'what':<26}{'queries':>8}{'p50':>9}{'p95':>9}{'cpu':>9}{'× 1,000':>9}{'× bare':>8}")
    for size in sorted(sizes):
        started = time.perf_counter()
        grow(tenant, size, vocabulary)
        settle()
        filled = time.perf_counter() - started
        found[size] = {}
        for name, action in actions(tenant, secret, vocabulary).items():
            found[size][name] = timed(action)
            print(_line(size, name, found), flush=True)
        print(f"{'':>9}  ({Memory.objects.count():,} rows; filled in {filled:.0f} s)\n", flush=True)
    low, high = RATIO
    if low in found and high in found:
        for name in ("preview", "serve", "recall"):
            ratio = found[high][name].p50 / found[low][name].p50
            print(f"{name}, {high:,} against {low:,}: × {ratio:.2f}")
    print(write_at_once(tenant))
    print(speed())


def actions(tenant: Tenant, secret: str, vocabulary: Vocabulary) -> dict[str, Callable[[], object]]:
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
    chosen = {
        "bare query of its rows": bare(actor),
        "preview": lambda: boot.preview(actor, request=BootRequest()),
        "preview with a hint": lambda: boot.preview(actor, request=BootRequest(context_hint=vocabulary.asked(6))),
        "serve": Prepared(serve, promise),
        "decay": Prepared(decay, promise_and_serve),
        "recall": lambda: recall(actor, query=RecallQuery(vocabulary.asked(3))),
        "recall, commonest word": lambda: recall(actor, query=RecallQuery(common)),
        "remember": remember,
    }
    return chosen | rest(secret)


@dataclass(frozen=True, slots=True)
class Prepared:
    """An action whose preparation is not timed."""

    action: Callable[[], None]
    prepare: Callable[[], None]

    def __call__(self) -> None:
        self.action()


def bare(actor: Actor) -> Callable[[], None]:
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


def rest(secret: str) -> dict[str, Callable[[], object]]:
    """The same through the whole stack, where the REST skin is there."""
    try:
        resolve("/api/v1/boot")
    except Resolver404:
        return {}
    client = Client(headers={"authorization": f"Bearer {secret}", "host": "127.0.0.1"})

    def call(method: str, path: str, **options: object) -> bytes:
        response = client.generic(method, path, **options)  # type: ignore[arg-type]
        assert response.status_code == 200, response.content
        return response.getvalue()

    return {
        "REST preview": lambda: call("GET", "/api/v1/boot/preview"),
        "REST serve and decay": lambda: call("POST", "/api/v1/boot", data="{}", content_type="application/json"),
    }


def timed(action: Callable[[], object]) -> Timed:
    """The times of `RUNS` calls after a few that warm up."""
    prepare = action.prepare if isinstance(action, Prepared) else lambda: None
    wall, cpu = [], []
    for number in range(-WARM_UP, RUNS):
        prepare()
        started, cpu_started = time.perf_counter(), time.process_time()
        action()
        if number >= 0:
            wall.append((time.perf_counter() - started) * 1_000)
            cpu.append((time.process_time() - cpu_started) * 1_000)
    prepare()
    with CaptureQueriesContext(connection) as queries:
        action()
    told = [query["sql"] for query in queries.captured_queries]
    asked = sum(not sql.startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "SET ")) for sql in told)
    return Timed(statistics.median(wall), statistics.quantiles(wall, n=20)[-1], statistics.median(cpu), asked)


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
    lines = [
        f"{WRITERS} writers at once, {asked} writes into one tenant: {len(failed)} failed, {lost} lost, "
        f"{asked / seconds:,.0f} a second; one write p50 {statistics.median(wall):,.0f} ms, "
        f"p95 {statistics.quantiles(wall, n=20)[-1]:,.0f} ms, longest {max(wall):,.0f} ms",
        *sorted(set(failed))[:3],
    ]
    return "\n".join(lines)


def _line(size: int, name: str, found: dict[int, dict[str, Timed]]) -> str:
    one = found[size][name]
    floor = found[size]["bare query of its rows"].p50
    base = f"{one.p50 / found[BASE][name].p50:.2f}" if BASE in found else ""
    above = f"{one.p50 / floor:.1f}" if name in ("preview", "serve", "REST preview", "REST serve and decay") else ""
    return f"{size:>9,}  {name:<26}{one.queries:>8}{one.p50:>9.2f}{one.p95:>9.2f}{one.cpu:>9.2f}{base:>9}{above:>8}"


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
