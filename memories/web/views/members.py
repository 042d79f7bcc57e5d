"""Members: who looks after the agent; change a role, remove, invite. The code of an invitation is shown once."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.engine.kinds import Role, Scope
from memories.errors import Conflict, InvalidInput, RevellError
from memories.problems import presentation
from memories.selectors.invitations import list_invitations
from memories.selectors.tenants import get_member, list_members
from memories.services import invitations, tenants
from memories.web.access import in_tenant, why_not
from memories.web.forms import RoleForm, read
from memories.web.places import Place
from memories.web.presenters.members import invitation_rows, member_rows, roles
from memories.web.rendering import render_page


@in_tenant(Scope.READ)
@require_safe
def index(request: HttpRequest, place: Place) -> HttpResponse:
    return _page(request, place)


@in_tenant(Scope.MANAGE)
@require_POST
def role(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """Change a role. The only owner cannot be made anything else: 409, and the page says why."""
    member = get_member(place.actor, number=number)
    try:
        changed = tenants.set_member(place.actor, person=member.person, role=_role(request))
    except (InvalidInput, Conflict) as error:
        return _page(request, place, error=error)
    messages.success(request, f"{member.person} is {changed.role} of {place.tenant.name}.")
    return HttpResponseRedirect(reverse("members", args=[place.tenant.slug]))


@in_tenant(Scope.MANAGE)
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, place: Place, number: int) -> HttpResponse:
    """Asks once, naming whom; then takes them out. Who removes themself leaves the agent's pages."""
    member = get_member(place.actor, number=number)
    mine = member.person_id == place.actor.person_id
    if request.method != "POST":
        context = {"here": "members", "agent": place.tenant, "member": member, "mine": mine}
        return render_page(request, "members/remove.html", context, place=place)
    try:
        tenants.remove_member(place.actor, person=member.person)
    except Conflict as error:
        return _page(request, place, error=error)
    messages.success(request, f"{member.person} is no member of {place.tenant.name} any more.")
    return HttpResponseRedirect("/" if mine else reverse("members", args=[place.tenant.slug]))


@in_tenant(Scope.MANAGE)
@require_POST
def invite(request: HttpRequest, place: Place) -> HttpResponse:
    """Makes a code and shows it in this answer, which nobody can ask for again."""
    try:
        made = invitations.make(place.actor, role=_role(request))
    except InvalidInput as error:
        return _page(request, place, error=error)
    return _page(request, place, made=made)


@in_tenant(Scope.MANAGE)
@require_POST
def withdraw(request: HttpRequest, place: Place, prefix: str) -> HttpResponse:
    invitations.withdraw(place.actor, prefix=prefix)
    messages.success(request, "The invitation is withdrawn: its code lets nobody in.")
    return HttpResponseRedirect(reverse("members", args=[place.tenant.slug]))


def _role(request: HttpRequest) -> Role:
    form = RoleForm(request.POST)
    read(form)
    return Role(form.cleaned_data["role"])


def _page(
    request: HttpRequest, place: Place, *, made: invitations.Made | None = None, error: RevellError | None = None
) -> HttpResponse:
    open_ones = list_invitations(place.actor)
    context: dict[str, Any] = {
        "here": "members",
        "agent": place.tenant,
        "members": member_rows(list_members(place.actor), person_id=place.person.pk),
        "invitations": invitation_rows(open_ones, new=made.invitation.prefix if made else ""),
        "roles": roles(),
        "made": made,
        "join": request.build_absolute_uri(reverse("join")),
        "error": error,
        "refused": why_not(place.actor, Scope.MANAGE),
    }
    status = presentation(error).page_status if error else 200
    return render_page(request, "members/index.html", context, place=place, status=status)
