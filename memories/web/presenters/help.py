"""Topics of help as pages show them, and which topic a page is about. The texts are `engine.help`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memories.engine.help import TOPICS, Topic

# The page that a topic is about, by the name of its address.
PAGES = {
    "boot": "preview",
    "promises": "promises",
    "memories": "memories",
    "recall": "memories",
    "capsules": "capsules",
    "pack": "pack",
    "config": "settings",
}
_BY_PAGE = {"agent": "boot", "boots": "boot", **{page: topic for topic, page in PAGES.items() if topic != "recall"}}
_TITLES = {topic.name: topic.title for topic in TOPICS}
# What is typed as it stands: tools, their arguments, codes of errors.
_CODE = re.compile(r"\b([a-z]+(?:_[a-z]+)+)\b")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of a paragraph; `code` is what is typed as it stands."""

    text: str
    code: bool


@dataclass(frozen=True, slots=True)
class TopicView:
    """`page` is the name of the address of the page that the topic is about; "" where there is none."""

    name: str
    title: str
    paragraphs: tuple[tuple[Piece, ...], ...]
    page: str


@dataclass(frozen=True, slots=True)
class TopicLink:
    name: str
    title: str


def topic_views(topics: Iterable[Topic]) -> tuple[TopicView, ...]:
    return tuple(
        TopicView(
            name=topic.name,
            title=topic.title,
            paragraphs=tuple(_pieces(text) for text in topic.text.split("\n\n")),
            page=PAGES.get(topic.name, ""),
        )
        for topic in topics
    )


def topic_of(here: str) -> TopicLink | None:
    """The topic that says most about the page `here`; None where there is none."""
    name = _BY_PAGE.get(here, "")
    return TopicLink(name, _TITLES[name]) if name else None


def _pieces(text: str) -> tuple[Piece, ...]:
    # Of a split at a group, every second piece is what the group found.
    return tuple(Piece(words, bool(place % 2)) for place, words in enumerate(_CODE.split(text)) if words)
