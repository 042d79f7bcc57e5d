"""The forms around a capsule: capture one, relate two, move its tier, forget it, as they were sent and what was wrong.

What may be captured is decided by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memories.engine.capsules import CapsuleKind, Tier
from memories.engine.drafts import LINKS
from memories.engine.limits import CAPSULE_CONFIDENCE_DEFAULT, CAPSULE_CONTENT_MAX_CHARS
from memories.engine.relations import RelationKind
from memories.errors import RevellError
from memories.selectors.capsules import Whole
from memories.web.presenters.capsules import words_of

KINDS = (
    (CapsuleKind.CONSTRAINT, "what must hold"),
    (CapsuleKind.DECISION, "what was chosen, and why"),
    (CapsuleKind.FAILURE_PATTERN, "what failed before, and how"),
    (CapsuleKind.TASK, "work to do"),
    (CapsuleKind.PROCEDURE, "how something is done"),
    (CapsuleKind.FACT, "what is so"),
    (CapsuleKind.REFERENCE, "where to find more"),
)
LINK_WORDS = {
    "supersedes": ("Supersedes", "These are no longer in force."),
    "blocks": ("Blocks", "These wait until this is done."),
    "blocked_by": ("Blocked by", "These must be done first."),
    "proves": ("Proves", "This is the evidence that they are done."),
    "derived_from": ("Derived from", "What this follows from."),
}
# A relation as it reads from the page's own capsule; `:by` turns it round.
RELATIONS = (
    (f"{RelationKind.BLOCKS}", "blocks"),
    (f"{RelationKind.BLOCKS}:by", "is blocked by"),
    (f"{RelationKind.PROVES}:by", "is proved by"),
    (f"{RelationKind.PROVES}", "proves"),
    (f"{RelationKind.SUPERSEDES}", "supersedes"),
    (f"{RelationKind.SUPERSEDES}:by", "is superseded by"),
    (f"{RelationKind.DERIVED_FROM}", "is derived from"),
    (f"{RelationKind.DERIVED_FROM}:by", "is the source of"),
)
TIER_VERBS = {
    Tier.ACTIVE: "Make active",
    Tier.ARCHIVED: "Archive",
    Tier.QUARANTINED: "Quarantine",
}
_PROJECTS_OFFERED = 200


@dataclass(frozen=True, slots=True)
class LinkField:
    name: str
    label: str
    value: str
    error: Sequence[str]
    hint: str


@dataclass(frozen=True, slots=True)
class Capture:
    """The form of a new capsule: values as typed, and what was wrong by field."""

    values: Mapping[str, str]
    errors: Mapping[str, Sequence[str]]
    detail: str
    links: tuple[LinkField, ...]
    projects: tuple[str, ...]
    chars: int
    bytes: int
    superseded: str = ""
    most_chars: int = CAPSULE_CONTENT_MAX_CHARS
    kinds: tuple[tuple[str, str, str], ...] = tuple((str(kind), words_of(kind), says) for kind, says in KINDS)

    @property
    def too_long(self) -> bool:
        return self.chars > self.most_chars


def capture_of(
    given: Mapping[str, str],
    *,
    projects: Sequence[str],
    source: str,
    replaced: Whole | None = None,
    error: RevellError | None = None,
) -> Capture:
    """`given` is what was sent, or what a link asks for; `replaced` fills what is not given."""
    values = {"confidence": str(CAPSULE_CONFIDENCE_DEFAULT), "source": source}
    if replaced is not None:
        old = replaced.capsule
        values |= {
            "content": old.content,
            "kind": old.kind,
            "project_id": old.project_id,
            "confidence": str(old.confidence),
            "supersedes": str(old),
        }
    values |= given
    errors = error.errors if error else {}
    content = values.get("content", "").replace("\r\n", "\n")
    return Capture(
        values=values,
        errors=errors,
        detail=error.detail if error else "",
        links=tuple(
            LinkField(
                name=name,
                label=LINK_WORDS[name][0],
                value=values.get(name, ""),
                error=errors.get(name, ()),
                hint=LINK_WORDS[name][1],
            )
            for name in LINKS
        ),
        projects=tuple(projects[:_PROJECTS_OFFERED]),
        chars=len(content),
        # What was typed may be what no text can hold, and is shown all the same.
        bytes=len(content.encode("utf-8", "surrogatepass")),
        superseded=str(replaced.capsule) if replaced is not None else "",
    )


@dataclass(frozen=True, slots=True)
class RelateView:
    """The form that ties the page's capsule to another one. `field` is the one that was wrong."""

    relation: str = RELATIONS[0][0]
    other: str = ""
    error: str = ""
    field: str = ""
    relations: tuple[tuple[str, str], ...] = RELATIONS


def relate_of(given: Mapping[str, str], error: RevellError | None = None) -> RelateView:
    """The form as it was sent. A fault of either end is shown at the field of the other capsule."""
    if error is None:
        return RelateView(relation=given.get("relation", RELATIONS[0][0]))
    wrong = "relation" if set(error.errors) == {"kind"} else "other"
    return RelateView(relation=given.get("relation", ""), other=given.get("other", ""), error=error.detail, field=wrong)


@dataclass(frozen=True, slots=True)
class TierButton:
    tier: str
    verb: str


def tier_buttons(tiers: Sequence[str]) -> tuple[TierButton, ...]:
    return tuple(TierButton(tier, TIER_VERBS[Tier(tier)]) for tier in tiers)


@dataclass(frozen=True, slots=True)
class AliasView:
    """The form of an alias as it was sent."""

    term: str = ""
    alias: str = ""
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)


def alias_of(given: Mapping[str, str], error: RevellError | None = None) -> AliasView:
    return AliasView(given.get("term", ""), given.get("alias", ""), error.errors if error else {})
