"""Tenants, the people who look after them, and the keys of their agents."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from memories.engine import limits
from memories.engine.invitations import written
from memories.engine.kinds import Role
from memories.models.base import TenantOwned, one_of


class Person(AbstractUser):
    """Somebody who signs in with a password. What they may do in a tenant is their membership's role."""

    class Meta(AbstractUser.Meta):
        verbose_name = "person"
        verbose_name_plural = "people"


class Tenant(models.Model):
    """One agent's memory space and budget. Pages call it agent.

    `next_*` are the numbers that the next row of a kind gets: counted per tenant, given under the lock on this row, and
    never given twice. `*_count` are the exact numbers of active memories (P30), kept in the transaction that changes
    the rows. `working_count` still holds those that ended by time until a sweep archives them.
    """

    slug = models.SlugField(max_length=limits.SLUG_MAX_CHARS, unique=True)
    name = models.CharField(max_length=limits.NAME_MAX_CHARS)
    budget_tokens = models.PositiveIntegerField(default=limits.BUDGET_TOKENS_DEFAULT)
    share_core = models.PositiveSmallIntegerField(default=limits.SHARES_DEFAULT[0])
    share_working = models.PositiveSmallIntegerField(default=limits.SHARES_DEFAULT[1])
    share_episodic = models.PositiveSmallIntegerField(default=limits.SHARES_DEFAULT[2])
    category_caps = models.JSONField(default=dict, blank=True, help_text="Character caps that differ from the default.")
    created_at = models.DateTimeField(db_default=Now())

    next_memory = models.PositiveBigIntegerField(default=1, db_default=1)
    next_promise = models.PositiveBigIntegerField(default=1, db_default=1)
    next_boot = models.PositiveBigIntegerField(default=1, db_default=1)
    next_capsule = models.PositiveBigIntegerField(default=1, db_default=1)

    core_count = models.PositiveBigIntegerField(default=0, db_default=0)
    working_count = models.PositiveBigIntegerField(default=0, db_default=0)
    episodic_count = models.PositiveBigIntegerField(default=0, db_default=0)
    semantic_count = models.PositiveBigIntegerField(default=0, db_default=0)
    axiom_count = models.PositiveBigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(budget_tokens__gte=limits.BUDGET_TOKENS_MIN, budget_tokens__lte=limits.BUDGET_TOKENS_MAX),
                name="tenant_budget_in_range",
            ),
            models.CheckConstraint(
                condition=Q(
                    share_core__gte=0,
                    share_working__gte=0,
                    share_episodic__gte=0,
                    share_core=100 - F("share_working") - F("share_episodic"),
                ),
                name="tenant_shares_make_100",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="tenant_has_name"),
        )

    def __str__(self) -> str:
        return self.slug


class Membership(TenantOwned):
    """A person's role in a tenant."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=[(role.value, role.value) for role in Role])
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("tenant", "person"), name="membership_once_per_tenant"),
            one_of("membership_role_known", "role", Role),
        )

    def __str__(self) -> str:
        return f"{self.person} is {self.role} of {self.tenant}"


class ApiKey(TenantOwned):
    """A credential of one tenant. The secret itself is shown once and kept nowhere."""

    name = models.CharField(max_length=limits.NAME_MAX_CHARS)
    prefix = models.CharField(max_length=16, unique=True)
    secret_hash = models.CharField(max_length=64)
    scopes = models.JSONField()
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=200)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API key"
        constraints = (models.CheckConstraint(condition=~Q(secret_hash=""), name="apikey_has_hash"),)

    def __str__(self) -> str:
        return f"rvl_{self.prefix}"

    def works(self, now: datetime) -> bool:
        """Whether it lets its holder in: it is neither revoked nor past its end."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


class Invitation(TenantOwned):
    """A one-time code for a role. It is open while the row exists; the code itself is kept nowhere."""

    role = models.CharField(max_length=10, choices=[(role.value, role.value) for role in Role])
    prefix = models.CharField(max_length=16, unique=True)
    code_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=200)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (
            one_of("invitation_role_known", "role", Role),
            models.CheckConstraint(condition=~Q(code_hash="") & ~Q(prefix=""), name="invitation_has_hash"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="invitation_ends_later"),
        )

    def __str__(self) -> str:
        return written(self.prefix)
