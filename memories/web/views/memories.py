"""Memories: browse by type, search, read one with its versions."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.engine.delivery import BootRequest
from memories.engine.kinds import MemoryType, Scope
from memories.engine.limits import PAGE_DEFAULT, RECALL_LIMIT_MAX
from memories.errors import InvalidInput
from memories.selectors.memories import MemoryFilter, get_memory, list_revisions, page_memories
from memories.selectors.recall import RecallQuery, recall
from memories.services import boot
from memories.web.access import in_tenant
from memories.web.places import Place
from memories.web.presenters.memories import included_ids, is_archived, memory_row, memory_view, tabs
from memories.web.rendering import render_page


@in_tenant(Scope.READ)
@require_safe
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """A page of memories, or what a search finds: active and archived ones, the best first."""
    payload = boot.preview(place.actor, request=BootRequest())
    included = included_ids(payload.manifest)
    now = timezone.now()
    query = request.GET.get("q", "").strip()
    tag = request.GET.get("tag", "").strip()
    archived = "archived" in request.GET
    given = request.GET.get("type", "")
    kind = MemoryType(given) if given in list(MemoryType) else None
    page, recalled, error = None, None, ""
    try:
        if query:
            asked = RecallQuery(
                query, limit=RECALL_LIMIT_MAX, types=(kind,) if kind else (), tags=(tag,) if tag else ()
            )
            recalled = recall(place.actor, query=asked)
    except InvalidInput as wrong:
        error = wrong.detail
    if recalled is None:
        page = page_memories(
            place.actor,
            where=MemoryFilter(type=kind, tags=(tag,) if tag else (), archived=archived),
            limit=PAGE_DEFAULT,
            cursor=request.GET.get("cursor", ""),
        )
    found = [hit.memory for hit in recalled.hits] if recalled else page.results if page else []
    context = {
        "here": "memories",
        "agent": place.tenant,
        "tabs": tabs(payload.manifest["totals"], chosen="" if kind is None else str(kind)),
        "type": "" if kind is None else str(kind),
        "q": query,
        "tag": tag,
        "archived": archived,
        "error": error,
        "page": page,
        "recalled": recalled,
        "rows": [memory_row(memory, included=included, archived=is_archived(memory, now)) for memory in found],
    }
    return render_page(
        request,
        "memories/index.html",
        context,
        partial="found",
        place=place,
        payload=payload,
        status=422 if error else 200,
    )


@in_tenant(Scope.READ)
@require_safe
def one(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    memory = get_memory(place.actor, number=number)
    payload = boot.preview(place.actor, request=BootRequest())
    view = memory_view(
        memory,
        list_revisions(place.actor, number=number),
        included=included_ids(payload.manifest),
        archived=is_archived(memory, timezone.now()),
    )
    context = {"here": "memories", "agent": place.tenant, "memory": view}
    return render_page(request, "memories/one.html", context, place=place, payload=payload)
