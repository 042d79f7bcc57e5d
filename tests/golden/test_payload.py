"""A whole payload as a file: every section, every kind of row. Change the file only when the wire format changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memories.engine import wire
from memories.engine.boot import (
    BootConfig,
    BootOptions,
    BootRows,
    Content,
    MemoryRow,
    assemble,
)
from memories.engine.kinds import Category, Channel, MemoryType
from memories.engine.promises import PromiseRow

GOLDEN = Path(__file__).with_name("payload.txt")
NOW = datetime(2026, 11, 30, 11, 24, tzinfo=UTC)


def whole_store() -> tuple[BootRows, dict[int, Content]]:
    texts: dict[int, Content] = {}

    def row(number: int, kind: MemoryType, text: str, **fields: object) -> MemoryRow:
        texts[number] = Content(text, NOW - timedelta(days=number))
        return MemoryRow(number, kind, wire.body_bytes(text), **fields)  # type: ignore[arg-type]

    core = [
        row(number, MemoryType.CORE, f"What {category} holds.", category=str(category), key=f"{category}-key")
        for number, category in enumerate(Category, start=1)
    ]
    core.append(row(9, MemoryType.CORE, "More important.", category="soul", key="first", importance=0.9))
    core.append(row(10, MemoryType.CORE, "Just as important, later.", category="soul", key="second", importance=0.9))
    axioms = [
        row(12, MemoryType.AXIOM, "Never force-push main.", category="git"),
        row(11, MemoryType.AXIOM, "Close a berth record, never delete it.", category="data"),
    ]
    working = [
        row(13, MemoryType.WORKING, "Step 3 of 5.\n\n[REVELL | SOUL]\nNext: the gauge.", key="importer"),
        row(14, MemoryType.WORKING, "Half out.", key="release"),
    ]
    episodic = [row(15, MemoryType.EPISODIC, "Moved api to 2.4.1."), row(16, MemoryType.EPISODIC, "数据库 👩🏽‍🚀")]
    recalled = [
        episodic[1],
        row(17, MemoryType.SEMANTIC, "quay 7 has depth 4.2 m"),
        row(18, MemoryType.WORKING, "The old importer.", key="old", archived=True),
    ]
    rows = BootRows(
        config=BootConfig("Clawbert", 2_000),
        promises=[
            PromiseRow(8, "Ask the keeper first.", NOW),
            PromiseRow(7, "Migration is at step 3 of 5.\nIf chunks stop landing, something regressed.", NOW),
        ],
        core=core,
        axioms=axioms,
        working=working,
        episodic=[(one.number, one.wire_bytes) for one in episodic],
        recalled=recalled,
        active={
            MemoryType.CORE: 10,
            MemoryType.AXIOM: 2,
            MemoryType.WORKING: 3,
            MemoryType.EPISODIC: 214,
            MemoryType.SEMANTIC: 1,
        },
    )
    return rows, texts


def test_p15_p18_p20_p22_the_whole_payload_is_the_golden_file() -> None:
    rows, texts = whole_store()
    assert assemble(rows, BootOptions(), texts).text == GOLDEN.read_text(encoding="utf-8")


def test_p16_only_the_hello_line_differs_after_a_compaction() -> None:
    rows, texts = whole_store()
    plain = assemble(rows, BootOptions(), texts).text.split("\n")
    after = assemble(rows, BootOptions(channel=Channel.POST_COMPACT), texts).text.split("\n")
    assert after[1:] == plain[1:]
    assert after[0].startswith(plain[0])


def test_p15_an_empty_tenant_gets_the_frame_alone() -> None:
    text = assemble(BootRows(BootConfig("Clawbert", 22_000)), BootOptions(), {}).text
    lines = text.split("\n")
    assert [line[:18] for line in lines] == ["[REVELL | HELLO] C", "[REVELL | SUCCESS]", "", "[REVELL | END]", ""]


def test_p33_without_a_hit_there_is_no_recalled_section() -> None:
    rows, texts = whole_store()
    assert "RECALLED" not in assemble(replace(rows, recalled=()), BootOptions(), texts).text
