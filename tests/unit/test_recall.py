"""The order of hits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memories.engine.asked_dates import AskedDate
from memories.engine.recall import Found, choose, rank
from memories.engine.words import query_words, words

DAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def found(*texts: str, apart: timedelta = timedelta(days=1)) -> list[Found]:
    """Memories told on days of their own, so that none is beside another."""
    return [Found(n, " ".join(words(text)), DAY + n * apart) for n, text in enumerate(texts, start=1)]


def order(query: str, *texts: str, stored: int = 100) -> list[int]:
    return [hit.number for hit in rank(query_words(query), found(*texts), stored=stored)]


def test_p48_more_of_the_words_asked_for_come_first() -> None:
    assert order("tide gauge quay", "the gauge", "the tide gauge of the quay", "quay and gauge") == [2, 3, 1]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    texts = ["gauge", *["report"] * 9]
    assert order("gauge report", *texts)[0] == 1


def test_equal_scores_keep_the_order_of_the_rows_which_is_newest_first() -> None:
    rows = [Found(number, "gaug", DAY + timedelta(days=number)) for number in (4, 9, 2, 7)]
    assert [hit.number for hit in rank(["gaug"], rows, stored=4)] == [4, 9, 2, 7]


def test_scores_do_not_depend_on_the_order_of_the_rows() -> None:
    rows = found("tide gauge", "gauge", "quay tide", "tide tide tide")
    assert rank(["tide", "gaug"], rows, stored=9) == rank(["tide", "gaug"], rows[::-1], stored=9)


def test_a_hit_lifts_what_was_told_in_the_same_go() -> None:
    told = found("the tide gauge sticks", "it is the gauge", "a gauge", apart=timedelta(minutes=1))
    apart = [Found(one.number * 10, one.words, one.occurred_at) for one in told]
    later = [Found(one.number, one.words, DAY + one.number * timedelta(days=1)) for one in told]
    lifted = rank(["tide", "gaug"], told, stored=50)
    assert {hit.number: hit.beside for hit in lifted} == {1: 2, 2: 1, 3: 1}
    for rows in (apart, later):
        alone = rank(["tide", "gaug"], rows, stored=50)
        assert [hit.beside for hit in alone] == [0, 0, 0]
        assert all(more.score > less.score for more, less in zip(lifted, alone, strict=True))


def test_the_nearer_neighbour_lends_more() -> None:
    texts = ["tide gauge", "gauge", "gauge", "gauge", "gauge"]
    hits = rank(["tide", "gaug"], found(*texts, apart=timedelta(minutes=1)), stored=50)
    scores = {hit.number: hit.score for hit in hits}
    assert scores[2] > scores[3] > scores[5]


def test_what_is_of_the_time_that_was_named_comes_first_and_says_so() -> None:
    rows = found("the gauge", "the gauge", "the gauge")
    hits = rank(["gaug"], rows, stored=9, dates=[AskedDate(2023, 5, 10)])
    assert [(hit.number, hit.dated) for hit in hits] == [(2, True), (3, True), (1, True)]
    assert hits[0].score == round(rank(["gaug"], rows, stored=9)[0].score * 2.5, 6)
    assert not any(hit.dated for hit in rank(["gaug"], rows, stored=9, dates=[AskedDate(1999)]))


def test_a_hit_names_the_words_that_stand_in_it() -> None:
    hits = rank(["tide", "gaug", "quay"], found("the gauge of the tide"), stored=9)
    assert hits[0].words == ("tide", "gaug")


def test_every_time_a_word_stands_in_a_text_counts_also_side_by_side() -> None:
    once, twice, apart = (rank(["tide"], [Found(1, text, DAY)], stored=9)[0].score for text in
                          ("tide x y", "tide tide y", "tide x tide"))  # fmt: skip
    assert once < twice == apart
    assert rank(["tide"], [Found(1, "tides untide ti de", DAY)], stored=9) == []


@given(
    st.lists(st.text(alphabet="abc ", max_size=30).filter(str.split), max_size=12),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
)
def test_many_words_asked_for_are_counted_as_few_are(texts: list[str], asked: list[str]) -> None:
    """Few are looked for one by one, many by taking the texts apart; words that nothing holds change only the cover."""
    rows = [Found(n, " ".join(text.split()), DAY + n * timedelta(minutes=7)) for n, text in enumerate(texts, start=1)]
    absent = [f"absent{n}" for n in range(20)]
    few, many = rank(asked, rows, stored=50), rank([*asked, *absent], rows, stored=50)
    assert {(hit.number, hit.words) for hit in few} == {(hit.number, hit.words) for hit in many}
    assert {(hit.number, hit.words) for hit in few} == {
        (row.number, tuple(word for word in asked if word in row.words.split()))
        for row in rows
        if set(asked) & set(row.words.split())
    }


@given(st.integers(0, 12))
def test_the_limit_cuts_what_all_would_be(limit: int) -> None:
    rows = found(*(f"gauge {'tide ' * (n % 4)}" for n in range(10)))
    assert rank(["gaug", "tide"], rows, stored=9, limit=limit) == rank(["gaug", "tide"], rows, stored=9)[:limit]


def test_chosen_are_those_with_the_most_and_the_rarest_words() -> None:
    assert choose([[9, 8, 7, 6], [6, 2]], limit=4, most=3) == [6, 2, 9]
    assert choose([[], []], limit=4, most=3) == []


@given(st.lists(st.lists(st.integers(1, 50), max_size=9, unique=True), max_size=5), st.integers(1, 60))
def test_as_many_are_chosen_as_there_are_or_as_fit(parts: list[list[int]], most: int) -> None:
    chosen = choose(parts, limit=9, most=most)
    assert len(chosen) == len(set(chosen)) == min(most, len({key for part in parts for key in part}))


def test_what_holds_none_of_the_words_is_no_hit() -> None:
    assert order("gauge", "tide") == []
    assert rank([], found("tide"), stored=1) == []
