"""Capturing, relating, proving, moving and forgetting capsules in pages, and the aliases of terms."""

from __future__ import annotations

import html

import pytest

from memories.engine.kinds import Role
from memories.models import Capsule, CapsuleRelation, Event, TermAlias
from memories.services import capsules
from tests import factories

pytestmark = pytest.mark.django_db
WHOLE = {"content": "never force-push main", "kind": "constraint", "project_id": "nott"}


def text_of(response) -> str:
    return html.unescape(response.text)


def test_c1_a_form_captures_what_a_call_would(owner, at):
    form = {
        **WHOLE,
        "content": "one\r\n\r\ntwo",
        "confidence": "0,9",
        "valid_from": "2026-01-02",
        "valid_to": "2026-12-31",
        "source": "",
        "tainted": "1",
    }
    response = owner.post(at("capsules/new/"), form)
    assert response["Location"].endswith("/capsules/1/")
    made = Capsule.objects.get()
    assert (made.content, made.kind, made.project_id, made.confidence) == ("one\n\ntwo", "constraint", "nott", 0.9)
    assert (made.source, made.tainted, made.valid_to.isoformat()[:10]) == ("human", True, "2026-12-31")
    assert "cap-1 is captured" in owner.get(at("capsules/1/")).text


def test_c10_links_are_written_with_it(owner, at, actor):
    for n in range(3):
        factories.capture(actor, f"task {n}", "task")
    form = {**WHOLE, "kind": "task", "blocks": "cap-1, 2", "blocked_by": "3"}
    owner.post(at("capsules/new/"), form)
    kept = set(CapsuleRelation.objects.values_list("kind", "source_number", "target_number"))
    assert kept == {("blocks", 4, 1), ("blocks", 4, 2), ("blocks", 3, 4)}


def test_c9_the_same_content_again_is_told(owner, at, actor):
    factories.capture(actor, WHOLE["content"], "constraint")
    response = owner.post(at("capsules/new/"), WHOLE, follow=True)
    assert "cap-1 says this already" in response.text
    assert Capsule.objects.count() == 1


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("content", "", "A capsule needs a content"),
        ("content", " ", "The content is blank"),
        ("kind", "", "A capsule needs a kind"),
        ("kind", "story", "is no kind"),
        ("project_id", "", "A capsule needs a project_id"),
        ("project_id", "a//b", "empty segment"),
        ("confidence", "2", "confidence is a number from 0 to 1"),
        ("confidence", "much", "confidence is a number from 0 to 1"),
        ("valid_from", "tomorrow", "valid_from is a date"),
        ("valid_to", "2020-01-01", "valid_to must not be before"),
        ("blocks", "cap-x", "A capsule's id looks like cap-12"),
        ("content", "x" * 20_001, "at most 20,000 characters"),
    ],
)
def test_c1_what_is_wrong_is_told_at_its_field_and_the_text_is_kept(owner, at, field, value, said):
    response = owner.post(at("capsules/new/"), {**WHOLE, field: value})
    assert response.status_code == 422
    text = text_of(response)
    place = text.index(f'id="{field}-h"')
    assert said in text[place : place + 900]
    assert 'aria-invalid="true"' in text
    if field != "content":
        assert "never force-push main</textarea>" in text
    assert not Capsule.objects.exists()


def test_an_unknown_link_is_told_and_nothing_is_written(owner, at):
    response = owner.post(at("capsules/new/"), {**WHOLE, "blocks": "99"})
    assert response.status_code == 404
    assert "There is no cap-99" in response.text
    assert "never force-push main</textarea>" in response.text
    assert not Capsule.objects.exists()


def test_superseding_begins_with_the_old_text(owner, at, actor):
    factories.capture(actor, "old words", "decision", project_id="nott/x", confidence=0.8)
    text = owner.get(at("capsules/new/?supersedes=cap-1")).text
    assert "old words</textarea>" in text
    assert 'value="nott/x"' in text
    assert 'value="0.8"' in text
    response = owner.post(
        at("capsules/new/"),
        {"content": "new words", "kind": "decision", "project_id": "nott/x", "supersedes": "cap-1"},
        follow=True,
    )
    assert "Supersedes" in response.text
    assert "superseded" in owner.get(at("capsules/1/")).text
    for link in ("cap-99", "nonsense", "cap-" + "9" * 40):
        assert owner.get(at(f"capsules/new/?supersedes={link}")).status_code in (200, 404)


def test_c8_what_a_write_frees_is_told(owner, at, actor):
    factories.capture(actor, "first", "task")
    factories.capture(actor, "second", "task", blocked_by=["cap-1"])
    response = owner.post(at("capsules/1/forget/"), {"reason": "it was never needed"}, follow=True)
    assert "This ends what held back cap-2 (held by cap-1)" in text_of(response)


