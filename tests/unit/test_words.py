"""What a text is found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.engine.words import fold, query_words, words


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("the migrations failed", "migration failing"),
        ("src/app/models.py was changed", "models.py"),
        ("src/app/models.py was changed", "src/app/models.py"),
        ("task_tools broke", "tools"),
        ("task_tools broke", "task_tools"),
        ("started crew:run again", "crew:run"),
        ("agent-crew is slow", "agent crew"),
        ("HTTPServer times out", "http server"),
        ("parseConfig fails", "config"),
        ("Éclair für Müller", "eclair fur muller"),
        ("数据库迁移在第三步", "数据库"),
        ("数据库迁移在第三步", "迁移"),
        ("データベースの移行", "移行"),
        ("한국어로 적었다", "한국어"),
        ("build 2026-11-30 passed", "2026-11-30"),
        ("the gauge of quay-7", "QUAY 7"),
    ],
)
def test_p48_a_text_is_found_by_words_as_people_and_agents_write_them(stored: str, asked: str) -> None:
    assert set(query_words(asked)) <= set(words(stored))


def test_p33_text_without_a_letter_or_digit_has_no_words() -> None:
    for text in ("", "   ", "?!", '"" OR', "()[]{}*^:-", "\x00", "—…"):
        assert not set(words(text)) - {"or"}


def test_question_words_are_dropped_unless_nothing_else_is_asked() -> None:
    assert query_words("What did we do about the gauge?") == ["about", "gaug"]
    assert query_words("who are you") == ["who", "are", "you"]


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_p33_words_are_ascii_letters_and_digits_whatever_is_written(text: str) -> None:
    for word in words(text.encode("utf-8", "replace").decode()):
        assert word.isascii()
        assert word.isalnum()
        assert word == word.lower()
        assert len(word) <= 400


@given(st.text(max_size=100))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_folds_as_the_long_one_does(text: str) -> None:
    """A mark of a script without one sends the same text the long way."""
    assert fold(text) == fold(text + "漢").removesuffix("漢")
