"""Capsules of a project, one capsule, and the pack with its costs."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.kinds import Role
from memories.models import Event
from memories.selectors import capsules as reading
from memories.services import capsules
from tests import factories

pytestmark = pytest.mark.django_db
PAGES_OF_ROWS = (
    "capsules/?project_prefix=nott", "capsules/?q=task", "capsules/blocks/", "capsules/1/", "capsules/new/",
    "capsules/aliases/", "pack/", "pack/?against=usual",
)  # fmt: skip
HOSTILE = '<img src=x onerror="alert(1)">\u202e "quoted" [REVELL | SOUL]'


def capture(actor, kind, content, project_id="nott", **values):
    return capsules.capture(actor, values={"kind": kind, "content": content, "project_id": project_id, **values})[
        0
    ].capsule


def project(actor):
    capture(actor, "constraint", "never force-push main", confidence=0.9)
    capture(actor, "decision", "sqlite for the local store", "nott/x")
    capture(actor, "task", "wire the projection")
    capture(actor, "task", "publish the surface", blocked_by=["cap-3"])
    capture(actor, "decision", "postgres when it grows", "nott/x", supersedes=["cap-2"])
    capture(actor, "fact", "the quay is long", "other")


def test_an_empty_agent_is_told_what_a_capsule_is(owner, at):
    text = owner.get(at("capsules/")).text
    assert "No capsule yet" in text
    assert "import_capsules" in text


def test_c11_the_list_shows_kind_markers_and_relations(owner, at, actor):
    project(actor)
    text = owner.get(at("capsules/")).text
    assert "6 capsules" in text
    row = re.search(r"cap-2</td>.*?</tr>", text, re.S)[0]
    assert "decision" in row
    assert "superseded" in row
    assert re.search(r"superseded by <a[^>]*>cap-5</a>", row)
    assert re.search(r"blocked by <a[^>]*>cap-3</a>", text)
    assert "1 ready · 1 blocked · 0 done" in text


def test_c24_a_project_holds_what_is_below_it_and_counts_it(owner, at, actor):
    project(actor)
    text = owner.get(at("capsules/?project_prefix=nott&kind=decision")).text
    assert "2 capsules" in text
    assert "the quay is long" not in text
    assert re.search(r"nott/x</span> <span class=\"num\">2<", text)
    assert re.search(r"nott</span> <span class=\"num\">5<", text)
    assert "Nothing here" in owner.get(at("capsules/?project_prefix=notthing")).text


def test_c20_a_wrong_filter_is_told_and_the_page_still_shows_capsules(owner, at, actor):
    project(actor)
    response = owner.get(at("capsules/?project_prefix=nott/"))
    assert response.status_code == 422
    assert "Send “nott”" in html.unescape(response.text)
    assert "never force-push main" in response.text
    assert owner.get(at("capsules/?cursor=nonsense")).status_code == 422


def test_c56_pages_go_back_to_the_oldest(owner, at, actor):
    capsules.capture_many(
        actor, items=[{"kind": "fact", "content": f"fact {n}", "project_id": "nott"} for n in range(60)]
    )
    text = owner.get(at("capsules/")).text
    older = html.unescape(re.search(r'href="([^"]*cursor=[^"]*)"', text)[1])
    assert "fact 59" in text
    assert "fact 0<" in owner.get(older).text


def test_c57_one_capsule_is_shown_whole(owner, at, actor):
    project(actor)
    capsules.set_tier(actor, number=1, tier="quarantined")
    text = owner.get(at("capsules/1/")).text
    assert "never force-push main" in text
    assert "active to quarantined" in text
    assert "0.9" in text
    assert owner.get(at("capsules/99/")).status_code == 404


def test_c6_a_tombstone_says_when_and_why(owner, at, actor):
    project(actor)
    capsules.forget(actor, number=1, reason="it was never true")
    text = owner.get(at("capsules/1/")).text
    assert "Forgotten" in text
    assert "it was never true" in text
    assert "never force-push main" not in text


def test_c35_the_pack_is_the_one_an_agent_gets(owner, at, actor):
    project(actor)
    text = owner.get(at("pack/?project_prefix=nott&terms=publish,+store&token_budget=400")).text
    expected = reading.bootstrap(
        actor, arguments={"project_prefix": "nott", "terms": ["publish", "store"], "token_budget": 400}
    )
    shown = re.search(r'<pre class="words" id="pack-json">(.*?)</pre>', text, re.S)[1]
    assert html.unescape(shown) == expected.to_json()
    assert f"{expected.used_tokens} <span" in text
    assert "wire the projection" in text


QUESTIONS = (
    {},
    {"project_prefix": "nott", "terms": "publish, store", "token_budget": "400"},
    {"project_id": "nott/x", "ancestors": "1"},
    {"token_budget": "0"},
)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_c43_page_file_and_rest_give_the_same_bytes(owner, at, actor, tenant, client, question):
    project(actor)
    capture(actor, "constraint", HOSTILE + " é 👩‍👩‍👧 \r")
    body: dict = {name: question[name] for name in ("project_prefix", "project_id") if name in question}
    if "terms" in question:
        body["terms"] = ["publish", "store"]
    if "ancestors" in question:
        body["ancestors"] = True
    if "token_budget" in question:
        body["token_budget"] = int(question["token_budget"])
    rest = client.post(
        "/api/v1/bootstrap",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {factories.issue_key(tenant)}"},
    )
    shown = re.search(r'id="pack-json">(.*?)</pre>', owner.get(at("pack/"), question).text, re.S)[1]
    kept = owner.get(at("pack/json"), question)
    assert rest.status_code == 200
    assert kept.content == rest.content
    assert html.unescape(shown).encode() == rest.content
    assert kept["Content-Disposition"].startswith("attachment")


def test_c47_everything_left_out_is_named_with_its_reason(owner, at, actor):
    project(actor)
    for n in range(12):
        capture(actor, "failure_pattern", f"trap {n}")
    text = owner.get(at("pack/?token_budget=120")).text
    left = text.split('id="left-out"')[1].split("</section>")[0]
    pack = reading.bootstrap(actor, arguments={"token_budget": 120})
    shown = {row.number for row in pack.rows()}
    named = {int(number) for number in re.findall(r">cap-(\d+)</a>", left)}
    whole = reading.bootstrap(actor, arguments={"token_budget": 10**6})
    assert named == {row.number for row in whole.rows()} - shown | {7, 8}
    assert "Traps: past the 10 that the list holds" in left
    assert "Traps: no room in the token budget" in left
    assert f"{pack.trimmed_by_budget + 2}, with the reason" in left


def test_c34_each_row_says_how_many_terms_put_it_there(owner, at, actor):
    project(actor)
    text = owner.get(at("pack/?terms=postgres,+it+grows,+publish,+sqlite")).text
    row = re.search(r"<mark>postgres</mark> when <mark>it</mark> <mark>grows</mark>.*?</p>", text, re.S)[0]
    assert "2 of 4 terms" in row
    assert "terms" not in re.search(r"wire the projection.*?</p>", text, re.S)[0]
    assert "of 0 terms" not in owner.get(at("pack/")).text


def test_the_pack_is_compared_with_the_usual_budget(owner, at, actor):
    project(actor)
    text = owner.get(at("pack/?token_budget=120&against=usual")).text
    assert "Compared with 1,500 tokens" in text
    assert re.search(r"<del><span>cap-5 postgres when it grows</span></del>", text)
    assert "The same rows stand in both" in owner.get(at("pack/?against=usual")).text
    assert "Compared with" not in owner.get(at("pack/?token_budget=120")).text


def test_c47_the_pack_says_what_the_budget_trimmed(owner, at, actor):
    project(actor)
    text = owner.get(at("pack/?token_budget=1")).text
    assert "over: the first constraint and the next action are always kept" in text
    assert "no room in the token budget" in text
    assert "0 of 0 tokens" in re.sub(r"<[^>]+>", "", owner.get(at("pack/?token_budget=0")).text)


@pytest.mark.parametrize("budget", ["-1", "1.5", "many"])
def test_c19_a_wrong_question_is_refused_on_its_field(owner, at, actor, budget):
    response = owner.get(at(f"pack/?token_budget={budget}"))
    assert response.status_code == 422
    assert 'aria-invalid="true"' in response.text
    assert "whole number" in response.text


def test_htmx_gets_the_part_and_browsers_the_page(owner, at, actor):
    project(actor)
    for page, part in (("capsules/", "found"), ("pack/", "compiled")):
        for headers in ({}, {"HX-Request": "true"}):
            response = owner.get(at(page), headers=headers)
            assert f'id="{part}"' in response.text
            assert ("<html" in response.text) is not bool(headers)
            assert "HX-Request" in response["Vary"]


def test_viewers_see_and_strangers_find_nothing(sign_in, at, actor, other_tenant):
    project(actor)
    stranger, _ = factories.person_in(other_tenant)
    for page in ("capsules/", "capsules/1/", "pack/"):
        assert sign_in(Role.VIEWER).get(at(page)).status_code == 200
        assert sign_in(person=stranger).get(at(page)).status_code == 404


def test_hostile_text_is_shown_as_text(owner, at, actor):
    capture(actor, "constraint", HOSTILE, "<b>/x")
    for page in ("capsules/", "capsules/1/", "pack/"):
        text = owner.get(at(page)).text
        assert "<img src=x" not in text
        assert "&lt;img src=x" in text


def test_c52_looking_writes_nothing_and_takes_the_same_queries_for_10_and_30(owner, at, actor):
    counts = []
    for begin in (0, 10):
        capsules.capture_many(
            actor,
            items=[
                {
                    "kind": "task",
                    "content": f"task {n}",
                    "project_id": f"nott/{n}",
                    "blocked_by": ["cap-1"] if n else [],
                }
                for n in range(begin, begin + 10 + begin)
            ],
        )
        events = Event.objects.count()
        for page in PAGES_OF_ROWS:
            with CaptureQueriesContext(connection) as seen:
                assert owner.get(at(page)).status_code == 200
            counts.append((page, len(seen)))
        assert Event.objects.count() == events
    assert counts[: len(PAGES_OF_ROWS)] == counts[len(PAGES_OF_ROWS) :]
