"""export_tenant and import_archive: out of one agent, into another, and what stops them."""

from __future__ import annotations

import io
import json
import stat
import zipfile

import pytest

from memories.engine.archives import ABOUT
from memories.errors import Conflict, InvalidInput, NotFound
from memories.models import Event, Memory
from memories.services import promises
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(actor, tenant):
    factories.remember(actor, content="The tide report was late.")
    promises.make(actor, content="look")
    return tenant


def test_out_of_one_agent_into_another(command, filled, other_tenant, tmp_path):
    file = tmp_path / "out.zip"
    told = command("export_tenant", filled.slug, "--to", str(file))
    assert "memories.jsonl" in told
    assert f"Written to {file}, {file.stat().st_size:,} bytes." in told
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    plan = command("import_archive", other_tenant.slug, str(file), "--dry-run")
    assert plan.startswith("Plan, nothing is written.")
    assert not Memory.objects.filter(tenant=other_tenant).exists()
    done = json.loads(command("import_archive", other_tenant.slug, str(file), "--json"))
    assert done["dry_run"] is False
    assert (done["memories"], done["promises"]) == (1, 1)
    assert Memory.objects.get(tenant=other_tenant).content == "The tide report was late."
    assert Event.objects.filter(tenant=filled, verb="archive.exported", via="command").count() == 1


def test_the_file_is_named_for_the_agent_and_nothing_is_replaced(command, filled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = json.loads(command("export_tenant", filled.slug, "--json"))
    assert told["file"] == f"{filled.slug}.zip"
    assert told["rows"]["memories.jsonl"] == 1
    with pytest.raises(Conflict, match="is there already"):
        command("export_tenant", filled.slug)
    assert [path.name for path in tmp_path.iterdir()] == [f"{filled.slug}.zip"]


def test_an_export_that_fails_leaves_no_file(command, filled, tmp_path, monkeypatch):
    def break_off(*given, **named):
        raise RuntimeError

    monkeypatch.setattr("memories.services.archive.write_archive", break_off)
    with pytest.raises(RuntimeError):
        command("export_tenant", filled.slug, "--to", str(tmp_path / "out.zip"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidInput, match="cannot be written"):
        command("export_tenant", filled.slug, "--to", str(tmp_path / "no" / "such" / "folder.zip"))


def test_what_is_no_archive_is_said(command, filled, other_tenant, tmp_path):
    for name, data in (("text.zip", b"hello"), ("empty.zip", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InvalidInput, match="is no whole zip archive"):
            command("import_archive", other_tenant.slug, str(tmp_path / name))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("SOUL.md", "# Soul")
    with pytest.raises(InvalidInput, match=ABOUT):
        command("import_archive", other_tenant.slug, str(tmp_path / "other.zip"))
    with pytest.raises(InvalidInput, match="cannot be read"):
        command("import_archive", other_tenant.slug, str(tmp_path / "nowhere.zip"))
    with pytest.raises(NotFound):
        command("export_tenant", "no-such-agent")


def test_half_an_archive_is_none(command, filled, other_tenant, tmp_path):
    file = tmp_path / "out.zip"
    command("export_tenant", filled.slug, "--to", str(file))
    (tmp_path / "half.zip").write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(InvalidInput, match="is no whole zip archive"):
        command("import_archive", other_tenant.slug, str(tmp_path / "half.zip"))
    assert not Memory.objects.filter(tenant=other_tenant).exists()


def test_a_pipe_gets_the_archive_itself(manage, transactional_db):
    tenant = factories.make_tenant()
    factories.remember(factories.agent_of(tenant))
    done = manage("export_tenant", tenant.slug, "--to", "-")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(io.BytesIO(done.stdout)) as archive:
        assert archive.read("memories.jsonl").count(b"\n") == 1
