"""Adding, revising, archiving, restoring and forgetting memories by form."""

from __future__ import annotations

import re

import pytest

from memories.engine.kinds import Role
from memories.models import Event, Memory
from memories.services import memories
from tests import factories

pytestmark = pytest.mark.django_db


def version_in(text: str) -> str:
    return re.search(r'name="version" value="(\d+)"', text)[1]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("core", {"category": "soul", "key": "mood", "content": "calm"}),
        ("axiom", {"category": "", "content": "Never on a Friday."}),
        ("working", {"key": "importer", "content": "step 3"}),
        ("episodic", {"content": "It rained.\r\nAll day.", "tags": "rain\r\n\r\n the, quay ", "importance": "0.8"}),
        ("semantic", {"subject": "quay 7", "predicate": "has", "object": "two gauges", "context": "", "content": ""}),
    ],
)
def test_each_type_has_its_form(owner, at, kind, fields):
    form = owner.get(at(f"memories/new/?type={kind}")).text
    for field in fields:
        assert f'name="{field}"' in form
    response = owner.post(at("memories/new/"), {"type": kind, **fields}, follow=True)
    memory = Memory.objects.get()
    assert response.redirect_chain == [(at(f"memories/{memory.number}/"), 302)]
    assert "mem-1 is remembered." in response.text
    assert (memory.type, memory.source) == (kind, "human")
    if kind == "episodic":
        assert (memory.content, memory.tags, memory.importance) == ("It rained.\nAll day.", ["rain", "the, quay"], 0.8)


def test_a_key_that_is_there_is_revised_and_the_page_says_so(owner, at):
    fields = {"type": "core", "category": "soul", "key": "mood", "content": "calm"}
    owner.post(at("memories/new/"), fields)
    response = owner.post(at("memories/new/"), {**fields, "content": "awake"}, follow=True)
    assert "mem-1 had this key already and is revised." in response.text
    assert Memory.objects.get().content == "awake"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"type": "episodic", "content": " "}, "content"),
        ({"type": "axiom", "content": "x" * 251}, "content"),
        ({"type": "core", "category": "soul", "key": "", "content": "x"}, "key"),
        ({"type": "semantic", "subject": "a", "predicate": "", "object": "b"}, "predicate"),
        ({"type": "episodic", "content": "x", "importance": "2"}, "importance"),
        ({"type": "episodic", "content": "x", "importance": "much"}, "importance"),
    ],
)
def test_what_cannot_be_is_422_on_its_field_and_the_text_is_kept(owner, at, fields, field):
    response = owner.post(at("memories/new/"), fields)
    assert response.status_code == 422
    assert 'aria-invalid="true"' in re.search(rf'<\w+ [^>]*id="{field}"[^>]*>', response.text)[0]
    assert fields.get("content", "") in response.text
    assert not Memory.objects.exists()


def test_a_full_category_is_409_with_the_numbers_and_the_text_kept(owner, at, actor):
    factories.remember(actor, "core", "x" * 4_000)
    response = owner.post(
        at("memories/new/"), {"type": "core", "category": "soul", "key": "k", "content": "one line more"}
    )
    assert response.status_code == 409
    assert "4,000 of 4,000 characters" in response.text
    assert "one line more" in response.text


def test_a_revision_keeps_the_version_before(owner, at, actor):
    factories.remember(actor, "core", "calm", key="mood", tags=("a", "b"))
    form = owner.get(at("memories/1/revise/")).text
    fields = {"content": "awake", "key": "mood", "category": "soul", "tags": "a", "version": version_in(form)}
    response = owner.post(at("memories/1/revise/"), fields, follow=True)
    assert "mem-1 is at version 2." in response.text
    assert "<del><span>calm</span></del><ins><span>awake</span></ins>" in response.text
    memory = Memory.objects.get()
    assert (memory.content, memory.tags) == ("awake", ["a"])


def test_a_stale_change_shows_both_texts_and_loses_nothing(owner, at, actor):
    factories.remember(actor, "episodic", "first")
    version = version_in(owner.get(at("memories/1/revise/")).text)
    memories.revise(actor, number=1, changes={"content": "theirs"})
    stale = owner.post(at("memories/1/revise/"), {"content": "mine", "version": version})
    assert stale.status_code == 409
    assert "<del><span>theirs</span></del><ins><span>mine</span></ins>" in stale.text
    assert re.search(r"<textarea[^>]*>\s*mine</textarea>", stale.text)
    assert Memory.objects.get().content == "theirs"
    again = owner.post(at("memories/1/revise/"), {"content": "mine", "version": version_in(stale.text)})
    assert again.status_code == 302
    assert Memory.objects.get().content == "mine"


