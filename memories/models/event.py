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
        indexes = (
            models.Index(fields=("tenant", "-id"), name="event_newest"),
            models.Index(fields=("tenant", "verb", "-id"), name="event_newest_of_verb"),
            models.Index(fields=("tenant", "actor", "-id"), name="event_newest_of_actor"),
            models.Index(fields=("tenant", "at"), name="event_by_time"),
        )

    def __str__(self) -> str:
        return f"{self.verb} by {self.actor}"
