"""Deciding the writes of capsules: numbers and duplicates, relations and what follows from them, tiers, forgetting,

aliases (C3 to C9, C58). What a capture may say is `drafts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memories.engine.capsules import CapsuleRow, Tier, content_hash, number_of
from memories.engine.drafts import CapsuleDraft
from memories.engine.faults import Faults
from memories.engine.limits import ALIAS_MAX_CHARS, REASON_MAX_CHARS
from memories.engine.ranking import fold_words
from memories.engine.ready import cycle_closed_by
from memories.engine.relations import Relation, RelationKind, freed_by, refuse_supersedes_loop, standing_of
from memories.engine.text import has_control, is_blank, is_encodable
from memories.errors import InvalidInput, NotFound


class Placed(NamedTuple):
    """Where a draft's content is, or will be."""

    number: int
    new: bool


def place_drafts(
    drafts: Iterable[CapsuleDraft], known: Mapping[tuple[str, str], int], next_number: int
) -> list[Placed]:
    """A number for each draft: the one of the capsule that says the same in its project, else the next (C9).

    `known` are the numbers of stored capsules by project and content hash; equal drafts are one capsule too.
    """
    numbers = dict(known)
    placed: list[Placed] = []
    for draft in drafts:
        key = (draft.project_id, content_hash(draft.content))
        new = key not in numbers
        if new:
            numbers[key] = next_number
            next_number += 1
        placed.append(Placed(numbers[key], new))
    return placed


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did to the graph: relations that are new, those that lost their end (C8), a `blocks` loop (C7)."""

    added: tuple[Relation, ...] = ()
    freed: tuple[Relation, ...] = ()
    cycle: tuple[int, ...] | None = None


def join_relations(
    asked: Iterable[Relation], existing: Sequence[Relation], tombstones: Sequence[CapsuleRow]
) -> Written:
    """What follows from recording `asked`; those that exist change nothing (C5).

    RelationCycle for a loop of `supersedes`; one of `blocks` is named and not refused (C7). Both `existing` and
    `tombstones` are those of the whole tenant.
    """
    there = frozenset(existing)
    added = tuple(relation for relation in dict.fromkeys(asked) if relation not in there)
    if not added:
        return Written()
    refuse_supersedes_loop(existing, added)
    before = standing_of(tombstones, existing)
    after = standing_of(tombstones, [*existing, *added])
    return Written(
        added=added,
        freed=freed_by([one.target for one in added if one.kind is RelationKind.SUPERSEDES], before),
        cycle=cycle_closed_by([(one.source, one.target) for one in added if one.kind is RelationKind.BLOCKS], after),
    )


def read_relation(kind: object, source: object, target: object) -> Relation:
    """A relation between two different capsules, from plain values; InvalidInput that teaches otherwise (C5)."""
    faults = Faults()
    if not isinstance(kind, str) or kind not in list(RelationKind):
        given = f"{kind[:100]!a} is no kind. " if isinstance(kind, str) else ""
        faults.add(
            "kind",
            f"{given}A relation has a kind: one of {', '.join(RelationKind)}. It reads from → to: from blocks to when "
            "from must be finished first.",
        )
    ends: dict[str, int] = {}
    for field, value in (("from", source), ("to", target)):
        try:
            ends[field] = number_of(value, field)
        except InvalidInput as error:
            faults.add(field, error.detail)
    faults.raise_any()
    relation = Relation(RelationKind(str(kind)), ends["from"], ends["to"])
    refuse_self_relation(relation)
    return relation


def refuse_self_relation(relation: Relation) -> None:
    """Raise InvalidInput when both ends are one capsule (C5)."""
    if relation.source == relation.target:
        raise InvalidInput.for_field("to", f"cap-{relation.source} cannot be related to itself.")


def read_tier(value: object) -> Tier:
    """One of the tiers, else InvalidInput (C3)."""
    if isinstance(value, str) and value in list(Tier):
        return Tier(value)
    raise InvalidInput.for_field("tier", f"A tier is one of {', '.join(Tier)}.")


def read_reason(value: object) -> str:
    """Why a capsule is forgotten: required, one to 500 characters (C58)."""
    if not isinstance(value, str) or is_blank(value):
        raise InvalidInput.for_field("reason", "Forgetting needs a reason: it is what stays of the capsule.")
    text = value.strip()
    if not is_encodable(text) or has_control(text):
        raise InvalidInput.for_field("reason", "The reason is text without control characters.")
    if len(text) > REASON_MAX_CHARS:
        raise InvalidInput.for_field(
            "reason", f"The reason has at most {REASON_MAX_CHARS} characters; this one has {len(text):,}."
        )
    return text


@dataclass(frozen=True, slots=True)
class Alias:
    """Both sides folded, as terms are compared."""

    term: str
    alias: str


def read_alias(term: object, alias: object) -> Alias:
    """An alias of a term, folded (case, Latin accents, spacing); InvalidInput when it says nothing (C58)."""
    faults = Faults()
    folded: dict[str, str] = {}
    for field, value in (("term", term), ("alias", alias)):
        if not isinstance(value, str) or not is_encodable(value):
            example = '{"term": "database", "alias": "postgresql"}'
            faults.add(field, f"“{field}” is a text: {example} lets retrieve look for postgresql as well.")
        elif len(value) > ALIAS_MAX_CHARS:
            faults.add(field, f"“{field}” has at most {ALIAS_MAX_CHARS} characters; this one has {len(value):,}.")
        elif not (words := fold_words(value)) or len(" ".join(words)) > ALIAS_MAX_CHARS:
            faults.add(field, f"“{field}” needs a letter or a digit to be found by.")
        else:
            folded[field] = " ".join(words)
    if not faults and folded["term"] == folded["alias"]:
        faults.add("alias", "The alias and the term are the same word.")
    faults.raise_any()
    return Alias(folded["term"], folded["alias"])


def unknown_capsule(number: int) -> NotFound:
    """Unknown and another tenant's are told alike."""
    return NotFound(f"There is no cap-{number}.")
