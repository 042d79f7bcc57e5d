"""The payload over random stores: its size, its text, its account."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.engine import wire
from memories.engine.boot import (
    POOL_OF_SECTION,
    BootConfig,
    BootOptions,
    BootRows,
    Content,
    MemoryRow,
    Payload,
    assemble,
    plan,
)
from memories.engine.budget import allocate
from memories.engine.kinds import Category, MemoryType, Pool, Section
from memories.engine.memories import axiom_allowance_bytes
from memories.engine.promises import PromiseRow
from memories.engine.text import grapheme_ends, size_bytes
from tests.property.payloads import START, Store, contents, shares, stores

SECTIONS = [section.value for section in Section]


def boot(store: Store) -> Payload:
    return assemble(store.rows, store.options, store.contents)


def sections(payload: Payload) -> dict[str, dict[str, Any]]:
    return {section["name"]: section for section in payload.manifest["sections"]}


@given(stores())
def test_p21_the_whole_text_is_within_the_budget(store: Store) -> None:
    payload = boot(store)
    size = size_bytes(payload.text)
    assert size == payload.manifest["size_bytes"]
    assert size <= payload.manifest["budget_bytes"] <= store.rows.config.budget_tokens * 4
    assert size == payload.manifest["frame_bytes"] + sum(section["bytes"] for section in sections(payload).values())


@pytest.mark.parametrize("first", [2_000, 12_000, 23_000])
def test_p21_every_budget_from_2000_to_33000(first: int) -> None:
    """One store with memories of many sizes, at each of the 31,001 budgets: never a byte over.

    In three parts, so that both cores have something to do.
    """
    chance = random.Random(21)
    texts, core, working, episodic = {}, [], [], []
    for number in range(1, 21):
        text = chance.choice("a鉄🇩é") * chance.randint(1, 6_000)
        texts[number] = Content(text, START)
        cost = wire.body_bytes(text)
        if number % 5 == 0:
            core.append(MemoryRow(number, MemoryType.CORE, cost, "soul", f"k{number}"))
        elif number % 5 == 1:
            working.append(MemoryRow(number, MemoryType.WORKING, cost, key=f"k{number}"))
        else:
            episodic.append((number, cost))
    active = {MemoryType.CORE: 4, MemoryType.WORKING: 4, MemoryType.EPISODIC: 12}
    promised = [PromiseRow(1, "p" * 900, START)]
    over, slack = [], []
    for budget in range(first, {2_000: 12_000, 12_000: 23_000, 23_000: 33_001}[first]):
        rows = BootRows(BootConfig("Clawbert", budget), promised, core, [], working, episodic, active=active)
        payload = assemble(rows, BootOptions(), texts)
        if size_bytes(payload.text) > budget * 4:
            over.append(budget)
        slack.append(payload.manifest["frame_reserved_bytes"] - payload.manifest["frame_bytes"])
    assert over == []
    assert min(slack) >= 0


@given(stores())
def test_p15_sections_stand_in_their_order_with_one_blank_line_before(store: Store) -> None:
    payload = boot(store)
    text = payload.text
    assert text.endswith("\n[REVELL | END]\n")
    assert not text.endswith("\n\n")
    headers = regex.findall(r"(?m)^\[REVELL \| ([A-Z]+)\]", text)
    present = [section for section in SECTIONS if sections(payload)[section]["included"]]
    assert headers == ["HELLO", "SUCCESS", *map(str.upper, present), "END"]
    assert text.count("\n\n[REVELL | ") == len(present) + 1


@given(stores())
def test_p17_stored_text_never_forges_a_section_in_any_dialect_of_line_ends(store: Store) -> None:
    payload = boot(store)
    real = {"HELLO", "SUCCESS", "END", *(block.section.upper() for block in payload.blocks)}
    seen = []
    for line in payload.text.splitlines():
        found = regex.match(r"[\s\p{Cf}]*\[REVELL \| ?([^\]]*)", line)
        if found:
            assert line.startswith("[REVELL | ")
            seen.append(found[1])
    assert sorted(seen) == sorted(real)


@given(contents())
def test_p17_content_is_verbatim_but_for_indents_and_defused_headers(text: str) -> None:
    shown = wire.body(text)
    assert wire.body_bytes(text) == size_bytes(shown)
    first, *others = shown.split("\n")
    assert all(line.startswith("  ") for line in others)
    undone = "\n".join([first, *(line[2:] for line in others)])
    ends = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
    defused = regex.sub(
        rf"(?:^|(?<=[{ends}]))([[\s\p{{Cf}}]--[{ends}]]*)\\(?=\[REVELL \|)", r"\1", undone, flags=regex.V1
    )
    original = regex.sub(
        rf"(?:^|(?<=[{ends}]))([[\s\p{{Cf}}]--[{ends}]]*)\\(?=\[REVELL \|)", r"\1", text, flags=regex.V1
    )
    assert defused == original


@settings(max_examples=40)
@given(stores(), st.randoms(use_true_random=False))
def test_p18_same_rows_same_bytes_whatever_order_they_come_in(store: Store, chance: random.Random) -> None:
    def shuffled(rows: Any) -> list[Any]:
        found = list(rows)
        chance.shuffle(found)
        return found

    rows = store.rows
    other = replace(rows, promises=shuffled(rows.promises), core=shuffled(rows.core), axioms=shuffled(rows.axioms))
    assert boot(store).text == boot(replace(store, rows=other)).text


@settings(max_examples=3)
@given(stores())
def test_p18_same_bytes_in_another_process_with_another_hash_seed(store: Store) -> None:
    program = (
        "import pickle, sys\n"
        "from memories.engine.boot import assemble\n"
        "rows, options, contents = pickle.load(sys.stdin.buffer)\n"
        "sys.stdout.buffer.write(assemble(rows, options, contents).text.encode())\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps((store.rows, store.options, store.contents)),
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
    )
    assert answer.stdout == boot(store).text.encode()


@given(pool=st.integers(0, 140_000), part=st.floats(0, 1), share=shares())
def test_p23_allocations_divide_pool_and_promised_by_share(pool: int, part: float, share: Any) -> None:
    promised = int(pool * part)
    parts = allocate(pool=pool, promised=promised, shares=share)
    assert sum(one.before for one in parts.values()) == pool
    assert sum(one.charged for one in parts.values()) == promised
    for name, percent in ((Pool.CORE, share.core), (Pool.WORKING, share.working), (Pool.EPISODIC, share.episodic)):
        odd = 2 if name is Pool.CORE else 0
        assert pool * percent // 100 <= parts[name].before <= pool * percent // 100 + odd
        assert abs(parts[name].charged - promised * percent / 100) < 3
        assert parts[name].after >= 0


@given(stores())
def test_p23_the_manifest_shows_what_the_pools_had_and_used(store: Store) -> None:
    payload = boot(store)
    manifest, by_name = payload.manifest, sections(payload)
    assert payload.manifest["frame_bytes"] <= manifest["frame_reserved_bytes"]
    parts = manifest["allocations"]
    # Axioms that were taken in the second pass are paid from unspent bytes, not from the pool's start.
    assert sum(part["before"] for part in parts.values()) >= (
        manifest["budget_bytes"] - manifest["frame_reserved_bytes"] - by_name["axioms"]["bytes"]
    )
    assert sum(part["charged"] for part in parts.values()) == by_name["promised"]["bytes"]
    for pool, part in parts.items():
        assert part["after"] == part["before"] - part["charged"]
        used = sum(by_name[section]["bytes"] for section, owner in POOL_OF_SECTION.items() if owner == pool)
        assert part["used"] == used


@given(stores())
def test_p24_p25_p26_filling_agrees_with_a_plain_second_implementation(store: Store) -> None:
    """A slow filling written from the contract: same rows in, and nothing that was left out would still fit."""
    payload = boot(store)
    if payload.manifest["cut"]:
        return
    expected = _plain_filling(store, payload.manifest["frame_reserved_bytes"])
    by_name = sections(payload)
    assert {name: by_name[name]["included"] for name in SECTIONS} == expected
    free = (
        payload.manifest["budget_bytes"]
        - payload.manifest["frame_reserved_bytes"]
        - sum(section["bytes"] for section in by_name.values())
    )
    for name in SECTIONS:
        if name in ("promised", "recalled"):
            continue
        header = 0 if by_name[name]["included"] else size_bytes(wire.header(Section(name)))
        for row in by_name[name]["left_out"]:
            assert row["reason"] == "repeats_recalled" or row["bytes"] + header > free


def _plain_filling(store: Store, frame: int) -> dict[str, list[str]]:
    rows, texts = store.rows, store.contents
    chosen: dict[str, list[int]] = {name: [] for name in SECTIONS}
    budget = rows.config.budget_tokens * 4
    room = min(budget, store.options.max_chars or budget) - frame

    def cost(name: str, number: int, key: str = "", category: str = "") -> int:
        if name == "promised":
            promise = next(row for row in rows.promises if row.number == number)
            lead = f"• prm-{number} 2026-11-30: "
            text = promise.content
        else:
            text = texts[number].text
            lead = {
                "axioms": f"• [{category}] ",
                "working": f"• {key} (2026-11-30): ",
                "recalled": f"• mem-{number} 2026-11-30: ",
                "episodic": f"• mem-{number} 2026-11-30: ",
            }.get(name, f"• {key}: ")
        return len(f"{lead}{wire.body(text)}\n".encode())

    def take(candidates: list[tuple[str, int, int]], room: int) -> tuple[int, list[tuple[str, int, int]]]:
        used, left = 0, []
        for name, number, price in candidates:
            whole = price + (0 if chosen[name] else len(wire.header(Section(name)).encode()))
            if used + whole <= room:
                chosen[name].append(number)
                used += whole
            else:
                left.append((name, number, price))
        return used, left

    promised, _ = take(
        [
            ("promised", row.number, cost("promised", row.number))
            for row in sorted(rows.promises, key=lambda r: r.number)
        ],
        room,
    )
    allowance = axiom_allowance_bytes(rows.config.budget_tokens)
    first, further, counted = [], [], 0
    for row in sorted(rows.axioms, key=lambda r: r.number):
        candidate = ("axioms", row.number, cost("axioms", row.number, category=row.category))
        if counted + wire.body_bytes(texts[row.number].text) <= allowance:
            counted += wire.body_bytes(texts[row.number].text)
            first.append(candidate)
        else:
            further.append(candidate)
    axioms, no_axioms = take(first, room - promised)
    parts = allocate(pool=room - axioms, promised=promised, shares=rows.config.shares)
    order = [str(category) for category in Category]
    core = sorted(rows.core, key=lambda r: (order.index(r.category), -r.importance, r.number))
    used_core, no_core = take(
        [(r.category, r.number, cost(r.category, r.number, key=r.key)) for r in core], parts[Pool.CORE].after
    )
    used_working, no_working = take(
        [("working", r.number, cost("working", r.number, key=r.key)) for r in rows.working], parts[Pool.WORKING].after
    )
    most = parts[Pool.EPISODIC].after
    used_recalled, _ = take([("recalled", r.number, cost("recalled", r.number)) for r in rows.recalled], most // 2)
    news = [("episodic", n, cost("episodic", n)) for n, _ in rows.episodic if n not in chosen["recalled"]]
    used_episodic, no_episodic = take(news, most - used_recalled)
    unspent = room - promised - axioms - used_core - used_working - used_recalled - used_episodic
    for left in (no_core, [*no_axioms, *further], no_working, no_episodic):
        used, _ = take(left, unspent)
        unspent -= used
    order_of = [*(row.number for row in (*core, *rows.working)), *(number for number, _ in rows.episodic)]
    ranks = {number: rank for rank, number in enumerate(order_of)}
    for name, numbers in chosen.items():
        if name == "axioms":
            numbers.sort()
        elif name not in ("promised", "recalled"):
            numbers.sort(key=ranks.__getitem__)
    return {
        name: [f"{'prm' if name == 'promised' else 'mem'}-{n}" for n in numbers] for name, numbers in chosen.items()
    }


@settings(max_examples=60)
@given(
    size=st.integers(1, 8_000),
    budget=st.integers(22_000, 33_000),
    share=shares(),
    each=st.integers(20, 400),
)
def test_p27_what_is_promised_is_paid_with_memories(size: int, budget: int, share: Any, each: int) -> None:
    """With plenty of memories, n promised bytes cost about n bytes of memories, give or take the largest."""
    text = "e" * each
    count = 132_000 // each + 200
    rows = BootRows(
        BootConfig("Clawbert", budget, share),
        episodic=[(n, each) for n in range(1, count)],
        active={MemoryType.EPISODIC: count - 1},
    )
    texts = {n: Content(text, START) for n in range(1, count)}

    def memory_bytes(rows: BootRows) -> tuple[int, int]:
        payload = assemble(rows, BootOptions(), texts)
        return sections(payload)["episodic"]["bytes"], sections(payload)["promised"]["bytes"]

    without, _ = memory_bytes(rows)
    with_it, promised = memory_bytes(replace(rows, promises=[PromiseRow(1, "p" * size, START)]))
    largest = each + 30
    assert abs((without - with_it) - promised) <= largest


@given(contents(), st.integers(2_000, 6_000), st.sampled_from([MemoryType.CORE, MemoryType.WORKING]), shares())
def test_p28_one_memory_larger_than_all_room_is_cut_between_graphemes(
    text: str, budget: int, kind: MemoryType, share: Any
) -> None:
    row = MemoryRow(41, kind, wire.body_bytes(text), "soul", "key")
    rows = BootRows(
        BootConfig("Clawbert", budget, share),
        core=[row] if kind is MemoryType.CORE else [],
        working=[row] if kind is MemoryType.WORKING else [],
        active={kind: 1},
    )
    payload = assemble(rows, BootOptions(), {41: Content(text, START)})
    assert size_bytes(payload.text) <= budget * 4
    assert payload.manifest["totals"][str(kind)] == {"active": 1, "included": 1, "left_out": 0}
    line = payload.blocks[0].lines[0].text
    fits = row.wire_bytes + 400 < budget * 4
    if fits:
        assert payload.manifest["cut"] == []
        assert wire.body(text) in line
        return
    if not payload.manifest["cut"]:
        assert wire.body(text) in line
        return
    found = regex.search(r"… \[cut: ([\d,]+) more bytes in mem-41\]\n\Z", line)
    assert found
    missing = int(found[1].replace(",", ""))
    kept = size_bytes(text) - missing
    prefixes = {size_bytes(text[:end]): end for end in [0, *grapheme_ends(text)]}
    assert kept in prefixes
    lead = line[: line.index(": ") + 2]
    assert line == lead + wire.body(text[: prefixes[kept]]) + found[0]


@given(stores())
def test_p28_nothing_else_is_ever_cut_and_a_promise_never_is(store: Store) -> None:
    payload = boot(store)
    cut = set(payload.manifest["cut"])
    for block in payload.blocks:
        for line in block.lines:
            number = int(line.id.split("-")[1])
            if block.section is Section.PROMISED:
                text = next(row.content for row in store.rows.promises if row.number == number)
            else:
                text = store.contents[number].text
            if line.id in cut:
                assert block.section is Section.WORKING or POOL_OF_SECTION[block.section] is Pool.CORE
                assert [line.id for block in payload.blocks for line in block.lines].count(line.id) == 1
            else:
                assert line.text.endswith(wire.body(text) + "\n")


@given(stores())
def test_p29_promises_without_room_are_named_and_all_others_stand(store: Store) -> None:
    payload = boot(store)
    promised = sections(payload)["promised"]
    every = {f"prm-{row.number}" for row in store.rows.promises}
    left = {row["id"] for row in promised["left_out"]}
    assert set(promised["included"]) | left == every
    assert not set(promised["included"]) & left
    assert all(row["reason"] == "no_room" for row in promised["left_out"])
    assert [f"prm-{row.number}" for row in plan(store.rows, store.options).promised()] == promised["included"]
    if left:
        assert " had no room and stay" in payload.head[1]


@given(stores())
def test_p30_included_and_left_out_account_for_every_active_row(store: Store) -> None:
    payload = boot(store)
    by_name, active = sections(payload), store.rows.active
    for kind, totals in payload.manifest["totals"].items():
        assert totals["active"] == active[MemoryType(kind)]
        assert totals["included"] + totals["left_out"] == totals["active"]
    for names, kind in (
        ([str(category) for category in Category], MemoryType.CORE),
        (["axioms"], MemoryType.AXIOM),
        (["working"], MemoryType.WORKING),
        (["episodic"], MemoryType.EPISODIC),
    ):
        shown = sum(len(by_name[name]["included"]) for name in names)
        left = sum(by_name[name]["left_out_total"] for name in names)
        assert shown + left == active[kind]
    for section in by_name.values():
        assert section["left_out_total"] == sum(section["left_out_reasons"].values())
        assert set(section["left_out_reasons"]) <= {"no_room", "too_large", "repeats_recalled", "beyond_window"}
        assert len(section["left_out"]) <= 200
    told = regex.search(
        r"Left out: ([\d,]+) core, ([\d,]+) axioms?, ([\d,]+) working, ([\d,]+) episodic", payload.head[1]
    )
    assert told
    totals = payload.manifest["totals"]
    assert [int(n.replace(",", "")) for n in told.groups()] == [
        totals[kind]["left_out"] for kind in ("core", "axiom", "working", "episodic")
    ]


@given(stores())
def test_p32_recalled_takes_at_most_half_of_episodic_and_is_not_repeated(store: Store) -> None:
    payload = boot(store)
    by_name = sections(payload)
    assert len(by_name["recalled"]["included"]) <= 10
    assert by_name["recalled"]["bytes"] <= payload.manifest["allocations"]["episodic"]["after"] // 2
    assert not set(by_name["recalled"]["included"]) & set(by_name["episodic"]["included"])
    ranked = [f"mem-{row.number}" for row in store.rows.recalled]
    assert by_name["recalled"]["included"] == [one for one in ranked if one in by_name["recalled"]["included"]]
