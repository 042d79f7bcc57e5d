"""A Markdown text as sections: where headings divide it, and the source lines that stand below each.

CommonMark decides what a heading is (ATX or setext), so a `#` in a code block, a list or a quote divides nothing.
Text is never rendered: sections are slices of the source. What becomes of a section is not here; see `workspace`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memories.engine.text import is_blank

SPLIT_LEVELS = 3

_MARKUP = re.compile(r"[\\`*_\[\]<>&!\n]")
_COMMENTS = re.compile(r"\s*(?:<!--.*?-->\s*)+", re.DOTALL)
# A longer heading is a paragraph by accident, and reading the marks inside it could take long.
_INLINE_MAX_CHARS = 1_000

_BLOCKS = MarkdownIt("commonmark")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_INLINES = MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class Heading:
    """`text` is the heading without its marks; `source` its lines as written; `line` the first one, 1-based."""

    level: int
    line: int
    text: str
    source: tuple[str, ...]
    setext: bool


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one paragraph, list, code block and so on, with the blank lines after it; `line` is 1-based."""

    line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """The text below one heading, up to the next one.

    `headings` leads from the outermost to the section's own heading; it is empty for the text above the first one.
    The lines of `blocks`, joined in order, are the text. `gap` tells whether it stood apart from the heading.
    """

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    gap: bool

    @property
    def line(self) -> int:
        """Where the text begins in the file, 1-based."""
        return self.blocks[0].line

    @property
    def text(self) -> str:
        return "\n".join(line for block in self.blocks for line in block.lines)

    def under(self, headings: Sequence[Heading], text: str) -> str:
        """`text` below the lines of `headings`, apart from them as the section is from its own."""
        lines = [line for heading in headings for line in heading.source]
        return "\n".join([*lines, *([""] if lines and self.gap else []), text])


@dataclass(frozen=True, slots=True)
class Document:
    """The sections in order; `title` is the only heading of level 1 when it is also the first of all.

    `comments` is how many HTML comments were left out, `bare` are the headings with nothing at all below them.
    """

    sections: tuple[Section, ...]
    title: Heading | None
    comments: int
    bare: tuple[Heading, ...]


def read(text: str, *, first_line: int = 1) -> Document:
    """`text` (its line ends are `\\n`) divided at the headings of level 1 to 3; `first_line` is its place in the file.

    Every line that is not blank stands in exactly one section, but for headings, for HTML comments that have lines of
    their own, and for rules (`---`) at the edge of a section. A paragraph that only a rule below it turned into a
    heading, and that has nothing below, is text.
    """
    lines = text.split("\n")
    tokens = _BLOCKS.parse(text)
    page = _Page(lines, tokens, first_line)
    spans = list(_headings(lines, tokens, first_line))
    starts = [start for _, start, _ in spans] + [len(lines)]

    sections: list[Section] = []
    bare: list[Heading] = []
    path: list[Heading] = []
    if found := page.section((), 0, starts[0]):
        sections.append(found)
    for number, ((heading, start, below), end) in enumerate(zip(spans, starts[1:], strict=True)):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        is_leaf = number + 1 == len(spans) or spans[number + 1][0].level <= heading.level
        if found := page.section(tuple(path), below, end):
            sections.append(found)
        elif is_leaf and heading.setext and heading.level == 2 and (found := page.section((), start, below - 1)):
            sections.append(Section(tuple(path[:-1]), found.blocks, found.gap))
        elif is_leaf:
            bare.append(heading)

    firsts = [heading for heading, _, _ in spans if heading.level == 1]
    title = firsts[0] if len(firsts) == 1 and firsts[0] is spans[0][0] else None
    return Document(tuple(sections), title, page.comments, tuple(bare))


def _headings(lines: Sequence[str], tokens: Sequence[Token], first_line: int) -> Iterator[tuple[Heading, int, int]]:
    """Each heading that divides, with its first line and the line below it (0-based)."""
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or token.level != 0 or token.map is None:
            continue
        level = int(token.tag[1:])
        if level > SPLIT_LEVELS:
            continue
        start, below = token.map
        source = tuple(lines[start:below])
        yield Heading(level, first_line + start, _plain(inline.content), source, token.markup in "=-"), start, below


def _plain(content: str) -> str:
    """The words of a heading: link targets, emphasis and code marks are left away."""
    if len(content) > _INLINE_MAX_CHARS or not _MARKUP.search(content):
        return content
    parts: list[str] = []
    for token in _INLINES.parseInline(content)[0].children or []:
        if token.type in ("text", "text_special", "code_inline", "image"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts).strip()


class _Page:
    """The lines of a text, with what may be left out of it and where its blocks begin."""

    def __init__(self, lines: Sequence[str], tokens: Sequence[Token], first_line: int) -> None:
        self.lines = lines
        self.first_line = first_line
        self.comments = 0
        self._left_out: set[int] = set()
        self._rules: set[int] = set()
        self._starts: set[int] = set()
        for token in tokens:
            if token.level != 0 or token.map is None or token.nesting < 0:
                continue
            start, end = token.map
            self._starts.add(start)
            if token.type == "hr":
                self._rules.add(start)
            elif token.type == "html_block" and _COMMENTS.fullmatch(token.content):
                self.comments += token.content.count("<!--")
                self._left_out.update(range(start, end))

    def section(self, headings: tuple[Heading, ...], start: int, end: int) -> Section | None:
        """The text of these lines as a section, None when nothing is left to keep."""
        kept = [n for n in range(start, end) if n not in self._left_out]
        first, last = 0, len(kept)
        while first < last and self._is_edge(kept[first]):
            first += 1
        while first < last and self._is_edge(kept[last - 1]):
            last -= 1
        if first == last:
            return None
        blocks: list[tuple[int, list[str]]] = []
        for n in kept[first:last]:
            if not blocks or n in self._starts:
                blocks.append((self.first_line + n, []))
            blocks[-1][1].append(self.lines[n])
        return Section(headings, tuple(Block(line, tuple(text)) for line, text in blocks), kept[first] > start)

    def _is_edge(self, n: int) -> bool:
        return n in self._rules or is_blank(self.lines[n])
