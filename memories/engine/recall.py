"""Ordering what recall found. One ranking for both databases: they only say which memories hold a word at all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_K1 = 1.2
_B = 0.6


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that holds at least one of the words asked for. `words` is its text in `engine.words` form."""

    number: int
    words: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Hit:
    """A number and how well it answers; scores compare within one answer only."""

    number: int
    score: float


def rank(asked: Sequence[str], found: Sequence[Found], *, stored: int) -> list[Hit]:
    """Best first: BM25 over the words asked for, lifted by how many of them stand in the memory at all.

    `stored` is how many memories the tenant has; how rare a word is, is judged among that tenant's own. Ties go to the
    newer memory, then the higher number, so the order is total.
    """
    bags = [Counter(one.words.split()) for one in found]
    lengths = [sum(bag.values()) for bag in bags]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    total = max(stored, len(found), 1)
    rarity = {}
    for word in asked:
        holding = sum(word in bag for bag in bags)
        rarity[word] = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
    scored = []
    for one, bag, length in zip(found, bags, lengths, strict=True):
        score = 0.0
        matched = 0
        for word in asked:
            times = bag[word]
            if times:
                matched += 1
                score += rarity[word] * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / average))
        if matched:
            scored.append((round(score * (0.5 + matched / len(asked) / 2), 6), one.occurred_at, one.number))
    scored.sort(reverse=True)
    return [Hit(number, score) for score, _, number in scored]
