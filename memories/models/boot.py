"""Real deliveries and what became of the promises they showed."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from memories.engine import limits
from memories.engine.kinds import Acknowledge, Channel, Outcome
from memories.models.base import TenantOwned, one_of
from memories.models.memory import Memory


class Boot(TenantOwned):
    """One real delivery of a payload. `payload` is empty once the text was pruned (the last 100 are kept)."""

    number = models.PositiveBigIntegerField()
    channel = models.CharField(max_length=16, choices=[(channel.value, channel.value) for channel in Channel])
    acknowledge = models.CharField(max_length=10, choices=[(mode.value, mode.value) for mode in Acknowledge])
    session_id = models.CharField(max_length=limits.SESSION_ID_MAX_CHARS, blank=True, default="")
    idempotency_key = models.CharField(max_length=limits.IDEMPOTENCY_KEY_MAX_CHARS, blank=True, default="")
    context_hint = models.TextField(blank=True, default="")
    project_prefix = models.CharField(max_length=limits.PROJECT_MAX_CHARS, blank=True, default="")
    max_chars = models.PositiveIntegerField(null=True, blank=True)
    budget_tokens = models.PositiveIntegerField()
    size_bytes = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    payload = models.TextField(blank=True)
    manifest = models.JSONField()
    actor = models.CharField(max_length=200)
    via = models.CharField(max_length=10)
    created_at = models.DateTimeField()
    acknowledged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("tenant", "number"), name="boot_number_once"),
            one_of("boot_channel_known", "channel", Channel),
            one_of("boot_acknowledge_known", "acknowledge", Acknowledge),
        )
        indexes = (
            models.Index(
                fields=("tenant", "idempotency_key", "created_at"),
                condition=~Q(idempotency_key=""),
                name="boot_idempotency",
            ),
        )

    def __str__(self) -> str:
        return f"boot-{self.number}"


class ServedPromise(TenantOwned):
    """A promise that a boot showed, kept after the promise itself is gone (P44)."""

    boot = models.ForeignKey(Boot, on_delete=models.CASCADE, related_name="served")
    number = models.PositiveBigIntegerField()
    content = models.TextField()
    size_bytes = models.PositiveIntegerField()
    promised_at = models.DateTimeField()
    outcome = models.CharField(
        max_length=20, choices=[(outcome.value, outcome.value) for outcome in Outcome], default=Outcome.SHOWN
    )
    memory = models.ForeignKey(Memory, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=("boot", "number"), name="servedpromise_once_per_boot"),
            # P40: whatever races, a promise becomes one memory.
            models.UniqueConstraint(
                fields=("tenant", "number"), condition=Q(outcome="decayed"), name="servedpromise_decays_once"
            ),
            one_of("servedpromise_outcome_known", "outcome", Outcome),
        )
        indexes = (models.Index(fields=("tenant", "number"), name="servedpromise_by_number"),)

    def __str__(self) -> str:
        return f"prm-{self.number}"
