"""`python -m tests.bench [SIZE …]`: the measurements on an SQLite file, then on a PostgreSQL of their own.

Without sizes it is 1,000, 10,000 and 100,000 memories; `BENCH_FULL=1` adds 1,000,000. Capsules follow, always the
same number of them; `capsules` in the place of sizes measures them alone. Each database gets a process
of its own, so that neither profits from what the other has warmed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
from psycopg import sql

from tests.run import PostgresqlFailed, postgresql_binaries, private_postgresql

SIZES = ("1000", "10000", "100000")
FULL = "1000000"
CAPSULES = "capsules"


def main(arguments: list[str]) -> int:
    sizes = arguments or [*SIZES, *([FULL] if os.environ.get("BENCH_FULL") == "1" else [])]
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}", flush=True)
    with tempfile.TemporaryDirectory(prefix="revell-bench-") as folder:
        code = measure(f"sqlite:///{Path(folder) / 'bench.sqlite3'}", sizes)
    places = postgresql_binaries()
    if places is None:
        print("\nPostgreSQL is not here, so it was not measured.")
        return code
    try:
        with private_postgresql(places) as url:
            with psycopg.connect(url.rpartition("/")[0] + "/postgres", autocommit=True) as server:
                server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(url.rpartition("/")[2])))
            return measure(url, sizes) or code
    except PostgresqlFailed as failure:
        print(f"\nPostgreSQL did not start: {failure}")
        return 1


def measure(database: str, sizes: list[str]) -> int:
    environment = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "revell.settings"}
    environment["LOG_LEVEL"] = "WARNING"
    parts = ([] if sizes == [CAPSULES] else [["measure", *sizes]]) + [[CAPSULES]]
    codes = [
        subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *rest], env=environment, check=False).returncode
        for name, *rest in parts
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
