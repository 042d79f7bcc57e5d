"""What stands around every page of an agent: the agents to go to, and the next payload as one small bar."""

from __future__ import annotations

from dataclasses import dataclass

from memories.engine.boot import Payload
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Section
from memories.selectors import tenants
from memories.services import boot
from memories.web.places import Place
from memories.web.presenters import bars
from memories.web.presenters.bars import Bar

# More of them are on the page of all agents.
_OTHERS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Other:
    """An agent to go to."""

    name: str
    slug: str


@dataclass(frozen=True, slots=True)
class Shell:
    """`pending` to `members` are the counts beside the links; `others` are the first agents to go to."""

    name: str
    slug: str
    role: str
    size_bytes: int
    bar: Bar
    pending: int
    memories: int
    capsules: int
    members: int
    others: tuple[Other, ...]


def shell_of(place: Place, payload: Payload | None) -> Shell:
    """A fixed number of queries; fewer when the next payload is at hand."""
    manifest = (payload or boot.preview(place.actor, request=BootRequest())).manifest
    others = tenants.list_neighbours(place.person, but=place.tenant, limit=_OTHERS_SHOWN)
    contents = tenants.count_contents(place.actor)
    promised = next(one for one in manifest["sections"] if one["name"] == Section.PROMISED)
    size, budget = manifest["size_bytes"], manifest["budget_bytes"]
    parts = bars.by_pool(bars.by_section(manifest["sections"], manifest["frame_bytes"]))
    return Shell(
        name=place.tenant.name,
        slug=place.tenant.slug,
        role=place.actor.role,
        size_bytes=size,
        bar=bars.bar("side-bar", f"Next payload {size:,} of {budget:,} bytes", parts, whole=budget, height=8),
        pending=len(promised["included"]) + promised["left_out_total"],
        memories=sum(numbers["active"] for numbers in manifest["totals"].values()),
        capsules=contents.capsules,
        members=contents.members,
        others=tuple(Other(other.name, other.slug) for other in others),
    )
