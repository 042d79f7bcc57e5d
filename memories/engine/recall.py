"""Ordering what recall found. One ranking for both databases: they only say which memories hold a word at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_K1 = 1.2
_B = 0.6


class Found(NamedTuple):
    """A memory that holds at least one of the words asked for. `words` is its text in `engine.words` form."""

    number: int
    words: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A number and how well it answers; scores compare within one answer only."""

    number: int
    score: float


def rank(asked: Sequence[str], found: Sequence[Found], *, stored: int) -> list[Hit]:
    """Best first: BM25 over the words asked for, lifted by how many of them stand in the memory at all.

    `found` comes newest first, and ties keep that order, so the order is total. `stored` is how many memories the
    tenant has; how rare a word is, is judged among that tenant's own.
    """
    wanted = set(asked)
    lengths: list[int] = []
    bags: list[dict[str, int]] = []
    holding = dict.fromkeys(asked, 0)
    for one in found:
        every = one.words.split()
        lengths.append(len(every))
        # Few of a text's words are asked for, so only these are counted.
        bag: dict[str, int] = {}
        for word in every:
            if word in wanted:
                bag[word] = bag.get(word, 0) + 1
        bags.append(bag)
        for word in bag:
            holding[word] += 1
    average = sum(lengths) / len(lengths) if lengths else 1.0
    total = max(stored, len(found), 1)
    rarity = {word: math.log(1 + (total - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    hits = []
    for one, bag, length in zip(found, bags, lengths, strict=True):
        if not bag:
            continue
        spread = _K1 * (1 - _B + _B * length / average)
        score = sum(rarity[word] * bag[word] * (_K1 + 1) / (bag[word] + spread) for word in asked if word in bag)
        hits.append(Hit(one.number, round(score * (0.5 + len(bag) / len(asked) / 2), 6)))
    return sorted(hits, key=lambda hit: -hit.score)
