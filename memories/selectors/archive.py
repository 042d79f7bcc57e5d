"""Everything an agent holds, as one archive. What its files mean is `engine.archives`; reading one is not here."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO

from django.db.models import QuerySet
from django.utils import timezone

from memories.engine import archives
from memories.engine.actor import Actor
from memories.engine.archives import as_line, as_time
from memories.engine.kinds import Scope
from memories.engine.memories import category_caps
from memories.models import (
    Boot,
    Capsule,
    CapsuleRelation,
    Event,
    Memory,
    MemoryRevision,
    MemoryTag,
    Promise,
    ServedPromise,
    TermAlias,
    TierChange,
)
from memories.selectors.snapshot import one_state
from memories.selectors.tenants import get_tenant

Row = Mapping[str, Any]
_AT_ONCE = 500
_TEXTS = (
    *("type", "content", "category", "key", "importance", "source"),
    *("subject", "predicate", "object", "context", "version"),
)
_MOMENTS = ("occurred_at", "created_at", "updated_at", "archived_at", "forgotten_at")


def write_archive(actor: Actor, *, out: BinaryIO) -> dict[str, int]:
    """Write everything that the tenant holds into `out`, one state of it, as a zip; how many rows each file has.

    Rows are read and written a few at a time, so a large agent needs no more memory than a small one. Keys, members and
    invitations are not in it.
    """
    actor.require(Scope.READ)
    counts: dict[str, int] = {}
    with one_state(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        tenant = get_tenant(actor)
        for name, rows in _PARTS.items():
            count = 0
            with archive.open(name, "w", force_zip64=True) as file:
                for row in rows(actor):
                    file.write(as_line(row))
                    count += 1
            counts[name] = count
        about = {
            "format": archives.FORMAT,
            "version": archives.VERSION,
            "made_at": as_time(timezone.now()),
            "name": tenant.name,
            "slug": tenant.slug,
            "config": {
                "budget_tokens": tenant.budget_tokens,
                "shares": {
                    "core": tenant.share_core,
                    "working": tenant.share_working,
                    "episodic": tenant.share_episodic,
                },
                "category_caps": category_caps(tenant.category_caps),
            },
            "rows": counts,
        }
        archive.writestr(archives.ABOUT, json.dumps(about, ensure_ascii=False, indent=2) + "\n")
    return counts


def _few(rows: QuerySet[Any]) -> Iterator[Any]:
    return rows.iterator(chunk_size=_AT_ONCE)


def _memories(actor: Actor) -> Iterator[Row]:
    """Plain columns, and the tags of some at a time: models and their related rows would cost twice as much."""
    rows = _few(Memory.objects.of(actor).order_by("number").values_list("pk", "number", *_TEXTS, *_MOMENTS))
    while some := list(islice(rows, _AT_ONCE)):
        tags: dict[int, list[str]] = {}
        of_some = MemoryTag.objects.of(actor).filter(memory__in=[row[0] for row in some]).order_by("memory", "position")
        for key, tag in of_some.values_list("memory", "tag"):
            tags.setdefault(key, []).append(tag)
        for key, number, *values in some:
            moments = map(as_time, values[len(_TEXTS) :])
            yield {
                "id": f"mem-{number}",
                **dict(zip(_TEXTS, values, strict=False)),
                "tags": tags.get(key, []),
                **dict(zip(_MOMENTS, moments, strict=True)),
            }


def _revisions(actor: Actor) -> Iterator[Row]:
    rows = MemoryRevision.objects.of(actor).order_by("memory__number", "version")
    columns = ("memory__number", "version", "data", "replaced_at", "replaced_by")
    for number, version, data, replaced_at, replaced_by in _few(rows.values_list(*columns)):
        told = {"memory": f"mem-{number}", "version": version}
        yield {**data, **told, "replaced_at": as_time(replaced_at), "replaced_by": replaced_by}


def _promises(actor: Actor) -> Iterator[Row]:
    for promise in _few(Promise.objects.of(actor).order_by("number")):
        yield {
            "id": str(promise),
            "content": promise.content,
            "size_bytes": promise.size_bytes,
            "created_at": as_time(promise.created_at),
            "created_by": promise.created_by,
        }


def _boots(actor: Actor) -> Iterator[Row]:
    served = ("served", "served__memory")
    for boot in Boot.objects.of(actor).order_by("number").prefetch_related(*served).iterator(chunk_size=20):
        yield {
            "id": str(boot),
            "channel": boot.channel,
            "actor": boot.actor,
            "via": boot.via,
            "created_at": as_time(boot.created_at),
            "acknowledge": boot.acknowledge,
            "acknowledged_at": as_time(boot.acknowledged_at),
            "session_id": boot.session_id,
            "idempotency_key": boot.idempotency_key,
            "context_hint": boot.context_hint,
            "project_prefix": boot.project_prefix,
            "max_chars": boot.max_chars,
            "budget_tokens": boot.budget_tokens,
            "size_bytes": boot.size_bytes,
            "sha256": boot.sha256,
            "payload": boot.payload,
            "manifest": boot.manifest,
            "promises": [_served(one) for one in boot.served.all()],
        }


def _served(served: ServedPromise) -> Row:
    return {
        "id": f"prm-{served.number}",
        "content": served.content,
        "promised_at": as_time(served.promised_at),
        "outcome": served.outcome,
        "memory": str(served.memory) if served.memory else None,
        "ended_at": as_time(served.ended_at),
    }


def _capsules(actor: Actor) -> Iterator[Row]:
    for capsule in _few(Capsule.objects.of(actor).order_by("number")):
        yield {
            "id": str(capsule),
            "content": capsule.content,
            "kind": capsule.kind,
            "project_id": capsule.project_id,
            "confidence": capsule.confidence,
            "valid_from": as_time(capsule.valid_from),
            "valid_to": as_time(capsule.valid_to),
            "tier": capsule.tier,
            "source": capsule.source,
            "tainted": capsule.tainted,
            "created_at": as_time(capsule.created_at),
            "created_by": capsule.created_by,
            "forgotten_at": as_time(capsule.forgotten_at),
            "forgotten_reason": capsule.forgotten_reason,
        }


def _tier_changes(actor: Actor) -> Iterator[Row]:
    rows = TierChange.objects.of(actor).order_by("pk").values_list("capsule__number", "at", "by", "old", "new")
    for number, at, by, old, new in _few(rows):
        yield {"capsule": f"cap-{number}", "at": as_time(at), "by": by, "old": old, "new": new}


def _relations(actor: Actor) -> Iterator[Row]:
    rows = CapsuleRelation.objects.of(actor).order_by("source_number", "target_number", "kind")
    for kind, source, target, at in _few(rows.values_list("kind", "source_number", "target_number", "created_at")):
        yield {"kind": kind, "from": f"cap-{source}", "to": f"cap-{target}", "created_at": as_time(at)}


def _aliases(actor: Actor) -> Iterator[Row]:
    rows = TermAlias.objects.of(actor).order_by("term", "alias")
    for term, alias, at, by in _few(rows.values_list("term", "alias", "created_at", "created_by")):
        yield {"term": term, "alias": alias, "created_at": as_time(at), "created_by": by}


def _events(actor: Actor) -> Iterator[Row]:
    rows = Event.objects.of(actor).order_by("id").values_list("at", "actor", "via", "verb", "what")
    for at, by, via, verb, what in _few(rows):
        yield {"at": as_time(at), "actor": by, "via": via, "verb": verb, "what": what}


_PARTS: dict[str, Callable[[Actor], Iterator[Row]]] = {
    archives.MEMORIES: _memories,
    archives.REVISIONS: _revisions,
    archives.PROMISES: _promises,
    archives.BOOTS: _boots,
    archives.CAPSULES: _capsules,
    archives.TIER_CHANGES: _tier_changes,
    archives.RELATIONS: _relations,
    archives.ALIASES: _aliases,
    archives.EVENTS: _events,
}
