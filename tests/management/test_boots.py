"""Serving and previewing on the command line, in this process."""

from __future__ import annotations

import hashlib
import io
import json

import pytest
from django.core.management import call_command

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Channel
from memories.models import Boot, Event, Memory, Promise
from memories.services import boot, promises
from tests import factories


@pytest.fixture
def filled(actor):
    """A tenant with a soul, a story and a promise."""
    factories.remember(actor, "core", "I say what I do not know.", key="honesty")
    factories.remember(actor, content="Zwölf Boxkämpfer 🥊\nsecond line")
    promises.make(actor, content="Step 3 of 5.\n\tIndented – ✓")
    return actor


def test_p35_boot_prints_the_bytes_of_the_preview(command, tenant, filled):
    seen = command("boot_preview", tenant.slug)
    assert command("boot", tenant.slug) == seen
    assert seen.endswith("[REVELL | END]\n")


def test_p34_boot_preview_changes_nothing(command, tenant, filled):
    events = Event.objects.count()
    for options in ([], ["--json"], ["--manifest"]):
        command("boot_preview", tenant.slug, *options)
    assert (Boot.objects.count(), Event.objects.count(), Promise.objects.count()) == (0, events, 1)


def test_p37_p38_boot_decays_what_it_has_written(command, tenant, filled):
    command("boot", tenant.slug)
    assert not Promise.objects.exists()
    assert Memory.objects.get(number=3).content == "Step 3 of 5.\n\tIndented – ✓"


class Broken(io.StringIO):
    """A reader that goes away."""

    def flush(self) -> None:
        raise BrokenPipeError


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_p38_a_reader_that_goes_away_leaves_the_promise_pending(tenant, filled, options):
    with pytest.raises(BrokenPipeError):
        call_command("boot", tenant.slug, *options, stdout=Broken())
    assert Promise.objects.count() == 1
    assert Boot.objects.get().served.get().outcome == "shown"


def test_p42_boot_with_explicit_acknowledgement_decays_nothing(command, tenant, filled):
    command("boot", tenant.slug, "--acknowledge", "explicit")
    assert Promise.objects.count() == 1


def test_p43_boot_with_an_idempotency_key_repeats_its_payload(command, tenant, filled):
    first = command("boot", tenant.slug, "--idempotency-key", "nightly")
    assert command("boot", tenant.slug, "--idempotency-key", "nightly") == first
    assert Boot.objects.count() == 1


def test_boot_as_json_has_the_members_of_the_rest_answer(command, tenant, filled):
    told = json.loads(command("boot", tenant.slug, "--json"))
    assert set(told) == {"boot_id", "payload", "size_bytes", "sha256", "repeat", "manifest"}
    raw = told["payload"].encode()
    assert (told["boot_id"], told["repeat"]) == ("boot-1", False)
    assert (told["size_bytes"], told["sha256"]) == (len(raw), hashlib.sha256(raw).hexdigest())
    assert not Promise.objects.exists()


def test_every_option_of_a_boot_arrives(command, tenant, filled):
    command(
        "boot", tenant.slug, "--channel", "post_compact", "--hint", "boxing", "--project", "a/b", "--session-id", "s-1",
        "--idempotency-key", "k-1", "--acknowledge", "explicit", "--max-chars", "3000",
    )  # fmt: skip
    made = Boot.objects.get()
    assert (made.channel, made.context_hint, made.project_prefix, made.session_id) == (
        "post_compact", "boxing", "a/b", "s-1",
    )  # fmt: skip
    assert (made.idempotency_key, made.acknowledge, made.max_chars) == ("k-1", "explicit", 3_000)
    assert (made.via, made.actor) == ("command", "operator")


def test_p47_boot_preview_computes_with_other_settings(command, tenant, filled):
    told = json.loads(command("boot_preview", tenant.slug, "--budget-tokens", "3000", "--shares", "10,20,70", "--json"))
    assert told["manifest"]["budget_tokens"] == 3_000
    assert {pool: part["share"] for pool, part in told["manifest"]["allocations"].items()} == {
        "core": 10, "working": 20, "episodic": 70,
    }  # fmt: skip
    tenant.refresh_from_db()
    assert (tenant.budget_tokens, tenant.share_core) == (22_000, 50)


def test_p16_boot_preview_shows_the_text_of_a_channel(command, tenant, actor):
    shown = boot.preview(actor, request=BootRequest(channel=Channel.POST_COMPACT)).text
    assert command("boot_preview", tenant.slug, "--channel", "post_compact") == shown


def test_p30_the_manifest_in_words_accounts_for_everything(command, tenant, filled):
    factories.remember_many(filled, 60, size=1_000)
    printed = command("boot_preview", tenant.slug, "--manifest", "--budget-tokens", "2000")
    lines = printed.splitlines()
    assert lines[0].endswith("frame")
    assert "8,000 bytes (2,000 tokens)" in lines[0]
    row = next(line.split() for line in lines if line.startswith("episodic") and len(line.split()) == 4)
    active, included, left_out = (int(cell) for cell in row[1:])
    assert (active, included + left_out) == (61, 61)
    assert "PROMISED: " in printed
    assert "  in: prm-1" in printed
    assert f"and {left_out - 20} more" in printed
