"""Lists and pages of rows that nobody edits here, and actions that call a service for each chosen row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from memories.engine.actor import Actor, Via, operator
from memories.errors import RevellError

_REFUSALS_SHOWN = 5


def actor_of(request: HttpRequest, tenant_id: int | None = None) -> Actor:
    """The operator as this member of staff; what they may do here is decided by Django's own permissions."""
    staff = operator(Via.ADMIN, label=request.user.get_username(), tenant_id=tenant_id)
    return replace(staff, person_id=request.user.pk)


class ReadOnly(admin.ModelAdmin):
    """A list and a page for each row, nothing to edit. `big` names the columns that no list loads."""

    big: tuple[str, ...] = ()
    joined: tuple[str, ...] = ("tenant",)
    show_full_result_count = False
    list_per_page = 50
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).select_related(*self.joined)
        return rows.defer(*self.big) if _is_list(request) else rows

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whether the actions that go through services are offered: who could change the rows may do these."""
        return request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}")

    def for_each(self, request: HttpRequest, rows: QuerySet[Any], act: Callable[[Actor, Any], object]) -> None:
        """Call `act` for each chosen row, each in a transaction of its own, and say how many went through."""
        done, refused = 0, []
        for row in rows:
            try:
                act(actor_of(request, row.tenant_id), row)
            except RevellError as error:
                refused.append(f"{row}: {error.detail}")
            else:
                done += 1
        for text in refused[:_REFUSALS_SHOWN]:
            self.message_user(request, text, messages.ERROR)
        level = messages.WARNING if refused else messages.SUCCESS
        self.message_user(request, f"{done:,} done, {len(refused):,} refused.", level)


class ReadOnlyInline(admin.TabularInline):
    """Rows that belong to the page's row."""

    extra = 0
    can_delete = False
    joined: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related(*self.joined)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _is_list(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and (match.url_name or "").endswith("_changelist")


class ViaFilter(admin.SimpleListFilter):
    """The skin that something came through; the list of skins is known, so no row is looked at for it."""

    title = "via"
    parameter_name = "via"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(via), str(via)) for via in Via]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(via=self.value()) if self.value() else queryset
