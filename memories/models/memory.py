"""Memories, their tags, earlier versions and search words."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import models
from django.db.models import Count, Q

from memories.engine import limits
from memories.engine.actor import Actor
from memories.engine.kinds import Category, MemoryType, Source
from memories.engine.lifecycle import working_cutoff
from memories.models.base import TenantOwned, TenantQuerySet, one_of

_LIVE = Q(archived_at__isnull=True, forgotten_at__isnull=True)
_ARCHIVED_OR_WORKING = Q(archived_at__isnull=False) | Q(type="working")


class MemoryQuerySet(TenantQuerySet["Memory"]):
    def of(self, actor: Actor) -> MemoryQuerySet:
        return self.filter(tenant_id=actor.tenant)

    def remembered(self) -> MemoryQuerySet:
        """All but what is in the bin."""
        return self.filter(forgotten_at__isnull=True)

    def active(self, now: datetime) -> MemoryQuerySet:
        """What a boot may show: neither in the bin nor archived nor ended by time."""
        return self.filter(_LIVE).exclude(type=MemoryType.WORKING, updated_at__lt=working_cutoff(now))

    def ended(self, now: datetime) -> MemoryQuerySet:
        """Working memories that ended by time and that nothing has archived yet."""
        return self.filter(_LIVE, type=MemoryType.WORKING, updated_at__lt=working_cutoff(now))

    def tagged(self, actor: Actor, tags: Collection[str]) -> MemoryQuerySet:
        """Those of the actor's tenant that have all of `tags`."""
        wanted = set(tags)
        if not wanted:
            return self
        # One look into the tags: a join for each soon costs a planner more than the search itself.
        having = MemoryTag.objects.of(actor).filter(tag__in=wanted).values("memory")
        if len(wanted) > 1:
            having = having.annotate(found=Count("pk")).filter(found=len(wanted)).values("memory")
        return self.filter(pk__in=having)

    def archived(self, now: datetime) -> MemoryQuerySet:
        """Out of the payload, still recalled."""
        ended = Q(type=MemoryType.WORKING, updated_at__lt=working_cutoff(now))
        # The second condition says more; the first is that of the index, which a database must find word for word.
        return self.remembered().filter(_ARCHIVED_OR_WORKING).filter(Q(archived_at__isnull=False) | ended)


