"""Calls about capsules in, capsules and what a write did besides out. The readers in `engine` judge what was sent.

So every skin refuses with the same words, and what stands here is the schema for readers and tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from rest_framework import serializers

from memories.contracts.base import Contract, Shape, refusal
from memories.contracts.fields import Plain, Value, shown_moment
from memories.engine.capsules import FRAMING, LABEL, CapsuleKind, Tier, capsule_id
from memories.engine.relations import RelationKind

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_YES_NO = {"type": "boolean"}
_WHOLE = {"type": "integer", "minimum": 0}


class AsSent(Value):
    """A value that a reader of the engine judges."""

    def __init__(self, schema: dict[str, Any], text: str = "", **options: Any) -> None:
        super().__init__(schema=schema, required=False, help_text=text or None, **options)

    def to_internal_value(self, data: Any) -> Any:
        return data


def _word(words: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": [str(word) for word in words]}


class Sent(Contract):
    """A call that goes to its reader as it was sent, unknown names too. `needed` says in the schema what must be."""

    needed: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            raise refusal({"": [cls.default_error_messages["invalid"].format()]})
        return dict(data)

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "required": list(cls.needed)} if cls.needed else schema


class Named(Contract):
    """A call of which the names are checked here and the values by a reader."""

    null_is_missing = True
    needed: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "required": list(cls.needed)} if cls.needed else schema


class Fences(Sent):
    """Where to look: everywhere without."""

    project_id = AsSent(_TEXT, "Exactly this project.")
    project_prefix = AsSent(_TEXT, "It and all below.")
    ancestors = AsSent(_YES_NO, "Also all above.")


class BootstrapIn(Fences):
    """The call of `memory_bootstrap` (C17)."""

    terms = AsSent(_TEXTS, "What matters first; filters nothing.")
    token_budget = AsSent(_WHOLE, "1500 when not given.")


class RetrieveIn(Fences):
    """The call of `memory_retrieve` (C54)."""

    needed: ClassVar[tuple[str, ...]] = ("terms",)
    terms = AsSent(_TEXTS, "Any of them; the words of one all.")
    limit = AsSent(_WHOLE)
    token_budget = AsSent(_WHOLE, "1500 when not given.")


class ListIn(Fences):
    """The call of `memory_list` (C56)."""

    kind = AsSent(_word(CapsuleKind))
    tier = AsSent(_word(Tier))
    expired = AsSent(_YES_NO)
    superseded = AsSent(_YES_NO)
    limit = AsSent(_WHOLE)
    cursor = AsSent(_TEXT)


class CaptureIn(Sent):
    """A finding and its relations, all or nothing (C10)."""

    needed: ClassVar[tuple[str, ...]] = ("content", "kind", "project_id")
    content = AsSent(_TEXT)
    kind = AsSent(_word(CapsuleKind))
    project_id = AsSent(_TEXT, "A path such as a/b.")
    confidence = AsSent({"type": "number", "minimum": 0, "maximum": 1})
    valid_from = AsSent(_TEXT)
    valid_to = AsSent(_TEXT)
    source = AsSent(_TEXT)  # type: ignore[assignment]
    tainted = AsSent(_YES_NO)
    supersedes = AsSent(_TEXTS)
    blocks = AsSent(_TEXTS)
    blocked_by = AsSent(_TEXTS)
    proves = AsSent(_TEXTS)
    derived_from = AsSent(_TEXTS)


class CapsuleId(Named):
    """One capsule."""

    needed: ClassVar[tuple[str, ...]] = ("id",)
    id = AsSent(_TEXT)


class TierIn(CapsuleId):
    """Where a capsule goes."""

    needed: ClassVar[tuple[str, ...]] = ("id", "tier")
    tier = AsSent(_word(Tier))


class ForgetIn(CapsuleId):
    """What is forgotten, and why."""

    needed: ClassVar[tuple[str, ...]] = ("id", "reason")
    reason = AsSent(_TEXT)


class RelateIn(Named):
    """A relation, from one capsule to another."""

    needed: ClassVar[tuple[str, ...]] = ("kind", "from", "to")

    def get_fields(self) -> dict[str, serializers.Field]:
        return {"kind": AsSent(_word(RelationKind)), "from": AsSent(_TEXT), "to": AsSent(_TEXT)}


class AliasIn(Named):
    """A term and what else it is called."""

    term = AsSent(_TEXT)
    alias = AsSent(_TEXT)


# What comes out -------------------------------------------------------------------------------------------------------


class CapsuleOut(Shape):
    """A capsule, or its tombstone. `freed` and `cycle` say what a write did besides (C7, C8)."""

    id = serializers.CharField()
    content = serializers.CharField()
    duplicate = serializers.BooleanField()
    freed = Plain(schema={"type": "array"})
    cycle = Plain(schema={"type": "array"})


class WholeOut(CapsuleOut):
    """A capsule with all about it (C57)."""

    relations = Plain(schema={"type": "array"})
    tiers = Plain(schema={"type": "array"})


class RelationOut(Shape):
    """A relation, and what it did."""

    freed = Plain(schema={"type": "array"})
    cycle = Plain(schema={"type": "array"})


class RowsOut(Shape):
    """Rows of a list, with their number."""

    results = Plain(schema={"type": "array"})
    total = serializers.IntegerField()


class RetrievedOut(Shape):
    """What was found."""

    results = Plain(schema={"type": "array"})
    matched = serializers.IntegerField()
    missing = serializers.BooleanField()


class DigestOut(Shape):
    """Totals, the newest and what is ready."""

    total = serializers.IntegerField()
    newest = Plain(schema={"type": "array"})
    ready = Plain(schema={"type": "object"})


class PackOut(Shape):
    """The cold-start pack; its order is the engine's (C35)."""

    constraints = Plain(schema={"type": "array"})
    ready = Plain(schema={"type": "object"})
    decisions = Plain(schema={"type": "array"})
    traps = Plain(schema={"type": "array"})
    handles = Plain(schema={"type": "array"})


