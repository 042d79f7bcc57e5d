"""Words, terms, decay and the order of capsules (C13 to C16, C22), BM25 (C54)."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from memories.engine.pack import ranked
from memories.engine.ranking import bm25, count_matches, decay, fold_terms, fold_words, mark_matches, strength
from tests.unit.capsule_rows import NOW, cap

DAYS = timedelta(days=1)


def matches(term: str, content: str) -> bool:
    return count_matches(content, fold_terms([term])) == 1


@pytest.mark.parametrize(
    ("term", "content"),
    [
        ("backup", "never skip the BACKUP step"),
        ("step backup", "never skip the backup step"),
        ("force-push", "never force push main"),
        ("push main", "force-push: main!"),
        ("creme brulee", "Crème brûlée"),
        ("CRÈME", "cre\u0300me"),
        ("crème", "creme"),
        ("strasse", "Straße"),
        ("quota", "tmp_quota exceeded"),
        ("v2", "released v2."),
        ("日本", "日本語の文章"),
        ("Ёлка", "ёлка"),
    ],
)
def test_a_term_matches(term: str, content: str) -> None:
    """C15"""
    assert matches(term, content)


@pytest.mark.parametrize(
    ("term", "content"),
    [
        ("back", "never skip the backup step"),
        ("backups", "the backup step"),
        ("backup restore", "the backup step"),
        ("main", "remains"),
        ("и", "й"),
        ("cafés", "café"),
        ("東", "日本"),
    ],
)
def test_a_term_does_not_match(term: str, content: str) -> None:
    """C15: whole words, all of them, no stemming, other scripts keep their marks."""
    assert not matches(term, content)


def test_terms_are_folded_and_deduplicated() -> None:
    """C15"""
    terms = fold_terms(["Backup step", "step, BACKUP", "backup  step step", "café", "CAFE"])
    assert [term.text for term in terms] == ["Backup step", "café"]


@pytest.mark.parametrize("term", ["", " ", "?!", "---", "👍", "\u0301"])
def test_a_term_without_letter_or_digit_matches_nothing(term: str) -> None:
    """C22"""
    assert fold_terms([term]) == ()
    assert count_matches("?! --- 👍 text", fold_terms([term])) == 0


def test_words_keep_their_order_and_repeats() -> None:
    """C15"""
    assert fold_words("To be, or not to be") == ("to", "be", "or", "not", "to", "be")


def test_decay_halves_in_ninety_days_and_age_is_never_negative() -> None:
    """C13"""
    assert decay(0.8, NOW, NOW) == 0.8
    assert decay(0.8, NOW - 90 * DAYS, NOW) == pytest.approx(0.4)
    assert decay(0.8, NOW - 180 * DAYS, NOW) == pytest.approx(0.2)
    assert decay(0.8, NOW + 10 * DAYS, NOW) == 0.8
    assert decay(0.0, NOW, NOW) == 0.0


def numbers(capsules: list, now: datetime = NOW, terms: tuple[str, ...] = ()) -> list[int]:
    return list(ranked(capsules, fold_terms(terms), now))


def test_numbers_order_as_numbers() -> None:
    """C14"""
    assert numbers([cap(10), cap(2), cap(1)]) == [1, 2, 10]


def test_matched_terms_then_decay_then_number() -> None:
    """C14"""
    capsules = [
        cap(1, content="nothing", confidence=0.9),
        cap(2, content="alpha", confidence=0.1),
        cap(3, content="alpha beta", confidence=0.0),
        cap(4, content="beta", confidence=0.1),
    ]
    assert numbers(capsules, terms=("alpha", "beta")) == [3, 2, 4, 1]
    assert numbers(capsules) == [1, 2, 4, 3]


def test_equal_decays_tie_exactly() -> None:
    """C14: 0.25 today, 0.5 of 90 days ago and 1.0 of 180 days ago are the same, so numbers decide."""
    capsules = [cap(3, confidence=0.25), cap(1, confidence=1.0, valid_from=NOW - 180 * DAYS),
                cap(2, confidence=0.5, valid_from=NOW - 90 * DAYS)]  # fmt: skip
    assert numbers(capsules) == [1, 2, 3]
    for days in (1, 77, 5_000, 900_000):
        assert numbers(capsules, NOW + days * DAYS) == [1, 2, 3]


def test_a_microsecond_decides() -> None:
    """C14"""
    assert numbers([cap(1, valid_from=NOW - timedelta(microseconds=1)), cap(2)]) == [2, 1]
    ancient = datetime(2, 1, 1, tzinfo=UTC)
    assert numbers([cap(1, valid_from=ancient), cap(2, valid_from=ancient + timedelta(microseconds=1))]) == [2, 1]


def test_what_would_underflow_keeps_its_order() -> None:
    """C14, C16"""
    old = NOW - 700_000 * DAYS
    assert decay(0.9, old, NOW) == 0.0
    capsules = [cap(1, confidence=0.0), cap(2, confidence=0.1, valid_from=old), cap(3, confidence=0.9, valid_from=old),
                cap(4, confidence=5e-324, valid_from=old)]  # fmt: skip
    assert numbers(capsules) == [3, 2, 4, 1]


def test_no_confidence_is_the_weakest_and_ties_by_number() -> None:
    """C14"""
    assert strength(0.0, NOW, NOW) == -math.inf
    assert numbers([cap(3, confidence=0.0), cap(2, confidence=0.0, valid_from=NOW - DAYS)]) == [2, 3]


def test_a_future_capsule_has_age_zero() -> None:
    """C13"""
    assert strength(0.5, NOW + 9 * DAYS, NOW) == strength(0.5, NOW, NOW)


def test_bm25_prefers_rare_words_and_short_documents() -> None:
    """C54"""
    documents = [" common rare ", " common  other ", " rare other ", f" common {'filler ' * 20}", " common common "]
    both, common, rare, long, twice = bm25(documents, ["rare", "common"])
    assert both > rare > common > long > 0
    assert rare > twice > common
    assert bm25([], ["rare"]) == []
    assert bm25(["  "], ["rare"]) == [0.0]


@pytest.mark.parametrize(
    ("text", "terms", "marked"),
    [
        ("Rolling back: a Rollback of api", ["rollback"], ["Rollback"]),
        ("berth_slot is held", ["berth_slot"], ["berth", "slot"]),
        ("the backup step", ["step backup"], ["backup", "step"]),
        ("the backup stays", ["step backup"], []),
        ("the backup stays", ["step backup", "stays"], ["stays"]),
        ("Cre\u0300me brûlée", ["creme"], ["Cre\u0300me"]),
        ("日本語の文章", ["日本"], ["日", "本"]),
        ("<b>quay</b>", ["b"], ["b", "b"]),
        ("quay", ["!", ""], []),
    ],
)
def test_the_words_of_a_term_that_stands_there_are_marked_and_nothing_is_lost(text, terms, marked):
    """C15"""
    pieces = mark_matches(text, fold_terms(terms))
    assert "".join(piece for piece, _ in pieces) == text
    assert [piece for piece, found in pieces if found] == marked
