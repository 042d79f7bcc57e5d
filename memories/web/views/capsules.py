"""Capsules of a project, the picture of what blocks what, one capsule; capture, relate, move, forget, aliases."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.engine.calls import read_list_call
from memories.engine.capsule_writes import Written
from memories.engine.capsules import capsule_id
from memories.engine.kinds import Scope
from memories.engine.listing import Listing
from memories.engine.retrieve import Retrieval
from memories.errors import Conflict, InvalidInput, NotFound, RevellError
from memories.problems import presentation
from memories.selectors import capsules
from memories.selectors.blocks import count_capsules, read_blocks
from memories.services import capsules as store
from memories.web.access import in_tenant, why_not
from memories.web.forms import AliasForm, CapsuleForm, ReasonForm, RelateForm, TierForm, read
from memories.web.places import Place
from memories.web.presenters.capsules import LINKS_SHOWN, STATES, list_of, view_of
from memories.web.presenters.captures import alias_of, capture_of, relate_of, tier_buttons
from memories.web.presenters.graphs import graph_of
from memories.web.rendering import render_page

_FILTERS = ("project_prefix", "kind", "state", "q", "cursor")
_STATES: dict[str, dict[str, object]] = {
    "": {},
    "in_force": {"tier": "active", "expired": False, "superseded": False},
    "superseded": {"superseded": True},
    "expired": {"expired": True},
    "archived": {"tier": "archived"},
    "quarantined": {"tier": "quarantined"},
}
_EVERY_HIT = 2**53
GRAPH_BESIDE_LIST = 12
GRAPH_MOST = 200


@in_tenant(Scope.READ)
@require_safe
def index(request: HttpRequest, place: Place) -> HttpResponse:
    """The newest capsules of a project and all below it, or what a search finds, and what can be done next there."""
    asked = {name: request.GET.get(name, "").strip() for name in _FILTERS}
    error = None
    try:
        listing = _listing(place, asked)
    except InvalidInput as wrong:
        error = wrong
        asked = dict.fromkeys(_FILTERS, "")
        listing = _listing(place, asked)
    fence = _fence(asked)
    blocks = read_blocks(place.actor, arguments=fence, most=GRAPH_BESIDE_LIST)
    rows = listing.rows if isinstance(listing, Listing) else [one.capsule for one in listing.results]
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "asked": asked,
        "error": error.detail if error else "",
        "graph": graph_of(blocks),
        "list": list_of(
            listing,
            count_capsules(place.actor, arguments=fence),
            capsules.list_relations(place.actor, numbers=[row.number for row in rows[:GRAPH_MOST]]),
            blocks,
            asked=asked,
        ),
        "refused": why_not(place.actor, Scope.WRITE),
    }
    return render_page(
        request, "capsules/index.html", context, partial="found", place=place, status=422 if error else 200
    )


@in_tenant(Scope.READ)
@require_safe
def graph(request: HttpRequest, place: Place) -> HttpResponse:
    """What blocks what in a project, as a picture and as a table."""
    asked = {"project_prefix": request.GET.get("project_prefix", "").strip()}
    error, blocks = None, None
    try:
        blocks = read_blocks(place.actor, arguments=_fence(asked), most=GRAPH_MOST)
    except InvalidInput as wrong:
        error = wrong
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "asked": asked,
        "error": error.detail if error else "",
        "graph": graph_of(blocks) if blocks else None,
        "projects": capsules.list_projects(place.actor)[:GRAPH_MOST],
    }
    return render_page(request, "capsules/graph.html", context, place=place, status=422 if error else 200)


@in_tenant(Scope.READ)
@require_safe
def one(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """One capsule whole; a tombstone shows that it is one (C57)."""
    return _one(request, place, number)


@in_tenant(Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, place: Place) -> HttpResponse:
    """The form of a new capsule, and what it makes. A link may fill it: `?supersedes=cap-3`, `?proves=cap-3`."""
    if request.method != "POST":
        return _form(request, place)
    form = CapsuleForm(request.POST)
    try:
        read(form)
        captured, written = store.capture(place.actor, values={"source": place.actor.source, **form.values()})
    except (InvalidInput, Conflict, NotFound) as error:
        return _form(request, place, error=error)
    if captured.duplicate:
        messages.success(request, f"{captured.capsule} says this already, so no second one was made.")
    else:
        messages.success(request, f"{captured.capsule} is captured.")
    _tell(request, written)
    return _to(place, captured.capsule.number)


@in_tenant(Scope.WRITE)
@require_POST
def relate(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """Tie this capsule to another one; what is refused comes back in the form (C5, C7)."""
    capsules.get_capsule(place.actor, number=number)
    form = RelateForm(request.POST)
    read(form)
    try:
        kind, source, target = form.values(number)
        row, written = store.relate(place.actor, kind=kind, source=source, target=target)
    except (InvalidInput, Conflict, NotFound) as error:
        return _one(request, place, number, error=error)
    told = f"{capsule_id(row.source_number)} {row.kind.replace('_', ' ')} {capsule_id(row.target_number)}"
    messages.success(request, f"{told}." if written.added else f"{told} already.")
    _tell(request, written)
    return _to(place, number)


@in_tenant(Scope.WRITE)
@require_POST
def tier(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    form = TierForm(request.POST)
    read(form)
    capsule = store.set_tier(place.actor, number=number, tier=form.cleaned_data["tier"])
    messages.success(request, f"{capsule} is {capsule.tier}.")
    return _to(place, number)


@in_tenant(Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """Asks once, naming what is destroyed; the reason is what stays (C6, C8)."""
    whole = capsules.get_capsule(place.actor, number=number)
    error, reason = None, ""
    if request.method == "POST":
        form = ReasonForm(request.POST)
        read(form)
        reason = form.cleaned_data["reason"]
        try:
            capsule, written = store.forget(place.actor, number=number, reason=reason)
        except InvalidInput as wrong:
            error = wrong
        else:
            messages.success(request, f"The content of {capsule} is destroyed. Its number stays, with your reason.")
            _tell(request, written)
            return _to(place, number)
    elif whole.capsule.forgotten_at:
        return _to(place, number)
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "capsule": view_of(whole),
        "reason": reason,
        "errors": error.errors.get("reason", [error.detail]) if error else (),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "capsules/forget.html", context, place=place, status=status)


@in_tenant(Scope.READ, post=Scope.WRITE)
@require_http_methods(["GET", "HEAD", "POST"])
def aliases(request: HttpRequest, place: Place) -> HttpResponse:
    """The words that stand for others when capsules are searched, and the form for one more (C58)."""
    error = None
    if request.method == "POST":
        form = AliasForm(request.POST)
        read(form)
        try:
            row, made = store.alias(place.actor, term=form.cleaned_data["term"], alias=form.cleaned_data["alias"])
        except InvalidInput as wrong:
            error = wrong
        else:
            state = "is an alias" if made else "was an alias already"
            messages.success(request, f"“{row.alias}” {state} of “{row.term}”.")
            return HttpResponseRedirect(reverse("aliases", args=[place.tenant.slug]))
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "aliases": capsules.list_aliases(place.actor),
        "form": alias_of(request.POST.dict(), error),
        "refused": why_not(place.actor, Scope.WRITE),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "capsules/aliases.html", context, place=place, status=status)


def _listing(place: Place, asked: dict[str, str]) -> Listing | Retrieval:
    """A page of the list, or every hit of a search; the call as an agent would send it."""
    fence = _fence(asked)
    if asked["state"] not in _STATES:
        raise InvalidInput.for_field("state", f"A state is one of {', '.join(value for value, _ in STATES[1:])}.")
    kind: dict[str, object] = {"kind": asked["kind"]} if asked["kind"] else {}
    if asked["q"]:
        # Refused as the list refuses it; the answer to a search is narrowed by kind where it is shown.
        read_list_call({**fence, **kind})
        terms = [term for term in map(str.strip, asked["q"].split(",")) if term]
        return capsules.retrieve(
            place.actor, arguments={**fence, "terms": terms or [asked["q"]], "token_budget": _EVERY_HIT}
        )
    cursor: dict[str, object] = {"cursor": asked["cursor"]} if asked["cursor"] else {}
    return capsules.list_page(place.actor, arguments={**fence, **kind, **_STATES[asked["state"]], **cursor})


def _fence(asked: dict[str, str]) -> dict[str, object]:
    return {"project_prefix": asked["project_prefix"]} if asked["project_prefix"] else {}


def _one(request: HttpRequest, place: Place, number: int, *, error: RevellError | None = None) -> HttpResponse:
    whole = capsules.get_capsule(place.actor, number=number)
    others = {end for row in whole.relations[:LINKS_SHOWN] for end in (row.source_number, row.target_number)}
    view = view_of(whole, capsules.find_named(place.actor, numbers=sorted(others - {number})))
    given = request.POST.dict() if error else request.GET.dict()
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "capsule": view,
        "tiers": tier_buttons(view.tiers),
        "relate": relate_of(given, error),
        "refused": why_not(place.actor, Scope.WRITE),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "capsules/one.html", context, place=place, status=status)


def _form(request: HttpRequest, place: Place, *, error: RevellError | None = None) -> HttpResponse:
    given = {name: str(value) for name, value in (request.POST if error else request.GET).items()}
    context = {
        "here": "capsules",
        "agent": place.tenant,
        "draft": capture_of(
            given,
            projects=capsules.list_projects(place.actor),
            source=str(place.actor.source),
            replaced=None if error else _replaced(place, given.get("supersedes", "")),
            error=error,
        ),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "capsules/new.html", context, place=place, status=status)


def _replaced(place: Place, name: str) -> capsules.Whole | None:
    """The capsule whose text a correction begins with; none where the link names none."""
    digits = name.removeprefix("cap-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
        return None
    return capsules.get_capsule(place.actor, number=int(digits))


def _tell(request: HttpRequest, written: Written) -> None:
    """What a write did beside what was asked for (C7, C8)."""
    if written.freed:
        freed = ", ".join(f"{capsule_id(one.target)} (held by {capsule_id(one.source)})" for one in written.freed[:20])
        more = f" and {len(written.freed) - 20:,} more" if len(written.freed) > 20 else ""
        messages.warning(request, f"This ends what held back {freed}{more}. Look whether they may really start.")
    if written.cycle:
        loop = ", ".join(map(capsule_id, written.cycle))
        messages.warning(
            request,
            f"This closes a loop of blocks: {loop}. None of them can start, and a pack that reaches them names no "
            "next action. Supersede, forget or prove one of them.",
        )


def _to(place: Place, number: int) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("capsule", args=[place.tenant.slug, number]))
