"""The settings page: the values in the form beside the saved ones, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memories.engine.boot import Payload
from memories.engine.budget import budget_bytes
from memories.engine.kinds import Category, Pool
from memories.engine.limits import (
    BUDGET_TOKENS_MAX,
    BUDGET_TOKENS_MIN,
    CATEGORY_CAP_CHARS_MAX,
    CATEGORY_CAP_CHARS_MIN,
)
from memories.engine.memories import axiom_allowance_bytes
from memories.engine.promises import cap_bytes
from memories.engine.tenants import Settings
from memories.selectors.tenants import Config
from memories.web.forms import cap_field, seen_text
from memories.web.presenters import bars
from memories.web.presenters.bars import Bar, Part, Ruler

_SHARE_FIELDS = ("share_core", "share_working", "share_episodic")
_NAMES = {"budget_tokens": "Budget in tokens", "shares": "Shares"}


@dataclass(frozen=True, slots=True)
class CapRow:
    """One core category: its cap and its use in characters."""

    category: str
    name: str
    css: str
    field: str
    value: str
    cap: int
    used: int
    error: str

    @property
    def free(self) -> int:
        return max(self.cap - self.used, 0)


@dataclass(frozen=True, slots=True)
class Compared:
    """A number that follows from the settings, as saved and as in the form."""

    name: str
    css: str
    saved: int
    new: int

    @property
    def changed(self) -> bool:
        return self.saved != self.new


@dataclass(frozen=True, slots=True)
class Clash:
    """A value that two people changed at once: what is saved now, and what the slower one typed."""

    name: str
    saved: str
    yours: str


@dataclass(frozen=True, slots=True)
class Effects:
    """What the values in the form do to the next payload. `over_bytes` are promises above the cap that follows (P8)."""

    rows: tuple[Compared, ...]
    size_bytes: int
    budget_bytes: int
    bar: Bar
    left_out_before: int
    left_out_after: int
    pending_bytes: int
    over_bytes: int
    changed: bool

    @property
    def left_out_more(self) -> int:
        return self.left_out_after - self.left_out_before


@dataclass(frozen=True, slots=True)
class SettingsView:
    budget_tokens: str
    share_core: str
    share_working: str
    share_episodic: str
    shares_bar: Bar
    ruler: Ruler
    config: Config
    seen: str
    caps: tuple[CapRow, ...]
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    detail: str = ""
    minimum: int = BUDGET_TOKENS_MIN
    maximum: int = BUDGET_TOKENS_MAX
    cap_minimum: int = CATEGORY_CAP_CHARS_MIN
    cap_maximum: int = CATEGORY_CAP_CHARS_MAX

    @property
    def free_bytes(self) -> int:
        return max(self.config.cap_bytes - self.config.used_bytes, 0)


def settings_view(
    config: Config, given: Mapping[str, str], *, errors: Mapping[str, Sequence[str]], detail: str
) -> SettingsView:
    """The saved settings, with what was sent in their place where a form was sent."""

    def value(name: str, own: object) -> str:
        return given.get(name, str(own))

    shares = config.shares
    return SettingsView(
        budget_tokens=value("budget_tokens", config.budget_tokens),
        share_core=value("share_core", shares.core),
        share_working=value("share_working", shares.working),
        share_episodic=value("share_episodic", shares.episodic),
        shares_bar=bars.bar(
            "shares",
            f"Saved shares: core {shares.core}, working {shares.working}, episodic {shares.episodic} percent",
            [Part("core", shares.core), Part("working", shares.working), Part("episodic", shares.episodic)],
            whole=100,
            height=28,
        ),
        ruler=bars.ruler(BUDGET_TOKENS_MAX, start=BUDGET_TOKENS_MIN, unit=""),
        config=config,
        seen=given.get("seen", seen_text(settings_of(config))),
        caps=tuple(
            CapRow(
                category=str(category),
                name=str(category).capitalize(),
                css=f"s-{category}",
                field=cap_field(category),
                value=value(cap_field(category), config.category_caps[category]),
                cap=config.category_caps[category],
                used=config.category_used[category],
                error=" ".join((*errors.get(f"category_caps.{category}", ()), *errors.get(cap_field(category), ()))),
            )
            for category in Category
        ),
        errors=errors,
        detail=detail,
    )


def settings_of(config: Config) -> Settings:
    return Settings(config.budget_tokens, config.shares, config.category_caps)


def left_alone_as_saved(given: Mapping[str, str], *, seen: Settings | None, config: Config) -> dict[str, str]:
    """`given` for a second look: what its sender left as it was `seen` is shown as it is saved now."""
    before = _fields(seen) if seen else {}
    kept = {name: value for name, value in given.items() if before.get(name) != value}
    return {**kept, "seen": seen_text(settings_of(config))}


def clashes_of(config: Config, given: Mapping[str, str], names: Iterable[str]) -> tuple[Clash, ...]:
    """What two people changed, by the names of `merge_settings`."""
    saved = _fields(settings_of(config))
    found = []
    for name in names:
        fields = _SHARE_FIELDS if name == "shares" else (name if name in saved else cap_field(name),)
        now, yours = (" / ".join(values.get(field, saved[field]) for field in fields) for values in (saved, given))
        found.append(Clash(_NAMES.get(name, f"Cap of {name}"), now, yours))
    return tuple(found)


def _fields(settings: Settings) -> dict[str, str]:
    shares = zip(_SHARE_FIELDS, (settings.shares.core, settings.shares.working, settings.shares.episodic), strict=True)
    caps = ((cap_field(category), cap) for category, cap in settings.category_caps.items())
    return {name: str(value) for name, value in (("budget_tokens", settings.budget_tokens), *shares, *caps)}


def effects_of(config: Config, saved: Payload, new: Payload) -> Effects:
    """Two payloads side by side: with the saved settings, and with those in the form."""
    old, now = saved.manifest, new.manifest
    tokens = now["budget_tokens"]
    cap = cap_bytes(tokens)
    size, budget = now["size_bytes"], now["budget_bytes"]
    rows = (
        Compared("Budget", "", config.budget_bytes, budget_bytes(tokens)),
        Compared("Promise cap", "s-promised", config.cap_bytes, cap),
        Compared("Axioms", "s-axioms", config.axiom_allowance_bytes, axiom_allowance_bytes(tokens)),
        *(Compared(str(pool).capitalize(), f"s-{pool}", _after(old, pool), _after(now, pool)) for pool in Pool),
    )
    parts = bars.by_pool(bars.by_section(now["sections"], now["frame_bytes"]))
    return Effects(
        rows=rows,
        size_bytes=size,
        budget_bytes=budget,
        bar=bars.bar("next", f"Next payload {size:,} of {budget:,} bytes", parts, whole=budget, height=22),
        left_out_before=_left_out(old),
        left_out_after=_left_out(now),
        pending_bytes=config.used_bytes,
        over_bytes=max(config.used_bytes - cap, 0),
        changed=any(row.changed for row in rows),
    )


def _after(manifest: Mapping[str, Any], pool: Pool) -> int:
    return int(manifest["allocations"][pool]["after"])


def _left_out(manifest: Mapping[str, Any]) -> int:
    return sum(numbers["left_out"] for kind, numbers in manifest["totals"].items() if kind != "semantic")
