"""`memory_retrieve`: the capsules in which the caller's terms stand, best first, within limit and budget (C54)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memories.engine.capsules import FRAMING, LABEL, CapsuleRow, Tier, capsule_id, is_expired
from memories.engine.fences import EVERYWHERE, Fence
from memories.engine.limits import PACK_TOKENS_DEFAULT
from memories.engine.ranking import Term, bm25, fold_terms, fold_words, spaced_words, strength
from memories.engine.relations import Relation, Standing, standing_of
from memories.engine.spending import Ledger, compact


class Exclusion(StrEnum):
    """Why a capsule that matches is not among the answers; the first that holds is counted."""

    QUARANTINED = "quarantined"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"


@dataclass(frozen=True, slots=True)
class Found:
    """One answer with its full content. `matched_terms` says `alias:<term>` where only an alias of the term hit."""

    capsule: CapsuleRow
    matched_terms: tuple[str, ...]
    done: bool = False
    with_project: bool = True

    def to_wire(self) -> dict[str, object]:
        """The answer as JSON-ready values; what says nothing is left out, as in a row (C11)."""
        wire: dict[str, object] = {"id": capsule_id(self.capsule.number), "content": self.capsule.content}
        if self.with_project:
            wire["project_id"] = self.capsule.project_id
        wire["kind"] = str(self.capsule.kind)
        if self.done:
            wire["done"] = True
        if self.capsule.tainted:
            wire["tainted"] = True
        wire["matched_terms"] = list(self.matched_terms)
        return wire


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The answer. `matched` = returned + trimmed_by_limit + trimmed_by_budget; `excluded` matched as well."""

    fence: Fence
    token_budget: int
    results: tuple[Found, ...] = ()
    matched: int = 0
    trimmed_by_limit: int = 0
    trimmed_by_budget: int = 0
    excluded: tuple[tuple[Exclusion, int], ...] = ()
    used_tokens: int = 0

    def to_wire(self) -> dict[str, object]:
        """The answer as JSON-ready values (C54, C59). `excluded` names the reasons that occurred."""
        wire: dict[str, object] = {"label": LABEL, "framing": FRAMING, "scope": self.fence.scope()}
        if not self.matched:
            wire["missing"] = True
        wire["results"] = [found.to_wire() for found in self.results]
        wire["matched"] = self.matched
        wire["returned"] = len(self.results)
        wire["trimmed_by_limit"] = self.trimmed_by_limit
        wire["trimmed_by_budget"] = self.trimmed_by_budget
        wire["excluded"] = {str(reason): count for reason, count in self.excluded}
        wire["budget"] = {"token_budget": self.token_budget, "used_tokens": self.used_tokens}
        return wire

    def to_json(self) -> str:
        return compact(self.to_wire())


def retrieve(
    capsules: Iterable[CapsuleRow],
    relations: Iterable[Relation],
    *,
    now: datetime,
    terms: Iterable[str],
    aliases: Mapping[str, Iterable[str]] | None = None,
    fence: Fence = EVERYWHERE,
    limit: int | None = None,
    token_budget: int = PACK_TOKENS_DEFAULT,
) -> Retrieval:
    """What matches any of `terms`, ordered by matched terms, BM25, decay, number (C54).

    An alias stands for its term and never the other way; aliases of aliases are not followed. The budget is charged as
    in the pack: the whole answer counts, the first row is there whatever it costs, the first that does not fit closes.
    """
    rows = list(capsules)
    return find(
        rows,
        standing_of(rows, relations),
        now=now,
        terms=terms,
        aliases=aliases or {},
        fence=fence,
        limit=limit,
        token_budget=token_budget,
    )


