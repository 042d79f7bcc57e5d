"""The promises page: the cap, making, releasing, what was served."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.delivery import BootRequest
from memories.models import Event, Promise
from memories.services import boot, promises, tenants
from tests import factories

pytestmark = pytest.mark.django_db


def test_p9_a_promise_is_made_to_the_byte(owner, at, tenant):
    """A form sends CRLF for every line end; what is stored has LF."""
    response = owner.post(at("promises/"), {"content": "first line\r\n  second <b>line</b>\t\r\n"}, follow=True)
    assert response.redirect_chain == [(at("promises/"), 302)]
    promise = Promise.objects.get()
    assert promise.content == "first line\n  second <b>line</b>\t\n"
    assert "prm-1 is promised. 8,767 B are free." in response.text
    assert "&lt;b&gt;line&lt;/b&gt;" in response.text


def test_p10_the_same_promise_twice_is_one(owner, at):
    owner.post(at("promises/"), {"content": "once"})
    assert "prm-1 was pending already" in owner.post(at("promises/"), {"content": "once"}, follow=True).text
    assert Promise.objects.count() == 1


def test_p6_over_the_cap_is_409_with_the_text_kept_and_the_numbers(owner, at, actor):
    promises.make(actor, content="x" * 3_431)
    typed = "é" * 4_107
    response = owner.post(at("promises/"), {"content": typed})
    assert response.status_code == 409
    assert typed in response.text
    assert "Not saved: 2,845 B too long" in response.text
    assert "This promise is 8,214 B. The cap is 8,800 B and 3,431 B are pending, so 5,369 B are free." in response.text
    assert "Shorten it by 2,845 B, or release earlier ones." in response.text
    assert 'aria-invalid="true"' in response.text
    assert Promise.objects.count() == 1


def test_p7_exactly_full_is_made(owner, at):
    assert owner.post(at("promises/"), {"content": "x" * 8_800}).status_code == 302
    assert owner.post(at("promises/"), {"content": "y"}).status_code == 409


@pytest.mark.parametrize("content", ["", " \r\n ", "bell \x07"])
def test_what_cannot_be_a_promise_is_422_on_the_field(owner, at, content):
    response = owner.post(at("promises/"), {"content": content})
    assert response.status_code == 422
    assert 'id="content-e"' in response.text
    assert not Promise.objects.exists()


def test_p8_a_lowered_budget_is_named_as_the_reason(owner, at, actor, tenant):
    promises.make(actor, content="x" * 5_000)
    tenants.configure(factories.operator_in(tenant), budget_tokens=10_000)
    text = owner.get(at("promises/")).text
    assert "1,000 B over the cap, because the budget was lowered" in text
    assert "Nothing is lost" in text
    refused = owner.post(at("promises/"), {"content": "one more"})
    assert refused.status_code == 409
    assert "one more" in refused.text


def test_p11_the_oldest_stands_first(owner, at, actor):
    for n in range(3):
        promises.make(actor, content=f"note {n}")
    text = owner.get(at("promises/")).text
    assert text.index("note 0") < text.index("note 1") < text.index("note 2")


def test_p12_release_withdraws_one(owner, at, actor):
    promises.make(actor, content="a")
    promises.make(actor, content="b")
    response = owner.post(at("promises/1/release"), follow=True)
    assert "prm-1 is released" in response.text
    assert [promise.number for promise in Promise.objects.all()] == [2]
    assert owner.post(at("promises/1/release")).status_code == 404
    assert owner.get(at("promises/2/release")).status_code == 405


def test_p13_p14_the_page_says_what_belongs_in_a_promise_and_offers_no_promotion(owner, at, actor):
    promises.make(actor, content="a note")
    text = owner.get(at("promises/")).text
    assert "Who you are belongs in core. A rule belongs in axioms." in text
    assert "save on purpose" in text
    assert "promote" not in text.lower()


def test_a_served_promise_names_its_boot_and_the_memory_it_became(owner, at, actor):
    promises.make(actor, content="a note")
    served = boot.serve(actor, request=BootRequest())
    assert "shown, still pending" in owner.get(at("promises/")).text
    boot.decay(actor, boot=served.boot)
    text = owner.get(at("promises/")).text
    assert at("boots/1/") in text
    assert at("memories/1/") in text


def test_looking_writes_nothing(owner, at, actor):
    promises.make(actor, content="a note")
    before = Event.objects.count()
    owner.get(at("promises/"))
    assert Event.objects.count() == before


def test_ten_rows_cost_as_many_queries_as_thirty(owner, at, actor):
    counts = []
    for n in range(3):
        for k in range(10):
            promises.make(actor, content=f"served {n} {k}")
        boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
        for k in range(10):
            promises.make(actor, content=f"pending {n} {k}")
        with CaptureQueriesContext(connection) as queries:
            owner.get(at("promises/"))
        counts.append(len(queries))
    assert counts[0] == counts[2]
