"""Ordering what recall found. One ranking for both databases: they only say which memories hold a word at all.

What each part of it is worth was measured; docs/recall.md has the figures.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import NamedTuple

from memories.engine.asked_dates import AskedDate

# BM25: how soon a word that comes again adds nothing, and how much a long text is held back.
_K1 = 1.2
_B = 0.3
# What a hit lends to those stored one, two, three numbers before or after it, if they are of about the same time: what
# is told in one go is told over several memories, and the answer often stands beside the words of the question.
_LENT = (0.5, 0.3, 0.15)
_ONE_GO = timedelta(minutes=30)
# So many words asked for are looked for one by one.
_FEW = 12
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


def rank(
    asked: Sequence[str],
    found: Sequence[Found],
    *,
    stored: int,
    dates: Sequence[AskedDate] = (),
    limit: int | None = None,
) -> list[Hit]:
    """The best `limit` first, None is all: BM25 over the words asked for, lifted by how many of them there are, by
    neighbours and by dates.

    `found` comes newest first, and ties keep that order, so the order is total. `stored` is how many memories the
    tenant has; how rare a word is, is judged among that tenant's own.
    """
    bags = _bags(asked, found)
    own = _by_words(asked, found, bags, stored=stored)
    held = {one.number: one.occurred_at for one, bag in zip(found, bags, strict=True) if bag}
    lent = _lent({one.number: score for one, score in zip(found, own, strict=True)}, held)
    scored = []
    for place, one in enumerate(found):
        if not bags[place]:
            continue
        score = own[place]
        if one.number in lent:
            score += lent[one.number][0]
        fit = max((date.fit(one.occurred_at) for date in dates), default=0.0) if dates else 0.0
        scored.append((-round(score * (1 + _DATED * fit), 6), place, fit))
    # Places differ, so a tie never looks further than them.
    return [
        Hit(
            found[place].number,
            -score,
            tuple(bags[place]),
            fit > 0,
            lent.get(found[place].number, (0.0, 0.0, 0))[2],
        )
        for score, place, fit in sorted(scored)[:limit]
    ]


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


def _bags(asked: Sequence[str], found: Sequence[Found]) -> list[dict[str, int]]:
    """How often each word asked for stands in each text; few of a text's words are asked for."""
    if len(asked) > _FEW:
        place = {word: place for place, word in enumerate(asked)}
        # In the order of the question: a sum of floats must not depend on how a set happens to be laid out.
        return [
            {word: every.count(word) for word in sorted(place.keys() & every, key=place.__getitem__)}
            for every in (one.words.split() for one in found)
        ]
    # Looking for a few words in the whole text is three times as fast as taking it apart.
    bags: list[dict[str, int]] = [{} for _ in found]
    padded = [f" {one.words} " for one in found]
    for word in asked:
        needle = f" {word} "
        for text, bag in zip(padded, bags, strict=True):
            if needle in text:
                # Equal words side by side would share the blank between them.
                bag[word] = text.replace(" ", "  ").count(needle)
    return bags


def _by_words(
    asked: Sequence[str], found: Sequence[Found], bags: Sequence[Mapping[str, int]], *, stored: int
) -> list[float]:
    """The scores of the texts by themselves."""
    lengths = [one.words.count(" ") + 1 for one in found]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    total = max(stored, len(found), 1)
    holding = Counter(chain.from_iterable(bags))
    rarity = {word: math.log(1 + (total - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    scores = []
    for bag, length in zip(bags, lengths, strict=True):
        spread = _K1 * (1 - _B + _B * length / average)
        score = 0.0
        for word in bag:
            score += rarity[word] * bag[word] * (_K1 + 1) / (bag[word] + spread)
        scores.append(score * (0.5 + len(bag) / max(len(asked), 1) / 2))
    return scores


def _lent(own: Mapping[int, float], moments: Mapping[int, datetime]) -> dict[int, tuple[float, float, int]]:
    """For each number that has neighbours: what they lend in all, the most that one lends, and that one's number."""
    lent: dict[int, tuple[float, float, int]] = {}
    numbers = sorted(moments)
    for place, number in enumerate(numbers):
        for other in numbers[place + 1 : place + 1 + len(_LENT)]:
            if other - number > len(_LENT):
                break
            if abs(moments[other] - moments[number]) > _ONE_GO:
                continue
            part = _LENT[other - number - 1]
            for giver, taker in ((number, other), (other, number)):
                score = own[giver] * part
                total, most, beside = lent.get(taker, (0.0, 0.0, 0))
                lent[taker] = (total + score, *((score, giver) if score > most else (most, beside)))
    return lent