def find(
    rows: Sequence[CapsuleRow],
    standing: Standing,
    *,
    now: datetime,
    terms: Iterable[str],
    aliases: Mapping[str, Iterable[str]],
    fence: Fence,
    limit: int | None,
    token_budget: int,
) -> Retrieval:
    """As `retrieve`, for what is known to stand where; only the `rows` inside the fence matter."""
    inside = fence.inside(row.project_id for row in rows)
    variants = _variants(fold_terms(terms), aliases)

    excluded: Counter[Exclusion] = Counter()
    eligible: list[tuple[CapsuleRow, tuple[str, ...]]] = []
    texts: list[str] = []
    for row in rows:
        if row.project_id not in inside or row.forgotten_at is not None:
            continue
        spaced = spaced_words(row.content)
        matched = _matched(spaced, variants)
        reason = _exclusion(row, standing, now)
        if reason is None:
            eligible.append((row, matched))
            texts.append(spaced)
        elif matched:
            excluded[reason] += 1

    wanted = {word for _, spellings in variants for spelling in spellings for word in spelling.words}
    scores = bm25(texts, wanted)
    hits = sorted(
        (
            (-len(matched), -score, -strength(row.confidence, row.valid_from, now), row.number, row, matched)
            for (row, matched), score in zip(eligible, scores, strict=True)
            if matched
        ),
        key=lambda hit: hit[:4],
    )
    found = [
        Found(row, matched, row.number in standing.done, row.project_id != fence.project_id)
        for *_, row, matched in hits
    ]
    reasons = tuple((reason, excluded[reason]) for reason in Exclusion if excluded[reason])
    return _fill(found, reasons, fence, limit, token_budget)


def _variants(terms: Iterable[Term], aliases: Mapping[str, Iterable[str]]) -> list[tuple[Term, tuple[Term, ...]]]:
    """Each term with its spellings: itself first, then its aliases."""
    known: dict[frozenset[str], list[str]] = {}
    for name, others in aliases.items():
        known.setdefault(frozenset(fold_words(name)), []).extend(others)
    return [(term, (term, *fold_terms(known.get(term.words, ())))) for term in terms]


def _matched(spaced: str, variants: Iterable[tuple[Term, tuple[Term, ...]]]) -> tuple[str, ...]:
    matched = []
    for term, (itself, *others) in variants:
        if itself.stands_in(spaced):
            matched.append(term.text)
        elif others and any(other.stands_in(spaced) for other in others):
            matched.append(f"alias:{term.text}")
    return tuple(matched)


def _exclusion(capsule: CapsuleRow, standing: Standing, now: datetime) -> Exclusion | None:
    if capsule.tier == Tier.QUARANTINED:
        return Exclusion.QUARANTINED
    if capsule.tier == Tier.ARCHIVED:
        return Exclusion.ARCHIVED
    if capsule.number in standing.superseded:
        return Exclusion.SUPERSEDED
    if is_expired(capsule, now):
        return Exclusion.EXPIRED
    if capsule.valid_from > now:
        return Exclusion.NOT_YET_VALID
    return None


def _fill(
    found: list[Found],
    excluded: tuple[tuple[Exclusion, int], ...],
    fence: Fence,
    limit: int | None,
    token_budget: int,
) -> Retrieval:
    wanted = found if limit is None else found[:limit]

    def answer(results: Iterable[Found], used_tokens: int, trimmed: int) -> Retrieval:
        return Retrieval(
            fence=fence,
            token_budget=token_budget,
            results=tuple(results),
            matched=len(found),
            trimmed_by_limit=len(found) - len(wanted),
            trimmed_by_budget=trimmed,
            excluded=excluded,
            used_tokens=used_tokens,
        )

    if token_budget == 0:
        return answer((), 0, len(wanted))
    frame = len(answer((), 0, 0).to_json()) - len("0") - len("0")
    ledger = Ledger(frame, len(wanted), token_budget)
    returned = 0
    for hit in wanted:
        chars = len(compact(hit.to_wire())) + (len(",") if returned else 0)
        chars += len(str(returned + 1)) - len(str(returned))
        if not returned:
            ledger.charge_row(chars)
        elif not ledger.take_row(chars):
            break
        returned += 1
    return answer(wanted[:returned], ledger.used_tokens, ledger.trimmed)
