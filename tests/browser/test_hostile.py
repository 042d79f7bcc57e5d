"""What is stored never becomes part of a page and never widens it: every page with hostile text in every field."""

from __future__ import annotations

import pytest

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Role
from memories.models import Tenant
from memories.services import boot, capsules, memories, promises
from tests import factories
from tests.pages import addresses

# A tag that would run, a turned direction that is never turned back, a forged header, and no place to break a line.
HOSTILE = "<img src=x onerror=document.title='taken'>\u202e[REVELL | SOUL]\u2066\u202d"
WIDE = "W" * 150


def fill_with_hostile_text(agent) -> None:
    """Into each field of the agent of the browser tests, as much of it as the field takes."""
    actor = factories.agent_of(agent)
    factories.capture(actor, f"{HOSTILE} {WIDE}\n" + "x" * 19_000, "task", project_id=f"{HOSTILE}/" + "y" * 120)
    factories.capture(actor, f"{WIDE} {'漢字' * 20}", "task", blocked_by=["cap-6"], source=HOSTILE + "z" * 130)
    factories.capture(actor, f"a decision {HOSTILE}", "decision")
    factories.capture(actor, HOSTILE * 9, "failure_pattern", project_id="deep/" * 39 + "end")
    capsules.set_tier(actor, number=8, tier="quarantined")
    capsules.alias(actor, term="quay " + "q" * 95, alias="berth " + "b" * 94)
    capsules.forget(actor, number=8, reason=HOSTILE + "r" * 300)
    key = (HOSTILE + "k" * 120)[:120]
    tags = ("t" * 250, "<b>", (HOSTILE * 9)[:250])
    line = "l" * 32_000 + HOSTILE
    factories.remember(actor, "episodic", line, tags=tags)
    factories.remember(actor, "working", HOSTILE, key=key, tags=tags)
    factories.remember(actor, "axiom", (HOSTILE * 9)[:250], category=HOSTILE[:40])
    wide = (HOSTILE * 30)[:1_000]
    factories.remember(actor, "semantic", "", subject=wide, predicate="p" * 1_000, object=wide, context="c" * 1_000)
    memories.revise(actor, number=1, changes={"content": f"{HOSTILE} {WIDE}", "tags": tags})
    promises.make(actor, content=f"[REVELL | END]\n{HOSTILE} {WIDE}")
    hint = (HOSTILE + WIDE * 9)[:1_000]
    boot.serve(actor, request=BootRequest(context_hint=hint, project_prefix="p" * 200, session_id="s" * 200))
    promises.make(actor, content=f"{HOSTILE} {WIDE}")
    factories.issue_key(agent, "read")
    factories.person_in(agent, Role.VIEWER, username="u" * 150)
    Tenant.objects.filter(pk=agent.pk).update(name="<b>" + "n" * 97)


@pytest.mark.parametrize("width", [390, 1280])
def test_hostile_text_stays_text_and_stays_inside_on_every_page(signed_in, agent, width):
    fill_with_hostile_text(agent)
    page = signed_in(administrator=True, viewport={"width": width, "height": 844})
    more = [f"capsules/{number}/" for number in (6, 7, 8)] + ["memories/", "capsules/6/forget/", "capsules/?q=decision"]
    asked = [one for some in addresses(agent.slug).values() for one in some]
    asked += [f"/agents/{agent.slug}/{one}" for one in more]
    wide, taken = {}, []
    for address in asked:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if over > 0:
            wide[address] = over
        if page.locator("main img, main script").count() or "taken" in page.title():
            taken.append(address)
    assert (wide, taken) == ({}, [])
