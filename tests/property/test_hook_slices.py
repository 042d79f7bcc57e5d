"""Slices of any payload that a hook's request can bring."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memories.engine import hooks
from memories.engine.limits import HOOK_SLICE_CHARS, HOOK_SLICE_ROOM_BYTES, HOOK_SLICES_MAX

PIECES = st.sampled_from(
    [
        "a",
        "word ",
        "\n",
        "\n  ",
        "\n• ",
        "\n\n[REVELL | WORKING]\n",
        "ü",
        "漢字",
        "🦊",
        "👩‍👩‍👧‍👧",
        "e\u0301\u0301",
        "\u0301",
    ]
)


@st.composite
def texts(draw):
    """A text as large as `of` slices may bring, or a little smaller, of a few pieces again and again."""
    of = draw(st.integers(1, HOOK_SLICES_MAX))
    room = of * HOOK_SLICE_CHARS - draw(st.integers(0, 3_000))
    pieces = draw(st.lists(st.tuples(PIECES, st.sampled_from([1, 7, 300, 4_000])), min_size=1, max_size=8))
    cycle = "".join(piece * times for piece, times in pieces)
    text = cycle * (room // len(cycle.encode()) + 1)
    return text.encode()[:room].decode("utf-8", "ignore"), of


@given(texts())
def test_slices_joined_are_the_payload_and_none_is_too_large(drawn):
    text, of = drawn
    parts = hooks.slices(text, of)
    assert len(parts) == of
    assert "".join(parts) == text
    assert all(len(part.encode()) <= HOOK_SLICE_ROOM_BYTES + 3 for part in parts)


@given(texts())
def test_nothing_comes_after_an_empty_slice(drawn):
    parts = hooks.slices(*drawn)
    assert parts == sorted(parts, key=lambda part: not part)
