"""A workspace as a plan: names, sections, keys, days, frontmatter, bad files, caps, importing twice."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from memories.engine.imports import Change, Existing, Stored, changes, within_caps
from memories.engine.kinds import Category, MemoryType, Source
from memories.engine.limits import CONTENT_MAX_BYTES, FRONTMATTER_MAX_BYTES, IMPORT_FILE_MAX_BYTES, KEY_MAX_CHARS
from memories.engine.memories import category_caps
from memories.engine.workspace import Draft, Plan, is_wanted, plan, shown

CAPS = category_caps({})
NOTHING = Existing({})
DAY = "memory/2026-11-28.md"


def of(path: str, text: str | bytes) -> Plan:
    return plan({path: text.encode() if isinstance(text, str) else text})


def keyed(text: str, path: str = "SOUL.md") -> dict[str, str]:
    planned = of(path, text)
    assert planned.problems == ()
    return {draft.memory.key: draft.memory.content for draft in planned.drafts}


def day(text: str, path: str = DAY) -> list[tuple[str, str]]:
    """(time of day, content) of each draft."""
    planned = of(path, text)
    assert planned.problems == ()
    return [(moment(draft).strftime("%H:%M:%S"), draft.memory.content) for draft in planned.drafts]


def moment(draft: Draft) -> datetime:
    assert draft.memory.occurred_at is not None
    return draft.memory.occurred_at


def problem(path: str, text: str | bytes) -> str:
    planned = of(path, text)
    assert planned.drafts == ()
    assert len(planned.problems) == 1
    return str(planned.problems[0])


def notes(planned: Plan) -> list[str]:
    return [str(note) for note in planned.notes]


# Names


@pytest.mark.parametrize(
    ("name", "kind", "category"),
    [
        ("SOUL.md", MemoryType.CORE, Category.SOUL),
        ("IDENTITY.md", MemoryType.CORE, Category.IDENTITY),
        ("USER.md", MemoryType.CORE, Category.RELATIONSHIP),
        ("AGENTS.md", MemoryType.CORE, Category.OPERATIONS),
        ("TOOLS.md", MemoryType.CORE, Category.TOOLS),
        ("HEARTBEAT.md", MemoryType.CORE, Category.ROUTINE),
        ("REORIENT.md", MemoryType.CORE, Category.REORIENT),
        ("ACCOUNTS.md", MemoryType.CORE, Category.ACCOUNTS),
        ("MEMORY.md", MemoryType.WORKING, ""),
        ("memory/2026-11-28.md", MemoryType.EPISODIC, ""),
        ("memory/2026-11-28-release.md", MemoryType.EPISODIC, ""),
        ("memory/2026-11-28 late.md", MemoryType.EPISODIC, ""),
    ],
)
def test_a_files_name_decides_type_and_category_whatever_its_case(name: str, kind: MemoryType, category: str) -> None:
    for path in (name, name.lower(), name.upper()):
        (draft,) = of(path, "Some text.").drafts
        assert (draft.memory.type, draft.memory.category) == (kind, category)
        assert draft.memory.source is Source.IMPORT
        assert draft.memory.content == "Some text."


def test_what_has_no_meaning_is_listed_and_folders_are_counted() -> None:
    planned = plan(
        {
            "README.md": b"",
            "notes/a.md": b"",
            "notes/deep/b.md": b"",
            "SOUL.txt": b"",
            "memory.txt": b"",
            "memory/todo.md": b"",
            "memory/old/2026-11-28.md": b"",
        }
    )
    assert (planned.drafts, planned.problems, planned.notes) == ((), (), ())
    assert [str(note) for note in planned.not_imported] == [
        "README.md: not imported",
        "SOUL.txt: not imported",
        "memory.txt: not imported",
        "memory/old/: not imported, 1 file",
        "memory/todo.md: not imported",
        "notes/: not imported, 2 files",
    ]


def test_hidden_files_and_folders_are_left_alone_with_a_note() -> None:
    planned = plan({".git/SOUL.md": b"x", ".soul.md": b"x", "memory/.2026-11-28.md": b"x"})
    assert (planned.drafts, planned.problems) == ((), ())
    assert notes(planned) == [
        ".git/SOUL.md: hidden, left alone",
        ".soul.md: hidden, left alone",
        "memory/.2026-11-28.md: hidden, left alone",
    ]


def test_of_two_spellings_the_usual_one_counts_and_the_other_is_a_problem() -> None:
    planned = plan({"Soul.md": b"other", "soul.md": b"other", "SOUL.md": b"this"})
    assert [draft.memory.content for draft in planned.drafts] == ["this"]
    assert [str(found) for found in planned.problems] == [
        "Soul.md: SOUL.md is there too; keep one of the two.",
        "soul.md: SOUL.md is there too; keep one of the two.",
    ]


def test_a_reader_has_to_read_only_wanted_files() -> None:
    assert is_wanted("soul.MD")
    assert is_wanted("Memory/2026-02-30.md")
    assert not any(map(is_wanted, ("README.md", ".SOUL.md", "sub/SOUL.md", "memory/x.md", "memory/2026-11-28.txt")))


def test_the_order_is_core_by_category_then_working_then_days() -> None:
    planned = plan(dict.fromkeys((DAY, "memory/2026-11-27.md", "MEMORY.md", "TOOLS.md", "SOUL.md"), b"x"))
    assert list(planned.by_file()) == ["SOUL.md", "TOOLS.md", "MEMORY.md", "memory/2026-11-27.md", DAY]


def test_a_name_that_a_terminal_would_obey_is_escaped() -> None:
    assert shown("a\x1b[2J\n\udc80é.md") == "a\\x1b[2J\\n\\udc80é.md"


# Sections and keys


def test_headings_of_both_kinds_divide_a_file() -> None:
    assert keyed("## Honesty\n\nI say it.\n\nCare\n----\nI check twice.\n\nRestraint\n=====\n\nI stop.") == {
        "honesty": "I say it.",
        "care": "I check twice.",
        "restraint": "I stop.",
    }


def test_what_only_looks_like_a_heading_divides_nothing() -> None:
    text = "```sh\n# a comment\n```\n\n- item\n  # in a list\n\n> # quoted\n\n    # indented\n\n#nospace\n\n\\# escaped"
    assert keyed(f"# One\n\n{text}") == {"one": text}


def test_text_above_the_first_heading_has_the_files_name_as_key() -> None:
    assert keyed("Before.\n\n# After\n\nText.") == {"soul": "Before.", "after": "Text."}


def test_a_heading_of_level_three_has_the_one_above_in_its_key_and_level_four_stays_text() -> None:
    assert keyed("# Title\n\n## Release\n\n### Rollback\n\nweb first\n\n#### Why\n\nlocks") == {
        "release/rollback": "web first\n\n#### Why\n\nlocks"
    }


def test_a_title_is_not_above_others_but_one_of_several_level_ones_is() -> None:
    assert keyed("# Title\n\nIntro.\n\n## Likes\n\ntea") == {"title": "Intro.", "likes": "tea"}
    assert keyed("# Anna\n\n## Likes\n\ntea\n\n# Ben\n\n## Likes\n\nrope") == {"anna/likes": "tea", "ben/likes": "rope"}


def test_a_key_that_is_taken_gets_a_number() -> None:
    assert list(keyed("## Tide\n\na\n\n## Tide 2\n\nb\n\n## Tide\n\nc\n\n## Tide\n\nd")) == [
        "tide",
        "tide-2",
        "tide-3",
        "tide-4",
    ]


def test_keys_are_unique_in_their_category_over_all_files_but_free_in_another() -> None:
    planned = plan(
        {
            "SOUL.md": b"## Care\n\na",
            "IDENTITY.md": b"---\ncategory: soul\n---\n## Care\n\nb",
            "TOOLS.md": b"## Care\n\nc",
        }
    )
    assert [(draft.memory.category, draft.memory.key) for draft in planned.drafts] == [
        ("soul", "care"),
        ("soul", "care-2"),
        ("tools", "care"),
    ]


def test_a_bad_file_takes_no_keys() -> None:
    bad = b"---\ncategory: soul\n---\n## Care\n\nb\n\n## Big\n\n" + b"x" * (CONTENT_MAX_BYTES + 1)
    planned = plan({"SOUL.md": bad, "IDENTITY.md": b"---\ncategory: soul\n---\n## Care\n\nb"})
    assert [(draft.path, draft.memory.key) for draft in planned.drafts] == [("IDENTITY.md", "care")]


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("Release 2.4", "release-2.4"),
        ("C++ and C#", "c++-and-c#"),
        ("`berth_slot`, the **lock**", "berth_slot-the-lock"),
        ("[Tide feed](https://example.org/x) & co.", "tide-feed-co"),
        ("🚀 Launch – quay 7!", "launch-quay-7"),
        ("潮汐表 第7", "潮汐表-第7"),
        ("Überfahrt", "überfahrt"),
        ("1️⃣ First", "1-first"),
    ],
)
def test_the_words_of_a_heading_become_the_key(heading: str, key: str) -> None:
    assert keyed(f"## {heading}\n\ntext") == {key: "text"}


def test_a_heading_that_the_key_cannot_say_stays_in_the_content() -> None:
    assert keyed("## 🚀\n\nrocket") == {"section": "## 🚀\n\nrocket"}
    long = "word " * 40 + "end"
    ((key, content),) = keyed(f"## {long}\ntext").items()
    assert len(key) <= KEY_MAX_CHARS
    assert content == f"## {long}\ntext"


def test_lists_and_code_stay_whole_and_as_written() -> None:
    text = "- one\n    - deep  \n\n  more\n* two\n\n\n| a | b |\n|--|--|\n\n[ref]: https://example.org\ttab"
    assert keyed(f"## Tools\n\n{text}\n\n") == {"tools": text}


def test_sections_without_text_give_nothing_and_are_noted() -> None:
    planned = of("SOUL.md", "# Title\n\n## Empty\n\n## Full\n\nx\n\n## Invisible\n\n\u200b\n")
    assert [draft.memory.key for draft in planned.drafts] == ["full"]
    assert notes(planned) == ["SOUL.md: no text below the heading in line 3, 9"]


def test_an_empty_file_is_good_and_gives_no_memory() -> None:
    for text in ("", "\n\n", "# Only a title\n", "<!-- a hint -->", "---\ntags: [a]\n---\n"):
        planned = of("HEARTBEAT.md", text)
        assert (planned.drafts, planned.problems) == ((), ())
        assert "HEARTBEAT.md: holds no text, gives no memory" in notes(planned)


def test_comments_with_lines_of_their_own_are_left_out_and_counted() -> None:
    planned = of(
        "SOUL.md", "## A\n\n<!-- hint\n# no heading\n-->\n\ntext <!-- inline -->\n<!-- one --> <!-- two -->\nmore"
    )
    assert [draft.memory.content for draft in planned.drafts] == ["text <!-- inline -->\nmore"]
    assert notes(planned) == ["SOUL.md: 3 HTML comments left out"]


@pytest.mark.parametrize(
    "text", ["<!-- a --> said", "<!-- never closed\n\nsaid", "```\n<!-- code -->\n```", "- <!-- x -->\n  said"]
)
def test_a_comment_that_is_not_alone_or_not_closed_is_text(text: str) -> None:
    assert keyed(f"## A\n\n{text}") == {"a": text}


def test_rules_at_the_edges_are_left_out_and_rules_inside_stay() -> None:
    assert keyed("## A\n\n---\n\none\n\n***\n\ntwo\n\n---\n\n## B\n\n---\n\n## C\n\nx") == {
        "a": "one\n\n***\n\ntwo",
        "c": "x",
    }


def test_a_paragraph_with_a_rule_right_below_and_nothing_more_is_not_lost() -> None:
    assert keyed("## Vibe\n\nBe kind.\n\nThis file is yours.\n---\n\n## Next\n\nx") == {
        "vibe": "Be kind.",
        "soul": "This file is yours.",
        "next": "x",
    }


def test_lines_are_counted_in_the_file_with_its_frontmatter() -> None:
    planned = of("SOUL.md", "---\ntags: [a]\n---\n\n# T\n\n## A\n\nfirst\n")
    assert [draft.line for draft in planned.drafts] == [9]


# Encoding and size


def test_byte_order_mark_and_line_ends_of_other_systems_are_understood() -> None:
    text = b"\xef\xbb\xbf---\r\ntags: [a]\r\n---\r\n## One\r\n\r\nfirst\r\nsecond\r\r## Two\r\rthird"
    planned = of("SOUL.md", text)
    assert [(d.memory.key, d.memory.content, d.memory.tags) for d in planned.drafts] == [
        ("one", "first\nsecond", ("a",)),
        ("two", "third", ("a",)),
    ]


def test_a_bad_file_is_named_with_the_line_and_the_others_are_planned() -> None:
    planned = plan(
        {
            "SOUL.md": b"## A\r\nb\r\n\xff",
            "USER.md": b"one\ntwo\0",
            "TOOLS.md": "x".encode("utf-16"),
            "MEMORY.md": b"fine",
        }
    )
    assert sorted(map(str, planned.problems)) == [
        "SOUL.md, line 3: This is not UTF-8; save the file as UTF-8.",
        "TOOLS.md, line 1: This file is UTF-16; save it as UTF-8.",
        "USER.md, line 2: A NUL character stands here; this is no text file.",
    ]
    assert [draft.path for draft in planned.drafts] == ["MEMORY.md"]


def test_a_file_is_at_most_two_mebibytes() -> None:
    assert "2,097,152 bytes" in problem("SOUL.md", b"x" * (IMPORT_FILE_MAX_BYTES + 1))


def test_a_section_of_a_keyed_file_has_at_most_32_768_bytes() -> None:
    exact = "ü" * (CONTENT_MAX_BYTES // 2)
    assert keyed(f"## A\n\n{exact}", "MEMORY.md") == {"a": exact}
    assert problem("MEMORY.md", f"## A\n\n## B\n\n{exact}x") == (
        "MEMORY.md, line 5: This section has 32,769 bytes, more than 32,768; divide it with headings."
    )


# Frontmatter


def test_frontmatter_speaks_for_all_memories_of_the_file_and_is_not_text() -> None:
    yaml = "---\ntags: [no, 2026, quay 7, no]\nimportance: 0.8\ndate: 2026-11-20\n---\n## A\n\na\n\n## B\n\nb"
    toml = '+++\ntags = ["no", 2026, "quay 7"]\nimportance = 0.8\ndate = 2026-11-20\n+++\n## A\n\na\n\n## B\n\nb'
    for text in (yaml, toml):
        planned = of("SOUL.md", text)
        assert [draft.memory.content for draft in planned.drafts] == ["a", "b"]
        for draft in planned.drafts:
            assert draft.memory.tags == ("no", "2026", "quay 7")
            assert draft.memory.importance == 0.8
            assert draft.memory.occurred_at == datetime(2026, 11, 20, tzinfo=UTC)


def test_what_frontmatter_does_not_say_is_left_open() -> None:
    (draft,) = of("SOUL.md", "x").drafts
    assert (draft.memory.tags, draft.memory.importance, draft.memory.occurred_at) == (None, None, None)


def test_tags_may_be_one_text_with_commas_and_empty_tags_say_none() -> None:
    assert of("SOUL.md", "---\ntags: release, quay 7\n---\nx").drafts[0].memory.tags == ("release", "quay 7")
    assert of("SOUL.md", "---\ntags: []\n---\nx").drafts[0].memory.tags == ()


def test_category_moves_a_core_file_and_means_nothing_elsewhere() -> None:
    assert of("TOOLS.md", "---\ncategory: Accounts\n---\nx").drafts[0].memory.category == "accounts"
    assert "one of soul, identity" in problem("TOOLS.md", "---\ncategory: secrets\n---\nx")
    planned = of("MEMORY.md", "---\ncategory: soul\n---\nx")
    assert planned.drafts[0].memory.category == ""
    assert "no effect here" in notes(planned)[0]


def test_key_names_the_one_memory_of_a_file() -> None:
    assert keyed("---\nkey: Harbour rules\n---\nx") == {"Harbour rules": "x"}
    assert keyed("---\nkey: rules\n---\n# The rules\n\nx") == {"rules": "# The rules\n\nx"}
    planned = of("SOUL.md", "---\nkey: rules\n---\n## A\n\na\n\n## B\n\nb")
    assert [draft.memory.key for draft in planned.drafts] == ["a", "b"]
    assert "no effect here" in notes(planned)[0]
    assert "at most 120 characters" in problem("SOUL.md", f"---\nkey: {'k' * 121}\n---\nx")


def test_unknown_names_are_reported_and_ignored() -> None:
    planned = of("SOUL.md", "---\ntitle: Soul\n'bad\\name': 1\n---\nx")
    assert [draft.memory.content for draft in planned.drafts] == ["x"]
    assert notes(planned) == ["SOUL.md: frontmatter “bad\\name”, “title”: no meaning here, ignored"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\ntags: [a\n---\nx", "SOUL.md, line 2: The frontmatter is not valid YAML"),
        ("---\na: 1\nb: c: d\n---\nx", "SOUL.md, line 3: The frontmatter is not valid YAML"),
        ("---\njust words\n---\nx", "not a list of names and values"),
        ("---\n[1]: 2\n---\nx", "SOUL.md, line 2"),
        ("---\ntags: [a]\n\nx", "SOUL.md, line 1: The frontmatter that opens here never ends"),
        ("+++\na = 1\nb = \n+++\nx", "SOUL.md, line 3: The frontmatter is not valid TOML"),
        ("---\nimportance: high\n---\nx", "a number from 0 to 1"),
        ("---\nimportance: 1.1\n---\nx", "a number from 0 to 1"),
        ("---\nimportance: nan\n---\nx", "a number from 0 to 1"),
        ("+++\nimportance = true\n+++\nx", "a number from 0 to 1"),
        ("---\ndate: 2026-02-30\n---\nx", "is a date such as"),
        ("---\ndate: 0001-01-01T00:00:00+23:00\n---\nx", "is a date such as"),
        ("---\ntags: [[a]]\n---\nx", "is a list of words"),
        ("---\ntags: {a: b}\n---\nx", "is a list of words"),
        ("---\nkey: [a]\n---\nx", "one line of text"),
        ('---\nkey: "a\\nb"\n---\nx', "one line of text"),
        (f"---\ntags: [{', '.join(f't{n}' for n in range(51))}]\n---\nx", "at most 50 tags"),
        ('---\nkey: "\\ud800"\n---\nx', "one line of text"),
        ('---\nkey: "\\UFFFFFFFF"\n---\nx', "not valid YAML"),
        ("---\n" + "[" * 5_000 + "\n---\nx", "not valid YAML"),
        ("+++\na = " + "[" * 5_000 + "\n+++\nx", "not valid TOML"),
        ("---\na: " + "b" * FRONTMATTER_MAX_BYTES + "\n---\nx", "The frontmatter has 16,387 bytes"),
    ],
)
def test_broken_frontmatter_makes_the_file_bad(text: str, told: str) -> None:
    assert told in problem("SOUL.md", text)


def test_aliases_do_not_grow() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefghij", "bcdefghijk", strict=True)
    )
    assert keyed(f"---\n{bomb}---\nx") == {"soul": "x"}
    assert "is a list of words" in problem("SOUL.md", f"---\n{bomb}tags: *k\n---\nx")


def test_frontmatter_begins_in_the_first_line_or_not_at_all() -> None:
    assert keyed("\n---\n\ntags: a\n\n---\n\nx") == {"soul": "tags: a\n\n---\n\nx"}
    assert keyed("---\n---\nx") == {"soul": "x"}
    assert keyed("---\n# only a remark\n...\nx") == {"soul": "x"}


# Days


def test_sections_of_a_day_are_memories_with_their_headings_in_the_order_of_the_file() -> None:
    assert day("# 2026-11-28\n\nQuiet morning.\n\n## Gauge\n\nCleaned.\n\n### After\nBetter.\n\n## Report\nSent.") == [
        ("00:00:00", "Quiet morning."),
        ("00:00:01", "## Gauge\n\nCleaned."),
        ("00:00:02", "## Gauge\n### After\nBetter."),
        ("00:00:03", "## Report\nSent."),
    ]


def test_a_day_is_that_of_its_name_and_memories_have_no_key() -> None:
    (draft,) = of("memory/2026-11-28-gauge.md", "x").drafts
    assert moment(draft) == datetime(2026, 11, 28, tzinfo=UTC)
    assert draft.memory.key == ""


def test_a_days_title_stands_only_with_its_own_text() -> None:
    assert day("# Release day\n\nTense.\n\n## Deploy\n\nDone.") == [
        ("00:00:00", "# Release day\n\nTense."),
        ("00:00:01", "## Deploy\n\nDone."),
    ]


@pytest.mark.parametrize(
    ("heading", "time"),
    [
        ("14:30 Deploy", "14:30:00"),
        ("14:30:15 Deploy", "14:30:15"),
        ("[9:05] Deploy", "09:05:00"),
        ("**14:30** Deploy", "14:30:00"),
        ("2:30 pm Deploy", "14:30:00"),
        ("12:10 AM Deploy", "00:10:00"),
        ("Session: 2026-11-28 14:30:00 UTC", "14:30:00"),
        ("2026-11-28T14:30Z", "14:30:00"),
        ("24:00 Deploy", "00:00:00"),
        ("14:60 Deploy", "00:00:00"),
        ("14:30 pm Deploy", "00:00:00"),
        ("Deploy at 14:30", "00:00:00"),
        ("1:100 the scale", "00:00:00"),
        ("2026-11-27 14:30 another day", "00:00:00"),
    ],
)
def test_a_heading_sets_the_time(heading: str, time: str) -> None:
    assert day(f"## {heading}\n\nx") == [(time, f"## {heading}\n\nx")]


def test_order_is_kept_around_stated_times() -> None:
    times = [at for at, _ in day("early\n\n## 14:30 A\na\n### more\nm\n## B\nb\n## 14:30 C\nc\n## 09:00 D\nd\n## E\ne")]
    assert times == ["00:00:00", "14:30:00", "14:30:01", "14:30:02", "14:30:03", "09:00:00", "09:00:01"]


def test_no_moment_leaves_its_day() -> None:
    assert {at for at, _ in day("## 23:59:59 A\na\n## B\nb\n## 23:59:59 C\nc")} == {"23:59:59"}


def test_frontmatter_may_say_where_the_day_begins_but_not_which_day_it_is() -> None:
    assert day("---\ndate: 2026-11-28T09:00:00+01:00\n---\na\n\n## B\n\nb")[0][0] == "08:00:00"
    planned = of(DAY, "---\ndate: 2026-11-27T09:00:00Z\n---\na")
    assert moment(planned.drafts[0]) == datetime(2026, 11, 28, tzinfo=UTC)
    assert "the date in the file's name counts" in notes(planned)[0]


def test_a_date_that_no_calendar_has_is_a_bad_file() -> None:
    assert problem("memory/2026-02-30.md", "x") == (
        "memory/2026-02-30.md: 2026-02-30 is not a date of the calendar; correct the name of the file."
    )
    assert "0000-01-01" in problem("memory/0000-01-01.md", "x")


def test_a_long_section_of_a_day_is_divided_between_paragraphs_under_its_heading() -> None:
    paragraphs = [f"{n} " + "ü" * 9_000 for n in range(4)]
    planned = of(DAY, "## 08:00 Long\n\n" + "\n\n".join(paragraphs) + "\n\n## Next\n\nx")
    assert planned.problems == ()
    assert [draft.memory.content for draft in planned.drafts] == [
        f"## 08:00 Long\n\n{paragraphs[0]}",
        f"## 08:00 Long\n\n{paragraphs[1]}",
        f"## 08:00 Long\n\n{paragraphs[2]}",
        f"## 08:00 Long\n\n{paragraphs[3]}",
        "## Next\n\nx",
    ]
    assert [(draft.part, draft.parts, draft.line) for draft in planned.drafts] == [
        (1, 4, 3),
        (2, 4, 5),
        (3, 4, 7),
        (4, 4, 9),
        (1, 1, 13),
    ]
    assert [moment(draft).strftime("%H:%M:%S") for draft in planned.drafts] == [
        f"08:00:0{second}" for second in range(5)
    ]


def test_parts_are_filled_to_the_last_byte() -> None:
    half = "x" * ((CONTENT_MAX_BYTES - len("## A\n\n") - 2) // 2)
    planned = of(DAY, f"## A\n\n{half}\n\n{half}\n\nrest")
    assert [len(draft.memory.content) for draft in planned.drafts] == [CONTENT_MAX_BYTES, len("## A\n\nrest")]


def test_a_block_that_fits_nowhere_is_divided_between_lines_and_a_line_never() -> None:
    code = "\n".join(["```", *(f"{n:05} " + "y" * 90 for n in range(500)), "```"])
    planned = of(DAY, f"## Log\n\n{code}")
    assert len(planned.drafts) == 2
    lines = [line for draft in planned.drafts for line in draft.memory.content.split("\n")[2:]]
    assert "\n".join(lines) == code
    assert problem(DAY, f"a\n\n## B\n\nfirst\n{'z' * 40_000}").startswith(f"{DAY}, line 6: This line does not fit")


# Twice


def stored(planned: Plan) -> Existing:
    """What would be there after `planned` landed."""
    return Existing(
        {
            (draft.memory.type, draft.memory.category, draft.memory.key): Stored(draft.memory.content)
            for draft in planned.drafts
            if draft.memory.key
        },
        frozenset(
            (moment(draft).date(), draft.memory.content)
            for draft in planned.drafts
            if draft.memory.type is MemoryType.EPISODIC
        ),
    )


FOLDER = {
    "SOUL.md": b"## A\n\na\n\n## A\n\nb",
    "MEMORY.md": b"plain\n\n## Next\n\nweb",
    DAY: b"first\n\n## 10:00 B\n\nb",
    "memory/2026-11-29.md": b"first",
}


def test_importing_twice_adds_nothing() -> None:
    planned = plan(FOLDER)
    assert set(changes(planned.drafts, NOTHING)) == {Change.ADD}
    assert set(changes(planned.drafts, stored(planned))) == {Change.SAME}


def test_a_changed_text_revises_by_key_and_adds_to_a_day() -> None:
    there = stored(plan(FOLDER))
    again = plan(FOLDER | {"SOUL.md": b"## A\n\na!\n\n## A\n\nb", DAY: b"## New\n\nx\n\n## 10:00 B\n\nb"})
    assert changes(again.drafts, there) == (
        Change.REVISE,
        Change.SAME,
        Change.SAME,
        Change.SAME,
        Change.ADD,
        Change.SAME,
        Change.SAME,
    )


def test_what_repeats_within_a_day_lands_once() -> None:
    planned = plan(
        {DAY: b"## A\n\nx\n\n## A\n\nx", "memory/2026-11-28-b.md": b"## A\n\nx", "memory/2026-11-29.md": b"## A\n\nx"}
    )
    assert changes(planned.drafts, NOTHING) == (Change.ADD, Change.SAME, Change.SAME, Change.ADD)


def test_only_what_the_file_says_is_compared() -> None:
    place = (MemoryType.CORE, "soul", "soul")
    there = Existing({place: Stored("x", tags=("b", "a"), importance=0.9)})
    assert changes(of("SOUL.md", "x").drafts, there) == (Change.SAME,)
    assert changes(of("SOUL.md", "---\ntags: [a, b]\nimportance: 0.9\n---\nx").drafts, there) == (Change.SAME,)
    assert changes(of("SOUL.md", "---\ntags: [a]\n---\nx").drafts, there) == (Change.REVISE,)
    assert changes(of("SOUL.md", "---\nimportance: 0.5\n---\nx").drafts, there) == (Change.REVISE,)
    assert changes(of("SOUL.md", "---\ndate: 2026-11-28\n---\nx").drafts, there) == (Change.REVISE,)


# Caps


def test_a_file_over_its_cap_says_by_how_much_and_the_others_stay() -> None:
    planned = within_caps(plan({"SOUL.md": b"x" * 4_310, "MEMORY.md": b"y" * 9_000}), NOTHING, CAPS)
    assert [draft.path for draft in planned.drafts] == ["MEMORY.md"]
    assert [str(found) for found in planned.problems] == [
        "SOUL.md: 4,310 characters for soul, 310 over its cap of 4,000. "
        "Shorten the file, archive a lesser memory, or raise the cap."
    ]


def test_exactly_full_is_allowed_and_characters_count_not_bytes() -> None:
    planned = plan({"SOUL.md": ("ü" * 4_000).encode()})
    assert within_caps(planned, NOTHING, CAPS) == planned
    assert within_caps(planned, NOTHING, CAPS | {"soul": 3_999}).drafts == ()


def test_what_is_there_counts_unless_the_file_revises_it() -> None:
    there = Existing(
        {
            (MemoryType.CORE, "soul", "soul"): Stored("o" * 3_000),
            (MemoryType.CORE, "soul", "kept"): Stored("k" * 1_000),
            (MemoryType.CORE, "tools", "kept"): Stored("k" * 2_500),
            (MemoryType.WORKING, "", "kept"): Stored("k" * 30_000),
        }
    )
    assert within_caps(of("SOUL.md", "x" * 3_000), there, CAPS).problems == ()
    (found,) = within_caps(of("SOUL.md", "x" * 3_100), there, CAPS).problems
    assert "3,100 characters for soul and 1,000 already there, 100 over its cap of 4,000." in str(found)


def test_two_files_of_one_category_share_its_cap() -> None:
    files = {"SOUL.md": b"x" * 3_000, "IDENTITY.md": b"---\ncategory: soul\n---\n" + b"y" * 1_500}
    planned = within_caps(plan(files), NOTHING, CAPS)
    # Both belong to soul; the one whose name says so comes first.
    assert [draft.path for draft in planned.drafts] == ["SOUL.md"]
    assert "1,500 characters for soul and 3,000 already there, 500 over" in str(planned.problems[0])


def test_a_file_that_changes_nothing_is_never_over() -> None:
    planned = plan({"SOUL.md": b"x" * 4_000})
    lowered = CAPS | {"soul": 1_000}
    assert within_caps(planned, stored(planned), lowered) == planned
    assert within_caps(planned, NOTHING, lowered).drafts == ()


def test_a_plan_is_the_same_for_the_same_folder_in_any_order() -> None:
    assert plan(FOLDER) == plan(dict(reversed(FOLDER.items())))


def test_a_fingerprint_is_of_the_utc_date() -> None:
    (draft,) = of(DAY, "## 23:59 x\n\ny").drafts
    there = Existing({}, frozenset({(date(2026, 11, 28), "## 23:59 x\n\ny")}))
    assert changes([draft], there) == (Change.SAME,)
