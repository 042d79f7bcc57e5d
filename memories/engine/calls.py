"""What callers may ask of the reading half: plain JSON values in, typed calls or teaching errors out (C17 to C22).

One function per operation. All faults of a call are told at once; nothing is looked at in the database (C21).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from memories.engine.capsules import CapsuleKind, Tier, number_of
from memories.engine.faults import Faults, meant
from memories.engine.fences import Fence, collect_fence
from memories.engine.limits import (
    CAPSULE_TERM_MAX_CHARS,
    PACK_TOKENS_DEFAULT,
    PAGE_DEFAULT,
    PAGE_MAX,
    TERMS_MAX,
)
from memories.engine.text import is_encodable
from memories.errors import InvalidInput, NotFound

_Word = TypeVar("_Word", bound=StrEnum)
_FENCES = ("project_id", "project_prefix", "ancestors")


@dataclass(frozen=True, slots=True)
class PackCall:
    terms: tuple[str, ...]
    fence: Fence
    token_budget: int


@dataclass(frozen=True, slots=True)
class RetrieveCall:
    terms: tuple[str, ...]
    fence: Fence
    limit: int | None
    token_budget: int


@dataclass(frozen=True, slots=True)
class DigestCall:
    fence: Fence


@dataclass(frozen=True, slots=True)
class ListCall:
    kind: CapsuleKind | None
    tier: Tier | None
    expired: bool | None
    superseded: bool | None
    fence: Fence
    limit: int
    before: int | None


def read_pack_call(arguments: Mapping[str, object]) -> PackCall:
    """The call of `memory_bootstrap`; `{}` is valid, and null is the same as left out (C17 to C22)."""
    faults = Faults()
    _known("memory_bootstrap", arguments, ("terms", *_FENCES, "token_budget"), faults)
    call = PackCall(
        terms=_terms(arguments, faults),
        fence=_fence(arguments, faults),
        token_budget=_whole("token_budget", arguments, faults, PACK_TOKENS_DEFAULT),
    )
    faults.raise_any()
    return call


def read_retrieve_call(arguments: Mapping[str, object]) -> RetrieveCall:
    """The call of `memory_retrieve`; at least one term, which may be one that matches nothing (C22, C54)."""
    faults = Faults()
    _known("memory_retrieve", arguments, ("terms", *_FENCES, "limit", "token_budget"), faults)
    terms = _terms(arguments, faults)
    if not terms and "terms" not in faults:
        faults.add("terms", 'memory_retrieve needs at least one term, such as {"terms": ["backup"]}.')
    limited = arguments.get("limit") is not None
    call = RetrieveCall(
        terms=terms,
        fence=_fence(arguments, faults),
        limit=_whole("limit", arguments, faults, 0) if limited else None,
        token_budget=_whole("token_budget", arguments, faults, PACK_TOKENS_DEFAULT),
    )
    faults.raise_any()
    return call


def read_digest_call(arguments: Mapping[str, object]) -> DigestCall:
    """The call of `memory_digest` (C55)."""
    faults = Faults()
    _known("memory_digest", arguments, _FENCES, faults)
    call = DigestCall(fence=_fence(arguments, faults))
    faults.raise_any()
    return call


def read_list_call(arguments: Mapping[str, object]) -> ListCall:
    """The call of `memory_list`; `cursor` is the id that an earlier answer gave as `next` (C56)."""
    faults = Faults()
    filters = ("kind", "tier", "expired", "superseded")
    _known("memory_list", arguments, (*filters, *_FENCES, "limit", "cursor"), faults)
    limit = _whole("limit", arguments, faults, PAGE_DEFAULT)
    if limit > PAGE_MAX:
        faults.add("limit", f"A page has at most {PAGE_MAX} capsules. Ask again with the cursor for more.")
    call = ListCall(
        kind=_word("kind", arguments, CapsuleKind, faults),
        tier=_word("tier", arguments, Tier, faults),
        expired=_flag("expired", arguments, faults),
        superseded=_flag("superseded", arguments, faults),
        fence=_fence(arguments, faults),
        limit=limit,
        before=_cursor(arguments, faults),
    )
    faults.raise_any()
    return call


def _known(operation: str, arguments: Mapping[str, object], known: tuple[str, ...], faults: Faults) -> None:
    """Refuses unknown parameters by name (C18)."""
    if not isinstance(arguments, Mapping):
        raise InvalidInput(f"The arguments of {operation} are an object, such as {{}}.")
    for name in arguments:
        if name not in known:
            shown = ascii(str(name)[:100])
            sentence = f"{operation} has no parameter {shown}; it takes {', '.join(known)}."
            if (nearest := meant(str(name), known)) is not None:
                sentence += f" Did you mean {nearest}?"
            elif "terms" in known:
                sentence += " An intent is never guessed: put what you look for into terms, synonyms as further terms."
            faults.add(str(name) if is_encodable(str(name)) else shown, sentence)


def _fence(arguments: Mapping[str, object], faults: Faults) -> Fence:
    project_id, project_prefix, ancestors = (arguments.get(name) for name in _FENCES)
    return collect_fence(project_id, project_prefix, ancestors, faults)


def _terms(arguments: Mapping[str, object], faults: Faults) -> tuple[str, ...]:
    value = arguments.get("terms")
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        faults.add("terms", 'terms is a list of texts, such as ["backup", "restore drill"].')
        return ()
    if len(value) > TERMS_MAX:
        faults.add("terms", f"terms takes at most {TERMS_MAX} terms, not {len(value):,}.")
        return ()
    terms: list[str] = []
    for place, term in enumerate(value):
        field = f"terms.{place}"
        if not isinstance(term, str):
            faults.add(field, f"Each term is a text; number {place + 1} is not.")
        elif not is_encodable(term):
            faults.add(field, f"Term {place + 1} is not valid UTF-8 text (it holds a lone surrogate).")
        elif len(term) > CAPSULE_TERM_MAX_CHARS:
            faults.add(field, f"A term has at most {CAPSULE_TERM_MAX_CHARS:,} characters; this one has {len(term):,}.")
        else:
            terms.append(term)
    return tuple(terms)


def _whole(field: str, arguments: Mapping[str, object], faults: Faults, default: int) -> int:
    """A whole number ≥ 0 of any size (C19). True is no number, and 1.5 or "900" are not made into one; 900.0 is one."""
    value = arguments.get(field)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        faults.add(field, f"{field} is a whole number from 0 on, such as {default or 10}.")
        return default
    return value


def _flag(field: str, arguments: Mapping[str, object], faults: Faults) -> bool | None:
    value = arguments.get(field)
    if value is None or isinstance(value, bool):
        return value
    faults.add(field, f"{field} is true or false, or left out for both.")
    return None


def _word(field: str, arguments: Mapping[str, object], words: type[_Word], faults: Faults) -> _Word | None:
    value = arguments.get(field)
    if value is None:
        return None
    if isinstance(value, str) and value in list(words):
        return words(value)
    faults.add(field, f"{field} is one of {', '.join(words)}.")
    return None


def _cursor(arguments: Mapping[str, object], faults: Faults) -> int | None:
    value = arguments.get("cursor")
    if value is None:
        return None
    try:
        return number_of(value, "cursor")
    except (InvalidInput, NotFound):
        faults.add("cursor", "cursor is the id that an earlier answer gave as next, such as cap-12.")
        return None
