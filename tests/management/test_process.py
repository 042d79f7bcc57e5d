"""Commands as processes: exit codes, what stands on which stream, and readers that go away."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from memories.engine.delivery import BootRequest
from memories.models import Boot, Promise
from memories.services import boot, promises
from tests import factories
from tests.management.conftest import ROOT, environment


@pytest.fixture
def agent(transactional_db):
    """A tenant with more text than a pipe holds, and a promise."""
    tenant = factories.make_tenant("Zoë")
    actor = factories.agent_of(tenant)
    factories.remember_many(actor, 500, size=1_000)
    promises.make(actor, content="Step 3 of 5 – ✓")
    return tenant, actor


def test_a_boot_is_exactly_the_payload_whatever_the_terminal_speaks(manage, agent):
    """P35: the same bytes in another process, with another encoding."""
    tenant, actor = agent
    expected = boot.preview(actor, request=BootRequest()).text.encode()
    assert len(expected) > 80_000
    done = manage("boot", tenant.slug, more={"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")
    assert not Promise.objects.exists()


def test_p38_a_pipe_that_breaks_leaves_the_promise_pending(agent):
    tenant, _ = agent
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        [sys.executable, "manage.py", "boot", tenant.slug],
        cwd=ROOT,
        env=environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(writer)
        assert process.stderr is not None
        told = process.stderr.read().decode()
    assert (process.returncode, told) == (1, "The reader went away before everything was written.\n")
    assert Promise.objects.count() == 1
    assert Boot.objects.get().served.get().outcome == "shown"


def test_a_refusal_is_one_message_on_standard_error_and_1(manage):
    done = manage("create_tenant", "Not A Slug", "--json")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith("A slug is lower-case")
    assert done.stderr.count(b"\n") == 1


def test_a_wrong_call_ends_with_1_and_says_how_it_is_called(manage):
    done = manage("issue_key", "someone", "--scopez", "read")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"usage: manage.py issue_key" in done.stderr


def test_an_option_that_is_no_text_is_refused(manage):
    done = manage("boot", b"\xff\xfe")
    assert done.returncode == 1
    assert "not valid UTF-8" in done.stderr.decode()


def test_a_database_that_does_not_answer_ends_with_75(manage):
    unreachable = {"DATABASE_URL": "postgres://nobody:hidden-word@127.0.0.1:1/nothing"}
    done = manage("sweep", more=unreachable)
    assert (done.returncode, done.stdout) == (75, b"")
    assert done.stderr.startswith(b"The database does not answer")
    assert b"hidden-word" not in done.stderr


def test_an_empty_database_file_says_how_to_set_it_up(manage, tmp_path):
    done = manage("create_tenant", "clawbert", more={"DATABASE_URL": f"sqlite:///{tmp_path / 'new.sqlite3'}"})
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"python manage.py migrate" in done.stderr


def test_json_is_one_line_that_a_script_can_read(manage):
    done = manage("create_tenant", "zoe", "--name", "Zoë", "--json", more={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"slug": "zoe", "name": "Zoë"}
    assert done.stdout.count(b"\n") == 1
