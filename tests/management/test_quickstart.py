"""From an empty database to an agent that boots, and what happens when there is something already."""

from __future__ import annotations

import json
import logging
import shlex

import pytest

from memories.engine.actor import Via
from memories.engine.delivery import BootRequest
from memories.engine.kinds import DECAY_TAG, KEY_SCOPES
from memories.errors import RevellError
from memories.management.commands import quickstart
from memories.models import ApiKey, Capsule, CapsuleRelation, Event, Membership, Memory, Person, Promise, Tenant
from memories.services import boot, installation, keys, promises
from tests import factories


def test_quickstart_makes_everything_that_a_first_boot_needs(command):
    told = json.loads(command("quickstart", "--json"))
    person = Person.objects.get()
    tenant = Tenant.objects.get()
    assert (tenant.slug, tenant.name) == ("clawbert", "Clawbert")
    assert (person.username, person.is_superuser, person.check_password(told["password"])) == ("admin", True, True)
    assert Membership.objects.get().role == "owner"
    agent = keys.authenticate(told["key"], via=Via.REST)
    assert (agent.tenant_id, agent.scopes) == (tenant.pk, set(KEY_SCOPES))
    assert Promise.objects.count() == 2
    assert set(Memory.objects.values_list("type", flat=True)) >= {"core", "working", "episodic"}
    assert Capsule.objects.count() >= 25
    assert CapsuleRelation.objects.filter(kind="blocks").exists()


def test_the_sample_boots_in_full_and_both_promises_decay(command):
    agent = keys.authenticate(json.loads(command("quickstart", "--json"))["key"], via=Via.REST)
    served = boot.serve(agent, request=BootRequest())
    assert {section["left_out_total"] for section in served.manifest["sections"]} == {0}
    assert "Clawbert, this is your own memory" in served.payload
    boot.decay(agent, boot=served.boot)
    assert Memory.objects.filter(tag_rows__tag=DECAY_TAG).count() == 2


def test_quickstart_prints_address_password_key_and_a_line_to_paste(command, settings):
    settings.PORT = 8123
    printed = command("quickstart")
    line = next(line for line in printed.splitlines() if line.startswith("curl "))
    words = shlex.split(line)
    assert words[-1] == "http://127.0.0.1:8123/api/v1/boot"
    secret = next(word for word in words if word.startswith("Authorization: ")).split()[-1]
    assert keys.authenticate(secret, via=Via.REST).can("boot")
    assert "Accept: text/plain" in words
    assert "http://127.0.0.1:8123\n" in printed
    password = next(line.split()[-1] for line in printed.splitlines() if "Password" in line)
    assert Person.objects.get().check_password(password)


def test_quickstart_again_changes_nothing_and_shows_no_secret(command):
    first = json.loads(command("quickstart", "--json"))
    before = (Event.objects.count(), Memory.objects.count(), ApiKey.objects.count(), Person.objects.get().password)
    printed = command("quickstart")
    assert (Event.objects.count(), Memory.objects.count(), ApiKey.objects.count()) == before[:3]
    assert Person.objects.get().password == before[3]
    assert "clawbert" in printed
    assert "issue_key clawbert --name NAME" in printed
    assert "changepassword admin" in printed
    assert first["key"] not in printed
    assert first["password"] not in printed
    assert "rvl_" not in printed


def test_quickstart_again_says_as_json_what_there_is(command):
    command("quickstart")
    told = json.loads(command("quickstart", "--json"))
    assert told == {
        "created": False,
        "address": "http://127.0.0.1:8000",
        "tenants": ["clawbert"],
        "administrators": ["admin"],
    }


def test_quickstart_leaves_an_installation_alone_that_began_otherwise(command):
    command("create_tenant", "mine")
    printed = command("quickstart")
    assert "agents mine; administrators none" in printed
    assert "createsuperuser" in printed
    assert (Tenant.objects.count(), Person.objects.count()) == (1, 0)


def test_a_person_without_an_agent_is_told_how_to_make_one(command):
    Person.objects.create_superuser("keeper", password="a-long-password")
    assert "create_tenant SLUG" in command("quickstart")
    assert not Tenant.objects.exists()


@pytest.mark.parametrize("step", [(promises, "make"), (keys, "issue")])
def test_a_fault_half_way_leaves_nothing(command, monkeypatch, step):
    module, name = step

    def fail(*args, **options):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(module, name, fail)
    with pytest.raises(RuntimeError):
        command("quickstart")
    rows = [model.objects.count() for model in (Person, Tenant, Membership, Memory, Promise, ApiKey, Event, Capsule)]
    assert rows == [0] * 8


def test_a_workspace_that_does_not_come_in_whole_is_refused(command, monkeypatch):
    monkeypatch.setattr(quickstart.folders, "read", lambda path: quickstart.folders.Folder({"SOUL.md": b"\xff\xfe"}))
    with pytest.raises(RevellError, match=r"SOUL\.md"):
        command("quickstart")
    assert not Person.objects.exists()


def test_setting_up_twice_is_refused_by_the_service_too(tenant):
    with pytest.raises(RevellError, match="already"):
        installation.set_up(
            factories.operator_in(tenant),
            username="a",
            password="b",
            slug="c",
            name="d",
            files={},
            notes=[],
            findings={},
        )


def test_no_secret_gets_into_the_log_or_an_event(command, caplog):
    with caplog.at_level(logging.DEBUG):
        told = json.loads(command("quickstart", "--json"))
    kept = caplog.text + json.dumps(list(Event.objects.values_list("what", flat=True)))
    assert told["password"] not in kept
    assert told["key"].rsplit("_", 1)[1] not in kept


def test_quickstart_as_a_process(manage):
    first, again = manage("quickstart"), manage("quickstart")
    assert (first.returncode, first.stderr, again.returncode, again.stderr) == (0, b"", 0, b"")
    assert b"shown only now" in first.stdout
    assert b"shown only now" not in again.stdout
    assert b"manage.py issue_key clawbert" in again.stdout
