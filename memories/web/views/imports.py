"""Import / export: upload, look at the plan, apply it; download everything. Nothing is applied that was not seen."""

from __future__ import annotations

import tempfile
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.engine.fences import project_fault
from memories.engine.kinds import Scope
from memories.engine.limits import UPLOAD_FILES_MAX, UPLOAD_LIFETIME, UPLOAD_MAX_BYTES, UPLOAD_UNPACKED_MAX_BYTES
from memories.errors import Conflict, InvalidInput, NotFound, RevellError
from memories.problems import presentation
from memories.selectors.uploads import find_upload
from memories.services import archive, uploads
from memories.web.access import in_tenant, why_not
from memories.web.forms import UploadForm, read
from memories.web.places import Place
from memories.web.presenters.imports import done_told, plan_view
from memories.web.rendering import render_page
from memories.web.uploads import read_uploads


@in_tenant(Scope.READ, post=Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """The page, and its form: what was sent is kept, and its plan is shown next."""
    if request.method != "POST":
        return _page(request, place)
    form = UploadForm(request.POST)
    try:
        read(form)
        project = form.cleaned_data["project"].strip()
        if project and (fault := project_fault(project)):
            raise InvalidInput.for_field("project", fault)
        uploads.keep(place.actor, files=read_uploads(request.FILES.getlist("files")), project_id=project)
    except InvalidInput as error:
        return _page(request, place, error)
    return _to(place, "import-plan")


@in_tenant(Scope.READ)
@require_safe
def plan(request: HttpRequest, place: Place) -> HttpResponse:
    """What the upload would do now. Whoever comes back after it is gone is sent to the form."""
    try:
        return _plan_page(request, place)
    except NotFound as gone:
        messages.warning(request, gone.detail)
        return _to(place, "import")


@in_tenant(Scope.WRITE)
@require_POST
def apply(request: HttpRequest, place: Place) -> HttpResponse:
    """Does what was seen. When that has changed, 409 and the plan as it is now."""
    try:
        done = uploads.apply(place.actor, mark=request.POST.get("mark", ""))
    except Conflict as error:
        return _plan_page(request, place, error)
    messages.success(request, done_told(done))
    return _to(place, "import")


@in_tenant(Scope.WRITE)
@require_POST
def discard(request: HttpRequest, place: Place) -> HttpResponse:
    uploads.discard(place.actor)
    messages.success(request, "The upload is discarded. Nothing of it was written.")
    return _to(place, "import")


@in_tenant(Scope.READ)
@require_POST
def export(request: HttpRequest, place: Place) -> FileResponse:
    """Everything, as one file. It is made on the disk first, so that it is whole, or is not sent at all."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the answer closes it when it is sent)
    try:
        archive.export(place.actor, out=file)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    name = f"{place.tenant.slug}-{timezone.now():%Y-%m-%d}.zip"
    return FileResponse(
        file, as_attachment=True, filename=name, content_type="application/zip", headers={"Content-Length": str(size)}
    )


# Read by `revell.middleware.BodyLimit`: the one page that takes files.
index.body_max_bytes = UPLOAD_MAX_BYTES  # type: ignore[attr-defined]


def _to(place: Place, name: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse(name, args=[place.tenant.slug]))


def _page(request: HttpRequest, place: Place, error: RevellError | None = None) -> HttpResponse:
    context: dict[str, Any] = {
        "here": "import",
        "agent": place.tenant,
        "upload": find_upload(place.actor),
        "project": request.POST.get("project", ""),
        "error": error,
        "refused": why_not(place.actor, Scope.WRITE),
        "max_bytes": UPLOAD_MAX_BYTES,
        "max_unpacked": UPLOAD_UNPACKED_MAX_BYTES,
        "max_files": UPLOAD_FILES_MAX,
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "imports/index.html", context, place=place, status=status)


def _plan_page(request: HttpRequest, place: Place, error: RevellError | None = None) -> HttpResponse:
    context = {
        "here": "import",
        "agent": place.tenant,
        "plan": plan_view(uploads.plan(place.actor)),
        "minutes": int(UPLOAD_LIFETIME.total_seconds() // 60),
        "error": error,
        "refused": why_not(place.actor, Scope.WRITE),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "imports/plan.html", context, place=place, status=status)
