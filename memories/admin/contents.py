"""What a tenant holds: memories, promises, boots, events."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html

from memories.admin.reading import ReadOnly, ReadOnlyInline, ViaFilter
from memories.models import Boot, Event, Memory, MemoryRevision, MemoryTag, Promise, ServedPromise
from memories.services import memories, promises

_BEGINNING_CHARS = 80


class StateFilter(admin.SimpleListFilter):
    """Where a memory stands: shown to boots, archived, in the bin."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("active", "active"), ("archived", "archived"), ("bin", "in the bin")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        now = timezone.now()
        if self.value() == "active":
            return queryset.active(now)
        if self.value() == "archived":
            return queryset.archived(now)
        return queryset.filter(forgotten_at__isnull=False) if self.value() == "bin" else queryset


class TagInline(ReadOnlyInline):
    model = MemoryTag
    fields = ("tag",)


class RevisionInline(ReadOnlyInline):
    model = MemoryRevision
    fields = ("version", "replaced_at", "replaced_by", "data")
    ordering = ("-version",)
    verbose_name_plural = "earlier versions"


@admin.register(Memory)
class MemoryAdmin(ReadOnly):
    list_display = ("shown", "tenant", "type", "category", "key", "beginning", "importance", "source", "occurred_at")
    list_filter = ("type", StateFilter, "source", "tenant")
    search_fields = ("=number", "key", "content")
    search_help_text = "A number, or words of the key or content."
    big = ("content", "subject", "predicate", "object", "context")
    inlines = (TagInline, RevisionInline)
    actions = ("archive", "restore", "forget")
    fields = (
        "shown", "tenant", "type", "category", "key", "content", "subject", "predicate", "object", "context",
        "importance", "source", "occurred_at", "created_at", "updated_at", "archived_at", "forgotten_at", "version",
        "size_bytes", "size_chars",
    )  # fmt: skip
    readonly_fields = ("shown",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Memory]:
        rows: QuerySet[Memory] = super().get_queryset(request)
        return rows.annotate(beginning=Left("content", _BEGINNING_CHARS))

    @admin.display(description="memory", ordering="number")
    def shown(self, memory: Memory) -> str:
        return str(memory)

    @admin.display
    def beginning(self, memory: Memory) -> str:
        return str(memory.beginning)  # type: ignore[attr-defined]

    @admin.action(description="Archive", permissions=("operate",))
    def archive(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self.for_each(request, queryset, lambda actor, memory: memories.archive(actor, number=memory.number))

    @admin.action(description="Restore from the archive or the bin", permissions=("operate",))
    def restore(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self.for_each(request, queryset, lambda actor, memory: memories.restore(actor, number=memory.number))

    @admin.action(description="Forget (30 days in the bin)", permissions=("operate",))
    def forget(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self.for_each(request, queryset, lambda actor, memory: memories.forget(actor, number=memory.number))


@admin.register(Promise)
class PromiseAdmin(ReadOnly):
    list_display = ("shown", "tenant", "beginning", "size_bytes", "created_at", "created_by")
    list_filter = ("tenant",)
    search_fields = ("=number", "content")
    date_hierarchy = "created_at"
    big = ("content",)
    actions = ("release",)
    fields = ("shown", "tenant", "content", "size_bytes", "created_at", "created_by")
    readonly_fields = ("shown",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Promise]:
        rows: QuerySet[Promise] = super().get_queryset(request)
        return rows.annotate(beginning=Left("content", _BEGINNING_CHARS))

    @admin.display(description="promise", ordering="number")
    def shown(self, promise: Promise) -> str:
        return str(promise)

    @admin.display
    def beginning(self, promise: Promise) -> str:
        return str(promise.beginning)  # type: ignore[attr-defined]

    @admin.action(description="Release without decay", permissions=("operate",))
    def release(self, request: HttpRequest, queryset: QuerySet[Promise]) -> None:
        self.for_each(request, queryset, lambda actor, promise: promises.release(actor, number=promise.number))


class ServedInline(ReadOnlyInline):
    model = ServedPromise
    fields = ("number", "content", "size_bytes", "promised_at", "outcome", "memory", "ended_at")
    joined = ("memory",)


@admin.register(Boot)
class BootAdmin(ReadOnly):
    list_display = ("shown", "tenant", "channel", "size_bytes", "actor", "via", "created_at", "acknowledged_at")
    list_filter = ("channel", "acknowledge", ViaFilter, "tenant")
    search_fields = ("=number", "session_id", "actor", "tenant__slug")
    date_hierarchy = "created_at"
    big = ("payload", "manifest", "context_hint")
    inlines = (ServedInline,)
    fields = (
        "shown", "tenant", "channel", "acknowledge", "session_id", "idempotency_key", "context_hint", "project_prefix",
        "max_chars", "budget_tokens", "size_bytes", "sha256", "actor", "via", "created_at", "acknowledged_at", "text",
        "account",
    )  # fmt: skip
    readonly_fields = ("shown", "text", "account")

    @admin.display(description="boot", ordering="number")
    def shown(self, boot: Boot) -> str:
        return str(boot)

    @admin.display(description="payload")
    def text(self, boot: Boot) -> str:
        return format_html("<pre>{}</pre>", boot.payload) if boot.payload else "no longer kept"

    @admin.display(description="manifest")
    def account(self, boot: Boot) -> str:
        return format_html("<pre>{}</pre>", json.dumps(boot.manifest, indent=1, ensure_ascii=False))


@admin.register(Event)
class EventAdmin(ReadOnly):
    list_display = ("at", "tenant", "verb", "actor", "via", "what")
    list_filter = (ViaFilter, "tenant")
    search_fields = ("verb", "actor", "tenant__slug")
    date_hierarchy = "at"
    fields = ("at", "tenant", "actor", "via", "verb", "what")
