"""The form beside the preview: what is asked for, what the agent's own settings are, what can be saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memories.engine.budget import Shares
from memories.engine.kinds import Channel
from memories.engine.limits import BUDGET_TOKENS_MAX, BUDGET_TOKENS_MIN
from memories.errors import RevellError

CHANNELS = (
    (Channel.AGENT, "Called by the agent"),
    (Channel.SESSION_START, "Session start"),
    (Channel.POST_COMPACT, "After compaction"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The values in the form, as strings, and what was wrong with them by field."""

    context_hint: str = ""
    project_prefix: str = ""
    channel: str = str(Channel.AGENT)
    budget_tokens: str = ""
    share_core: str = ""
    share_working: str = ""
    share_episodic: str = ""
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    detail: str = ""
    minimum: int = BUDGET_TOKENS_MIN
    maximum: int = BUDGET_TOKENS_MAX
    channels: tuple[tuple[str, str], ...] = CHANNELS


@dataclass(frozen=True, slots=True)
class Offer:
    """Settings that could be saved; `refused` says why this person may not."""

    budget_tokens: int
    shares: Shares
    differs: bool
    refused: str


def asked_of(given: Mapping[str, str], *, budget_tokens: int, shares: Shares, error: RevellError | None) -> Asked:
    """The form as it was sent, its empty fields filled with the agent's settings."""

    def value(name: str, own: object) -> str:
        return given.get(name, "").strip() or str(own)

    return Asked(
        context_hint=given.get("context_hint", ""),
        project_prefix=given.get("project_prefix", ""),
        channel=value("channel", Channel.AGENT),
        budget_tokens=value("budget_tokens", budget_tokens),
        share_core=value("share_core", shares.core),
        share_working=value("share_working", shares.working),
        share_episodic=value("share_episodic", shares.episodic),
        errors=error.errors if error else {},
        detail=error.detail if error else "",
    )
