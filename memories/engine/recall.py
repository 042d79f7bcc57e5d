"""Ordering what recall found. One ranking for both databases: they only say which memories hold a word at all.

What each part of it is worth was measured; docs/recall.md has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from memories.engine.asked_dates import AskedDate

# BM25: how soon a word that comes again adds nothing, and how much a long text is held back.
_K1 = 1.2
_B = 0.3
# What a hit lends to those stored one, two, three numbers before or after it, if they are of about the same time: what
# is told in one go is told over several memories, and the answer often stands beside the words of the question.
_LENT = (0.5, 0.3, 0.15)
_ONE_GO = timedelta(minutes=30)
# A memory of exactly the time that the question names counts so much more.
_DATED = 1.5


class Found(NamedTuple):
    """A memory that holds at least one of the words asked for. `words` is its text in `engine.words` form."""

    number: int
    words: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Hit:
    """A number and how well it answers; scores compare within one answer only.

    `words` are those asked for that stand in it, `dated` says that its time was named, `beside` is the number of the
    neighbour that lifted it most, 0 without one.
    """

    number: int
    score: float
    words: tuple[str, ...] = ()
    dated: bool = False
    beside: int = 0


def rank(asked: Sequence[str], found: Sequence[Found], *, stored: int, dates: Sequence[AskedDate] = ()) -> list[Hit]:
    """Best first: BM25 over the words asked for, lifted by how many of them there are, by neighbours and by dates.

    `found` comes newest first, and ties keep that order, so the order is total. `stored` is how many memories the
    tenant has; how rare a word is, is judged among that tenant's own.
    """
    wanted = frozenset(asked)
    bags = [_bag(one.words, wanted) for one in found]
    own = _by_words(asked, found, bags, stored=stored)
    moments = {one.number: one.occurred_at for one in found}
    hits = []
    for one, bag in zip(found, bags, strict=True):
        if not bag:
            continue
        lent, beside = _lent(one, own, moments)
        fit = max((date.fit(one.occurred_at) for date in dates), default=0.0)
        score = (own[one.number] + lent) * (1 + _DATED * fit)
        hits.append(Hit(one.number, round(score, 6), tuple(word for word in asked if word in bag), fit > 0, beside))
    return sorted(hits, key=lambda hit: -hit.score)


def choose(parts: Sequence[Sequence[int]], *, limit: int, most: int) -> list[int]:
    """The keys worth ranking: of all that stand in `parts`, at most `most` with the most and the rarest words.

    A part holds the keys of one word, newest first, and ends at `limit`; where a word is rare, its part is short. Later
    keys are newer, and among equals they win.
    """
    weights: dict[int, float] = {}
    for part in parts:
        weight = math.log(1 + limit / len(part)) if part else 0.0
        for key in part:
            weights[key] = weights.get(key, 0.0) + weight
    return sorted(weights, key=lambda key: (-weights[key], -key))[:most]


def _bag(words: str, wanted: frozenset[str]) -> dict[str, int]:
    """How often each word asked for stands in a text; few of a text's words are asked for."""
    every = words.split()
    return {word: every.count(word) for word in wanted.intersection(every)}


def _by_words(
    asked: Sequence[str], found: Sequence[Found], bags: Sequence[Mapping[str, int]], *, stored: int
) -> dict[int, float]:
    """The scores of the texts by themselves, by number."""
    lengths = [one.words.count(" ") + 1 for one in found]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    total = max(stored, len(found), 1)
    holding = {word: sum(word in bag for bag in bags) for word in asked}
    rarity = {word: math.log(1 + (total - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    scores = {}
    for one, bag, length in zip(found, bags, lengths, strict=True):
        if not bag:
            continue
        spread = _K1 * (1 - _B + _B * length / average)
        score = sum(rarity[word] * bag[word] * (_K1 + 1) / (bag[word] + spread) for word in asked if word in bag)
        scores[one.number] = score * (0.5 + len(bag) / len(asked) / 2)
    return scores


def _lent(one: Found, own: Mapping[int, float], moments: Mapping[int, datetime]) -> tuple[float, int]:
    """What the neighbours lend to `one`, and the number of the one that lends most."""
    lent, most, beside = 0.0, 0.0, 0
    for distance, part in enumerate(_LENT, start=1):
        for number in (one.number - distance, one.number + distance):
            if number in own and abs(moments[number] - one.occurred_at) <= _ONE_GO:
                score = own[number] * part
                lent += score
                if score > most:
                    most, beside = score, number
    return lent, beside