def test_c7_a_loop_of_blocks_is_told_and_one_of_supersedes_refused(owner, at, actor):
    factories.capture(actor, "first", "task")
    factories.capture(actor, "second", "task", blocked_by=["cap-1"])
    response = owner.post(at("capsules/2/relate"), {"relation": "blocks", "other": "1"}, follow=True)
    assert "This closes a loop of blocks: cap-1, cap-2" in text_of(response)
    assert "note told is-warn" in response.text
    owner.post(at("capsules/2/relate"), {"relation": "supersedes", "other": "cap-1"})
    response = owner.post(at("capsules/1/relate"), {"relation": "supersedes", "other": "cap-2"})
    assert response.status_code == 409
    assert "cap-1 → cap-2 → cap-1" in text_of(response)
    assert 'value="cap-2"' in response.text


@pytest.mark.parametrize(
    ("relation", "kept"),
    [
        ("blocks", ("blocks", 1, 2)),
        ("blocks:by", ("blocks", 2, 1)),
        ("proves:by", ("proves", 2, 1)),
        ("derived_from", ("derived_from", 1, 2)),
    ],
)
def test_c5_a_relation_reads_from_the_page_that_makes_it(owner, at, actor, relation, kept):
    factories.capture(actor, "first", "task")
    factories.capture(actor, "second", "fact")
    response = owner.post(at("capsules/1/relate"), {"relation": relation, "other": " cap-2 "}, follow=True)
    assert CapsuleRelation.objects.values_list("kind", "source_number", "target_number").get() == kept
    assert "second</a>" in response.text


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"relation": "blocks", "other": ""}, 422, "looks like cap-12"),
        ({"relation": "blocks", "other": "cap-1"}, 422, "cannot be related to itself"),
        ({"relation": "blocks", "other": "cap-9"}, 404, "There is no cap-9"),
        ({"relation": "likes", "other": "cap-1"}, 422, "is no kind"),
    ],
)
def test_c5_a_wrong_relation_comes_back_in_its_form(owner, at, actor, form, status, said):
    factories.capture(actor, "first", "task")
    response = owner.post(at("capsules/1/relate"), form)
    assert response.status_code == status
    assert said in text_of(response)
    assert "first" in response.text
    assert owner.post(at("capsules/9/relate"), form).status_code == 404


def test_open_work_can_be_proven_from_its_page(owner, at, actor):
    factories.capture(actor, "build it", "task", project_id="a b/c")
    text = text_of(owner.get(at("capsules/1/")))
    assert "?proves=cap-1&kind=fact&project_id=a%20b/c" in text
    form = owner.get(at("capsules/new/?proves=cap-1&kind=fact&project_id=a%20b/c")).text
    assert 'value="cap-1"' in form
    assert 'value="a b/c"' in form
    owner.post(at("capsules/new/"), {**WHOLE, "kind": "fact", "proves": "cap-1"})
    assert "Mark it proven" not in owner.get(at("capsules/1/")).text


def test_c3_tiers_move_both_ways(owner, at, actor):
    factories.capture(actor, "a rule", "constraint")
    for tier in ("quarantined", "active"):
        assert f"cap-1 is {tier}" in owner.post(at("capsules/1/tier"), {"tier": tier}, follow=True).text
    assert owner.post(at("capsules/1/tier"), {"tier": "golden"}).status_code == 422


def test_c6_forgetting_names_what_is_destroyed_and_needs_a_reason(owner, at, actor):
    factories.capture(actor, "wrong from the start", "task")
    factories.capture(actor, "waits", "task", blocked_by=["cap-1"])
    text = owner.get(at("capsules/1/forget/")).text
    assert "Destroy “wrong from the start”?" in text
    assert "cannot be restored" in text
    assert "holds them back no longer" in text
    response = owner.post(at("capsules/1/forget/"), {"reason": "  "})
    assert response.status_code == 422
    assert "Forgetting needs a reason" in response.text
    assert Capsule.objects.get(number=1).content
    owner.post(at("capsules/1/forget/"), {"reason": "it was a guess"})
    assert Capsule.objects.get(number=1).content == ""
    assert "it was a guess" in owner.get(at("capsules/1/")).text
    assert owner.get(at("capsules/1/forget/")).status_code == 302


def test_c58_aliases_are_listed_and_made(owner, at, tenant):
    assert "No alias yet" in owner.get(at("capsules/aliases/")).text
    response = owner.post(at("capsules/aliases/"), {"term": "Database", "alias": "PostgreSQL"}, follow=True)
    assert "“postgresql” is an alias of “database”" in response.text
    assert TermAlias.objects.filter(tenant=tenant).count() == 1
    again = owner.post(at("capsules/aliases/"), {"term": "database", "alias": "postgresql"}, follow=True)
    assert "was an alias already" in again.text
    wrong = owner.post(at("capsules/aliases/"), {"term": "x", "alias": "!?"})
    assert wrong.status_code == 422
    assert "needs a letter or a digit" in wrong.text
    assert 'value="!?"' in wrong.text


