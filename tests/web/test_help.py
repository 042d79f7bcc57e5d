"""Help: the same words as an agent gets, and the way to them from the pages."""

from __future__ import annotations

import re
from html import unescape

import pytest

from memories.engine.help import TOPICS

pytestmark = pytest.mark.django_db


def words_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_every_topic_is_there_word_for_word(owner, at):
    shown = re.findall(
        r'<section class="block" id="(\w+)".*?<div class="stack">(.*?)</div>', owner.get(at("help/")).text, re.S
    )
    assert [name for name, _ in shown] == [topic.name for topic in TOPICS]
    for topic, (_, html) in zip(TOPICS, shown, strict=True):
        paragraphs = [words_of(one) for one in re.findall(r"<p[^>]*>(.*?)</p>", html, re.S)]
        assert "\n\n".join(paragraphs) == topic.text


def test_what_is_typed_stands_as_code(owner, at):
    text = owner.get(at("help/")).text
    assert "<code>revell_payload_promise</code>" in text
    assert "<code>promise_cap_exceeded</code>" in text


@pytest.mark.parametrize(
    ("page", "topic"),
    [("preview/", "boot"), ("boots/", "boot"), ("promises/", "promises"), ("memories/", "memories"),
     ("capsules/", "capsules"), ("pack/", "pack"), ("settings/", "config")],
)  # fmt: skip
def test_pages_lead_to_their_topic_and_topics_to_their_page(owner, at, page, topic):
    text = owner.get(at(page)).text
    assert text.count(f'href="{at("help/")}#{topic}"') == 2
    if page != "boots/":
        section = owner.get(at("help/")).text.split(f'id="{topic}"')[1].split("</header>")[0]
        assert f'href="{at(page)}"' in section
