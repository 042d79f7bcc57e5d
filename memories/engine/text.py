"""Measuring and cutting text: bytes, characters, graphemes, token costs. What the text says is no matter here."""

from __future__ import annotations

import unicodedata

import regex

_GRAPHEME = regex.compile(r"\X")


def size_bytes(text: str) -> int:
    """The size of `text` in UTF-8 bytes (P1)."""
    return len(text.encode("utf-8"))


def cost_tokens(text: str) -> int:
    """The pack cost of `text` in tokens: Unicode characters / 4, rounded up (C43)."""
    return -(-len(text) // 4)


def is_encodable(text: str) -> bool:
    """False when `text` holds a lone surrogate, which UTF-8 cannot carry."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_storable(text: str) -> bool:
    """False when neither database can hold `text`, so that nothing stored can equal it: NUL, a lone surrogate."""
    return "\x00" not in text and is_encodable(text)


def has_control(text: str, *, allowed: str = "\n\t") -> bool:
    """True when a control character (category Cc) other than `allowed` stands in `text`."""
    return any(unicodedata.category(char) == "Cc" and char not in allowed for char in text)


def is_blank(text: str) -> bool:
    """True when nothing in `text` can be seen: white space, controls and invisible format characters only."""
    return all(char.isspace() or unicodedata.category(char) in ("Cc", "Cf") for char in text)


def grapheme_ends(text: str) -> list[int]:
    """Where a cut is allowed: the end index, in characters, of each grapheme cluster (P28, C12)."""
    return [match.end() for match in _GRAPHEME.finditer(text)]


def cut_chars(text: str, limit: int) -> str:
    """The longest prefix of at most `limit` characters that ends at a grapheme boundary; `text` itself if it fits."""
    if len(text) <= limit:
        return text
    kept = 0
    # A cluster may be longer than any window, so ends are looked at one by one and the walk stops early.
    for match in _GRAPHEME.finditer(text):
        if match.end() > limit:
            break
        kept = match.end()
    return text[:kept]
