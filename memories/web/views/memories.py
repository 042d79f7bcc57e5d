"""Memories: browse by type, search, read one with its versions; add, revise, archive, restore, forget."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.engine.delivery import BootRequest
from memories.engine.kinds import Category, MemoryType, Scope, Source
from memories.engine.limits import BIN_LIFETIME, PAGE_DEFAULT, RECALL_LIMIT_MAX
from memories.engine.memories import MemoryDraft
from memories.errors import Conflict, InvalidInput, RevellError
from memories.problems import presentation
from memories.selectors.memories import MemoryFilter, get_memory, list_revisions, page_bin, page_memories
from memories.selectors.recall import RecallQuery, recall
from memories.services import boot
from memories.services import memories as store
from memories.web.access import in_tenant, why_not
from memories.web.forms import MemoryForm, VersionForm, read
from memories.web.places import Place
from memories.web.presenters.memories import draft_of, included_ids, is_archived, memory_row, memory_view, tabs
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
    forgotten = "forgotten" in request.GET
    given = request.GET.get("type", "")
    kind = MemoryType(given) if given in list(MemoryType) else None
    category = request.GET.get("category", "").strip()
    source = request.GET.get("source", "")
    page, recalled, error = None, None, ""
    try:
        if query:
            asked = RecallQuery(
                query, limit=RECALL_LIMIT_MAX, types=(kind,) if kind else (), tags=(tag,) if tag else ()
            )
            recalled = recall(place.actor, query=asked)
        elif forgotten:
            page = page_bin(place.actor, limit=PAGE_DEFAULT, cursor=request.GET.get("cursor", ""))
        else:
            page = page_memories(
                place.actor,
                where=MemoryFilter(
                    type=kind, category=category, tags=(tag,) if tag else (), source=source, archived=archived
                ),
                limit=PAGE_DEFAULT,
                cursor=request.GET.get("cursor", ""),
            )
    except InvalidInput as wrong:
        error = wrong.detail
    narrowed = (
        ("type", str(kind or "")), ("category", category), ("tag", tag), ("source", source),
        ("archived", "1" if archived else ""), ("forgotten", "1" if forgotten else ""),
    )  # fmt: skip
    if recalled:
        found = [(hit.memory, hit.why) for hit in recalled.hits]
    else:
        found = [(memory, "") for memory in page.results] if page else []
    context = {
        "here": "memories",
        "agent": place.tenant,
        "tabs": tabs(payload.manifest["totals"], chosen="" if kind is None else str(kind)),
        "type": "" if kind is None else str(kind),
        "q": query,
        "tag": tag,
        "category": category,
        "source": source,
        "categories": [str(one) for one in Category],
        "sources": [str(one) for one in Source],
        "filters": urlencode([(name, value) for name, value in narrowed if value]),
        "archived": archived,
        "forgotten": forgotten and not recalled,
        "refused": why_not(place.actor, Scope.WRITE),
        "error": error,
        "page": page,
        "recalled": recalled,
        "rows": [
            memory_row(memory, included=included, archived=is_archived(memory, now), why=why) for memory, why in found
        ],
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
    context = {
        "here": "memories",
        "agent": place.tenant,
        "memory": view,
        "refused": why_not(place.actor, Scope.WRITE),
    }
    return render_page(request, "memories/one.html", context, place=place, payload=payload)


@in_tenant(Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, place: Place) -> HttpResponse:
    """The form of one type, and what it makes. A key that is there already is revised, and the page says so."""
    given = request.POST.get("type", "") or request.GET.get("type", "")
    kind = MemoryType(given) if given in list(MemoryType) else MemoryType.EPISODIC
    if request.method != "POST":
        return _form(request, place, kind)
    form = MemoryForm(request.POST)
    try:
        read(form)
        made = store.remember(place.actor, draft=MemoryDraft(type=kind, source=place.actor.source, **form.values()))
    except (InvalidInput, Conflict) as error:
        return _form(request, place, kind, error=error)
    done = "is remembered" if made.created else "had this key already and is revised"
    messages.success(request, f"{made.memory} {done}.")
    return _to(place, made.memory.number)


@in_tenant(Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def revise(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """Change one. Whoever was slower gets 409 with both texts, and nothing is lost."""
    memory = get_memory(place.actor, number=number)
    kind = MemoryType(memory.type)
    if request.method != "POST":
        return _form(request, place, kind, memory=memory)
    form = MemoryForm(request.POST)
    try:
        read(form)
        memory = store.revise(place.actor, number=number, changes=form.values(), version=_version(request))
    except (InvalidInput, Conflict) as error:
        return _form(request, place, kind, memory=memory, error=error)
    messages.success(request, f"{memory} is at version {memory.version}.")
    return _to(place, number)


@in_tenant(Scope.WRITE)
@require_POST
def archive(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    store.archive(place.actor, number=number, version=_version(request))
    messages.success(request, f"mem-{number} is archived: out of the next boots, still recalled.")
    return _to(place, number)


@in_tenant(Scope.WRITE)
@require_POST
def restore(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """From the archive, or from the bin."""
    store.restore(place.actor, number=number, version=_version(request))
    messages.success(request, f"mem-{number} is back.")
    return _to(place, number)


@in_tenant(Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """Asks once, naming what would go; then puts it into the bin."""
    if request.method == "POST":
        store.forget(place.actor, number=number, version=_version(request))
        messages.success(request, f"mem-{number} is forgotten. It can be restored for {BIN_LIFETIME.days} days.")
        return HttpResponseRedirect(reverse("memories", args=[place.tenant.slug]))
    memory = get_memory(place.actor, number=number)
    row = memory_row(memory, included=frozenset(), archived=is_archived(memory, timezone.now()))
    context = {"here": "memories", "agent": place.tenant, "row": row, "version": memory.version,
               "days": BIN_LIFETIME.days}  # fmt: skip
    return render_page(request, "memories/forget.html", context, place=place)


def _version(request: HttpRequest) -> int | None:
    form = VersionForm(request.POST)
    read(form)
    version: int | None = form.cleaned_data["version"]
    return version


def _to(place: Place, number: int) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("memory", args=[place.tenant.slug, number]))


def _form(
    request: HttpRequest,
    place: Place,
    kind: MemoryType,
    *,
    memory: Any = None,
    error: RevellError | None = None,
) -> HttpResponse:
    given = {name: str(value) for name, value in request.POST.items()} if request.method == "POST" else {}
    context = {
        "here": "memories",
        "agent": place.tenant,
        "draft": draft_of(kind, given, memory=memory, error=error),
        "number": memory.number if memory else 0,
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "memories/form.html", context, place=place, status=status)
