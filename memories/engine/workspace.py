"""An agent's workspace folder as a plan: which file becomes which memories, and what cannot come in.

    SOUL.md → core soul               TOOLS.md → core tools           MEMORY.md → working
    IDENTITY.md → core identity       HEARTBEAT.md → core routine     memory/YYYY-MM-DD*.md → episodic, on that date
    USER.md → core relationship       REORIENT.md → core reorient
    AGENTS.md → core operations       ACCOUNTS.md → core accounts     anything else → listed as not imported

The case of names does not matter. Hidden files and folders are left alone.

**A file** is UTF-8, at most 2 MiB, with or without a byte order mark; CRLF and CR become LF. A file that breaks a rule
is bad as a whole: it is named with the line, and no memory of it is planned.

**Frontmatter** (`frontmatter`) speaks for all memories of its file: `tags`, `importance`, `date`, `category`, `key`.
`category` moves a core file to another core category. `key` is the key of a file that gives one memory. `date` is when
a core or working memory happened; in a day's file the name decides the date, and a `date` with a time of the same day
says where the day begins. Other names are reported and have no effect.

**Sections** (`markdown`): headings of level 1 to 3 divide a file, deeper ones stay in the text. A section without text
is none. HTML comments with lines of their own are hints to the writer and are left out, and so are rules (`---`) at the
edge of a section. All else is stored as written.

**Core and working**: the heading becomes the key, its words in small letters with hyphens between; letters, digits and
`. _ + # @` stay. The keys of the headings above stand before it with `/`; the title of the file (its only heading of
level 1, at the top) is not counted as one above. Text above the first heading gets the file's name as key. A key that
is taken within its type and category gets `-2`, `-3`. The heading stays in the content only when the key cannot say it.
A section over 32,768 bytes is a fault: cutting it would give keys that move with every edit.

**Episodic**: the content begins with its headings, as they are written; a heading that only repeats the date is left
out. A time at the start of a heading, or after the file's date in it, is when it happened (UTC); without one a section
is a second later than the section before it, the first at 00:00:00. So the order of the file is kept. A section over
32,768 bytes is divided into parts, between paragraphs where possible, else between lines, each with the headings.

**Twice**: core and working memories are found again by key, episodic ones by date and content. What is found with the
same content, and the same tags, importance and time where the file gives them, is left as it is.

Reading folders and writing memories are not here.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

import regex

from memories.engine import days, frontmatter, markdown
from memories.engine.kinds import Category, MemoryType, Source
from memories.engine.limits import CONTENT_MAX_BYTES, IMPORT_FILE_MAX_BYTES, KEY_MAX_CHARS
from memories.engine.memories import MemoryDraft, checked
from memories.engine.text import cut_chars, size_bytes
from memories.errors import InvalidInput

CORE_FILES = {
    "SOUL.md": Category.SOUL,
    "IDENTITY.md": Category.IDENTITY,
    "USER.md": Category.RELATIONSHIP,
    "AGENTS.md": Category.OPERATIONS,
    "TOOLS.md": Category.TOOLS,
    "HEARTBEAT.md": Category.ROUTINE,
    "REORIENT.md": Category.REORIENT,
    "ACCOUNTS.md": Category.ACCOUNTS,
}
WORKING_FILE = "MEMORY.md"
DAY_FOLDER = "memory"

_NAMES = {name.lower(): name for name in (*CORE_FILES, WORKING_FILE)}
_DAY = re.compile(DAY_FOLDER + r"/([0-9]{4}-[0-9]{2}-[0-9]{2})[^/]*\.md", re.IGNORECASE | re.DOTALL)
_EMOJI_MARKS = regex.compile(r"[\uFE00-\uFE0F\u20E3]")
_KEY_WORD = regex.compile(r"(?:[\p{L}\p{N}]\p{M}*|[._+#@])+")
_BLANK_KEY = "section"
_LINES_NAMED_MAX = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """One memory that a file would give. `line` is where its text begins; `part` of `parts` if it had to be divided."""

    path: str
    line: int
    memory: MemoryDraft
    part: int = 1
    parts: int = 1


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about a file, with the line where there is one."""

    path: str
    text: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{shown(self.path)}{f', line {self.line}' if self.line else ''}: {self.text}"


