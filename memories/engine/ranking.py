"""What stands before what: folded words, terms, decay, the total order, BM25 (C13 to C16, C22, C54)."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from functools import lru_cache

import regex

from memories.engine.limits import DECAY_HALF_LIFE_DAYS
from memories.engine.moments import microseconds

_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*")
# Scripts that put no spaces between words: each of their characters is a word, else no term could ever meet a sentence.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_HAS_UNSPACED = regex.compile(f"[{_UNSPACED}]")
_PIECE = regex.compile(rf"[{_UNSPACED}]\p{{M}}*|[^{_UNSPACED}]+")
_LATIN_MARKS = regex.compile(r"(?<=\p{Latin})\p{Mn}+")
# Most contents are ASCII, and the pack folds thousands of them on each call: one pass does case and word ends at once.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}


def fold_words(text: str) -> tuple[str, ...]:
    """The words of `text` in their order, repeats included: runs of letters, digits and their marks (C15).

    Case and Latin accents are folded; accents of other scripts make other letters and stay.
    """
    return tuple(text.translate(_ASCII).split()) if text.isascii() else tuple(_words_of(_fold(text)))


def spaced_words(text: str) -> str:
    """The words of `text` as `fold_words` gives them, with spaces between and at both ends, maybe several."""
    return f" {text.translate(_ASCII)} " if text.isascii() else f" {' '.join(_words_of(_fold(text)))} "


def _fold(text: str) -> str:
    # As `words.fold`, but left decomposed: these words only ever meet each other, and composing takes the most time.
    return _LATIN_MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def _words_of(folded: str) -> list[str]:
    found: list[str] = _WORD.findall(folded)
    if _HAS_UNSPACED.search(folded):
        return [piece for word in found for piece in _PIECE.findall(word)]
    return found


@dataclass(frozen=True, slots=True)
class Term:
    """One search term: `text` as the caller first wrote it, and the words that must all be there, in any order."""

    text: str
    words: frozenset[str]

    def stands_in(self, spaced: str) -> bool:
        """Whether the term matches a content whose folded words stand in `spaced` between spaces."""
        for word in self.words:  # noqa: SIM110 - a generator costs as much as the work
            if f" {word} " not in spaced:
                return False
        return True


def fold_terms(terms: Iterable[str]) -> tuple[Term, ...]:
    """The distinct terms in the caller's order (C15), without those that hold no letter or digit (C22)."""
    distinct: dict[frozenset[str], Term] = {}
    for text in terms:
        folded = frozenset(fold_words(text))
        if folded:
            distinct.setdefault(folded, Term(text, folded))
    return tuple(distinct.values())


def mark_matches(text: str, terms: Sequence[Term]) -> tuple[tuple[str, bool], ...]:
    """`text` in pieces, and whether each is a word of a term that stands in it as a whole (C15)."""
    here = frozenset(fold_words(text))
    wanted = {word for term in terms if term.words <= here for word in term.words}
    if not wanted:
        return ((text, False),)
    found: list[tuple[str, bool]] = []
    end = 0
    for run in _WORD.finditer(text):
        for piece in _PIECE.finditer(text, run.start(), run.end()):
            if wanted.isdisjoint(fold_words(piece.group())):
                continue
            if piece.start() > end:
                found.append((text[end : piece.start()], False))
            found.append((piece.group(), True))
            end = piece.end()
    if end < len(text):
        found.append((text[end:], False))
    return tuple(found)


def count_matches(content: str, terms: Sequence[Term]) -> int:
    """How many of `terms` stand in `content` (C14, C15)."""
    if not terms:
        return 0
    if content.isascii():
        spaced = f" {content.translate(_ASCII)} "
    else:
        folded = _fold(content)
        # Most contents hold no term at all, and looking for a piece of text is far cheaper than finding words.
        if not any(all(word in folded for word in term.words) for term in terms):
            return 0
        spaced = f" {' '.join(_words_of(folded))} "
    return sum([term.stands_in(spaced) for term in terms])


def decay(confidence: float, valid_from: datetime, now: datetime) -> float:
    """Confidence × 2^(−age in days / 90), age never negative (C13). To look at; `strength` is what orders."""
    age_days = max((now - valid_from) / timedelta(days=1), 0.0)
    return confidence * math.exp2(-age_days / DECAY_HALF_LIFE_DAYS)


_HALF_LIFE = timedelta(days=DECAY_HALF_LIFE_DAYS) // timedelta(microseconds=1)
# Half-lives are counted in millionths of a microsecond, so that a logarithm is rounded far below what a time can tell.
_FINE = 1_000_000
_PRECISE = Context(prec=50)


def strength(confidence: float, valid_from: datetime, now: datetime) -> float:
    """A number that orders as `decay` does, but exactly and for ever (C14, C16).

    log2(decay) is log2(confidence) + valid_from / half-life - now / half-life, and the last part is the same for every
    capsule. Without it `now` is gone, nothing underflows however old a capsule is, and equal decays are equal numbers.
    A capsule of the future has age 0, as if it were valid from `now`.
    """
    if confidence <= 0:
        return -math.inf
    return _head_start(confidence) + microseconds(valid_from if valid_from < now else now) * _FINE


@lru_cache(maxsize=4096)
def _head_start(confidence: float) -> int:
    """log2(confidence) in half-lives. Powers of two come off exactly, so 0.5 now ties with 1.0 of 90 days ago."""
    mantissa, exponent = math.frexp(confidence)
    log2 = _PRECISE.divide(_PRECISE.ln(Decimal(mantissa * 2)), _PRECISE.ln(Decimal(2)))
    fine = _HALF_LIFE * _FINE
    return (exponent - 1) * fine + int(_PRECISE.multiply(log2, Decimal(fine)).to_integral_value())


_BM25_K1 = 1.2
_BM25_B = 0.75


def bm25(documents: Sequence[str], query: Collection[str]) -> list[float]:
    """The BM25 score of each document, its `spaced_words`, for the words of `query` (C54).

    Scores are rounded, so that the last bit of a machine's logarithm decides no order (C51).
    """
    if not documents:
        return []
    lengths = [len(document.split()) for document in documents]
    average = sum(lengths) / len(documents) or 1.0
    scores = [0.0] * len(documents)
    for word in sorted(frozenset(query)):
        spaced = f" {word} "
        holding = [place for place, document in enumerate(documents) if spaced in document]
        rarity = math.log(1 + (len(documents) - len(holding) + 0.5) / (len(holding) + 0.5))
        for place in holding:
            count = documents[place].split().count(word)
            room = _BM25_K1 * (1 - _BM25_B + _BM25_B * lengths[place] / average)
            scores[place] += rarity * count * (_BM25_K1 + 1) / (count + room)
    return [round(score, 9) for score in scores]
