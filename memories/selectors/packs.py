"""Reading a cold-start pack together with what it leaves out and why, for people who look at it.

The pack itself is the one that `selectors.capsules.bootstrap` gives an agent, made by the same functions of the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from django.utils import timezone

from memories.engine import pack
from memories.engine.actor import Actor
from memories.engine.calls import read_pack_call
from memories.engine.capsules import Row
from memories.engine.kinds import Scope
from memories.engine.limits import PACK_TOKENS_DEFAULT
from memories.engine.pack import Pack
from memories.engine.ranking import Term, count_matches, fold_terms
from memories.engine.relations import lean_row
from memories.selectors.capsule_rows import read_whole
from memories.selectors.capsules import choose
from memories.selectors.snapshot import one_state

# Rows that no budget would bring in are named up to here, and counted beyond.
PAST_CAP_NAMED = 50
_EVERYTHING = 2**53


@dataclass(frozen=True, slots=True)
class Explained:
    """`pack` is what was asked for, `whole` the same with room for every row, `usual` the same at the usual budget.

    `past_cap` are the first rows that a list has no place for at any budget, by section (C30, C31, C39). `matched` says
    how many of the `terms` stand in each capsule that they put in order (C34).
    """

    pack: Pack
    whole: Pack
    usual: Pack
    past_cap: dict[str, tuple[Row, ...]]
    terms: tuple[Term, ...]
    matched: dict[int, int]


def explain_pack(actor: Actor, *, arguments: Mapping[str, object]) -> Explained:
    """The pack for a call of `memory_bootstrap`, and what it leaves out. Five queries, whatever is stored (C52)."""
    actor.require(Scope.READ)
    call = read_pack_call(arguments)
    now = timezone.now()
    with one_state():
        standing, choice = choose(actor, call=call, now=now)
        listed = choice.sections()
        past = {
            name: numbers[len(listed[name]) + first :][:PAST_CAP_NAMED]
            for name, numbers, first in (
                ("ready", choice.ready, len(listed["next_action"])),
                ("decisions", choice.decisions, 0),
                ("traps", choice.traps, 0),
            )
        }
        others = (numbers for name, numbers in (*listed.items(), *past.items()) if name != "constraints")
        rows = read_whole(
            actor, fence=call.fence, constraints=bool(choice.constraints), numbers=list(chain.from_iterable(others))
        )

    terms = fold_terms(call.terms)

    def fill(token_budget: int) -> Pack:
        return pack.fill(choice, rows, standing, now=now, fence=call.fence, token_budget=token_budget)

    return Explained(
        pack=fill(call.token_budget),
        whole=fill(_EVERYTHING),
        usual=fill(PACK_TOKENS_DEFAULT),
        past_cap={
            name: tuple(
                lean_row(rows[number], standing, call.fence, now, with_kind=name == "ready") for number in numbers
            )
            for name, numbers in past.items()
        },
        terms=terms,
        matched={
            number: count_matches(row.content, terms)
            for number, row in rows.items()
            if terms and row.kind in pack.RANKED
        },
    )
