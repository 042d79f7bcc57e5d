"""Memories: by type, by words, one with its versions."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.kinds import MemoryType
from memories.engine.memories import MemoryDraft
from memories.services import memories, tenants
from tests import factories

pytestmark = pytest.mark.django_db


def test_the_list_says_how_many_there_are_and_what_the_next_boot_shows(owner, at, actor):
    factories.remember(actor, "episodic", "small enough")
    factories.remember(actor, "episodic", "x" * 30_000)
    factories.remember(actor, "semantic", "", subject="quay 7", predicate="has", object="two gauges")
    tenants.configure(actor, budget_tokens=4_000)
    text = owner.get(at("memories/")).text
    assert "3 memories" in text
    assert [text.count(state) for state in ("next boot\n", "left out", "recall only")] != [0, 0, 0]
    rows = re.findall(r"mem-(\d)</a>.*?class=\"state[^\"]*\">(.*?)</span>", text, re.S)
    assert [(number, re.sub(r"<[^>]+>", "", state).strip()) for number, state in rows] == [
        ("3", "recall only"), ("2", "left out"), ("1", "next boot"),
    ]  # fmt: skip


def test_tabs_filter_and_count(owner, at, actor):
    factories.remember(actor, "core", "I am calm.", key="mood")
    factories.remember(actor, "episodic", "It rained.")
    text = owner.get(at("memories/?type=core")).text
    assert "I am calm." in text
    assert "It rained." not in text
    assert re.search(r'aria-current="true">Core <span class="num">1<', text)
    assert owner.get(at("memories/?type=nonsense")).status_code == 200


def test_archived_ones_stand_apart(owner, at, actor):
    memory = factories.remember(actor, "episodic", "It rained.")
    memories.archive(actor, number=memory.number)
    assert "It rained." not in owner.get(at("memories/")).text
    text = owner.get(at("memories/?archived=1")).text
    assert "It rained." in text
    assert "archived" in text


def test_a_search_finds_by_words_and_htmx_gets_the_part(owner, at, actor):
    factories.remember(actor, "episodic", "The tide report was late.", tags=("report",))
    factories.remember(actor, "episodic", "Nothing of note.")
    for headers in ({}, {"HX-Request": "true"}):
        response = owner.get(at("memories/?q=tides"), headers=headers)
        assert "1 match “tides”" in response.text
        assert "Nothing of note." not in response.text
        assert ("<html" in response.text) is not bool(headers)
        assert "HX-Request" in response["Vary"]
    assert "No memory matches “lighthouse”" in owner.get(at("memories/?q=lighthouse")).text
    assert "No memory matches" in owner.get(at("memories/?q=tide&tag=other")).text


def test_a_search_that_is_too_long_is_422(owner, at):
    response = owner.get(at("memories/?q=" + "x" * 1_001))
    assert response.status_code == 422
    assert "at most 1,000 characters" in response.text


def test_one_memory_shows_its_content_as_text_and_its_versions(owner, at, actor):
    memory = factories.remember(actor, "core", "I am <script>calm</script>.\nAlways.", key="mood", tags=("a b",))
    memories.revise(actor, number=memory.number, changes={"content": "I am awake.\nAlways."})
    text = owner.get(at(f"memories/{memory.number}/")).text
    assert "<script>calm" not in text
    assert "<del><span>I am &lt;script&gt;calm&lt;/script&gt;.</span></del><ins><span>I am awake.</span></ins>" in text
    assert "Version 2" in text
    assert "by key rvl_testtest" in text
    assert "?tag=a%20b" in text


def test_a_forgotten_memory_is_not_there(owner, at, actor):
    memory = factories.remember(actor)
    memories.forget(actor, number=memory.number)
    assert owner.get(at(f"memories/{memory.number}/")).status_code == 404


def test_p48_a_decayed_promise_is_found_by_its_tag(owner, at, actor):
    from memories.engine.delivery import BootRequest
    from memories.services import boot, promises

    promises.make(actor, content="look at the gauge")
    boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    assert "look at the gauge" in owner.get(at("memories/?tag=payload-promise-decayed")).text


def test_the_list_goes_on_by_pages(owner, at, actor):
    factories.remember_many(actor, 51)
    first = owner.get(at("memories/")).text
    assert "51 memories" in first
    older = first.rsplit("Older", 1)[0].rsplit('href="', 1)[1].split('"')[0].replace("&amp;", "&")
    second = owner.get(older).text
    assert second.count('class="cover"') == 1
    assert "Newer" in second


def test_ten_rows_cost_as_many_queries_as_thirty(owner, at, actor):
    counts = {"": [], "?q=note": []}
    for _ in range(3):
        factories.remember_many(actor, 10)
        factories.remember(actor, tags=("note",))
        for query, found in counts.items():
            with CaptureQueriesContext(connection) as queries:
                owner.get(at("memories/" + query))
            found.append(len(queries))
    assert all(found[0] == found[2] for found in counts.values())


def test_the_list_is_narrowed_by_category_source_and_archived(owner, at, actor, tenant):
    _, keeper = factories.person_in(tenant, username="keeper")
    factories.remember(actor, "core", "I am calm.", key="mood", category="soul")
    factories.remember(actor, "core", "I am Clawbert.", key="name", category="identity")
    factories.remember(actor, "axiom", "Never on a Friday.", category="releases")
    human = MemoryDraft(MemoryType.EPISODIC, "The keeper came by.", source=keeper.source)
    memories.remember(keeper, draft=human)
    memories.archive(actor, number=2)
    for query, found in (
        ("category=soul", ["I am calm."]),
        ("category=identity&archived=1", ["I am Clawbert."]),
        ("category=releases", ["Never on a Friday."]),
        ("source=human", ["The keeper came by."]),
        ("source=human&category=soul", []),
        ("source=nobody", []),
    ):
        text = owner.get(at(f"memories/?{query}")).text
        rows = re.findall(r'<span class="hint words">(.*?)</span>', text)
        assert rows == found, query
    assert "in category “soul”" in owner.get(at("memories/?category=soul")).text
    assert "in every category" in owner.get(at("memories/?q=calm&category=identity")).text


def test_pages_keep_every_filter(owner, at, actor):
    factories.remember_many(actor, 51)
    first = owner.get(at("memories/?source=agent&type=episodic")).text
    older = first.rsplit("Older", 1)[0].rsplit('href="', 1)[1].split('"')[0].replace("&amp;", "&")
    assert older.endswith("&type=episodic&source=agent")
    assert owner.get(older).text.count('class="cover"') == 1


@pytest.mark.parametrize("query", ["category=%00", "source=%00", "tag=%00", "cursor=x"])
def test_a_filter_that_nothing_can_answer_is_422(owner, at, query):
    assert owner.get(at(f"memories/?{query}")).status_code == 422


def test_versions_tell_what_changed_besides_the_content(owner, at, actor):
    memory = factories.remember(actor, "core", "I am calm.", key="mood", tags=("a", "b"))
    memories.revise(actor, number=1, changes={"tags": ("b", "<img src=x>"), "importance": 0.9, "key": "temper"})
    memories.archive(actor, number=1)
    memories.restore(actor, number=1)
    text = owner.get(at(f"memories/{memory.number}/")).text
    facts = re.findall(r'<p class="any">(.*?)</p>', text)
    assert facts == [
        "restored",
        "archived",
        "key: mood → temper",
        "tags: + &lt;img src=x&gt;, − a",
        "importance: 0.5 → 0.9",
    ]
    assert [int(n) for n in re.findall(r"<b>Version (\d)</b>", text)] == [4, 3, 2, 1]
