"""Budget, cap and shares as numbers."""

from __future__ import annotations

import pytest

from memories.engine.budget import Shares, allocate, budget_bytes, check_budget, check_shares
from memories.engine.kinds import Pool
from memories.engine.memories import axiom_allowance_bytes
from memories.engine.promises import cap_bytes, check_cap
from memories.errors import BudgetOutOfRange, PromiseCapExceeded, SharesNot100


def test_p1_a_token_is_four_bytes() -> None:
    assert budget_bytes(22_000) == 88_000
    assert budget_bytes(22_000, max_chars=9_500) == 9_500
    assert budget_bytes(2_000, max_chars=9_500) == 8_000


@pytest.mark.parametrize("tokens", [2_000, 22_000, 33_000])
def test_p2_budgets_in_range(tokens: int) -> None:
    check_budget(tokens)


@pytest.mark.parametrize("tokens", [-1, 0, 1_999, 33_001, 10**12])
def test_p2_budgets_out_of_range_are_told_the_range(tokens: int) -> None:
    with pytest.raises(BudgetOutOfRange, match=r"2,000 to 33,000"):
        check_budget(tokens)


@pytest.mark.parametrize(
    ("tokens", "cap"),
    [(22_000, 8_800), (33_000, 13_200), (2_000, 1_024), (2_560, 1_024), (2_570, 1_028), (2_561, 1_024)],
)
def test_p3_the_cap_is_a_tenth_with_a_floor(tokens: int, cap: int) -> None:
    assert cap_bytes(tokens) == cap


def test_p7_exactly_full_is_allowed_and_one_byte_more_is_not() -> None:
    check_cap(budget_tokens=22_000, used_bytes=8_000, requested_bytes=800)
    with pytest.raises(PromiseCapExceeded) as caught:
        check_cap(budget_tokens=22_000, used_bytes=8_000, requested_bytes=801)
    assert caught.value.data == {"cap_bytes": 8_800, "used_bytes": 8_000, "requested_bytes": 801, "over_bytes": 1}


def test_p6_the_refusal_names_the_use_and_both_ways_out() -> None:
    with pytest.raises(PromiseCapExceeded) as caught:
        check_cap(budget_tokens=22_000, used_bytes=3_431, requested_bytes=8_214)
    for part in ("3,431", "8,800", "2,845", "Shorten", "release"):
        assert part in caught.value.detail


def test_p23_the_example_of_the_look() -> None:
    parts = allocate(pool=85_226, promised=3_627, shares=Shares(50, 20, 30))
    assert [(p.before, p.charged, p.after) for p in parts.values()] == [
        (42_614, 1_814, 40_800),
        (17_045, 725, 16_320),
        (25_567, 1_088, 24_479),
    ]


def test_p23_an_odd_byte_never_makes_a_pool_negative() -> None:
    parts = allocate(pool=100, promised=51, shares=Shares(0, 50, 50))
    assert sum(part.after for part in parts.values()) == 49
    assert min(part.after for part in parts.values()) >= 0
    assert sum(part.charged for part in parts.values()) == 51
    assert parts[Pool.CORE].before == 0


@pytest.mark.parametrize("shares", [(0, 0, 100), (100, 0, 0), (50, 20, 30), (33, 33, 34)])
def test_p31_shares_that_make_100(shares: tuple[int, int, int]) -> None:
    check_shares(Shares(*shares))


@pytest.mark.parametrize("shares", [(50, 20, 29), (50, 20, 31), (-10, 50, 60), (101, 0, -1), (0, 0, 0)])
def test_p31_all_others_are_refused(shares: tuple[int, int, int]) -> None:
    with pytest.raises(SharesNot100):
        check_shares(Shares(*shares))


def test_the_axiom_allowance_is_a_fifth_with_a_floor() -> None:
    assert axiom_allowance_bytes(22_000) == 17_600
    assert axiom_allowance_bytes(2_000) == 2_048
