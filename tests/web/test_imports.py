"""Import / export by form: upload, plan, apply, download; and what nobody should be able to send."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.engine.kinds import Role
from memories.engine.limits import UPLOAD_MAX_BYTES
from memories.models import Capsule, Event, Memory, Upload
from memories.services import promises
from tests import factories

pytestmark = pytest.mark.django_db
SOUL = b"# Soul\n\n## Care\n\nI take care.\n"
EVIL = "<img src=x onerror=alert(1)>"


def file(name: str, data: bytes = SOUL) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def zipped(files: dict[str, bytes], **options) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def mark_in(text: str) -> str:
    return re.search(r'name="mark" value="(\w+)"', text)[1]


@pytest.fixture
def send(owner, at):
    """Uploads files and answers the page that comes of it."""

    def do(*files, project="", client=owner):
        return client.post(at("import/"), {"files": list(files), "project": project}, follow=True)

    return do


def test_files_are_planned_then_applied(owner, at, send):
    plan = send(
        file("SOUL.md"), file("2026-11-28.md", b"## 14:30 Deploy\n\nIt went well."), file("photo.png", b"\x89PNG")
    )
    assert plan.redirect_chain == [(at("import/plan/"), 302)]
    assert "3 files, read as a workspace" in plan.text
    assert "SOUL.md" in plan.text
    assert "memory/2026-11-28.md" in plan.text
    assert "photo.png" in plan.text
    assert not Memory.objects.exists()
    done = owner.post(at("import/apply"), {"mark": mark_in(plan.text)}, follow=True)
    assert "Imported: 2 memories added, 0 revised." in done.text
    assert set(Memory.objects.values_list("type", "source")) == {("core", "import"), ("episodic", "import")}
    assert Event.objects.filter(verb="memory.imported", via="page").count() == 2
    again = send(file("SOUL.md"))
    assert "All of this is there already." in again.text
    assert re.search(r'<button type="submit" class="btn btn-main" disabled', again.text)


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_of_a_folder_is_unpacked(owner, at, send, pack):
    name = "bot.zip" if pack is zipped else "bot.tar.gz"
    inside = {"bot/SOUL.md": SOUL, "bot/memory/2026-11-28.md": b"# Day\n\nIt rained.", "bot/.git/config": b"secret"}
    plan = send(file(name, pack(inside)))
    assert "3 files, read as a workspace" in plan.text
    assert "hidden, left alone" in plan.text
    owner.post(at("import/apply"), {"mark": mark_in(plan.text)})
    assert Memory.objects.count() == 2


def test_capsules_and_decision_records(owner, at, send):
    first = b'{"id":"a","kind":"task","project_id":"nott","content":"one"}'
    lines = first + b'\n{"kind":"task","content":"two","blocked_by":["a"]}'
    plan = send(file("atlas.jsonl", lines), project="atlas")
    assert "read as capsules of a project (atlas)" in plan.text
    assert "1 new, 0 already there" in plan.text
    done = owner.post(at("import/apply"), {"mark": mark_in(plan.text)}, follow=True)
    assert "Imported: 2 capsules and 1 relations." in done.text
    assert set(Capsule.objects.values_list("project_id", flat=True)) == {"nott", "atlas"}
    wrong = send(file("atlas.jsonl", b'{"kind":"rumour"}'))
    assert "Nothing of this can come in" in wrong.text
    assert "line 1" in wrong.text
    assert 'name="mark"' not in wrong.text


def test_what_is_refused_is_named_with_its_reason(owner, at, send):
    plan = send(file("SOUL.md"), file("TOOLS.md", b"\xff\xfe"), file("USER.md", b"## A\n\n" + b"x" * 2_600))
    assert "Stays out, with a fault" in plan.text
    assert "This file is UTF-16" in plan.text
    assert "over its cap of 2,500" in unescape(plan.text)
    owner.post(at("import/apply"), {"mark": mark_in(plan.text)})
    assert Memory.objects.get().key == "care"


def test_a_plan_that_changed_is_shown_again_and_not_applied(owner, at, send, actor):
    mark = mark_in(send(file("SOUL.md")).text)
    factories.remember(actor, "core", "mine", key="care", category="soul")
    stale = owner.post(at("import/apply"), {"mark": mark})
    assert stale.status_code == 409
    assert "has changed since you looked at it" in stale.text
    assert "revised" in stale.text
    assert Memory.objects.get().content == "mine"
    owner.post(at("import/apply"), {"mark": mark_in(stale.text)})
    assert Memory.objects.get().content == "I take care."


def test_an_upload_is_its_persons_alone_and_can_be_discarded(owner, sign_in, at, send):
    mark = mark_in(send(file("SOUL.md")).text)
    other = sign_in(Role.OWNER)
    assert "An upload waits" not in other.get(at("import/")).text
    assert other.get(at("import/plan/"))["Location"] == at("import/")
    assert other.post(at("import/apply"), {"mark": mark}).status_code == 404
    assert "An upload waits" in owner.get(at("import/")).text
    owner.post(at("import/discard"))
    assert not Upload.objects.exists()
    assert "There is no upload to look at" in owner.get(at("import/plan/"), follow=True).text


@pytest.mark.parametrize(
    "name",
    ["../SOUL.md", "/SOUL.md", "a/../../SOUL.md", "C:\\SOUL.md", "\\\\host\\SOUL.md", "bot/../../../etc/SOUL.md"],
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_lead_out_of_the_folder_are_refused(send, name, pack):
    response = send(file("a.zip" if pack is zipped else "a.tgz", pack({name: SOUL})))
    assert response.status_code == 422
    assert "leads out of its folder" in response.text
    assert not Upload.objects.exists()


def bomb_zip() -> bytes:
    return zipped({f"{n}.jsonl": b"\0" * (40 * 1024 * 1024) for n in range(2)})


def bomb_tar() -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb") as packed, tarfile.open(fileobj=packed, mode="w|") as archive:
        info = tarfile.TarInfo("x.png")
        info.size = 200 * 1024 * 1024
        archive.addfile(info, Zeros())
    return out.getvalue()


class Zeros(io.RawIOBase):
    def read(self, size=-1):
        return b"\0" * size


@pytest.mark.parametrize(("name", "make"), [("a.zip", bomb_zip), ("a.tar.gz", bomb_tar)])
def test_a_bomb_is_not_unpacked(send, name, make):
    data = make()
    assert len(data) < 1024 * 1024
    response = send(file(name, data))
    assert response.status_code == 422
    assert "unpacked. Divide" in response.text


def test_what_is_never_read_is_never_unpacked(send, monkeypatch):
    """A picture of any size in a zip costs nothing: of a file that means nothing only the name is taken."""
    plan = send(file("a.zip", zipped({"SOUL.md": SOUL, "film.mp4": b"\0" * (90 * 1024 * 1024)})))
    assert plan.status_code == 200
    assert "film.mp4" in plan.text
    assert Upload.objects.get().size_bytes == len(SOUL)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.zip", b"PK hello", "cannot be unpacked"),
        ("a.zip", zipped({"SOUL.md": SOUL})[:-30], "cannot be unpacked"),
        ("a.tar.gz", b"hello", "cannot be unpacked"),
        ("a.tgz", tarred({"SOUL.md": SOUL * 99})[:80], "cannot be unpacked"),
        ("a.zip", zipped({f"{n}.md": b"" for n in range(2_001)}), "more than 2,000 files"),
        ("a.zip", zipped({f"{'x' * 900}{n}": b"" for n in range(1_999)}), "more than 2,000 files"),
    ],
    ids=["no zip", "half a zip", "no tar", "half a tar", "too many files", "a list too long"],
)
def test_a_damaged_or_crowded_archive_is_told(send, name, data, told):
    response = send(file(name, data))
    assert response.status_code == 422
    assert told in response.text
    assert not Upload.objects.exists()


def test_a_corrupt_or_locked_member_is_told(send):
    data = bytearray(zipped({"SOUL.md": SOUL * 50}))
    data[60] ^= 0xFF
    locked = bytearray(zipped({"SOUL.md": SOUL}))
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    for one in (data, locked):
        response = send(file("a.zip", bytes(one)))
        assert response.status_code == 422
        assert "cannot be unpacked" in response.text


def test_links_in_an_archive_are_passed_over(send):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        link = tarfile.TarInfo("SOUL.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert "There is nothing to apply" in send(file("a.tgz", out.getvalue())).text


def test_the_same_name_twice_is_told(send):
    response = send(file("SOUL.md"), file("SOUL.md"))
    assert response.status_code == 422
    assert "Two files have the name" in response.text


def test_nothing_chosen_and_a_project_that_is_none(owner, at, send):
    assert "Choose one or more files first." in owner.post(at("import/"), {}).text
    response = send(file("a.jsonl", b"{}"), project="atlas//api")
    assert response.status_code == 422


def test_more_than_the_limit_is_413_and_other_pages_keep_theirs(owner, at):
    kind = "multipart/form-data; boundary=x"
    for page, size, status in (("import/", UPLOAD_MAX_BYTES + 1, 413), ("promises/", 3 * 1024 * 1024, 413)):
        response = owner.post(at(page), b"", content_type=kind, headers={}, CONTENT_LENGTH=str(size))
        assert response.status_code == status
    assert "20,971,520 bytes" in owner.post(at("import/"), b"", content_type=kind, CONTENT_LENGTH="99999999").text
    big = file("SOUL.md", b"x" * (3 * 1024 * 1024))
    assert "This file has more than 2,097,152 bytes" in owner.post(at("import/"), {"files": [big]}, follow=True).text


def test_hostile_names_and_contents_are_shown_as_text(send):
    files = {
        f"{EVIL}\u202e.md": b"x", "SOUL.md": f"## {EVIL}\n\n[REVELL | SOUL]\n{EVIL} {'y' * 30_000}".encode(),
        f"memory/2026-02-30{EVIL}.md": b"x", "x" * 250 + ".md": b"",
    }  # fmt: skip
    text = send(file("a.zip", zipped(files))).text
    assert "<img" not in text
    assert "&lt;img" in text
    assert "\u202e" not in text
    assert "y" * 200 not in text


def test_a_viewer_sees_the_page_and_sends_nothing(sign_in, at):
    viewer = sign_in(Role.VIEWER)
    text = viewer.get(at("import/")).text
    assert "The role viewer does not have the scope “write”" in text
    main = text.split('enctype="multipart/form-data"')[1].split("</form>")[0]
    assert len(re.findall(r"<(?:input type=.(?:file|text)|button)[^>]* disabled", main)) == 3
    for page in ("import/", "import/apply", "import/discard"):
        assert viewer.post(at(page), {"files": [file("SOUL.md")]}).status_code == 403
    assert viewer.get(at("import/plan/"))["Location"] == at("import/")


def test_ten_files_cost_as_many_queries_as_thirty(owner, at, send):
    counts = []
    for count in (10, 30):
        days = [file(f"2026-11-{day:02}.md", b"## a\n\nx\n## b\n\ny") for day in range(1, count + 1)]
        send(*days)
        with CaptureQueriesContext(connection) as queries:
            owner.get(at("import/plan/"))
        counts.append(len([one for one in queries if "occurred_at" not in one["sql"]]))
    assert counts[0] == counts[1]


def test_everything_is_downloaded_and_comes_in_again(owner, sign_in, at, actor, tenant, other_tenant, send):
    factories.remember(actor, content="The tide report was late.")
    promises.make(actor, content="look")
    response = sign_in(Role.VIEWER).post(at("export"))
    data = b"".join(response.streaming_content)
    assert response["Content-Disposition"].startswith(f'attachment; filename="{tenant.slug}-20')
    assert (response["Content-Type"], int(response["Content-Length"])) == ("application/zip", len(data))
    assert Event.objects.latest("id").verb == "archive.exported"
    person, _ = factories.person_in(other_tenant)
    there = sign_in(person=person)
    plan = there.post(f"/agents/{other_tenant.slug}/import/", {"files": [file("a.zip", data)]}, follow=True)
    assert "read as an archive of Revell" in plan.text
    assert "Clawbert, made" in plan.text
    done = there.post(f"/agents/{other_tenant.slug}/import/apply", {"mark": mark_in(plan.text)}, follow=True)
    assert "Imported: 1 memories, 1 promises, 0 capsules and the settings." in done.text
    assert "empty agent only" in unescape(send(file("a.zip", data)).text)


def test_an_export_that_fails_sends_no_half_file(owner, at, monkeypatch):
    monkeypatch.setattr("memories.services.archive.write_archive", lambda *given, **named: 1 / 0)
    owner.raise_request_exception = False
    response = owner.post(at("export"))
    assert response.status_code == 500
    assert "Content-Disposition" not in response
