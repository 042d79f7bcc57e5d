"""Capsules over REST: bodies and queries with the exact schema of what is taken, answers with the shape of what comes.

What is taken goes on as it was sent: the readers in `engine` judge it, so that every skin refuses with the same words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rest_framework import serializers

from memories.contracts.base import Contract, Query, Shape, refusal
from memories.contracts.capsule_calls import AsSent, CaptureIn, Sent, capsule_values
from memories.contracts.fields import SEEN, VISIBLE_NOTE, VISIBLE_TEXT, Plain, Text, When
from memories.engine.capsules import FRAMING, LABEL, CapsuleKind, Tier
from memories.engine.limits import (
    ALIAS_MAX_CHARS,
    BATCH_MAX,
    CAPSULE_CONTENT_MAX_CHARS,
    CAPSULE_TERM_MAX_CHARS,
    PAGE_DEFAULT,
    PAGE_MAX,
    PROJECT_MAX_CHARS,
    REASON_MAX_CHARS,
    SOURCE_MAX_CHARS,
    TERMS_MAX,
)
from memories.engine.listing import Listing
from memories.engine.relations import RelationKind

_CONTROL = r"\x00-\x1f\x7f-\x9f"
# A project: segments joined by slashes, something to see in each, no white space at the ends of the whole (C4).
_ANY, _EDGE = rf"[^/{_CONTROL}]", SEEN.replace("[^", "[^/", 1)
_PROJECT = rf"^(?:{_EDGE}(?:{_ANY}*{_EDGE})?|{_EDGE}{_ANY}*(?:/{_ANY}*{_EDGE}{_ANY}*)*/{_ANY}*{_EDGE})$"
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def _text(most: int, pattern: str = "", least: int = 1) -> dict[str, Any]:
    return {"type": "string", "minLength": least, "maxLength": most, **({"pattern": pattern} if pattern else {})}


def _word(words: type[CapsuleKind | Tier | RelationKind]) -> dict[str, Any]:
    return {"type": "string", "enum": [word.value for word in words]}


_ID = {"type": "string", "pattern": r"^cap-[1-9][0-9]{0,17}$"}
_IDS = {"type": "array", "items": _ID}
_YES_NO = {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 0}
_PROJECT_TEXT = _text(PROJECT_MAX_CHARS, _PROJECT)
_MOMENT = {"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}
_TERMS = {"type": "array", "items": _text(CAPSULE_TERM_MAX_CHARS, least=0), "maxItems": TERMS_MAX}


class _Body(Sent):
    """A body with an exact schema: what is not `needed` may be null, which is as good as left out."""

    null_is_missing = True

    @classmethod
    def is_needed(cls) -> bool:
        return bool(cls.needed)

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        for name in cls.needed:
            field = schema["properties"][name]
            field["type"] = field["type"][0]
            field["enum"] = [word for word in field.get("enum", ()) if word is not None]
            if not field["enum"]:
                del field["enum"]
        return super().described(schema)


# What comes in -------------------------------------------------------------------------------------------------------


class CapsuleIn(_Body, CaptureIn):
    """A finding, and how it relates to those that are there (C1, C10)."""

    needed: ClassVar[tuple[str, ...]] = CaptureIn.needed
    content = AsSent(_text(CAPSULE_CONTENT_MAX_CHARS, VISIBLE_TEXT), "Never changes; a correction supersedes it.")
    kind = AsSent(_word(CapsuleKind))
    project_id = AsSent(_PROJECT_TEXT, "A path such as `atlas/api`.")
    confidence = AsSent({"type": "number", "minimum": 0, "maximum": 1}, "0.6 when not given.")
    valid_from = AsSent(_MOMENT, "Now when not given.")
    valid_to = AsSent(_MOMENT, "For good when not given; a date means its whole day.")
    source = AsSent(  # type: ignore[assignment]
        _text(SOURCE_MAX_CHARS, rf"^[^{_CONTROL}]*{SEEN}[^{_CONTROL}]*$"),
        "Where it comes from; `agent` when not given.",
    )
    tainted = AsSent(_YES_NO, "It comes from where instructions may be smuggled in; it is shown as such.")
    supersedes = AsSent(_IDS, "Capsules that this one replaces.")
    blocks = AsSent(_IDS, "Capsules that wait for this one.")
    blocked_by = AsSent(_IDS, "Capsules that this one waits for.")
    proves = AsSent(_IDS, "Capsules that are done; this is the evidence.")
    derived_from = AsSent(_IDS)


class CapsuleBatch(_Body):
    """Several findings, all or nothing; a fault names its place, such as `items.3.content`."""

    needed: ClassVar[tuple[str, ...]] = ("items",)
    items = CapsuleIn(many=True)

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        items = {**schema["properties"]["items"], "type": "array", "minItems": 1, "maxItems": BATCH_MAX}
        return {**schema, "properties": {"items": items}, "required": ["items"]}


class CapsulesIn(Contract):
    """One finding, or `items` with several."""

    alternatives: ClassVar[Sequence[type[Contract]]] = (CapsuleIn, CapsuleBatch)

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """`{"items": […], "several": bool}`, each item as it was sent."""
        if isinstance(data, list):
            raise refusal({"": ['Send one capsule as an object, or several as {"items": […]}.']})
        if not isinstance(data, Mapping) or "items" not in data:
            return {"items": [CapsuleIn.read(data)], "several": False}
        others = [str(name) for name in data if name != "items"]
        if others:
            raise refusal({others[0]: ["A batch has items and no other field; put it into each of the items."]})
        if not isinstance(data["items"], list):
            raise refusal({"items": ["items is a list of capsules."]})
        return {"items": data["items"], "several": True}


class RelationIn(_Body):
    """`from` → `to`: from blocks, supersedes, proves, or is derived from to (C5)."""

    needed: ClassVar[tuple[str, ...]] = ("kind", "from", "to")

    def get_fields(self) -> dict[str, serializers.Field]:
        return {"kind": AsSent(_word(RelationKind)), "from": AsSent(_ID), "to": AsSent(_ID)}

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        return _known(cls, super().read(data))


class TierChangeIn(_Body):
    """Where a capsule goes (C3)."""

    needed: ClassVar[tuple[str, ...]] = ("tier",)
    tier = AsSent(_word(Tier))

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        return _known(cls, super().read(data))


class TermAliasIn(_Body):
    """A term, and what retrieve looks for as well when asked for it (C58)."""

    needed: ClassVar[tuple[str, ...]] = ("term", "alias")
    term = AsSent(_text(ALIAS_MAX_CHARS), "Compared without case, Latin accents and spacing.")
    alias = AsSent(_text(ALIAS_MAX_CHARS))

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        return _known(cls, super().read(data))


class ForgetBody(_Body):
    """Why a capsule is forgotten."""

    reason = AsSent(_text(REASON_MAX_CHARS, VISIBLE_NOTE))

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        return _known(cls, super().read(data))


class ForgetQuery(Query):
    """Why a capsule is forgotten, in the address."""

    reason = Text(
        schema=_text(REASON_MAX_CHARS, VISIBLE_NOTE),
        help_text='It is what stays of the capsule. It may also come as the body `{"reason": "…"}`.',
    )

    @classmethod
    def read_query(cls, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        # Required in the schema; here its absence is judged with the body.
        return super().read_query(given) if "reason" in given else Query.read_query(given)


class _Fences(_Body):
    project_id = AsSent(_PROJECT_TEXT, "Exactly this project.")
    project_prefix = AsSent(_PROJECT_TEXT, "This project and all below it: `atlas` covers `atlas/api`, never `atlas2`.")
    ancestors = AsSent(_YES_NO, "Also the projects above.")


class PackIn(_Fences):
    """What the pack is compiled over: everything when nothing is given (C17)."""

    terms = AsSent(_TERMS, "What puts rows first. They filter nothing, and an intent is never guessed.")
    token_budget = AsSent(_COUNT, "1500 when not given; a token is 4 characters.")


class RetrievalIn(_Fences):
    """What to look for: a capsule is found by any of the terms, a term by all of its words (C54)."""

    needed: ClassVar[tuple[str, ...]] = ("terms",)
    terms = AsSent({**_TERMS, "minItems": 1})
    limit = AsSent(_COUNT)
    token_budget = AsSent(_COUNT, "1500 when not given; the first row is there whatever it costs.")


class DigestIn(_Fences):
    """Where to look (C55)."""


class _Flag(AsSent):
    def from_query(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text, text)


class _Number(AsSent):
    def from_query(self, text: str) -> Any:
        return int(text) if _WHOLE.fullmatch(text) else text


class CapsuleQuery(Query):
    """Which capsules (C56)."""

    kind = AsSent(_word(CapsuleKind))
    tier = AsSent(_word(Tier))
    expired = _Flag(_YES_NO, "Only expired ones, or only others.")
    superseded = _Flag(_YES_NO, "Only superseded ones, or only others.")
    project_id = AsSent(_PROJECT_TEXT, "Exactly this project.")
    project_prefix = AsSent(_PROJECT_TEXT, "This project and all below it.")
    ancestors = _Flag(_YES_NO, "Also the projects above.")
    limit = _Number(
        {"type": "integer", "minimum": 0, "maximum": PAGE_MAX},
        f"{PAGE_DEFAULT} when not given; 0 gives the total alone.",
    )
    cursor = AsSent(_ID, "From the `next` or `previous` of another page.")


def _known(kind: type[Contract], values: dict[str, Any]) -> dict[str, Any]:
    """The values without those that are null; InvalidInput for names that are no fields."""
    kind.refuse_unknown(values)
    return {name: value for name, value in values.items() if value is not None}


# What comes out ------------------------------------------------------------------------------------------------------


class _Ready(Shape):
    """A shape for the schema: the values are JSON already, in their own order."""

    def to_representation(self, instance: Any) -> Any:
        return instance


class _Framed(_Ready):
    label = Plain(schema={"type": "string", "const": LABEL})  # type: ignore[assignment]
    framing = Plain(schema={"type": "string", "const": FRAMING})


class ScopeOut(_Ready):
    """The fences that were given."""

    project_id = serializers.CharField(required=False)
    project_prefix = serializers.CharField(required=False)
    ancestors = serializers.BooleanField(required=False)


class _Scoped(_Framed):
    scope = ScopeOut()


class RowOut(_Ready):
    """A capsule in its lean form; what says nothing is left out (C11)."""

    id = serializers.CharField()
    headline = serializers.CharField()
    project_id = serializers.CharField(required=False)
    kind = Plain(schema=_word(CapsuleKind), required=False)
    tier = Plain(schema=_word(Tier), required=False)
    expired = serializers.BooleanField(required=False)
    superseded = serializers.BooleanField(required=False)
    done = serializers.BooleanField(required=False)
    tainted = serializers.BooleanField(required=False)


class RelationRow(_Ready):
    """A relation between two capsules."""

    def get_fields(self) -> dict[str, serializers.Field]:
        ends = {"from": serializers.CharField(), "to": serializers.CharField()}
        return {"kind": Plain(schema=_word(RelationKind)), **ends, **super().get_fields()}


class WrittenOut(_Ready):
    """What a write did besides: relations that lost their end, and a loop of blocks that it closed (C7, C8)."""

    freed = RelationRow(many=True, required=False)
    cycle = Plain(schema={"type": "array", "items": {"type": "string"}}, required=False)


class RelationOut(WrittenOut, RelationRow):
    """A relation with the time at which it was first recorded."""

    created_at = When()


class StoredRelation(RelationRow):
    """A relation with its time."""

    created_at = When()


class CapsuleBody(_Ready):
    """A capsule with all its fields; of a forgotten one its id, time and reason (C6)."""

    id = serializers.CharField()
    content = serializers.CharField(required=False)
    kind = Plain(schema=_word(CapsuleKind), required=False)
    project_id = serializers.CharField(required=False)
    confidence = serializers.FloatField(required=False)
    valid_from = When(required=False)
    valid_to = When(required=False, allow_null=True)
    tier = Plain(schema=_word(Tier), required=False)
    source = serializers.CharField(required=False)  # type: ignore[assignment]
    tainted = serializers.BooleanField(required=False)
    created_at = When(required=False)
    forgotten = serializers.BooleanField(required=False)
    forgotten_at = When(required=False)
    reason = serializers.CharField(required=False)


class CapsuleShown(_Framed, CapsuleBody):
    """A capsule."""


class CapsuleCaptured(WrittenOut, CapsuleShown):
    """The new capsule, or the one that says the same in this project already (C9)."""

    duplicate = serializers.BooleanField()


class CapsuleInBatch(CapsuleBody):
    """A capsule of a batch."""

    duplicate = serializers.BooleanField()


class CapsulesCaptured(WrittenOut, _Framed):
    """The capsules of a batch, in the order in which they were sent."""

    results = CapsuleInBatch(many=True)


class CapsuleForgotten(WrittenOut, CapsuleShown):
    """The tombstone."""


class TierMove(_Ready):
    """A move between tiers."""

    def get_fields(self) -> dict[str, serializers.Field]:
        tiers = {"from": Plain(schema=_word(Tier)), "to": Plain(schema=_word(Tier))}
        return {"at": When(), "by": serializers.CharField(), **tiers}


class CapsuleWhole(CapsuleShown):
    """A capsule with its markers, its relations both ways and the history of its tiers (C57)."""

    expired = serializers.BooleanField(required=False)
    superseded = serializers.BooleanField(required=False)
    done = serializers.BooleanField(required=False)
    relations = StoredRelation(many=True)
    tiers = TierMove(many=True)


class CapsulePage(_Scoped):
    """The newest rows that the filters let through, the oldest of them first; `total` counts all (C56)."""

    results = RowOut(many=True)
    total = serializers.IntegerField()
    next = serializers.URLField(allow_null=True, help_text="The page of older ones.")
    previous = serializers.URLField(allow_null=True, help_text="The page of newer ones.")


class BudgetOut(_Ready):
    """What the answer costs."""

    token_budget = serializers.IntegerField()
    used_tokens = serializers.IntegerField()


class PackBudget(BudgetOut):
    """As well, how many rows the ceiling dropped (C47)."""

    trimmed_by_budget = serializers.IntegerField()


class ReadyOut(_Ready):
    """What can be done next, or the cycle that is in the way (C36, C40)."""

    next_action = RowOut(required=False)
    ready = RowOut(many=True)
    ready_total = serializers.IntegerField()
    cycle = Plain(schema={"type": "array", "items": {"type": "string"}}, required=False)


class PackShown(_Scoped):
    """The cold-start pack. Empty lists are left out, totals never (C33, C35, C36)."""

    constraints = RowOut(many=True, required=False)
    constraints_total = serializers.IntegerField()
    ready = ReadyOut()
    decisions = RowOut(many=True, required=False)
    decisions_total = serializers.IntegerField()
    traps = RowOut(many=True, required=False)
    traps_total = serializers.IntegerField()
    handles = Plain(schema={"type": "array", "items": {"type": "string"}}, required=False)
    budget = PackBudget()


class FoundOut(_Ready):
    """A capsule that was found, whole. `alias:` stands before a term that only an alias of it found."""

    id = serializers.CharField()
    content = serializers.CharField()
    project_id = serializers.CharField(required=False)
    kind = Plain(schema=_word(CapsuleKind))
    done = serializers.BooleanField(required=False)
    tainted = serializers.BooleanField(required=False)
    matched_terms = Plain(schema={"type": "array", "items": {"type": "string"}})


class RetrievalShown(_Scoped):
    """What was found, best first; `excluded` counts what matched and is not in force (C54)."""

    missing = serializers.BooleanField(required=False)
    results = FoundOut(many=True)
    matched = serializers.IntegerField()
    returned = serializers.IntegerField()
    trimmed_by_limit = serializers.IntegerField()
    trimmed_by_budget = serializers.IntegerField()
    excluded = Plain(schema={"type": "object", "additionalProperties": {"type": "integer"}})
    budget = BudgetOut()


class ProjectionOut(_Ready):
    """Ready, blocked, done; or a cycle and nothing else (C40)."""

    ready = RowOut(many=True, required=False)
    ready_total = serializers.IntegerField(required=False)
    blocked = RowOut(many=True, required=False)
    blocked_total = serializers.IntegerField(required=False)
    done = RowOut(many=True, required=False)
    done_total = serializers.IntegerField(required=False)
    cycle = Plain(schema={"type": "array", "items": {"type": "string"}}, required=False)


class DigestShown(_Scoped):
    """Totals, the newest and what is ready (C55)."""

    total = serializers.IntegerField()
    by_kind = Plain(schema={"type": "object", "additionalProperties": {"type": "integer"}})
    by_project = Plain(schema={"type": "object", "additionalProperties": {"type": "integer"}})
    by_tier = Plain(schema={"type": "object", "additionalProperties": {"type": "integer"}})
    newest = RowOut(many=True)
    ready = ProjectionOut()


class AliasRow(_Ready):
    """A term and its alias, folded as they are compared."""

    term = serializers.CharField()
    alias = serializers.CharField()


class AliasMade(_Framed, AliasRow):
    """The alias."""


class AliasesShown(_Framed):
    """All aliases, by term."""

    results = AliasRow(many=True)
    total = serializers.IntegerField()


def page_values(listing: Listing, *, next_page: str | None, previous_page: str | None) -> dict[str, Any]:
    """A page of the list with the addresses of the pages beside it."""
    return {**listing.to_wire(), "next": next_page, "previous": previous_page}


def captured_values(captured: Any) -> dict[str, Any]:
    """A capsule of a capture, and whether it was there already."""
    return {**capsule_values(captured.capsule), "duplicate": captured.duplicate}
