"""The append-only account of what happened."""

from __future__ import annotations

from django.db import models

from memories.models.base import TenantOwned


class Event(TenantOwned):
    """What was done, by whom, through which skin. `what` holds ids and sizes, never contents or secrets."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=200)
    via = models.CharField(max_length=10)
    verb = models.CharField(max_length=40)
    what = models.JSONField()

    class Meta:
        indexes = (models.Index(fields=("tenant", "-id"), name="event_newest"),)

    def __str__(self) -> str:
        return f"{self.verb} by {self.actor}"