class Problem(Remark):
    """Why a file is bad: nothing of it is imported."""

    __slots__ = ()


class Note(Remark):
    """What a reader of the plan should know, and what stands in no way."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The memories of the good files in order, and what became of all the rest.

    A path is in `problems` or it is good: never are there drafts of a bad file. `not_imported` are files that have no
    meaning here.
    """

    drafts: tuple[Draft, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    not_imported: tuple[Note, ...] = ()

    def by_file(self) -> dict[str, tuple[Draft, ...]]:
        """The drafts by path, in the order of the plan."""
        files: dict[str, list[Draft]] = {}
        for draft in self.drafts:
            files.setdefault(draft.path, []).append(draft)
        return {path: tuple(drafts) for path, drafts in files.items()}


@dataclass(frozen=True, slots=True)
class _Role:
    """What a file of this name becomes; `rank` orders the files of a plan."""

    type: MemoryType
    rank: tuple[int, str]
    category: str = ""
    day: date | None = None
    stem: str = ""


def shown(path: str) -> str:
    """`path` fit to be printed: control, format and undecodable characters are escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in unicodedata.normalize("NFC", path)
    )


def is_wanted(path: str) -> bool:
    """Whether the bytes of this file matter to `plan`; of all others only the name does."""
    return not _is_hidden(path) and (path.lower() in _NAMES or _DAY.fullmatch(path) is not None)


def plan(files: Mapping[str, bytes]) -> Plan:
    """The plan for a folder given as {relative path with `/`: bytes}. Never raises, whatever the bytes are.

    A path that ends in `/` stands for a folder nobody looked into.
    """
    roles: list[tuple[_Role, str]] = []
    problems: list[Problem] = []
    notes: list[Note] = []
    strangers: dict[str, int] = {}
    names = _preferred(files)
    for path in sorted(files):
        if _is_hidden(path):
            notes.append(Note(path, "hidden, left alone"))
        elif not is_wanted(path):
            name = _stranger_name(path)
            strangers[name] = strangers.get(name, 0) + (not path.endswith("/"))
        elif names.get(path.lower(), path) != path:
            problems.append(Problem(path, f"{shown(names[path.lower()])} is there too; keep one of the two."))
        else:
            try:
                roles.append((_role(path), path))
            except InvalidInput as error:
                problems.append(Problem(path, error.detail))

    drafts: list[Draft] = []
    taken: dict[tuple[MemoryType, str, str], int] = {}
    for role, path in sorted(roles, key=lambda pair: (pair[0].rank, pair[1])):
        reading = _File(path, role, taken)
        try:
            drafts.extend(reading.drafts(files[path]))
            notes.extend(reading.notes)
            taken = reading.taken
        except InvalidInput as error:
            problems.append(Problem(path, error.detail, error.data.get("line")))
    return Plan(
        tuple(drafts),
        tuple(problems),
        tuple(notes),
        tuple(Note(name, _stranger(name, count)) for name, count in strangers.items()),
    )


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _preferred(files: Iterable[str]) -> dict[str, str]:
    """Of files whose names differ only in case, the one that counts: the usual spelling, else the first."""
    chosen: dict[str, str] = {}
    for path in sorted(files):
        lower = path.lower()
        if lower in _NAMES and chosen.get(lower) != _NAMES[lower]:
            chosen[lower] = path if path == _NAMES[lower] else chosen.get(lower, path)
    return chosen


def _stranger_name(path: str) -> str:
    """The file itself, or the folder it is in: one that has no meaning here may hold thousands of files."""
    folder, _, below = path.partition("/")
    if not below:
        return path
    if folder.lower() == DAY_FOLDER:
        inner, slash, _ = below.partition("/")
        return f"{folder}/{inner}{slash}"
    return f"{folder}/"


def _stranger(name: str, count: int) -> str:
    if not name.endswith("/") or not count:
        return "not imported"
    return f"not imported, {count:,} {'file' if count == 1 else 'files'}"


def _role(path: str) -> _Role:
    """The role of a wanted path, else InvalidInput for a day that no calendar has."""
    found = _DAY.fullmatch(path)
    if found is None:
        name = _NAMES[path.lower()]
        stem = name.removesuffix(".md").lower()
        if name == WORKING_FILE:
            return _Role(MemoryType.WORKING, (1, ""), stem=stem)
        category = CORE_FILES[name]
        return _Role(MemoryType.CORE, (0, str(list(Category).index(category))), category=category, stem=stem)
    try:
        day = date.fromisoformat(found[1])
    except ValueError:
        raise InvalidInput(f"{found[1]} is not a date of the calendar; correct the name of the file.") from None
    return _Role(MemoryType.EPISODIC, (2, day.isoformat()), day=day)


def _decode(data: bytes) -> str:
    """The text of a file, line ends as LF, else InvalidInput with the line."""
    if len(data) > IMPORT_FILE_MAX_BYTES:
        raise InvalidInput(f"This file has more than {IMPORT_FILE_MAX_BYTES:,} bytes; divide it.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidInput("This file is UTF-16; save it as UTF-8.", line=1)
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        # The byte order mark holds no line end, so the place may be counted in `object`, without the mark.
        line = _line_of(error.object[: error.start].decode("utf-8", "replace"))
        raise InvalidInput("This is not UTF-8; save the file as UTF-8.", line=line) from None
    if "\x00" in text:
        raise InvalidInput(
            "A NUL character stands here; this is no text file.", line=_line_of(text[: text.index("\0")])
        )
    return _unix(text)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _line_of(before: str) -> int:
    return _unix(before).count("\n") + 1


def _slug(text: str) -> str:
    """The words of a heading as a key: small letters, hyphens between; empty when nothing of it can stand in a key."""
    words = _KEY_WORD.findall(_EMOJI_MARKS.sub("", unicodedata.normalize("NFC", text)).lower())
    return "-".join(words).strip("-._")


class _File:
    """One file on its way to drafts. `taken` are the keys of the plan before it, and with its own when it is good."""

    def __init__(self, path: str, role: _Role, taken: dict[tuple[MemoryType, str, str], int]) -> None:
        self.path = path
        self.role = role
        self.taken = dict(taken) if role.day is None else taken
        self.notes: list[Note] = []
        self.category = role.category

    def drafts(self, data: bytes) -> list[Draft]:
        """The drafts of the file in order; InvalidInput with the line when it is bad."""
        lines = _decode(data).split("\n")
        front = frontmatter.read(lines)
        document = markdown.read("\n".join(lines[front.lines :]), first_line=front.lines + 1)
        self._take_category(front)
        self._note_what_stays_out(front, document)
        sections = document.sections
        if not sections:
            self._note("holds no text, gives no memory")
        if front.key and (self.role.type is MemoryType.EPISODIC or len(sections) != 1):
            self._note("frontmatter “key” names one core or working memory and has no effect here")
        if self.role.day is not None:
            return list(self._episodic(self.role.day, front, document))
        return [self._keyed(section, front, document.title, len(sections)) for section in sections]

    def _keyed(
        self, section: markdown.Section, front: frontmatter.Frontmatter, title: markdown.Heading | None, count: int
    ) -> Draft:
        own = section.headings[-1] if section.headings else None
        above = [_slug(heading.text) for heading in section.headings[:-1] if heading is not title]
        slug = _slug(own.text) if own else self.role.stem
        whole = "/".join(filter(None, [*above, slug or _BLANK_KEY]))
        key = front.key if front.key and count == 1 else cut_chars(whole, KEY_MAX_CHARS).rstrip("-./")
        content = section.text
        # The words of a heading are never lost: they are in the key, or else in the content.
        if own and not (slug and key == whole):
            content = section.under((own,), content)
        if (size := size_bytes(content)) > CONTENT_MAX_BYTES:
            raise InvalidInput(
                f"This section has {size:,} bytes, more than {CONTENT_MAX_BYTES:,}; divide it with headings.",
                line=section.line,
            )
        memory = MemoryDraft(
            type=self.role.type,
            content=content,
            category=self.category,
            key=self._free(key),
            tags=front.tags,
            importance=front.importance,
            source=Source.IMPORT,
            occurred_at=front.date,
        )
        return Draft(self.path, section.line, self._checked(memory, section.line))

    def _free(self, key: str) -> str:
        """`key`, or with the first number that makes it one of its own."""
        mark = (self.role.type, self.category, key)
        free = key
        while (self.role.type, self.category, free) in self.taken:
            number = self.taken[mark] = self.taken.get(mark, 1) + 1
            end = f"-{number}"
            free = cut_chars(key, KEY_MAX_CHARS - len(end)) + end
        self.taken[(self.role.type, self.category, free)] = 1
        return free

    def _episodic(self, day: date, front: frontmatter.Frontmatter, document: markdown.Document) -> Iterator[Draft]:
        clock = days.Clock(day)
        if front.date is not None:
            if front.date.date() != day:
                self._note(f"frontmatter “date” is {front.date.date()}; the date in the file's name counts")
            elif front.has_time:
                clock = days.Clock(day, front.date.replace(microsecond=0))
        for section in document.sections:
            contents = list(days.parts(days.spoken(section, document.title, day), section))
            for number, (line, content) in enumerate(contents, 1):
                memory = MemoryDraft(
                    type=MemoryType.EPISODIC,
                    content=content,
                    tags=front.tags,
                    importance=front.importance,
                    source=Source.IMPORT,
                    occurred_at=clock.moment(section.headings),
                )
                yield Draft(self.path, line, self._checked(memory, line), number, len(contents))

    def _take_category(self, front: frontmatter.Frontmatter) -> None:
        if not front.category:
            return
        if self.role.type is not MemoryType.CORE:
            self._note("frontmatter “category” is for core memories and has no effect here")
        elif front.category.lower() not in list(Category):
            raise InvalidInput(f"Frontmatter: “category” is one of {', '.join(Category)}.", line=1)
        else:
            self.category = front.category.lower()

    def _checked(self, memory: MemoryDraft, line: int) -> MemoryDraft:
        """The rules of memories stand in `memories`; here only the line is added."""
        try:
            return checked(memory)
        except InvalidInput as error:
            raise InvalidInput(error.detail, line=line) from None

    def _note_what_stays_out(self, front: frontmatter.Frontmatter, document: markdown.Document) -> None:
        if front.unknown:
            names = ", ".join(f"“{shown(cut_chars(name, 40))}”" for name in front.unknown[:_LINES_NAMED_MAX])
            more = len(front.unknown) - _LINES_NAMED_MAX
            self._note(f"frontmatter {names}{f' and {more} more' if more > 0 else ''}: no meaning here, ignored")
        if document.comments:
            self._note(f"{document.comments:,} HTML comment{'s' if document.comments > 1 else ''} left out")
        bare = [heading for heading in document.bare if heading is not document.title]
        if bare:
            lines = ", ".join(str(heading.line) for heading in bare[:_LINES_NAMED_MAX])
            more = len(bare) - _LINES_NAMED_MAX
            self._note(f"no text below the heading in line {lines}{f' and {more:,} more' if more > 0 else ''}")

    def _note(self, text: str) -> None:
        self.notes.append(Note(self.path, text))
