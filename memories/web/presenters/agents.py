"""The list of agents that a person sees first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.engine.budget import budget_bytes
from memories.selectors.tenants import Seen
from memories.web.presenters import bars
from memories.web.presenters.bars import Bar, Part

CHANNELS = {"agent": "called by the agent", "session_start": "session start", "post_compact": "after compaction"}


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent; `last_*` are empty before its first boot. Bytes are UTF-8 bytes."""

    name: str
    slug: str
    role: str
    budget_tokens: int
    budget_bytes: int
    last_id: str
    last_number: int
    last_at: datetime | None
    last_channel: str
    last_bytes: int
    last_budget_bytes: int
    pending: int
    used_bytes: int
    cap_bytes: int
    over_bytes: int
    cap_bar: Bar


@dataclass(frozen=True, slots=True)
class NextPayload:
    """What an agent would get now; `left_out` counts what stays out."""

    slug: str
    size_bytes: int
    budget_bytes: int
    left_out: int
    bar: Bar


def next_of(slug: str, manifest: Mapping[str, Any]) -> NextPayload:
    """The preview's own numbers (P34)."""
    size, budget = manifest["size_bytes"], manifest["budget_bytes"]
    parts = bars.by_pool(bars.by_section(manifest["sections"], manifest["frame_bytes"]))
    told = ", ".join(f"{part.title} {part.bytes:,}" for part in parts if part.bytes)
    return NextPayload(
        slug=slug,
        size_bytes=size,
        budget_bytes=budget,
        left_out=sum(one["left_out_total"] for one in manifest["sections"]),
        bar=bars.bar(
            f"next-{slug}", f"Next payload {size:,} of {budget:,} bytes: {told}", parts, whole=budget, height=22
        ),
    )


def agent_rows(seen: Iterable[Seen]) -> list[AgentRow]:
    rows = []
    for one in seen:
        boot = one.last_boot
        slug = one.tenant.slug
        over = max(one.used_bytes - one.cap_bytes, 0)
        rows.append(
            AgentRow(
                name=one.tenant.name,
                slug=slug,
                role=str(one.role).capitalize(),
                budget_tokens=one.tenant.budget_tokens,
                budget_bytes=budget_bytes(one.tenant.budget_tokens),
                last_id=str(boot) if boot else "",
                last_number=boot.number if boot else 0,
                last_at=boot.created_at if boot else None,
                last_channel=CHANNELS.get(boot.channel, boot.channel) if boot else "",
                last_bytes=boot.size_bytes if boot else 0,
                last_budget_bytes=budget_bytes(boot.budget_tokens) if boot else 0,
                pending=one.pending,
                used_bytes=one.used_bytes,
                cap_bytes=one.cap_bytes,
                over_bytes=over,
                cap_bar=bars.bar(
                    f"cap-{slug}",
                    f"Promises {one.used_bytes:,} of {one.cap_bytes:,} bytes",
                    [Part("promised", one.used_bytes)],
                    whole=one.cap_bytes,
                    height=10,
                    limit=one.cap_bytes,
                ),
            )
        )
    return rows
