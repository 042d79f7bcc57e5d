"""What is known of projects: capsules, their relations, the aliases of terms."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest

from memories.admin.reading import ReadOnly, ReadOnlyInline
from memories.engine.capsules import Tier
from memories.models import Capsule, CapsuleRelation, TermAlias, TierChange
from memories.services import capsules

_BEGINNING_CHARS = 80
_REASON = "forgotten by the operator in the administration"


class GoneFilter(admin.SimpleListFilter):
    """Whether the content is there, or only its tombstone."""

    title = "content"
    parameter_name = "content"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("kept", "kept"), ("forgotten", "forgotten")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(forgotten_at__isnull=self.value() == "kept") if self.value() else queryset


class TierInline(ReadOnlyInline):
    model = TierChange
    fields = ("at", "by", "old", "new")
    verbose_name_plural = "changes of tier"


class OutInline(ReadOnlyInline):
    model = CapsuleRelation
    fk_name = "source"
    fields = ("kind", "target", "created_at")
    joined = ("target",)
    verbose_name_plural = "relations from here"


class InInline(ReadOnlyInline):
    model = CapsuleRelation
    fk_name = "target"
    fields = ("kind", "source", "created_at")
    joined = ("source",)
    verbose_name_plural = "relations to here"


@admin.register(Capsule)
class CapsuleAdmin(ReadOnly):
    list_display = ("shown", "tenant", "kind", "project_id", "beginning", "tier", "tainted", "created_at", "created_by")
    list_filter = ("kind", "tier", GoneFilter, "tainted", "tenant")
    search_fields = ("=number", "project_id", "content")
    search_help_text = "A number, or words of the project or content."
    big = ("content",)
    inlines = (OutInline, InInline, TierInline)
    actions = ("activate", "archive", "quarantine", "forget")
    fields = (
        "shown", "tenant", "kind", "project_id", "content", "confidence", "valid_from", "valid_to", "tier", "tainted",
        "source", "created_at", "created_by", "forgotten_at", "forgotten_reason",
    )  # fmt: skip
    readonly_fields = ("shown",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Capsule]:
        rows: QuerySet[Capsule] = super().get_queryset(request)
        return rows.annotate(beginning=Left("content", _BEGINNING_CHARS))

    @admin.display(description="capsule", ordering="number")
    def shown(self, capsule: Capsule) -> str:
        return str(capsule)

    @admin.display
    def beginning(self, capsule: Capsule) -> str:
        return str(capsule.beginning)  # type: ignore[attr-defined]

    @admin.action(description="Make active", permissions=("operate",))
    def activate(self, request: HttpRequest, queryset: QuerySet[Capsule]) -> None:
        self._move(request, queryset, Tier.ACTIVE)

    @admin.action(description="Archive", permissions=("operate",))
    def archive(self, request: HttpRequest, queryset: QuerySet[Capsule]) -> None:
        self._move(request, queryset, Tier.ARCHIVED)

    @admin.action(description="Quarantine", permissions=("operate",))
    def quarantine(self, request: HttpRequest, queryset: QuerySet[Capsule]) -> None:
        self._move(request, queryset, Tier.QUARANTINED)

    @admin.action(description="Forget (destroys the content for good)", permissions=("operate",))
    def forget(self, request: HttpRequest, queryset: QuerySet[Capsule]) -> None:
        self.for_each(request, queryset, lambda actor, row: capsules.forget(actor, number=row.number, reason=_REASON))

    def _move(self, request: HttpRequest, queryset: QuerySet[Capsule], tier: Tier) -> None:
        self.for_each(request, queryset, lambda actor, row: capsules.set_tier(actor, number=row.number, tier=tier))


@admin.register(CapsuleRelation)
class CapsuleRelationAdmin(ReadOnly):
    list_display = ("shown", "tenant", "kind", "source_number", "target_number", "created_at")
    list_filter = ("kind", "tenant")
    search_fields = ("=source_number", "=target_number")
    search_help_text = "The number of a capsule at either end."
    fields = ("tenant", "kind", "source", "target", "created_at")
    joined = ("tenant",)

    @admin.display(description="relation")
    def shown(self, relation: CapsuleRelation) -> str:
        return str(relation)


@admin.register(TermAlias)
class TermAliasAdmin(ReadOnly):
    list_display = ("term", "alias", "tenant", "created_at", "created_by")
    list_filter = ("tenant",)
    search_fields = ("term", "alias")
    fields = ("tenant", "term", "alias", "created_at", "created_by")
