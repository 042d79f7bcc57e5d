"""Laws of the pack for any capsules, relations and budgets, against references that are slow and plain.

C12 to C16, C24 to C27, C31, C33, C38 to C49, C51.
"""

from __future__ import annotations

import json
import random
from datetime import timedelta
from itertools import pairwise, permutations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memories.engine.capsules import CapsuleKind, CapsuleRow, Tier, headline_of
from memories.engine.fences import EVERYWHERE, Fence
from memories.engine.graphs import shortest_cycle
from memories.engine.listing import digest
from memories.engine.pack import Pack, compile_pack, ranked
from memories.engine.ranking import decay, fold_terms
from memories.engine.ready import project
from memories.engine.relations import Relation, RelationKind, find_supersedes_loop, standing_of
from memories.engine.spending import self_counting_tokens
from tests.unit.capsule_rows import CONSTRAINT, DECISION, F0, F0_RELATIONS, NOW, TASK, TRAP, blocks, cap

NAMES = ["nott", "nott/x", "nott/x/y", "nott/z", "nottx", "nott-old", "Nott", "n_tt", "n%t", "%", "*", "not", "日本/x"]
DAYS = st.integers(-400, 400).map(timedelta)
FIELDS = st.fixed_dictionaries({
    "kind": st.sampled_from([*CapsuleKind, CONSTRAINT, DECISION, TRAP, TASK]),
    "project_id": st.sampled_from(NAMES),
    "content": st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
        st.sampled_from(["alpha", "beta alpha", 'quo"te\\ \u2028', "👨‍👩‍👧" * 60, "x" * 200, "a\nb"]),
    ),
    "valid_from": DAYS.map(lambda days: NOW + days),
    "confidence": st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.6, 1.0]),
    "tier": st.sampled_from([Tier.ACTIVE, Tier.ACTIVE, *Tier]),
    "tainted": st.booleans(),
    "valid_to": st.one_of(st.none(), st.just(NOW), DAYS.map(lambda days: NOW + days)),
    "forgotten_at": st.sampled_from([None, None, None, NOW]),
})  # fmt: skip


@st.composite
def tenants(draw: st.DrawFn) -> tuple[list[CapsuleRow], list[Relation]]:
    numbers = draw(st.lists(st.integers(1, 130), unique=True, max_size=25))
    capsules = [CapsuleRow(number=number, **draw(FIELDS)) for number in numbers]
    # 999 is a capsule that nobody has heard of.
    ends = st.sampled_from([*numbers, 999])
    pairs = draw(st.lists(st.tuples(st.sampled_from(RelationKind), ends, ends), unique=True, max_size=20))
    return capsules, [Relation(*pair) for pair in pairs if pair[1] != pair[2]]


@st.composite
def graphs(draw: st.DrawFn, *, nodes: int = 6) -> tuple[list[CapsuleRow], list[Relation]]:
    """Tasks only, in two projects, with many `blocks` relations and some proofs."""
    capsules = [cap(n, TASK, project_id=draw(st.sampled_from(["nott", "other"]))) for n in range(1, nodes + 1)]
    ends = st.integers(1, nodes)
    pairs = draw(st.lists(st.tuples(ends, ends), unique=True, max_size=12))
    relations = blocks(*(pair for pair in pairs if pair[0] != pair[1]))
    proven = draw(st.sets(ends, max_size=2))
    return capsules, relations + [Relation(RelationKind.PROVES, 999, number) for number in proven]


FENCES = st.builds(
    Fence,
    st.one_of(st.none(), st.sampled_from(NAMES)),
    st.one_of(st.none(), st.sampled_from(NAMES)),
    st.booleans(),
)
TERMS = st.lists(st.sampled_from(["alpha", "ALPHA", "beta alpha", "?!", "x"]), max_size=3)
BUDGETS = st.one_of(st.integers(0, 600), st.sampled_from([1500, 9_999, 10_000, 2**53]))


