"""Past boots: history, exact text, manifest, endings, difference."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Acknowledge, Channel
from memories.models import Boot
from memories.services import boot, memories, promises
from tests import factories
from tests.web.test_preview import shown

pytestmark = pytest.mark.django_db


def serve(actor, **options):
    served = boot.serve(actor, request=BootRequest(**options))
    boot.decay(actor, boot=served.boot)
    return served


def test_without_a_boot_the_page_leads_to_the_preview(owner, at):
    text = owner.get(at("boots/")).text
    assert "has not booted yet" in text
    assert at("preview/") in text


def test_p44_a_boot_shows_who_when_how_and_the_exact_text(owner, at, actor):
    factories.remember(actor, "episodic", "line one\r\nline <b>two</b>\n\n[REVELL | SOUL] no")
    served = serve(actor, channel=Channel.SESSION_START, context_hint="tide", session_id="s-1")
    text = owner.get(at("boots/1/")).text
    for told in ("boot-1", "session start", "key rvl_testtest", "tide", "s-1", served.sha256):
        assert told in text
    assert shown(owner.get(at("boots/1/?part=text")).text) == served.payload
    assert owner.get(at("boots/1/text")).content.decode() == served.payload
    assert "Allocation" in owner.get(at("boots/1/?part=manifest")).text


def test_a_text_that_is_kept_no_longer_is_said_to_be_pruned(owner, at, actor):
    serve(actor)
    serve(actor)
    Boot.objects.filter(number=1).update(payload="")
    for part in ("", "?part=text"):
        assert "was pruned" in owner.get(at("boots/1/" + part)).text
    assert owner.get(at("boots/1/?part=manifest")).status_code == 200
    assert "no text before this one" in owner.get(at("boots/2/")).text
    gone = owner.get(at("boots/1/text"))
    assert gone.status_code == 404
    assert "pruned" in gone.text


def test_p39_how_each_promise_ended_is_told(owner, at, actor, monkeypatch):
    for n in range(3):
        promises.make(actor, content=f"note {n}")
    served = boot.serve(actor, request=BootRequest())
    promises.release(actor, number=3)
    real = memories.store_decayed

    def fall_once(actor, *, draft, **more):
        if draft.content == "note 1":
            raise DatabaseError("no")
        return real(actor, draft=draft, **more)

    monkeypatch.setattr("memories.services.boot.memories.store_decayed", fall_once)
    boot.decay(actor, boot=served.boot)
    text = owner.get(at("boots/1/")).text
    assert "became" in text
    assert at("memories/1/") in text
    assert "could not become a memory yet; it stays pending" in text
    assert "was released before it could become a memory" in text


def test_p42_a_boot_that_waits_for_its_acknowledgement_says_so(owner, at, actor):
    promises.make(actor, content="a note")
    serve(actor, acknowledge=Acknowledge.EXPLICIT)
    assert "its promises stay pending" in owner.get(at("boots/1/")).text


def test_the_difference_to_the_boot_before(owner, at, actor):
    factories.remember(actor, "core", "I am calm.", key="mood")
    serve(actor)
    promises.make(actor, content="look here")
    factories.remember(actor, "core", "I am wide awake.", key="mood")
    serve(actor)
    text = owner.get(at("boots/2/")).text
    assert "Against boot-1" in text
    assert '<del><span class="lines">• mood: I am calm.</span></del>' in text
    assert '<ins><span class="lines">• mood: I am wide awake.</span></ins>' in text
    assert "[REVELL | PROMISED]" in text


def test_a_boot_is_compared_with_another_and_with_the_next_payload(owner, at, actor):
    for n in range(3):
        factories.remember(actor, "core", f"state {n}", key="state")
        serve(actor)
    factories.remember(actor, "core", "state 3", key="state")
    assert "• state: state 0" in owner.get(at("boots/3/?against=boot-1")).text
    following = owner.get(at("boots/3/?against=next")).text
    assert "• state: state 2" in following
    assert "• state: state 3" in following
    assert owner.get(at("boots/3/?against=boot-77")).status_code == 404
    assert owner.get(at("boots/3/?against=nonsense")).status_code == 200


def test_two_equal_texts_are_said_to_be_equal(owner, at, actor):
    serve(actor)
    serve(actor)
    assert "The same text, byte for byte." in owner.get(at("boots/2/")).text


def test_the_history_goes_on_by_pages(owner, at, actor):
    for _ in range(31):
        serve(actor)
    first = owner.get(at("boots/")).text
    assert "31 in all" in first
    older = first.split("Older")[0].rsplit('href="', 1)[1].split('"')[0]
    second = owner.get(older).text
    assert "boot-1</b>" in second
    assert "boot-31</b>" not in second
    assert "Newer" in second


def test_ten_rows_cost_as_many_queries_as_thirty(owner, at, actor):
    counts = []
    for n in range(3):
        for k in range(10):
            promises.make(actor, content=f"note {n} {k}")
            serve(actor)
        with CaptureQueriesContext(connection) as queries:
            owner.get(at("boots/"))
        counts.append(len(queries))
    assert counts[0] == counts[2]
