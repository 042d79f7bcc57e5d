"""What a person uploads: kept between looking at its plan and applying it, so that both see the same bytes.

There is one upload for each person in a tenant; a new one replaces it, and after an hour it is gone. Applying carries
out the plan that was seen, in one transaction, or nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from memories.engine import capsule_imports as capsule_engine
from memories.engine import imports, uploads
from memories.engine.actor import Actor
from memories.engine.archives import Archive
from memories.engine.kinds import Scope
from memories.engine.limits import UPLOAD_LIFETIME, UPLOAD_STEPS_MAX
from memories.engine.uploads import UploadKind
from memories.errors import Conflict, InvalidInput, NotFound, NotPermitted
from memories.models import Upload
from memories.services import archive, capsule_imports, workspaces
from memories.services.locks import lock_tenant

_NAMES = "names.json"


@dataclass(frozen=True, slots=True)
class Planned:
    """What an upload would do, or did. One of the three outcomes is there unless `faults` say why nothing can come in.

    `mark` names this very plan of this very upload; `apply` wants it.
    """

    kind: UploadKind
    project_id: str
    files: int
    mark: str
    faults: tuple[str, ...] = ()
    workspace: imports.Outcome | None = None
    capsules: capsule_engine.Outcome | None = None
    archive: Archive | None = None


@transaction.atomic
def keep(actor: Actor, *, files: Mapping[str, bytes], project_id: str = "") -> Upload:
    """Keep the files for an hour, in the place of what this person had uploaded here before."""
    actor.require(Scope.WRITE)
    if actor.person_id is None:
        raise NotPermitted("Only a person uploads files; an agent sends memories and capsules.", scope="write")
    now = timezone.now()
    lock_tenant(actor)
    data = _packed(files)
    Upload.objects.of(actor).filter(person=actor.person_id).delete()
    Upload.objects.of(actor).filter(expires_at__lte=now).delete()
    return Upload.objects.create(
        tenant_id=actor.tenant,
        person_id=actor.person_id,
        project_id=project_id,
        data=data,
        files=len(files),
        size_bytes=sum(map(len, files.values())),
        created_at=now,
        expires_at=now + UPLOAD_LIFETIME,
    )


def plan(actor: Actor) -> Planned:
    """What the actor's upload would do now. Nothing is written. NotFound when there is none."""
    actor.require(Scope.READ)
    return _plan(actor, _get(actor))


@transaction.atomic
def apply(actor: Actor, *, mark: str) -> Planned:
    """Do what the plan with this mark said, all of it, and drop the upload.

    Conflict when it would do something else now, because the agent or the upload changed since; then nothing is done.
    """
    actor.require(Scope.WRITE)
    lock_tenant(actor)
    upload = _get(actor)
    planned = _plan(actor, upload)
    if planned.faults or planned.mark != mark:
        raise Conflict(
            "What this upload would do has changed since you looked at it. Nothing was written; look at the plan again."
        )
    files = _unpacked(upload)
    if planned.workspace is not None:
        done = workspaces.apply(actor, files=files)
        # The plan was made under the same lock, so anything else is a fault of ours: rather nothing than half of it.
        if done.steps != planned.workspace.steps:
            raise Conflict("The import did something else than its plan said, and was taken back. Nothing was written.")
    elif planned.capsules is not None:
        capsule_imports.apply(actor, files=uploads.capsule_files(files), project_id=upload.project_id or None)
    else:
        archive.apply(actor, files=files)
    upload.delete()
    return planned


@transaction.atomic
def discard(actor: Actor) -> None:
    """Drop the actor's upload; harmless when there is none."""
    actor.require(Scope.WRITE)
    Upload.objects.of(actor).filter(person=actor.person_id).delete()


def _get(actor: Actor) -> Upload:
    mine = Upload.objects.of(actor).filter(person=actor.person_id, expires_at__gt=timezone.now())
    upload = mine.first() if actor.person_id is not None else None
    if upload is None:
        raise NotFound("There is no upload to look at: it was applied, discarded, or is older than an hour.")
    return upload


def _plan(actor: Actor, upload: Upload) -> Planned:
    files = _unpacked(upload)
    kind = uploads.kind_of(files, project_id=upload.project_id)
    workspace, capsules, whole, fingerprint = None, None, None, ""
    faults: tuple[str, ...] = ()
    try:
        if kind is UploadKind.WORKSPACE:
            workspace = workspaces.plan(actor, files=files)
            fingerprint = uploads.mark_of_workspace(workspace)
            _check_steps(len(workspace.steps))
        elif kind is UploadKind.CAPSULES:
            chosen = uploads.capsule_files(files)
            capsules = capsule_imports.plan(actor, files=chosen, project_id=upload.project_id or None)
            fingerprint = uploads.mark_of_capsules(capsules)
            _check_steps(len(capsules.capsules))
        else:
            whole = archive.plan(actor, files=files)
    except (InvalidInput, Conflict, NotFound) as error:
        faults = tuple(capsule_engine.told_faults(error.errors)) or (error.detail,)
        workspace = capsules = whole = None
    mark = hashlib.sha256(b"|".join((str(upload.pk).encode(), fingerprint.encode(), bytes(upload.data)))).hexdigest()
    return Planned(
        kind=kind,
        project_id=upload.project_id,
        files=upload.files,
        mark=mark,
        faults=faults,
        workspace=workspace,
        capsules=capsules,
        archive=whole,
    )


def _check_steps(count: int) -> None:
    """Nothing is applied unseen, and nobody reads a longer page."""
    if count > UPLOAD_STEPS_MAX:
        raise InvalidInput(
            f"This would write {count:,} memories or capsules; a page shows at most {UPLOAD_STEPS_MAX:,}. Divide the "
            "files, or ask the person who runs this server to import them with a command."
        )


def _packed(files: Mapping[str, bytes]) -> bytes:
    """The files in one value; names stand apart, because they may hold what a zip takes for an end."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(_NAMES, json.dumps(list(files)))
        for place, data in enumerate(files.values()):
            packed.writestr(str(place), data)
    return out.getvalue()


def _unpacked(upload: Upload) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(bytes(upload.data))) as packed:
        return {name: packed.read(str(place)) for place, name in enumerate(json.loads(packed.read(_NAMES)))}
