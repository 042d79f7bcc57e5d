"""Templates hold no script, no style and no handler of their own, and fetch nothing from elsewhere: the CSP says so."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from tests.guards.sources import ROOT, name_of

TEMPLATE_TAG = re.compile(r"{#.*?#}|{% comment %}.*?{% endcomment %}|{%.*?%}", re.DOTALL)
FETCHING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "use": "href"}


class Reader(HTMLParser):
    """Collects what the policy would block."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "style" or (tag == "script" and "src" not in given):
            self._fault(f"<{tag}> with content of its own")
        for name, value in given.items():
            if name == "style":
                self._fault(f"style attribute of <{tag}>")
            if re.match(r"on[a-z]+$", name) or name.startswith(("hx-on", "data-hx-on")):
                self._fault(f"handler {name} of <{tag}>")
            if value.strip().lower().startswith(("javascript:", "js:")):
                self._fault(f"script in {name} of <{tag}>")
        fetched = given.get(FETCHING.get(tag, ""), "").strip()
        if re.match(r"(https?:)?//|data:", fetched):
            self._fault(f"<{tag}> fetches {fetched}")

    def _fault(self, text: str) -> None:
        self.faults.append(f"line {self.getpos()[0]}: {text}")


def faults(text: str) -> list[str]:
    reader = Reader()
    # What is taken out keeps its lines, so that the numbers stay right.
    reader.feed(TEMPLATE_TAG.sub(lambda match: " " + "\n" * match.group().count("\n"), text))
    reader.close()
    return reader.faults


def test_no_template_holds_what_the_policy_blocks():
    templates = sorted((ROOT / "templates").rglob("*.html"))
    assert templates
    found = {name_of(path): faults(path.read_text(encoding="utf-8")) for path in templates}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "text",
    [
        "<script>go()</script>",
        "<style>p { color: red }</style>",
        "<p style='color: red'>",
        "<button onclick='go()'>",
        "<button hx-on:click='go()'>",
        "<a href='javascript:go()'>",
        "<div hx-vals='js:{a: 1}'>",
        "<script src='https://cdn.example/x.js'></script>",
        "<link href='//cdn.example/x.css'>",
        "<img src='data:image/png;base64,AAAA'>",
        "<p {% if a %}style='x'{% endif %}>",
    ],
)
def test_the_guard_sees_each_kind_of_fault(text):
    assert faults(text)


@pytest.mark.parametrize(
    "text", ["<script src=\"{% static 'a.js' %}\"></script>", "<a href='https://example.org'>", "{# <style> #}"]
)
def test_the_guard_lets_the_rest_pass(text):
    assert not faults(text)
