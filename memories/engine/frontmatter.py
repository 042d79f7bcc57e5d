"""The block of names and values at the head of a Markdown file: finding it, reading it, checking its values.

YAML between two lines `---` (the second may be `...`), or TOML between two lines `+++`; the opening line is the first
line of the file. YAML is read as plain text values, so `tags: [no, 2026]` stays what was written, and nothing in it
can make an object or grow. What the values are used for is not here; see `workspace`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

import yaml

from memories.engine.limits import FRONTMATTER_MAX_BYTES
from memories.engine.text import has_control, size_bytes
from memories.errors import InvalidInput

UNDERSTOOD = ("tags", "importance", "date", "category", "key")

_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
_TOML_LINE = re.compile(r"\(at line (\d+)")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What a file says about all its memories. None and "" mean: not said.

    `lines` is the number of lines the block takes with its fences, 0 when there is none. `date` is aware and in UTC;
    `has_time` says whether it was more than a calendar date. `unknown` are names that mean nothing here.
    """

    lines: int = 0
    tags: tuple[str, ...] | None = None
    importance: float | None = None
    date: datetime | None = None
    has_time: bool = False
    category: str = ""
    key: str = ""
    unknown: tuple[str, ...] = ()


def read(lines: Sequence[str]) -> Frontmatter:
    """The frontmatter of a file given as lines; an empty one when the first line opens none.

    Raises InvalidInput, with `line` (1-based, in the file) in its data, when the block does not end, cannot be read,
    or gives one of the understood names a value that it cannot have.
    """
    fence = lines[0].rstrip(" \t") if lines else ""
    if fence not in _FENCES:
        return Frontmatter()
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip(" \t") in _FENCES[fence]), None)
    if end is None:
        raise InvalidInput(f"The frontmatter that opens here never ends: a second line {fence} is missing.", line=1)
    source = "\n".join(lines[1:end])
    if (size := size_bytes(source)) > FRONTMATTER_MAX_BYTES:
        raise InvalidInput(
            f"The frontmatter has {size:,} bytes, more than {FRONTMATTER_MAX_BYTES:,}. "
            f"If the first line is meant as a rule, put an empty line above it.",
            line=1,
        )
    values = _toml(source) if fence == "+++" else _yaml(source)
    when, has_time = _date(values.get("date"))
    return Frontmatter(
        lines=end + 1,
        tags=_tags(values.get("tags")),
        importance=_importance(values.get("importance")),
        date=when,
        has_time=has_time,
        category=_word("category", values.get("category")),
        key=_word("key", values.get("key")),
        unknown=tuple(sorted(name for name in values if name not in UNDERSTOOD)),
    )


def _yaml(source: str) -> Mapping[str, object]:
    try:
        # The base loader makes text, lists and mappings only; deep nesting is the one thing left to guard against.
        values = yaml.load(source, Loader=yaml.BaseLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InvalidInput(
            f"The frontmatter is not valid YAML: {error.problem or 'it cannot be read'}.",
            line=mark.line + 2 if mark else 1,
        ) from None
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        raise InvalidInput("The frontmatter is not valid YAML.", line=1) from None
    if values is None or values == "":
        return {}
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise InvalidInput(
            "The frontmatter is not a list of names and values. "
            "If the first line is meant as a rule, put an empty line above it.",
            line=1,
        )
    return values


def _toml(source: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(source + "\n")
    except (ValueError, RecursionError) as error:
        found = _TOML_LINE.search(str(error))
        raise InvalidInput("The frontmatter is not valid TOML.", line=int(found[1]) + 1 if found else 1) from None


def _text(value: object) -> str | None:
    """A single value as text, None when it is not one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, str | int | float):
        return str(value).strip()
    return None


def _word(name: str, value: object) -> str:
    if value is None:
        return ""
    text = _text(value)
    if text is None or has_control(text, allowed="") or len(text.splitlines()) > 1:
        raise InvalidInput(f"Frontmatter: “{name}” is one line of text.", line=1)
    return text


def _tags(value: object) -> tuple[str, ...] | None:
    """A list, or one text with commas between the tags. An empty one says: no tags."""
    if value is None:
        return None
    items = value if isinstance(value, list) else (text.split(",") if (text := _text(value)) is not None else [None])
    tags = [_text(item) for item in items]
    if any(tag is None for tag in tags):
        raise InvalidInput("Frontmatter: “tags” is a list of words, for example [release, quay-7].", line=1)
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def _importance(value: object) -> float | None:
    text = _text(value)
    if value is None or text == "":
        return None
    try:
        number = float(text or "")
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise InvalidInput("Frontmatter: “importance” is a number from 0 to 1, for example 0.8.", line=1)
    return number


def _date(value: object) -> tuple[datetime | None, bool]:
    text = _text(value)
    if value is None or text == "":
        return None, False
    try:
        moment = datetime.fromisoformat(text or "")
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(
            "Frontmatter: “date” is a date such as 2026-11-28 or a time such as 2026-11-28T14:30:00Z.", line=1
        ) from None
    return moment, ":" in (text or "") or "T" in (text or "")
