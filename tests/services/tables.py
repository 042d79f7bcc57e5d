"""Every table as plain values, to show that a call changed nothing."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import connection

from memories.models import Tenant


def dump() -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables that Django knows, by table, in an order of their own."""
    return {
        model._meta.db_table: sorted(model._default_manager.values_list(), key=repr)
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed
    }


def found_by_the_database(word: str) -> int:
    """How many rows of any tenant the full-text index itself holds for one word of `engine.words`."""
    fts = connection.vendor == "sqlite"
    every = [f"{pk}x{word}" for pk in Tenant.objects.values_list("pk", flat=True)]
    wanted = " OR ".join(f'"{one}"' for one in every) if fts else " | ".join(f"'{one}'" for one in every)
    sql = (
        "SELECT count(*) FROM memories_words_fts WHERE memories_words_fts MATCH %s"
        if fts
        else "SELECT count(*) FROM memories_memorywords WHERE vector @@ (%s)::tsquery"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, (wanted,))
        return int(cursor.fetchone()[0])
