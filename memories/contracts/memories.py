"""A memory in and out, and the filters of the list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memories.contracts.base import Contract, Shape
from memories.contracts.fields import (
    LINE,
    VISIBLE_LINE,
    VISIBLE_TEXT,
    Filter,
    Moment,
    Number,
    OneOf,
    Several,
    Text,
    TextOrNull,
    When,
    YesNo,
)
from memories.contracts.pages import PageQuery, PageShape, cursor
from memories.engine.kinds import Category, MemoryType, Source
from memories.engine.limits import (
    AXIOM_MAX_CHARS,
    BATCH_MAX,
    CATEGORY_MAX_CHARS,
    CONTENT_MAX_BYTES,
    KEY_MAX_CHARS,
    TAG_MAX_CHARS,
    TAGS_MAX,
    TERM_MAX_CHARS,
)
from memories.engine.memories import MemoryDraft
from memories.selectors.memories import MemoryFilter
from memories.selectors.pages import CURSOR_OF_TWO_KEYS

# What a memory of each type must have and what it may have besides; the rules themselves are in `engine.memories`.
_ALWAYS = ("tags", "importance", "occurred_at")
_FIELDS: dict[MemoryType, tuple[tuple[str, ...], tuple[str, ...]]] = {
    MemoryType.CORE: (("content", "category", "key"), ()),
    MemoryType.WORKING: (("content", "key"), ("category",)),
    MemoryType.EPISODIC: (("content",), ("category",)),
    MemoryType.SEMANTIC: (("subject", "predicate", "object"), ("context", "content", "category")),
    MemoryType.AXIOM: (("content",), ("category",)),
}


def _content(**options: Any) -> Text:
    text = f"At most {CONTENT_MAX_BYTES:,} bytes (an axiom: {AXIOM_MAX_CHARS} characters); stored to the byte."
    return Text(
        schema={"maxLength": CONTENT_MAX_BYTES, "pattern": VISIBLE_TEXT}, required=False, help_text=text, **options
    )


def _line(most: int, text: str, **options: Any) -> Text:
    return Text(schema={"maxLength": most, "pattern": LINE}, required=False, help_text=text, **options)


def _tags(**options: Any) -> Several:
    tag = Text(schema={"maxLength": TAG_MAX_CHARS, "pattern": VISIBLE_LINE})
    return Several(tag, schema={"maxItems": TAGS_MAX}, required=False, help_text="Kept in this order.", **options)


class MemoryIn(Contract):
    """A memory to store. Core and working ones have a key; writing a key again revises the memory that has it."""

    null_is_missing = True

    type = OneOf(MemoryType)
    content = _content()
    category = _line(CATEGORY_MAX_CHARS, "Of a core memory a closed list, else free.")
    key = _line(KEY_MAX_CHARS, "Names a core or working memory, so that it can be written again.")
    tags = _tags()
    importance = Number(minimum=0, maximum=1, required=False, help_text="0.5 when not given.")
    occurred_at = Moment(required=False, help_text="Now when not given.")
    subject = _line(TERM_MAX_CHARS, "Whom or what a semantic memory is about.")
    predicate = _line(TERM_MAX_CHARS, "How subject and object relate.")
    object = _line(TERM_MAX_CHARS, "What is said of the subject.")
    context = _line(TERM_MAX_CHARS, "When or where it holds.")  # type: ignore[assignment]

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        """One alternative for each type: which fields there are depends on it."""
        properties = schema["properties"]
        kinds = []
        for kind, (needed, possible) in _FIELDS.items():
            own = {name: properties[name] for name in (*needed, *possible, *_ALWAYS)}
            for name in needed:
                seen = VISIBLE_TEXT if name == "content" else VISIBLE_LINE
                own[name] = {**own[name], "type": "string", "pattern": seen}
            if kind is MemoryType.CORE:
                own["category"] = {"type": "string", "enum": [category.value for category in Category]}
            if kind is MemoryType.SEMANTIC:
                own["content"] = {**own["content"], "pattern": f"^$|{VISIBLE_TEXT}"}
            if kind is MemoryType.AXIOM:
                own["content"] = {**own["content"], "maxLength": AXIOM_MAX_CHARS}
            kinds.append(
                {
                    "type": "object",
                    "title": kind.value,
                    "properties": {"type": {"type": "string", "enum": [kind.value]}, **own},
                    "required": ["type", *needed],
                    "additionalProperties": False,
                }
            )
        return {"oneOf": kinds, "description": schema.get("description", "")}


class MemoryBatch(Contract):
    """Several memories, all or nothing; a fault names its place, such as `items.3.content`."""

    items = MemoryIn(many=True)

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        schema["properties"]["items"] |= {"minItems": 1, "maxItems": BATCH_MAX}
        return schema


class MemoriesIn(Contract):
    """One memory, or `items` with several."""

    alternatives = (MemoryIn, MemoryBatch)

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """`{"items": […], "several": bool}`, each item as `draft` takes it."""
        if isinstance(data, Mapping) and "items" in data:
            return {"items": MemoryBatch.read(data).get("items", []), "several": True}
        return {"items": [MemoryIn.read(data)], "several": False}


class MemoryChange(Contract):
    """What is to be different; what is not named stays as it is."""

    least = 1

    content = _content()
    category = _line(CATEGORY_MAX_CHARS, "Of a core memory a closed list, else free.")
    key = _line(KEY_MAX_CHARS, "Of a core or working memory.")
    tags = _tags()
    importance = Number(minimum=0, maximum=1, required=False)
    occurred_at = Moment(required=False)
    subject = _line(TERM_MAX_CHARS, "Of a semantic memory.")
    predicate = _line(TERM_MAX_CHARS, "Of a semantic memory.")
    object = _line(TERM_MAX_CHARS, "Of a semantic memory.")
    context = _line(TERM_MAX_CHARS, "Of a semantic memory.")  # type: ignore[assignment]


class MemoryQuery(PageQuery):
    """What the list holds."""

    cursor = cursor(CURSOR_OF_TWO_KEYS)
    type = OneOf(MemoryType, required=False)
    category = Filter(required=False)
    key = Filter(required=False)
    tag = Several(Filter(), required=False, help_text="Exactly this tag; given several times: all of them.")
    source = OneOf(Source, required=False)  # type: ignore[assignment]
    archived = YesNo(required=False, default=False, help_text="The archived ones instead of the active ones.")
    since = Moment(required=False, help_text="Occurred then or later.")
    until = Moment(required=False, end=True, help_text="Occurred then or earlier; a date means its whole day.")


class MemoryOut(Shape):
    """A memory. The four terms stand only in semantic ones."""

    id = serializers.CharField(source="__str__")
    type = serializers.ChoiceField(choices=[(kind.value, kind.value) for kind in MemoryType])
    content = serializers.CharField()
    category = TextOrNull()
    key = TextOrNull()
    tags = serializers.ListField(child=serializers.CharField())
    importance = serializers.FloatField()
    source = serializers.ChoiceField(choices=[(source.value, source.value) for source in Source])  # type: ignore[assignment]
    occurred_at = When()
    created_at = When()
    updated_at = When()
    archived_at = When(allow_null=True)
    version = serializers.IntegerField()
    subject = serializers.CharField(required=False)
    predicate = serializers.CharField(required=False)
    object = serializers.CharField(required=False)
    context = TextOrNull(required=False)  # type: ignore[assignment]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown = super().to_representation(instance)
        if instance.type != MemoryType.SEMANTIC:
            for name in ("subject", "predicate", "object", "context"):
                del shown[name]
        return shown


class MemoriesOut(Shape):
    """The memories of a batch, in the order in which they were sent."""

    results = MemoryOut(many=True)


class MemoryPage(PageShape):
    """Memories, newest first."""

    results = MemoryOut(many=True)


def draft(values: Mapping[str, Any], *, source: Source) -> MemoryDraft:
    """The memory that `MemoryIn` read."""
    return MemoryDraft(source=source, **values)


def where(values: Mapping[str, Any]) -> MemoryFilter:
    """The filter that `MemoryQuery` read."""
    given = {name: value for name, value in values.items() if name not in ("limit", "cursor", "tag")}
    return MemoryFilter(tags=values.get("tag", ()), **given)
