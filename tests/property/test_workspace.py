"""Any folder gives a plan, and no line of a good file is lost or doubled."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from memories.engine.imports import Change, Existing, Stored, changes, within_caps
from memories.engine.kinds import MemoryType
from memories.engine.limits import CONTENT_MAX_BYTES, KEY_MAX_CHARS
from memories.engine.memories import category_caps, checked
from memories.engine.workspace import Plan, is_wanted, plan

NAMES = ["SOUL.md", "user.md", "MEMORY.md", "memory/2026-11-28.md", "memory/2026-11-28-b.md", "memory/2026-13-01.md"]
MARKS = [
    "#",
    "##",
    "###",
    "---",
    "+++",
    "...",
    "<!--",
    "-->",
    "```",
    "- ",
    "> ",
    "tags: [",
    "key: a",
    "\r",
    "\n",
    "\x00",
]

paths = st.one_of(st.sampled_from(NAMES), st.text(max_size=12))
blobs = st.one_of(
    st.binary(max_size=200),
    st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=6)), max_size=30).map(
        lambda parts: " ".join(parts).encode("utf-8", "surrogatepass")
    ),
    st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=6)), max_size=30).map(
        lambda parts: ("---\n" + "\n".join(parts) + "\n---\n").encode("utf-8", "surrogatepass")
    ),
)


@given(st.dictionaries(paths, blobs, max_size=4))
@example({"SOUL.md": b"\xff\xfe", "\udc80": b"", "memory/\n.md": b""})
def test_any_folder_gives_a_plan_that_accounts_for_every_file(files: dict[str, bytes]) -> None:
    planned = plan(files)
    good, bad = set(planned.by_file()), {found.path for found in planned.problems}
    assert not good & bad
    told = good | bad | {note.path for note in planned.notes}
    listed = {note.path for note in planned.not_imported}
    for path in files:
        assert path in told or path in listed or any(name.endswith("/") and path.startswith(name) for name in listed)
        if not is_wanted(path):
            assert path not in good | bad
    for draft in planned.drafts:
        assert checked(draft.memory) == draft.memory
        assert len(draft.memory.content.encode()) <= CONTENT_MAX_BYTES
        assert len(draft.memory.key) <= KEY_MAX_CHARS
    for remark in (*planned.problems, *planned.notes, *planned.not_imported):
        assert str(remark).encode()
        assert "\n" not in str(remark).removesuffix(remark.text)


@given(st.dictionaries(st.sampled_from(NAMES), blobs, max_size=4))
def test_importing_any_folder_twice_adds_nothing(files: dict[str, bytes]) -> None:
    planned = within_caps(plan(files), Existing({}), category_caps({}))
    again = within_caps(plan(files), _landed(planned), category_caps({}))
    assert set(changes(planned.drafts, _landed(planned))) <= {Change.SAME}
    assert again.drafts == planned.drafts


def _landed(planned: Plan) -> Existing:
    return Existing(
        {
            (draft.memory.type, draft.memory.category, draft.memory.key): Stored(
                draft.memory.content,
                draft.memory.tags or (),
                draft.memory.importance,
                draft.memory.occurred_at,
            )
            for draft in planned.drafts
            if draft.memory.key
        },
        frozenset(
            (draft.memory.occurred_at.date(), draft.memory.content)
            for draft in planned.drafts
            if draft.memory.type is MemoryType.EPISODIC and draft.memory.occurred_at
        ),
    )


# Each piece of text is a word of its own, so it can be counted wherever it lands.
shapes = st.sampled_from(
    [
        "{}",
        "- {}",
        "  {}",
        "    {}",
        "> {}",
        "* {}\n  - {}",
        "```\n{}\n# {}\n```",
        "| {} |\n|--|",
        "#### {}",
        "1. {}",
        "[{}]: x",
    ]
)
headings = st.sampled_from(["# h", "## h", "### h", "h\n---", "h\n===", "## 14:30 h"])
breaks = st.sampled_from(["\n", "\n\n", "\n\n<!-- hint -->\n\n", "\n\n---\n\n"])


@given(st.data(), st.sampled_from(["SOUL.md", "MEMORY.md", "memory/2026-11-28.md"]), st.booleans())
def test_every_line_of_a_good_file_stands_in_exactly_one_memory(data: st.DataObject, path: str, front: bool) -> None:
    words: list[str] = []
    text = "---\ntags: [a]\n---\n" if front else ""
    for _ in range(data.draw(st.integers(0, 12))):
        if data.draw(st.booleans()):
            # Blank lines around a heading, so that it is the one that was meant.
            text += "\n\n" + data.draw(headings) + data.draw(st.sampled_from(["\n", "\n\n"]))
        else:
            shape = data.draw(shapes)
            fresh = [f"w{len(words) + n}w" for n in range(shape.count("{}"))]
            words += fresh
            text += shape.format(*fresh) + data.draw(breaks)
    planned = plan({path: text.encode()})
    assert planned.problems == ()
    contents = [draft.memory.content for draft in planned.drafts]
    for word in words:
        assert sum(content.count(word) for content in contents) == 1
    # Verbatim: every content is made of whole lines of the file.
    lines = set(text.split("\n"))
    assert all(line in lines for content in contents for line in content.split("\n"))


@given(st.lists(st.tuples(st.integers(1, 30_000), st.sampled_from(["\n", "\n\n"])), min_size=1, max_size=12))
def test_a_long_day_is_divided_without_a_line_lost(sizes: list[tuple[int, str]]) -> None:
    text = "".join(f"{n:03}" + "x" * size + gap for n, (size, gap) in enumerate(sizes))
    planned = plan({"memory/2026-11-28.md": b"## Long\n\n" + text.encode()})
    assert planned.problems == ()
    lines = [line for draft in planned.drafts for line in draft.memory.content.split("\n")[2:] if line]
    assert lines == [line for line in text.split("\n") if line]
    assert all(len(draft.memory.content) <= CONTENT_MAX_BYTES for draft in planned.drafts)
    moments = [draft.memory.occurred_at for draft in planned.drafts]
    assert moments == sorted(set(moments), key=str)