def packed(tenant: tuple[list[CapsuleRow], list[Relation]], budget: int, fence: Fence = EVERYWHERE, terms=()) -> Pack:  # type: ignore[no-untyped-def]
    capsules, relations = tenant
    return compile_pack(capsules, relations, now=NOW, fence=fence, terms=terms, token_budget=budget)


def shown(pack: Pack) -> list[int]:
    """All rows in the order in which the budget fills them (C44, C45)."""
    constraints = [row.number for row in pack.constraints]
    action = [] if pack.next_action is None else [pack.next_action.number]
    rest = [row.number for part in (pack.ready, pack.decisions, pack.traps) for row in part]
    return constraints[:1] + action + constraints[1:] + rest


def true_cost(pack: Pack) -> int:
    return -(-len(json.dumps(pack.to_wire(), ensure_ascii=False, separators=(",", ":"))) // 4)


@given(tenants(), BUDGETS, FENCES, TERMS)
@example((F0, F0_RELATIONS), 164, Fence("nott"), [])
def test_the_spend_is_honest_and_under_the_ceiling(tenant, budget, fence, terms) -> None:  # type: ignore[no-untyped-def]
    """C43, C44, C46, C47, C48"""
    pack, whole = packed(tenant, budget, fence, terms), packed(tenant, 10**9, fence, terms)
    assert whole.trimmed_by_budget == 0
    assert len(whole.handles) == len(set(shown(whole)))
    everything = shown(whole)
    assert shown(pack) == everything[: len(shown(pack))]
    assert pack.trimmed_by_budget == len(everything) - len(shown(pack))
    for total in ("constraints_total", "ready_total", "decisions_total", "traps_total", "cycle"):
        assert getattr(pack, total) == getattr(whole, total)
    if budget == 0:
        assert (shown(pack), pack.handles, pack.used_tokens) == ([], (), 0)
        return
    assert pack.used_tokens - true_cost(pack) in (0, 1)
    assert pack.constraints[:1] == whole.constraints[:1]
    assert pack.next_action == whole.next_action
    floor = packed(tenant, 1, fence, terms)
    floor_rows = len(pack.constraints[:1]) + (pack.next_action is not None)
    assert len(shown(floor)) == floor_rows
    assert pack.used_tokens <= max(budget, floor.used_tokens)
    if pack.used_tokens > budget:
        assert len(shown(pack)) == floor_rows
        assert pack.handles == ()
    order = list(dict.fromkeys(row.number for row in pack.rows()))
    assert list(pack.handles) == order[: len(pack.handles)]


@given(tenants(), st.integers(0, 500), st.sampled_from([1, 1, 2, 3, 50, 10**6]), TERMS)
def test_a_higher_budget_never_removes_a_row(tenant, budget, more, terms) -> None:  # type: ignore[no-untyped-def]
    """C49"""
    less = shown(packed(tenant, budget, terms=terms))
    assert shown(packed(tenant, budget + more, terms=terms))[: len(less)] == less


@given(st.integers(1, 15), st.integers(1, 160), st.integers(0, 3))
@settings(max_examples=25)
def test_rows_only_grow_across_powers_of_ten(count: int, chars: int, tasks: int) -> None:
    """C49: more digits in token_budget, used_tokens and trimmed_by_budget never cost a row."""
    capsules = [cap(n, CONSTRAINT, "x" * chars) for n in range(1, count + 1)]
    capsules += [cap(n, TASK) for n in range(20, 20 + tasks)]
    before = -1
    for budget in [*range(90, 112), *range(990, 1_012)]:
        pack = packed((capsules, []), budget)
        assert len(shown(pack)) >= before
        assert pack.used_tokens - true_cost(pack) in (0, 1)
        before = len(shown(pack))


@given(tenants(), st.integers(1, 400))
def test_the_next_row_would_not_have_fitted(tenant, budget) -> None:  # type: ignore[no-untyped-def]
    """C45, C49: what is trimmed costs too much, told by a pack with one row more and no handle."""
    pack = packed(tenant, budget)
    if not pack.trimmed_by_budget or pack.used_tokens > budget:
        return
    for larger in range(budget + 1, 10_000):
        next_pack = packed(tenant, larger)
        if len(shown(next_pack)) > len(shown(pack)):
            # At the smallest budget for one row more, that row has used up all of it.
            assert next_pack.used_tokens == larger
            break


@given(tenants(), BUDGETS, FENCES, TERMS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_that_come_in_does_not_matter(tenant, budget, fence, terms, chance) -> None:  # type: ignore[no-untyped-def]
    """C51"""
    capsules, relations = (list(part) for part in tenant)
    text = packed(tenant, budget, fence, terms).to_json()
    told = digest(capsules, relations, now=NOW, fence=fence).to_json()
    chance.shuffle(capsules)
    chance.shuffle(relations)
    assert packed((capsules, relations), budget, fence, terms).to_json() == text
    assert digest(capsules, relations, now=NOW, fence=fence).to_json() == told


def reaches(fence: Fence, project_id: str) -> bool:
    """C24 to C27 once more, by segments."""
    path = project_id.split("/")

    def own(path: list[str]) -> bool:
        if fence.project_id is not None and path != fence.project_id.split("/"):
            return False
        prefix = None if fence.project_prefix is None else fence.project_prefix.split("/")
        return prefix is None or path[: len(prefix)] == prefix

    base = fence.project_id if fence.project_id is not None else fence.project_prefix
    above = fence.ancestors and base is not None and own(base.split("/"))
    return own(path) or (above and base is not None and base.split("/")[: len(path)] == path)


@given(tenants(), FENCES)
def test_nothing_leaks_through_a_fence_and_totals_are_exact(tenant, fence) -> None:  # type: ignore[no-untyped-def]
    """C24, C25, C26, C27, C28, C30, C31, C33"""
    capsules, relations = tenant
    replaced = {relation.target for relation in relations if relation.kind == RelationKind.SUPERSEDES}
    inside = [c for c in capsules if c.forgotten_at is None and reaches(fence, c.project_id)]
    standing = [c for c in inside if c.number not in replaced and (c.valid_to is None or c.valid_to >= NOW)]
    pack = packed(tenant, 10**9, fence)
    rules = {c.number for c in standing if c.kind == CONSTRAINT and c.tier == Tier.ACTIVE}
    assert {row.number for row in pack.constraints} == rules
    assert pack.constraints_total == len(rules)
    assert pack.decisions_total == sum(c.kind == DECISION for c in standing)
    assert pack.traps_total == sum(c.kind == TRAP for c in inside)
    assert {row.number for row in pack.rows()} <= {c.number for c in inside}
    projects = {c.number: c.project_id for c in capsules}
    for row in pack.rows():
        assert row.project_id == (None if projects[row.number] == fence.project_id else projects[row.number])


@given(tenants(), FENCES)
def test_ready_is_live_undone_and_unblocked(tenant, fence) -> None:  # type: ignore[no-untyped-def]
    """C37, C38, C39"""
    capsules, relations = tenant
    found = project(capsules, standing_of(capsules, relations), fence)
    forgotten = {c.number for c in capsules if c.forgotten_at is not None}
    targets = {kind: {r.target for r in relations if r.kind == kind} for kind in RelationKind}
    gone = targets[RelationKind.SUPERSEDES] | forgotten
    done = targets[RelationKind.PROVES] - gone
    edges = [(r.source, r.target) for r in relations if r.kind == RelationKind.BLOCKS]
    nodes = [
        c.number
        for c in capsules
        if reaches(fence, c.project_id)
        and c.number not in gone
        and (c.kind == TASK or any(c.number in edge for edge in edges))
    ]
    if found.cycle is not None:
        assert (found.ready, found.blocked, found.done) == ((), (), ())
        return
    able = [
        n
        for n in nodes
        if n not in done and not any(target == n and source not in gone | done for source, target in edges)
    ]
    assert list(found.ready) == sorted(able)
    assert list(found.done) == sorted(n for n in nodes if n in done)
    assert sorted([*found.ready, *found.blocked, *found.done]) == sorted(nodes)


def all_cycles(nodes: list[int], edges: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Every simple cycle, its smallest number first, by trying all orders."""
    return [
        (path[0], *path[1:])
        for size in range(2, len(nodes) + 1)
        for path in permutations(sorted(nodes), size)
        if path[0] == min(path) and all(pair in edges for pair in zip(path, [*path[1:], path[0]], strict=True))
    ]


@given(graphs(), st.sampled_from([EVERYWHERE, Fence("nott")]))
@settings(max_examples=150)
def test_the_named_cycle_is_a_shortest_of_those_that_matter(graph, fence) -> None:  # type: ignore[no-untyped-def]
    """C40, C41, C42"""
    capsules, relations = graph
    done = {r.target for r in relations if r.kind == RelationKind.PROVES}
    edges = {(r.source, r.target) for r in relations if r.kind == RelationKind.BLOCKS}
    edges = {edge for edge in edges if not done & set(edge)}
    inside = {c.number for c in capsules if fence.matches(c.project_id)}
    cycles = all_cycles([c.number for c in capsules], edges)

    def blocks_inside(cycle: tuple[int, ...]) -> bool:
        held = set(cycle)
        while new := {target for source, target in edges if source in held} - held:
            held |= new
        return bool(held & inside)

    matter = [c for c in cycles if set(c) & inside] or [c for c in cycles if blocks_inside(c)]
    found = project(capsules, standing_of(capsules, relations), fence)
    if not matter:
        assert found.cycle is None
        # Something can be done, or everything inside is done or waits for something outside (C42).
        undone = inside - done
        upstream = set(undone)
        while new := {source for source, target in edges if target in upstream} - upstream:
            upstream |= new
        assert found.ready or not undone or upstream - inside
        return
    assert found.cycle in matter
    assert len(found.cycle) == min(map(len, matter))
    wire = packed(graph, 0, fence).to_wire()["ready"]
    assert wire == {"ready": [], "ready_total": 0, "cycle": [f"cap-{number}" for number in found.cycle]}


@given(st.sets(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=16), st.sets(st.integers(1, 6)))
@settings(max_examples=150)
def test_the_shortest_cycle_through_given_numbers(pairs: set[tuple[int, int]], through: set[int]) -> None:
    """C40, C51"""
    edges = {pair for pair in pairs if pair[0] != pair[1]}
    graph = {number: {target for source, target in edges if source == number} for number in range(1, 7)}
    fitting = [cycle for cycle in all_cycles(list(range(1, 7)), edges) if set(cycle) & through]
    found = shortest_cycle(graph, through)
    if fitting:
        assert found in fitting
        assert len(found) == min(map(len, fitting))
    else:
        assert found is None


def test_large_tangled_graphs_end() -> None:
    """C42: no graph is a trap; a ring with chords in scrambled order is the hardest found."""
    chance = random.Random(7)
    order = list(range(1, 3_001))
    chance.shuffle(order)
    edges = [(order[n], order[(n + step) % 3_000]) for n in range(3_000) for step in (1, 2)]
    capsules = [cap(number, TASK) for number in order]
    cycle = project(capsules, standing_of(capsules, blocks(*edges)), EVERYWHERE).cycle
    assert cycle is not None
    assert len(cycle) == 1_500
    assert set(zip(cycle, [*cycle[1:], cycle[0]], strict=True)) <= set(edges)


def test_the_shortest_cycle_of_large_random_graphs() -> None:
    """C40, against a plain search in breadth from every node."""
    for seed in range(12):
        chance = random.Random(seed)
        graph = {n: set(chance.sample(range(400), 2)) - {n} for n in range(400)}
        through = set(chance.sample(range(400), 40))
        lengths = []
        for start in through:
            distance, frontier, seen = 0, {start}, set()
            while frontier:
                distance += 1
                frontier = {target for number in frontier for target in graph[number]} - seen
                seen |= frontier
                if start in frontier:
                    lengths.append(distance)
                    break
        cycle = shortest_cycle(graph, through)
        assert cycle is not None
        assert set(cycle) & through
        assert all(target in graph[source] for source, target in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        assert len(cycle) == min(lengths)


WEIGHTS = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.6, 1.0]), st.floats(0, 1))
MOMENTS = st.timedeltas(timedelta(days=-3_000), timedelta(days=50)).map(lambda delta: NOW + delta)
WEIGHTED = st.lists(st.tuples(WEIGHTS, MOMENTS), max_size=8).map(
    lambda pairs: [cap(n, confidence=confidence, valid_from=at) for n, (confidence, at) in enumerate(pairs, 1)]
)


@given(WEIGHTED)
def test_decay_orders(capsules: list[CapsuleRow]) -> None:
    """C13, C14: wherever the decays differ by more than rounding, the greater one comes first; equals go by number."""
    by_number = {capsule.number: capsule for capsule in capsules}
    found = [by_number[number] for number in ranked(capsules, (), NOW)]
    assert len(found) == len(capsules)
    for earlier, later in pairwise(found):
        first, second = (decay(c.confidence, c.valid_from, NOW) for c in (earlier, later))
        assert first >= second * (1 - 1e-9)
        if (earlier.confidence, earlier.valid_from) == (later.confidence, later.valid_from):
            assert earlier.number < later.number


@given(WEIGHTED, st.timedeltas(timedelta(0), timedelta(days=300_000)))
def test_time_alone_never_changes_the_order(capsules: list[CapsuleRow], passed: timedelta) -> None:
    """C16"""
    present = [capsule for capsule in capsules if capsule.valid_from <= NOW]
    assert ranked(present, (), NOW) == ranked(present, (), NOW + passed)


@given(tenants(), TERMS)
def test_terms_filter_nothing_and_rank_by_matches(tenant, terms) -> None:  # type: ignore[no-untyped-def]
    """C14, C34"""
    with_terms, without = packed(tenant, 10**9, terms=terms), packed(tenant, 10**9)
    assert {row.number for row in with_terms.constraints} == {row.number for row in without.constraints}
    assert (with_terms.next_action, with_terms.ready) == (without.next_action, without.ready)
    contents = {c.number: c.content for c in tenant[0]}
    folded = fold_terms(terms)

    def hits(number: int) -> int:
        words = set("".join(c if c.isalnum() else " " for c in contents[number].lower()).split())
        return sum(term.words <= words for term in folded)

    if all(contents[row.number].isascii() for row in with_terms.constraints):
        counts = [hits(row.number) for row in with_terms.constraints]
        assert counts == sorted(counts, reverse=True)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=400))
def test_headlines_are_one_short_line(content: str) -> None:
    """C12"""
    headline = headline_of(content)
    assert len(headline) <= 141
    assert len(headline.splitlines()) <= 1
    assert headline == headline.strip()
    assert headline.removesuffix("…") in content


@given(st.integers(0, 10**7), st.integers(1, 2))
def test_a_cost_that_counts_its_own_digits_is_exact(chars: int, times: int) -> None:
    """C43"""
    tokens = self_counting_tokens(chars, times)
    assert tokens == -(-(chars + times * len(str(tokens))) // 4)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda pair: pair[0] != pair[1]), max_size=12))
def test_supersedes_stays_free_of_loops(pairs: list[tuple[int, int]]) -> None:
    """C7: taking only what is not refused never leaves a loop, and what is refused would have closed one."""
    taken: list[Relation] = []
    for pair in pairs:
        relation = Relation(RelationKind.SUPERSEDES, *pair)
        loop = find_supersedes_loop(taken, [relation])
        if loop is None:
            taken.append(relation)
        else:
            assert loop[0] == loop[-1] == relation.source
            assert loop[1] == relation.target
            steps = list(pairwise(loop[1:]))
            assert {Relation(RelationKind.SUPERSEDES, *step) for step in steps} <= set(taken)
    assert not all_cycles(list(range(1, 7)), {(r.source, r.target) for r in taken})
