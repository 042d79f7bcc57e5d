"""Collecting the faults of one call, so that a caller hears of all of them at once, and names that were meant.

No rule is here.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from memories.errors import InvalidInput


class Faults:
    """Faults by field, in the order in which they were found."""

    def __init__(self) -> None:
        self._by_field: dict[str, list[str]] = {}

    def add(self, field: str, sentence: str) -> None:
        self._by_field.setdefault(field, []).append(sentence)

    def __bool__(self) -> bool:
        return bool(self._by_field)

    def __contains__(self, field: str) -> bool:
        return field in self._by_field

    @property
    def by_field(self) -> dict[str, list[str]]:
        return {field: list(sentences) for field, sentences in self._by_field.items()}

    def raise_any(self) -> None:
        """InvalidInput with every fault; its detail is all sentences, each once. Nothing when there is none."""
        if self._by_field:
            sentences = dict.fromkeys(sentence for found in self._by_field.values() for sentence in found)
            raise InvalidInput(" ".join(sentences), errors=self._by_field)


def meant(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that a caller who wrote `name` most likely meant; None when none is like it."""
    found = get_close_matches(name[:100].lower(), list(known), n=1, cutoff=0.7)
    return found[0] if found else None
