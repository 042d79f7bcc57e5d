"""Measures boots and recalls as a tenant grows: `make bench`, or `make bench ARGS="1000 1000000"` for other sizes.

Each size gets a new SQLite file and a process of its own. Times are milliseconds inside the process, without HTTP; the
time of the processor stands beside them, because it says more on a busy machine.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SIZES = (1_000, 10_000, 100_000)
ROUNDS = 100
# A vocabulary whose words differ in how common they are, as words do.
WORDS = [
    f"{a}{b}{c}" for a in ("mi", "ra", "to", "ve", "lu") for b in ("ka", "ne", "so", "ri") for c in "abcdefghijklmnop"
]


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--one"]:
        measure(int(arguments[1]))
        return 0
    print(f"{'memories':>10}  {'what':<24}{'p50':>9}{'p95':>9}{'cpu p50':>9}  (ms, {ROUNDS} rounds)", flush=True)
    for size in map(int, arguments or SIZES):
        with tempfile.TemporaryDirectory(prefix="revell-bench-") as folder:
            database = f"sqlite:///{Path(folder) / 'bench.sqlite3'}"
            environment = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "revell.settings"}
            command = [sys.executable, "-m", "tests.bench", "--one", str(size)]
            if code := subprocess.run(command, env=environment, check=False).returncode:
                return code
    return 0


def measure(size: int) -> None:
    """Fills a tenant with `size` memories, mostly episodic, and prints one line for each thing measured."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)

    from memories.engine.delivery import BootRequest
    from memories.selectors.recall import RecallQuery, recall
    from memories.services import boot, promises
    from tests import factories

    chance = random.Random(size)
    actor = factories.agent_of(factories.make_tenant())
    fill(actor, size, chance)

    def preview(_: int) -> None:
        boot.preview(actor, request=BootRequest())

    def preview_with_hint(_: int) -> None:
        boot.preview(actor, request=BootRequest(context_hint=text(chance, 6)))

    def serve_and_decay(number: int) -> None:
        promises.make(actor, content=f"promise {number}: {text(chance, 10)}")
        boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)

    def recall_words(_: int) -> None:
        recall(actor, query=RecallQuery(text(chance, 3)))

    for name, action in (
        ("preview", preview),
        ("preview with a hint", preview_with_hint),
        ("promise, serve, decay", serve_and_decay),
        ("recall", recall_words),
    ):
        p50, p95, cpu = timed(action)
        print(f"{size:>10,}  {name:<24}{p50:>9.1f}{p95:>9.1f}{cpu:>9.1f}", flush=True)


def fill(actor: object, size: int, chance: random.Random) -> None:
    from memories.engine.kinds import MemoryType
    from memories.engine.memories import MemoryDraft
    from memories.services import memories

    def draft(number: int) -> MemoryDraft:
        if number % 200 == 0 and number < 40_000:
            return MemoryDraft(MemoryType.WORKING, text(chance, 30), key=f"state-{number}")
        if number % 10 == 0:
            return MemoryDraft(
                MemoryType.SEMANTIC, text(chance, 12), subject=text(chance, 1), predicate="is", object="so"
            )
        return MemoryDraft(MemoryType.EPISODIC, text(chance, 30), tags=("bench",))

    for start in range(0, size, 500):
        drafts = [draft(number) for number in range(start, min(start + 500, size))]
        memories.remember_many(actor, drafts=drafts)  # type: ignore[arg-type]


def text(chance: random.Random, words: int) -> str:
    return " ".join(WORDS[min(int(chance.expovariate(1 / 60)), len(WORDS) - 1)] for _ in range(words))


def timed(action: Callable[[int], None]) -> tuple[float, float, float]:
    """Median and 95th percentile of `ROUNDS` calls, and their median processor time, after a few that warm up."""
    times, cpu = [], []
    for number in range(-5, ROUNDS):
        started, cpu_started = time.perf_counter(), time.process_time()
        action(number)
        if number >= 0:
            times.append((time.perf_counter() - started) * 1000)
            cpu.append((time.process_time() - cpu_started) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1], statistics.median(cpu)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