def test_a_viewer_sees_the_buttons_disabled_with_the_reason_and_is_refused(sign_in, at, actor):
    factories.capture(actor, "a rule", "task")
    viewer = sign_in(Role.VIEWER)
    for page in ("capsules/", "capsules/1/", "capsules/aliases/"):
        text = viewer.get(at(page)).text
        assert "The role viewer does not have the scope" in text
        assert "disabled" in text
        assert "The role" not in sign_in(Role.EDITOR).get(at(page)).text
    events = Event.objects.count()
    for form in ("new/", "1/relate", "1/tier", "1/forget/", "aliases/"):
        assert viewer.post(at(f"capsules/{form}"), WHOLE).status_code == 403
    assert Event.objects.count() == events


def test_searching_finds_what_retrieve_finds_and_counts_the_rest(owner, at, actor):
    factories.capture(actor, "the backup runs at night", "procedure")
    factories.capture(actor, "backup by hand", "decision")
    factories.capture(actor, "backup old", "decision")
    capsules.set_tier(actor, number=3, tier="archived")
    text = owner.get(at("capsules/?q=backup")).text
    assert "2 capsules match “backup”" in text
    assert "not in force: 1 archived" in text
    assert "1 capsule matches “backup”" in owner.get(at("capsules/?q=backup&kind=procedure")).text
    assert "No capsule matches “nothing”" in owner.get(at("capsules/?q=nothing")).text
    assert owner.get(at("capsules/?q=backup&kind=story")).status_code == 422


@pytest.mark.parametrize(
    ("state", "found"),
    [("", 4), ("in_force", 1), ("superseded", 1), ("expired", 1), ("archived", 1), ("quarantined", 0)],
)
def test_c56_states_narrow_the_list(owner, at, actor, state, found):
    factories.capture(actor, "old", "decision")
    factories.capture(actor, "new", "decision", supersedes=["cap-1"])
    factories.capture(actor, "gone by", "fact", valid_from="2020-01-01", valid_to="2020-02-01")
    factories.capture(actor, "put away", "fact")
    capsules.set_tier(actor, number=4, tier="archived")
    text = owner.get(at(f"capsules/?state={state}")).text
    assert f"{found} capsule" in text.split('id="list-h"')[1][:200]


def test_an_unknown_state_is_told(owner, at):
    assert owner.get(at("capsules/?state=golden")).status_code == 422


def test_a_large_tree_shows_the_way_to_what_is_chosen(owner, at, actor):
    projects = [f"p{n:03}/a/b" for n in range(60)]
    capsules.capture_many(actor, items=[{"kind": "fact", "content": "x", "project_id": one} for one in projects])
    text = owner.get(at("capsules/?project_prefix=p007/a")).text
    tree = text.split('aria-label="Projects"')[1].split("</nav>")[0]
    assert "p007/a/b</span>" in tree
    assert "p059</span>" in tree
    assert "p008/a</span>" not in tree


def test_the_picture_of_what_blocks_what_has_its_words(owner, at, actor):
    factories.capture(actor, "first <b>", "task")
    factories.capture(actor, "second", "task", blocked_by=["cap-1"], project_id="nott/x")
    text = owner.get(at("capsules/blocks/")).text
    assert 'class="node next"' in text
    assert 'class="node blocked"' in text
    assert "Next: cap-1. Blocked: cap-2." in text
    assert "first &lt;b&gt;" in text
    assert "All 2 with a relation are shown" in text
    inside = owner.get(at("capsules/blocks/?project_prefix=nott/x")).text
    assert "nott, outside" in inside
    assert "Nothing blocks anything here" in owner.get(at("capsules/blocks/?project_prefix=other")).text
    wrong = owner.get(at("capsules/blocks/?project_prefix=nott/"))
    assert wrong.status_code == 422
    assert "Send “nott”" in text_of(wrong)


def test_c42_a_chain_of_5000_is_drawn_in_part(owner, at, actor):
    items = [{"kind": "task", "content": f"step {n}", "project_id": "nott"} for n in range(1, 5_001)]
    for at_item in range(0, 5_000, 500):
        capsules.capture_many(actor, items=items[at_item : at_item + 500])
    tenant_id = actor.tenant
    ids = dict(Capsule.objects.values_list("number", "pk"))
    first = Capsule.objects.get(number=1)
    CapsuleRelation.objects.bulk_create(
        CapsuleRelation(
            tenant_id=tenant_id, kind="blocks", source_id=ids[n], target_id=ids[n + 1], source_number=n,
            target_number=n + 1, created_at=first.created_at,
        )
        for n in range(1, 5_000)
    )  # fmt: skip
    text = owner.get(at("capsules/blocks/")).text
    assert "200 of 5,000. 4,800 are not shown: 4,800 blocked." in text
    assert len(text) < 600_000
    assert "4,988 more, and all in words" in owner.get(at("capsules/")).text
