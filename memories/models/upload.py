"""Files between two steps of a person: looked at, not applied yet."""

from __future__ import annotations

from django.db import models

from memories.engine import limits
from memories.models.base import TenantOwned
from memories.models.tenancy import Person


class Upload(TenantOwned):
    """What one person uploaded to a tenant last. It goes when it is applied, replaced, or an hour old."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="+")
    project_id = models.CharField(max_length=limits.PROJECT_MAX_CHARS, blank=True, default="")
    data = models.BinaryField()
    files = models.PositiveIntegerField()
    size_bytes = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("tenant", "person"), name="upload_once_per_person"),)

    def __str__(self) -> str:
        return f"{self.files} files of {self.person}"
