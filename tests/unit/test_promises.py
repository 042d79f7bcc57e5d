"""What may be promised, and what a promise becomes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.kinds import MemoryType, Source
from memories.engine.promises import check_content, decay
from memories.errors import InvalidInput

NOW = datetime(2026, 11, 30, 8, 15, tzinfo=UTC)


@pytest.mark.parametrize("content", ["x", "two\nlines\tand a tab", "👨‍👩‍👧‍👦", "שלום", " padded ", "a\n", "\u202eevil"])
def test_p9_text_with_new_lines_and_tabs_is_accepted(content: str) -> None:
    assert check_content(content) == len(content.encode())


@pytest.mark.parametrize(
    "content", ["", " \n\t ", "\u200b", "a\x00b", "a\rb", "bell\x07", "esc\x1b[0m", "del\x7f", "c1\x85", "half \ud83d"]
)
def test_p9_blank_text_and_control_characters_are_refused(content: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_content(content)
    assert list(caught.value.errors) == ["content"]


def test_p37_a_promise_becomes_an_episodic_memory_with_one_tag() -> None:
    draft = decay("Step 3 of 5.\n", served_at=NOW)
    assert draft.type is MemoryType.EPISODIC
    assert draft.content == "Step 3 of 5.\n"
    assert draft.tags == ("payload-promise-decayed",)
    assert (draft.source, draft.importance, draft.occurred_at) == (Source.AGENT, 0.5, NOW)
