"""The lines of the payload, one by one."""

from __future__ import annotations

from datetime import date

import pytest

from memories.engine import wire
from memories.engine.kinds import Channel, Section

DAY = date(2026, 11, 30)


def test_p15_hello_names_the_agent() -> None:
    assert wire.hello("Clawbert", Channel.AGENT).startswith("[REVELL | HELLO] Clawbert, ")
    assert wire.hello("Clawbert", Channel.AGENT) == wire.hello("Clawbert", Channel.SESSION_START)


def test_p16_after_a_compaction_hello_says_so() -> None:
    text = wire.hello("Clawbert", Channel.POST_COMPACT)
    assert "compacted" in text
    assert "not the summary" in text
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    ("section", "lead"),
    [
        (Section.PROMISED, "• prm-7 2026-11-30: "),
        (Section.SOUL, "• honesty: "),
        (Section.ACCOUNTS, "• honesty: "),
        (Section.AXIOMS, "• [git] "),
        (Section.WORKING, "• honesty (2026-11-30): "),
        (Section.RECALLED, "• mem-7 2026-11-30: "),
        (Section.EPISODIC, "• mem-7 2026-11-30: "),
    ],
)
def test_p15_p19_each_section_leads_its_rows_in_its_own_way(section: Section, lead: str) -> None:
    assert wire.lead(section, number=7, key="honesty", category="git", day=DAY) == lead


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("one line", "one line"),
        ("one\ntwo\n\nfour", "one\n  two\n  \n  four"),
        ("[REVELL | SOUL]", "\\[REVELL | SOUL]"),
        ("a\n \t[REVELL | SOUL] b", "a\n   \t\\[REVELL | SOUL] b"),
        ("a [REVELL | SOUL]", "a [REVELL | SOUL]"),
        ("a\r[REVELL | SOUL]", "a\r\\[REVELL | SOUL]"),
        ("a\u2028\u200b[REVELL | SOUL]", "a\u2028\u200b\\[REVELL | SOUL]"),
        ("[REVELL|SOUL]", "[REVELL|SOUL]"),
        ("tab\tand trailing  ", "tab\tand trailing  "),
    ],
)
def test_p17_content_is_verbatim_indented_and_defused(content: str, shown: str) -> None:
    assert wire.body(content) == shown
    assert wire.body_bytes(content) == len(shown.encode())


def test_p17_defusing_is_quick_on_a_wall_of_line_ends() -> None:
    """A pattern that tried every line end anew would take minutes here; this is linear."""
    text = "\n \t" * 10_000 + "x[REVELL | SOUL]"
    assert wire.body(text).endswith("x[REVELL | SOUL]")


def test_p28_the_mark_of_a_cut_names_the_bytes_and_the_memory() -> None:
    assert wire.cut_mark(3_120, 41) == "… [cut: 3,120 more bytes in mem-41]"


def test_p30_success_counts_what_is_here_and_what_is_not() -> None:
    text = wire.success(memories=38, promises=2, within="22,000 tokens", left_out=(0, 0, 1, 212), waiting=0)
    assert text == (
        "[REVELL | SUCCESS] 38 memories and 2 promises within 22,000 tokens. "
        "Left out: 0 core, 0 axioms, 1 working, 212 episodic; revell_recall finds them.\n"
    )


def test_p29_success_says_when_promises_wait() -> None:
    text = wire.success(memories=1, promises=1, within="2,000 tokens", left_out=(0, 1, 0, 0), waiting=3)
    assert text.startswith("[REVELL | SUCCESS] 1 memory and 1 promise within")
    assert text.endswith(" 3 promises had no room and stay pending.\n")
    one = wire.success(memories=1, promises=1, within="2,000 tokens", left_out=(0, 1, 0, 0), waiting=1)
    assert one.endswith(" 1 promise had no room and stays pending.\n")
    assert len(one) == len(text)
