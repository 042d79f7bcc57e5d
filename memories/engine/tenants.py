"""What a tenant, a slug, a name and a set of settings may be. Rows are elsewhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from memories.engine.budget import Shares, check_budget, check_shares
from memories.engine.kinds import KEY_SCOPES, Category, Scope
from memories.engine.limits import CATEGORY_CAP_CHARS_MAX, CATEGORY_CAP_CHARS_MIN, NAME_MAX_CHARS, SLUG_MAX_CHARS
from memories.engine.text import has_control, is_blank, is_encodable
from memories.errors import InvalidInput

_Value = TypeVar("_Value")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Settings:
    """The part of a tenant that its people and keys may change (P45)."""

    budget_tokens: int
    shares: Shares
    category_caps: Mapping[str, int]


def check_settings(settings: Settings) -> None:
    """Raise BudgetOutOfRange, SharesNot100 or InvalidInput; nothing is changed when any part is wrong."""
    check_budget(settings.budget_tokens)
    check_shares(settings.shares)
    errors: dict[str, list[str]] = {}
    for category, cap in settings.category_caps.items():
        if category not in list(Category):
            errors[f"category_caps.{category}"] = [f"The categories are {', '.join(Category)}."]
        elif not CATEGORY_CAP_CHARS_MIN <= cap <= CATEGORY_CAP_CHARS_MAX:
            errors[f"category_caps.{category}"] = [
                f"A category cap is a whole number of characters from {CATEGORY_CAP_CHARS_MIN:,} to "
                f"{CATEGORY_CAP_CHARS_MAX:,}, not {cap:,}."
            ]
    if errors:
        raise InvalidInput(next(iter(errors.values()))[0], errors=errors)


def merge_settings(seen: Settings, current: Settings, wanted: Settings) -> tuple[Settings, tuple[str, ...]]:
    """What somebody who saw `seen` and sent `wanted` means now, and the names of what somebody else changed too.

    A value sent back as it was seen is no wish: it stays as it is in `current`. The shares are one value.
    """
    clashes: list[str] = []

    def meant(name: str, before: _Value, now: _Value, wish: _Value) -> _Value:
        if wish == before:
            return now
        if now not in (before, wish):
            clashes.append(name)
        return wish

    merged = Settings(
        meant("budget_tokens", seen.budget_tokens, current.budget_tokens, wanted.budget_tokens),
        meant("shares", seen.shares, current.shares, wanted.shares),
        {
            category: meant(category, seen.category_caps[category], cap, wanted.category_caps[category])
            for category, cap in current.category_caps.items()
        },
    )
    return merged, tuple(clashes)


def check_slug(slug: str) -> None:
    """Raise InvalidInput unless `slug` is lower-case words joined by hyphens."""
    if len(slug) > SLUG_MAX_CHARS or not _SLUG.fullmatch(slug):
        raise InvalidInput.for_field(
            "slug",
            f"A slug is lower-case letters and digits in words joined by hyphens, at most {SLUG_MAX_CHARS} characters, "
            "for example “night-watch”.",
        )


def suggest_slug(name: str) -> str:
    """A slug made of what is Latin in `name`, for somebody who gives none; "" when nothing is."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:SLUG_MAX_CHARS].strip("-")


def checked_name(name: str, *, field: str = "name") -> str:
    """The trimmed name: it stands in the first line of every payload, so it is one line of text."""
    name = name.strip()
    if is_blank(name) or not is_encodable(name) or has_control(name, allowed="") or len(name.splitlines()) > 1:
        raise InvalidInput.for_field(field, "A name is one line of text without control characters.")
    if len(name) > NAME_MAX_CHARS:
        raise InvalidInput.for_field(field, f"A name has at most {NAME_MAX_CHARS} characters, not {len(name)}.")
    return name


def checked_scopes(scopes: Collection[str]) -> tuple[Scope, ...]:
    """The scopes of a key, each once, in the order of the list of scopes."""
    unknown = sorted(set(scopes) - set(KEY_SCOPES))
    if unknown or not scopes:
        raise InvalidInput.for_field(
            "scopes",
            f"A key has one or more of the scopes {', '.join(KEY_SCOPES)}"
            + (f"; unknown: {', '.join(unknown)}." if unknown else "."),
        )
    return tuple(scope for scope in KEY_SCOPES if scope in scopes)
