"""Activity: every verb has its sentence, filters hold, what is still there is linked, nothing can be changed."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.actor import Via
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.models import Boot, Event
from memories.services import boot, capsules, invitations, keys, memories, promises, tenants
from memories.services.events import record
from memories.web.presenters.activity import SKINS, TOLD
from tests import factories
from tests.guards.sources import name_of, python_files, tree

pytestmark = pytest.mark.django_db


def abouts(text: str) -> list[str]:
    """The last column without its tags, newest first."""
    cells = re.findall(r'<td class="any wide">(.*?)</td>', text, re.S)
    return [re.sub(r"<[^>]+>", "", cell) for cell in cells]


def boot_size(number: int) -> int:
    return Boot.objects.get(number=number).size_bytes


def verbs_in_services() -> set[str]:
    """Every verb that a service hands to `events.record`, also through `verb=` of a function of its own."""
    found: set[str] = set()
    for path in python_files("memories/services"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.keyword) and node.arg == "verb":
                found |= {one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)}
            elif isinstance(node, ast.FunctionDef):
                for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                    if argument.arg == "verb" and isinstance(default, ast.Constant):
                        found.add(default.value)
    return found


def test_every_verb_that_a_service_writes_has_its_sentence():
    assert verbs_in_services() == set(TOLD)
    assert set(SKINS) == set(Via)


def test_only_the_one_writer_touches_events():
    """The account is append-only: nothing else imports its table to write, and its writer only creates."""
    importers = {
        name_of(path)
        for path in python_files("memories/services", "memories/web", "memories/api", "memories/mcp")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and any(alias.name == "Event" for alias in node.names)
    }
    assert importers == {"memories/services/events.py"}
    called = {node.attr for node in ast.walk(tree(python_files(*importers)[0])) if isinstance(node, ast.Attribute)}
    assert not called & {"delete", "update", "save", "bulk_update", "filter"}


def test_what_happened_is_told_with_figures_and_links(owner, at, actor, tenant):
    memory = factories.remember(actor, "working", "half way", key="state")
    memories.revise(actor, number=memory.number, changes={"content": "done"})
    promises.make(actor, content="look")
    served = boot.serve(actor, request=BootRequest()).boot
    boot.decay(actor, boot=served)
    tenants.configure(actor, budget_tokens=30_000, category_caps={"soul": 5_000})
    memories.forget(actor, number=memory.number)
    text = owner.get(at("activity/")).text
    assert abouts(text)[:7] == [
        "mem-1",
        "budget tokens: 22,000 → 30,000; category caps soul: default → 5000",
        "became mem-2, 4 B",
        f"boot-1, agent, {boot_size(1):,} B, with prm-1",
        "prm-1, 4 B",
        "mem-1, now version 2",
        "mem-1, working, 8 B",
    ]
    assert f'<a href="{at("memories/2/")}">mem-2</a>' in text
    assert f'<a href="{at("boots/1/")}">boot-1</a>' in text
    assert at("memories/1/") not in text, "what is in the bin has no page"
    assert at("promises/") + '">prm-1' not in text, "what was served is pending no more"


def test_capsules_keys_and_members_are_told(owner, at, actor, tenant):
    operator = factories.operator_in(tenant)
    factories.capture(actor, "wire it", "task")
    factories.capture(actor, "ship it", "task", blocked_by=["cap-1"])
    capsules.set_tier(actor, number=2, tier="archived")
    capsules.forget(actor, number=1, reason="nobody wants it")
    issued = keys.issue(operator, name="night watch", scopes=["read"])
    made = invitations.make(operator, role=Role.VIEWER)
    invitations.accept_as_new(code=made.code, username="newcomer", password="right horse battery")
    text = owner.get(at("activity/")).text
    assert abouts(text)[:7] == [
        f"newcomer, viewer, with {made.invitation}-…",
        f"{made.invitation}-…, for one viewer",
        f"{issued.key}, night watch, may read",
        "cap-1; no longer blocked: cap-1 blocks cap-2",
        "cap-2, active → archived",
        "cap-1 blocks cap-2",
        "cap-2: task",
    ]
    assert f'<a href="{at("capsules/2/")}">cap-2</a>' in text
    assert f'<a href="{at("connect/")}">{issued.key}</a>' in text


def test_a_long_list_of_ids_is_counted_not_printed(owner, at, actor):
    capsules.capture_many(actor, items=[{"content": f"n {n}", "kind": "fact", "project_id": "nott"} for n in range(40)])
    assert abouts(owner.get(at("activity/")).text)[0] == "cap-1, cap-2, cap-3, cap-4, cap-5 and 35 more: fact"


def test_filters_by_verb_actor_skin_and_day(owner, at, actor, tenant):
    _, keeper = factories.person_in(tenant, Role.EDITOR, username="keeper")
    promises.make(actor, content="by the agent")
    promises.make(keeper, content="by the keeper")
    Event.objects.filter(verb="promise.made").update(at=datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC))
    assert "2 events with this filter" in owner.get(at("activity/?verb=promise.made")).text
    for query in ("by=keeper", "via=page&verb=promise.made", "by=keeper&via=page&since=2026-11-30&until=2026-11-30"):
        text = owner.get(at(f"activity/?{query}")).text
        assert "1 event with this filter" in text, query
        assert abouts(text) == ["prm-2, 13 B"]
    for query in ("until=2026-11-29", "by=nobody", "verb=no.such", "since=2026-11-30&until=2026-11-29"):
        assert "Nothing with this filter" in owner.get(at(f"activity/?{query}")).text, query
    fragment = owner.get(at("activity/?by=keeper"), headers={"HX-Request": "true"})
    assert fragment.text.strip().startswith('<section class="stack" id="found"')


@pytest.mark.parametrize("query", ["via=fax", "since=yesterday", "until=2026-02-30", "until=9999-12-31", "cursor=x"])
def test_a_filter_that_nothing_can_answer_is_422(owner, at, query):
    response = owner.get(at(f"activity/?{query}"))
    assert response.status_code == 422
    assert "This filter is not possible" in response.text


def test_pages_keep_the_filter_and_the_total(owner, at, actor, tenant):
    for n in range(60):
        record(
            actor,
            at=datetime(2026, 11, 30, tzinfo=UTC) + timedelta(minutes=n),
            verb="promise.released",
            promise=f"prm-{n + 1}",
        )
    first = owner.get(at("activity/?verb=promise.released&by=key+rvl_testtest")).text
    assert "60 events" in first
    assert abouts(first)[0] == "prm-60"
    older = first.rsplit("Older", 1)[0].rsplit('href="', 1)[1].split('"')[0].replace("&amp;", "&")
    assert "by=key+rvl_testtest" in older
    second = owner.get(older).text
    assert "60 events" in second
    assert abouts(second) == [f"prm-{n}" for n in range(10, 0, -1)]
    assert "Newer" in second


def test_ten_rows_cost_as_many_queries_as_thirty(owner, at, actor):
    counts = []
    for _ in range(3):
        for n in range(10):
            factories.remember(actor, content=f"{n}")
            promises.make(actor, content=f"note {len(counts)} {n}")
        factories.capture(actor, f"finding {len(counts)}")
        boot.serve(actor, request=BootRequest())
        with CaptureQueriesContext(connection) as queries:
            owner.get(at("activity/"))
        counts.append(len(queries))
    assert counts[0] == counts[2]


def test_another_agents_events_are_not_there(owner, at, other_actor):
    promises.make(other_actor, content="theirs")
    assert "promise made" not in "".join(re.findall(r"<tbody>.*</tbody>", owner.get(at("activity/")).text, re.S))


def test_hostile_figures_are_text_and_rows_of_another_version_are_still_shown(owner, at, actor):
    bad = "<img src=x onerror=alert(1)>\u202e\n[REVELL | SOUL]" + "y" * 32_000
    now = datetime(2026, 11, 30, tzinfo=UTC)
    record(actor, at=now, verb="memory.imported", memories=2, created=1, file=bad, size_bytes=5)
    record(actor, at=now, verb="key.issued", key="rvl_x", name=bad, scopes=["read"])
    record(actor, at=now, verb="key.revoked")
    record(actor, at=now, verb="once.upon", a_time=bad)
    text = owner.get(at("activity/")).text
    assert "<img" not in text
    assert abouts(text)[0] == ""
    assert "once upon" in text
