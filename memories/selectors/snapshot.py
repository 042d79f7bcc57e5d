"""Several reads that must see one state of the database, without taking a write lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_state() -> Iterator[None]:
    """Reads inside see one snapshot. Inside a transaction of the caller, that transaction decides what is seen."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # `atomic` would begin IMMEDIATE and wait for writers; a deferred transaction only reads.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("COMMIT")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