class Memory(TenantOwned):
    """One remembered thing.

    `occurred_at` is set for every type and orders lists. `size_*` measure the content; `wire_bytes` is its size as it
    stands in a payload (`engine.wire.body_bytes`), so that a boot fills its budget without reading contents.
    """

    number = models.PositiveBigIntegerField()
    type = models.CharField(max_length=10, choices=[(kind.value, kind.value) for kind in MemoryType])
    content = models.TextField()
    category = models.CharField(max_length=limits.CATEGORY_MAX_CHARS, blank=True, default="")
    key = models.CharField(max_length=limits.KEY_MAX_CHARS, blank=True, default="")
    importance = models.FloatField(default=limits.IMPORTANCE_DEFAULT)
    source = models.CharField(max_length=10, choices=[(source.value, source.value) for source in Source])
    subject = models.TextField(blank=True, default="")
    predicate = models.TextField(blank=True, default="")
    object = models.TextField(blank=True, default="")
    context = models.TextField(blank=True, default="")
    occurred_at = models.DateTimeField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True)
    forgotten_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    size_bytes = models.PositiveIntegerField()
    size_chars = models.PositiveIntegerField()
    wire_bytes = models.PositiveIntegerField()

    objects = MemoryQuerySet.as_manager()  # type: ignore[misc]

    _tags: list[str] | None = None

    class Meta:
        verbose_name_plural = "memories"
        constraints = (
            models.UniqueConstraint(fields=("tenant", "number"), name="memory_number_once"),
            models.UniqueConstraint(
                fields=("tenant", "category", "key"),
                condition=Q(type="core", forgotten_at__isnull=True),
                name="memory_core_key_once",
            ),
            models.UniqueConstraint(
                fields=("tenant", "key"),
                condition=Q(type="working", forgotten_at__isnull=True),
                name="memory_working_key_once",
            ),
            one_of("memory_type_known", "type", MemoryType),
            one_of("memory_source_known", "source", Source),
            models.CheckConstraint(condition=Q(importance__gte=0, importance__lte=1), name="memory_importance_0_to_1"),
            models.CheckConstraint(
                condition=Q(size_bytes__gte=1, size_bytes__lte=limits.CONTENT_MAX_BYTES), name="memory_size_in_range"
            ),
            models.CheckConstraint(
                condition=~Q(type="core") | (Q(category__in=[str(category) for category in Category]) & ~Q(key="")),
                name="memory_core_has_category_and_key",
            ),
            models.CheckConstraint(condition=~Q(type="working") | ~Q(key=""), name="memory_working_has_key"),
            models.CheckConstraint(
                condition=~Q(type="axiom") | (Q(size_chars__lte=limits.AXIOM_MAX_CHARS) & ~Q(category="")),
                name="memory_axiom_short_with_category",
            ),
            models.CheckConstraint(
                condition=~Q(type="semantic") | ~(Q(subject="") | Q(predicate="") | Q(object="")),
                name="memory_semantic_has_triple",
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="memory_version_from_1"),
        )
        indexes = (
            # The boot's window of newest episodic memories, answered from the index alone: the last three are the same
            # in all its rows, but SQLite looks into the table for what is not in the index itself.
            models.Index(
                fields=("tenant", "-occurred_at", "-number", "wire_bytes", "type", "archived_at", "forgotten_at"),
                condition=Q(type="episodic") & _LIVE,
                name="memory_episodic_window",
            ),
            models.Index(
                fields=("tenant", "-updated_at", "-number"),
                condition=Q(type="working") & _LIVE,
                name="memory_working_window",
            ),
            models.Index(
                fields=("tenant", "type", "number"),
                condition=Q(type__in=("core", "axiom")) & _LIVE,
                name="memory_core_and_axioms",
            ),
            models.Index(
                fields=("tenant", "-occurred_at", "-number"),
                condition=Q(forgotten_at__isnull=True),
                name="memory_newest",
            ),
            models.Index(
                fields=("tenant", "type", "-occurred_at", "-number"),
                condition=Q(forgotten_at__isnull=True),
                name="memory_newest_of_type",
            ),
            models.Index(
                fields=("tenant", "category", "-occurred_at", "-number"),
                condition=Q(forgotten_at__isnull=True) & ~Q(category=""),
                name="memory_newest_of_category",
            ),
            models.Index(
                fields=("tenant", "key", "-occurred_at", "-number"),
                condition=Q(forgotten_at__isnull=True) & ~Q(key=""),
                name="memory_newest_of_key",
            ),
            # Of all that `archived` may find, and of the working memories that have not ended: there are few of these.
            # The last four are there to count from the index alone; without them SQLite counts through every memory.
            models.Index(
                fields=(
                    *("tenant", "-occurred_at", "-number"),
                    *("archived_at", "type", "updated_at", "forgotten_at"),
                ),
                condition=Q(forgotten_at__isnull=True) & _ARCHIVED_OR_WORKING,
                name="memory_newest_archived",
            ),
            models.Index(fields=("forgotten_at",), condition=Q(forgotten_at__isnull=False), name="memory_bin"),
        )

    def __str__(self) -> str:
        return f"mem-{self.number}"

    @property
    def tags(self) -> list[str]:
        """In the order given. Read through `prefetch_related("tag_rows")`; a writer sets what it just wrote."""
        if self._tags is None:
            self._tags = [row.tag for row in self.tag_rows.all()]
        return self._tags

    @tags.setter
    def tags(self, tags: list[str]) -> None:
        self._tags = tags


class MemoryTag(TenantOwned):
    """One tag of one memory."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="tag_rows")
    tag = models.CharField(max_length=limits.TAG_MAX_CHARS)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("position",)
        constraints = (models.UniqueConstraint(fields=("memory", "tag"), name="memorytag_once"),)
        indexes = (models.Index(fields=("tenant", "tag", "memory"), name="memorytag_find"),)

    def __str__(self) -> str:
        return self.tag


class MemoryRevision(TenantOwned):
    """A memory as it was before a change. `data` holds the fields of that version."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="revisions")
    version = models.PositiveIntegerField()
    data = models.JSONField()
    replaced_at = models.DateTimeField()
    replaced_by = models.CharField(max_length=200)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("memory", "version"), name="memoryrevision_once"),)

    def __str__(self) -> str:
        return f"version {self.version}"


class MemoryWords(TenantOwned):
    """What a recall ranks a memory by, in one narrow row. From the words (`engine.words`) each database keeps its own
    full-text index, of each tenant's words apart: nobody's recall grows with what others store.

    `number` and `occurred_us`, the microseconds since 1970 in UTC, are those of the memory: a recall looks at hundreds
    of rows, and a second table or a date to parse for each would be half of its time.
    """

    # The index below begins with it.
    tenant = models.ForeignKey("memories.Tenant", on_delete=models.CASCADE, related_name="+", db_index=False)
    memory = models.OneToOneField(Memory, on_delete=models.CASCADE, primary_key=True, related_name="words_row")
    number = models.PositiveBigIntegerField()
    occurred_us = models.BigIntegerField()
    words = models.TextField()

    class Meta:
        verbose_name_plural = "memory words"
        # Newest first, where PostgreSQL walks through a common word's memories instead of sorting them.
        indexes = (models.Index(fields=("tenant", "-memory"), name="memorywords_newest"),)

    def __str__(self) -> str:
        return f"words of {self.memory_id}"
