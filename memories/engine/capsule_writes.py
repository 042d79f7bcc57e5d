"""What may be written about capsules besides capturing them: relations, tiers, forgetting, aliases (C3, C5, C58)."""

from __future__ import annotations

from dataclasses import dataclass

from memories.engine.capsules import Tier, number_of
from memories.engine.faults import Faults
from memories.engine.limits import ALIAS_MAX_CHARS, REASON_MAX_CHARS
from memories.engine.ranking import fold_words
from memories.engine.relations import Relation, RelationKind
from memories.engine.text import has_control, is_blank, is_encodable
from memories.errors import InvalidInput, NotFound


def read_relation(kind: object, source: object, target: object) -> Relation:
    """A relation between two different capsules, from plain values; InvalidInput that teaches otherwise (C5)."""
    faults = Faults()
    if not isinstance(kind, str) or kind not in list(RelationKind):
        faults.add("kind", f"A relation has a kind: one of {', '.join(RelationKind)}.")
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
            faults.add(field, f"“{field}” is a text.")
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