def framed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values with stored text in them, marked as what they are (C59)."""
    return {"label": LABEL, "framing": FRAMING, **values}


def capsule_values(capsule: Any) -> dict[str, Any]:
    """A capsule with all its fields; of a forgotten one what is kept: number, time and reason (C6)."""
    if capsule.forgotten_at is not None:
        return {
            "id": str(capsule),
            "forgotten": True,
            "forgotten_at": shown_moment(capsule.forgotten_at),
            "reason": capsule.forgotten_reason,
        }
    return {
        "id": str(capsule),
        "content": capsule.content,
        "kind": str(capsule.kind),
        "project_id": capsule.project_id,
        "confidence": capsule.confidence,
        "valid_from": shown_moment(capsule.valid_from),
        "valid_to": None if capsule.valid_to is None else shown_moment(capsule.valid_to),
        "tier": str(capsule.tier),
        "source": capsule.source,
        "tainted": capsule.tainted,
        "created_at": shown_moment(capsule.created_at),
    }


def whole_values(whole: Any) -> dict[str, Any]:
    """As `capsule_values`, with markers, relations both ways and the history of its tiers (C57)."""
    markers = {name: True for name in ("expired", "superseded", "done") if getattr(whole, name)}
    return {
        **capsule_values(whole.capsule),
        **markers,
        "relations": [relation_values(relation) for relation in whole.relations],
        "tiers": [
            {"at": shown_moment(change.at), "by": change.by, "from": change.old, "to": change.new}
            for change in whole.tier_changes
        ],
    }


def relation_values(relation: Any) -> dict[str, Any]:
    """A stored relation."""
    return {
        "kind": str(relation.kind),
        "from": capsule_id(relation.source_number),
        "to": capsule_id(relation.target_number),
        "created_at": shown_moment(relation.created_at),
    }


def written_values(written: Any) -> dict[str, Any]:
    """What a write did besides writing, where it did (C7, C8)."""
    values: dict[str, Any] = {}
    if written.freed:
        values["freed"] = [relation.to_wire() for relation in written.freed]
    if written.cycle:
        values["cycle"] = [capsule_id(number) for number in written.cycle]
    return values
