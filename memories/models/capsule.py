"""Capsules, what relates them, how their tiers moved, and the aliases of terms (C1 to C6, C58)."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from memories.engine import limits
from memories.engine.capsules import CapsuleKind, Tier
from memories.engine.relations import RelationKind
from memories.models.base import TenantOwned, one_of


class Capsule(TenantOwned):
    """A structured finding of a project. Its content never changes; forgotten, it is a tombstone without content."""

    number = models.PositiveBigIntegerField()
    content = models.TextField(blank=True)
    kind = models.CharField(max_length=20, choices=[(kind.value, kind.value) for kind in CapsuleKind])
    project_id = models.CharField(max_length=limits.PROJECT_MAX_CHARS)
    confidence = models.FloatField(default=limits.CAPSULE_CONFIDENCE_DEFAULT)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)
    tier = models.CharField(
        max_length=12, choices=[(tier.value, tier.value) for tier in Tier], default=Tier.ACTIVE.value
    )
    source = models.CharField(max_length=limits.SOURCE_MAX_CHARS)
    tainted = models.BooleanField(default=False)
    content_hash = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=200)
    forgotten_at = models.DateTimeField(null=True, blank=True)
    forgotten_reason = models.CharField(max_length=limits.REASON_MAX_CHARS, blank=True, default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("tenant", "number"), name="capsule_number_once"),
            models.UniqueConstraint(
                fields=("tenant", "project_id", "content_hash"),
                condition=Q(forgotten_at__isnull=True),
                name="capsule_content_once_per_project",
            ),
            one_of("capsule_kind_known", "kind", CapsuleKind),
            one_of("capsule_tier_known", "tier", Tier),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="capsule_confidence_0_to_1"),
            models.CheckConstraint(condition=~Q(project_id=""), name="capsule_has_project"),
            models.CheckConstraint(
                condition=Q(valid_to__isnull=True) | Q(valid_to__gte=F("valid_from")), name="capsule_valid_in_order"
            ),
            models.CheckConstraint(
                condition=(Q(forgotten_at__isnull=True) & ~Q(content="") & ~Q(content_hash=""))
                | (Q(forgotten_at__isnull=False, content="", content_hash="") & ~Q(forgotten_reason="")),
                name="capsule_whole_or_tombstone",
            ),
        )
        indexes = (
            models.Index(fields=("tenant", "project_id", "number"), name="capsule_by_project"),
            # Holds all by which a pack chooses, so that thousands are looked at without their rows and contents. SQLite
            # wants the column of the condition in it as well.
            models.Index(
                fields=(
                    *("tenant", "kind", "project_id", "number"),
                    *("tier", "confidence", "valid_from", "valid_to", "tainted", "forgotten_at"),
                ),
                condition=Q(forgotten_at__isnull=True),
                name="capsule_choice",
            ),
            models.Index(
                fields=("tenant", "number"), condition=Q(forgotten_at__isnull=False), name="capsule_tombstones"
            ),
        )

    def __str__(self) -> str:
        return f"cap-{self.number}"


class CapsuleRelation(TenantOwned):
    """`source` → `target`. The numbers stand beside the keys, so that a pack reads 20,000 of them without a join."""

    kind = models.CharField(max_length=12, choices=[(kind.value, kind.value) for kind in RelationKind])
    source = models.ForeignKey(Capsule, on_delete=models.CASCADE, related_name="relations_out")
    target = models.ForeignKey(Capsule, on_delete=models.CASCADE, related_name="relations_in")
    source_number = models.PositiveBigIntegerField()
    target_number = models.PositiveBigIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("kind", "source", "target"), name="capsulerelation_once"),
            models.CheckConstraint(condition=~Q(source=F("target")), name="capsulerelation_not_to_itself"),
            one_of("capsulerelation_kind_known", "kind", RelationKind),
        )
        indexes = (
            models.Index(fields=("tenant", "kind", "source_number", "target_number"), name="capsulerelation_of_tenant"),
        )

    def __str__(self) -> str:
        return f"cap-{self.source_number} {self.kind} cap-{self.target_number}"


class TierChange(TenantOwned):
    """One move of a capsule between tiers (C3, C57)."""

    capsule = models.ForeignKey(Capsule, on_delete=models.CASCADE, related_name="tier_changes")
    at = models.DateTimeField()
    by = models.CharField(max_length=200)
    old = models.CharField(max_length=12)
    new = models.CharField(max_length=12)

    class Meta:
        ordering = ("pk",)
        constraints = (
            one_of("tierchange_old_known", "old", Tier),
            one_of("tierchange_new_known", "new", Tier),
        )

    def __str__(self) -> str:
        return f"{self.old} to {self.new}"


class TermAlias(TenantOwned):
    """Asking `memory_retrieve` for `term` also looks for `alias`; one way only (C54, C58). Both are folded."""

    term = models.CharField(max_length=limits.ALIAS_MAX_CHARS)
    alias = models.CharField(max_length=limits.ALIAS_MAX_CHARS)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "term aliases"
        constraints = (
            models.UniqueConstraint(fields=("tenant", "term", "alias"), name="termalias_once"),
            models.CheckConstraint(
                condition=~Q(term="") & ~Q(alias="") & ~Q(term=F("alias")), name="termalias_says_something"
            ),
        )

    def __str__(self) -> str:
        return f"{self.term} → {self.alias}"
