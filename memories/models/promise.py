"""Pending promises. A promise is pending while its row exists."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from memories.models.base import TenantOwned


class Promise(TenantOwned):
    """A one-shot note for the next boot."""

    number = models.PositiveBigIntegerField()
    content = models.TextField()
    size_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=200)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("tenant", "number"), name="promise_number_once"),
            models.CheckConstraint(condition=Q(size_bytes__gte=1), name="promise_not_empty"),
        )

    def __str__(self) -> str:
        return f"prm-{self.number}"
