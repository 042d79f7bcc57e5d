"""What only tools take and give: ids and versions that REST has in the address and in headers, and short receipts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memories.contracts.base import Contract, Shape
from memories.contracts.boots import BootOut
from memories.contracts.config import ConfigChange
from memories.contracts.fields import Text, Whole, YesNo
from memories.contracts.help import TopicOut, TopicsOut
from memories.contracts.ids import PATTERN, Prefix
from memories.contracts.memories import MemoryChange, MemoryIn, MemoryOut, MemoryPage, MemoryQuery
from memories.engine.kinds import Category


def _id(prefix: Prefix, **options: Any) -> Text:
    return Text(schema={"pattern": f"^{prefix}-{PATTERN}$"}, **options)


def _version() -> Whole:
    return Whole(required=False, help_text="Refuse if it changed since this version.")


class BootId(Contract):
    """One boot."""

    id = _id(Prefix.BOOT)


class PromiseId(Contract):
    """One promise."""

    id = _id(Prefix.PROMISE)


class MemoryId(Contract):
    """One memory, and the version that it must still have."""

    null_is_missing = True

    id = _id(Prefix.MEMORY)
    version = _version()


class ArchiveIn(MemoryId):
    """One memory into the archive, or back."""

    restore = YesNo(required=False, default=False, help_text="Bring it back, also from the bin.")


class TopicIn(Contract):
    """Which help; all of it without."""

    null_is_missing = True

    topic = Text(required=False)


class RememberIn(MemoryIn):
    """A new memory, or with `id` what is to be different in one. Flat, because many clients take no alternatives."""

    category = Text(required=False, help_text=f"core: {', '.join(Category)}. Else free.")
    id = _id(Prefix.MEMORY, required=False, help_text="Revise this memory: only the fields given change.")
    version = _version()

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """`{"id", "version", "changes"}` as `MemoryChange` reads them, or what `MemoryIn` reads."""
        if not isinstance(data, Mapping) or data.get("id") is None:
            if isinstance(data, Mapping):
                data = {name: value for name, value in data.items() if name != "id"}
            return MemoryIn.read(data)
        own = MemoryId.read({name: data[name] for name in ("id", "version") if name in data})
        rest = {name: value for name, value in data.items() if name not in ("id", "version")}
        return {**own, "changes": MemoryChange.read(rest)}

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "required": []}


class ExactIn(MemoryQuery):
    """One memory by id, or a page by filters."""

    id = _id(Prefix.MEMORY, required=False)

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """`{"id"}`, or what `MemoryQuery` reads."""
        given = (
            {name: value for name, value in data.items() if value is not None} if isinstance(data, Mapping) else data
        )
        if isinstance(given, Mapping) and "id" in given:
            return MemoryId.read(given)
        return MemoryQuery.read(given)


class ConfigIn(ConfigChange):
    """What is to be different; nothing at all only shows what is."""

    least = 0


class ServedOut(BootOut):
    """A payload without its manifest, which is for people and costs an agent more than the payload (P44 keeps it)."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {name: shown for name, shown in super().get_fields().items() if name != "manifest"}

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown = super().to_representation(instance)
        del shown["manifest"]
        return shown


class ExactOut(MemoryPage, MemoryOut):
    """For the schema: a memory, or a page of them with the cursors of the pages beside it."""


class ReleasedOut(Shape):
    """The promise that is gone."""

    id = serializers.CharField()
    released = serializers.BooleanField()


class ForgottenOut(Shape):
    """The memory that is in the bin."""

    id = serializers.CharField()
    forgotten = serializers.BooleanField()


class HelpOut(TopicsOut, TopicOut):
    """For the schema: one topic, or all of them."""