def test_a_stale_change_of_other_fields_shows_both_and_the_stored_text_whole(owner, at, actor):
    factories.remember(actor, "core", "one\ntwo\nthree", key="mood", tags=("a",))
    version = version_in(owner.get(at("memories/1/revise/")).text)
    memories.revise(actor, number=1, changes={"tags": ("b",), "content": "one\ntwo\n<b>3</b>"})
    mine = {"category": "soul", "key": "temper", "tags": "a", "importance": "0.5", "content": "one\ntwo\nthree"}
    stale = owner.post(at("memories/1/revise/"), {**mine, "version": version})
    assert stale.status_code == 409
    assert "key: mood → temper" in stale.text
    assert "tags: + a, − b" in stale.text
    assert "<pre>one\ntwo\n&lt;b&gt;3&lt;/b&gt;</pre>" in stale.text
    assert 'value="temper"' in stale.text


def test_a_viewer_sees_each_button_disabled_with_the_reason(sign_in, at, actor):
    factories.remember(actor)
    viewer = sign_in(Role.VIEWER)
    for page, count in (("memories/", 1), ("memories/1/", 3)):
        main = viewer.get(at(page)).text.split("<main", 1)[1]
        assert "The role viewer does not have the scope “write”" in main
        assert len(re.findall(r'<button type="button"[^>]* disabled', main)) == count
        assert "/memories/1/revise/" not in main
        assert "/memories/new/" not in main


def test_a_wrong_value_does_not_make_a_stale_form_fresh(owner, at, actor):
    factories.remember(actor, "episodic", "first")
    version = version_in(owner.get(at("memories/1/revise/")).text)
    memories.revise(actor, number=1, changes={"content": "theirs"})
    wrong = owner.post(at("memories/1/revise/"), {"content": "mine", "importance": "much", "version": version})
    assert wrong.status_code == 422
    assert version_in(wrong.text) == version


def test_archive_and_restore(owner, at, actor):
    factories.remember(actor)
    page = owner.post(at("memories/1/archive"), {"version": "1"}, follow=True).text
    assert "mem-1 is archived" in page
    assert at("memories/1/restore") in page
    assert owner.post(at("memories/1/archive"), {"version": "1"}).status_code == 409
    assert "mem-1 is back." in owner.post(at("memories/1/restore"), follow=True).text
    assert Memory.objects.get().archived_at is None


def test_forgetting_asks_once_and_can_be_taken_back(owner, at, actor):
    factories.remember(actor, "episodic", "It rained.")
    asked = owner.get(at("memories/1/forget/")).text
    assert "Forget “mem-1”?" in asked
    assert "It rained." in asked
    assert Memory.objects.get().forgotten_at is None
    owner.post(at("memories/1/forget/"), {"version": version_in(asked)})
    assert owner.get(at("memories/1/")).status_code == 404
    assert "It rained." not in owner.get(at("memories/")).text
    bin_page = owner.get(at("memories/?forgotten=1")).text
    assert "It rained." in bin_page
    assert at("memories/1/restore") in bin_page
    owner.post(at("memories/1/restore"))
    assert "It rained." in owner.get(at("memories/")).text


@pytest.mark.parametrize("page", ["new/", "1/revise/", "1/archive", "1/restore", "1/forget/"])
def test_a_viewer_and_another_agent_change_nothing(sign_in, other_tenant, at, actor, page):
    factories.remember(actor)
    refused = sign_in(Role.VIEWER).post(at("memories/" + page), {"content": "x", "version": "1"})
    assert refused.status_code == 403
    person, _ = factories.person_in(other_tenant)
    assert sign_in(person=person).post(at("memories/" + page), {"content": "x"}).status_code == 404
    assert Event.objects.filter(verb__startswith="memory.").count() == 1
    assert "The role viewer" in sign_in(Role.VIEWER).get(at("memories/1/")).text


@pytest.mark.parametrize("page", ["revise/", "archive", "restore", "forget/"])
def test_what_is_not_there_is_404(owner, at, page):
    assert owner.post(at("memories/9/" + page), {"content": "x", "version": "1"}).status_code == 404
