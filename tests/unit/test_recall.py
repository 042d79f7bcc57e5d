"""The order of hits."""

from __future__ import annotations

from memories.engine.recall import Found, rank
from memories.engine.words import query_words, words


def found(*texts: str) -> list[Found]:
    return [Found(n, " ".join(words(text))) for n, text in enumerate(texts, start=1)]


def order(query: str, *texts: str, stored: int = 100) -> list[int]:
    return [hit.number for hit in rank(query_words(query), found(*texts), stored=stored)]


def test_p48_more_of_the_words_asked_for_come_first() -> None:
    assert order("tide gauge quay", "the gauge", "the tide gauge of the quay", "quay and gauge") == [2, 3, 1]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    texts = ["gauge", *["report"] * 9]
    assert order("gauge report", *texts)[0] == 1


def test_equal_scores_keep_the_order_of_the_rows_which_is_newest_first() -> None:
    rows = [Found(number, "gaug") for number in (4, 9, 2, 7)]
    assert [hit.number for hit in rank(["gaug"], rows, stored=4)] == [4, 9, 2, 7]


def test_scores_do_not_depend_on_the_order_of_the_rows() -> None:
    rows = found("tide gauge", "gauge", "quay tide", "tide tide tide")
    assert rank(["tide", "gaug"], rows, stored=9) == rank(["tide", "gaug"], rows[::-1], stored=9)


def test_what_holds_none_of_the_words_is_no_hit() -> None:
    assert order("gauge", "tide") == []
    assert rank([], found("tide"), stored=1) == []
