"""An agent's archive: what its files are called, and what they mean when they are read again. Nothing is trusted.

Each file is JSON Lines, one row a line; `revell.json` says what the archive is and holds the settings. What Revell
could have written comes in; one fault, and nothing does. Making archives and writing rows are not here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from memories.engine.budget import Shares
from memories.engine.capsule_writes import Alias, read_alias, read_reason, read_tier
from memories.engine.capsules import Tier, content_hash
from memories.engine.drafts import CapsuleDraft, collect_draft
from memories.engine.faults import Faults
from memories.engine.filters import moment_fault
from memories.engine.kinds import MemoryType, Source
from memories.engine.limits import (
    BUDGET_TOKENS_MAX,
    CATEGORY_CAP_CHARS_MAX,
    CONTENT_MAX_BYTES,
    LABEL_MAX_CHARS,
)
from memories.engine.memories import MemoryDraft, axiom_allowance_bytes, checked
from memories.engine.promises import cap_bytes, check_content
from memories.engine.relations import Relation, RelationKind, find_supersedes_loop
from memories.engine.strict_json import read_json
from memories.engine.tenants import Settings, check_settings
from memories.engine.text import is_storable, size_bytes
from memories.errors import InvalidInput

FORMAT = "revell archive"
VERSION = 1
ABOUT = "revell.json"
MEMORIES = "memories.jsonl"
REVISIONS = "revisions.jsonl"
PROMISES = "promises.jsonl"
BOOTS = "boots.jsonl"
CAPSULES = "capsules.jsonl"
TIER_CHANGES = "tier_changes.jsonl"
RELATIONS = "relations.jsonl"
ALIASES = "aliases.jsonl"
EVENTS = "events.jsonl"
# What is read again. Of the others, which tell what happened elsewhere, only their number matters.
READ_AGAIN = (ABOUT, MEMORIES, REVISIONS, PROMISES, CAPSULES, RELATIONS, ALIASES)
STAYS_BEHIND = (BOOTS, TIER_CHANGES, EVENTS)

_ID = re.compile(r"([a-z]+)-([1-9][0-9]{0,17})", re.ASCII)
_FAULTS_MAX = 50
_VERSION_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ArchivedRevision:
    """A memory as it was; `data` as `MemoryRevision` holds it."""

    version: int
    data: Mapping[str, Any]
    replaced_at: datetime
    replaced_by: str


@dataclass(frozen=True, slots=True)
class ArchivedMemory:
    number: int
    draft: MemoryDraft
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None
    version: int
    revisions: tuple[ArchivedRevision, ...] = ()


@dataclass(frozen=True, slots=True)
class ArchivedPromise:
    number: int
    content: str
    size_bytes: int
    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True)
class ArchivedCapsule:
    """`draft` has no content when the capsule is a tombstone: then it was forgotten for a reason."""

    number: int
    draft: CapsuleDraft
    tier: Tier
    created_at: datetime
    created_by: str
    forgotten_at: datetime | None
    forgotten_reason: str


@dataclass(frozen=True, slots=True)
class ArchivedRelation:
    relation: Relation
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ArchivedAlias:
    alias: Alias
    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True)
class Archive:
    """What comes in. `left_behind` are rows by what they are: those in the bin, and what happened elsewhere."""

    name: str
    made_at: datetime
    settings: Settings
    memories: tuple[ArchivedMemory, ...]
    promises: tuple[ArchivedPromise, ...]
    capsules: tuple[ArchivedCapsule, ...]
    relations: tuple[ArchivedRelation, ...]
    aliases: tuple[ArchivedAlias, ...]
    left_behind: Mapping[str, int]

    @property
    def revisions(self) -> int:
        return sum(len(memory.revisions) for memory in self.memories)

    def by_type(self) -> dict[str, int]:
        """How many memories of each type come in."""
        return {str(kind): n for kind in MemoryType if (n := sum(one.draft.type is kind for one in self.memories))}


def as_time(moment: datetime | None) -> str | None:
    """A time as the files write it: `2026-11-30T08:15:00.250000Z`."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def as_line(row: Mapping[str, Any]) -> bytes:
    """One row as the files write it."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def is_archive(files: Mapping[str, bytes]) -> bool:
    """Whether these files are an archive: it says so by `revell.json`."""
    return ABOUT in files


def read_archive(files: Mapping[str, bytes]) -> Archive:
    """The archive in `files`, or InvalidInput that names the faults by file and line, the first fifty of them."""
    faults = _Places()
    about = _about(files.get(ABOUT, b""), faults)
    memories, binned = _memories(files, faults)
    promises = _promises(files, faults)
    capsules = _capsules(files, faults)
    relations = _relations(files, frozenset(one.number for one in capsules), faults)
    aliases = _aliases(files, faults)
    settings = _settings(about, faults)
    made_at = about.moment("made_at")
    name = about.text("name", LABEL_MAX_CHARS)
    faults.raise_any()
    behind = {"memories in the bin": binned} | {
        name.removesuffix(".jsonl").replace("_", " "): files.get(name, b"").count(b"\n") for name in STAYS_BEHIND
    }
    return Archive(
        name, made_at, settings, memories, promises, capsules, relations, aliases,
        {what: count for what, count in behind.items() if count},
    )  # fmt: skip


class _Places(Faults):
    """Faults by file and line. At fifty the reading ends: a foreign file has one on each of its lines."""

    def add(self, field: str, sentence: str) -> None:
        super().add(field, sentence)
        if len(self.by_field) >= _FAULTS_MAX:
            self.raise_any()

    def take(self, place: str, error: InvalidInput) -> None:
        for sentence in {text: None for texts in error.errors.values() for text in texts} or {error.detail: None}:
            self.add(place, sentence)


_NOWHEN = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row with its place. A getter that finds no value of its kind notes the fault and gives a stand-in."""

    values: Mapping[str, Any]
    place: str
    faults: _Places

    def fault(self, sentence: str) -> None:
        self.faults.add(self.place, sentence)

    def text(self, name: str, most: int | None = None, *, default: str | None = None) -> str:
        value = self.values.get(name, default)
        if not isinstance(value, str) or not is_storable(value):
            self.fault(f"“{name}” is a text.")
            return ""
        if most is not None and len(value) > most:
            self.fault(f"“{name}” has at most {most:,} characters.")
        return value

    def whole(self, name: str, *, most: int = _VERSION_MAX) -> int:
        value = self.values.get(name)
        if type(value) is not int or not 1 <= value <= most:
            self.fault(f"“{name}” is a whole number from 1 to {most:,}.")
            return 1
        return value

    def number(self, name: str, kind: str) -> int:
        value = self.values.get(name)
        found = _ID.fullmatch(value) if isinstance(value, str) else None
        if found is None or found[1] != kind:
            self.fault(f"“{name}” is an id such as {kind}-12.")
            return 0
        return int(found[2])

    def moment(self, name: str) -> datetime:
        return self.maybe_moment(name) or self._no_moment(name)

    def maybe_moment(self, name: str) -> datetime | None:
        value = self.values.get(name)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            moment = None
        if moment is None or moment_fault(moment):
            self.fault(f"“{name}” is a time such as 2026-11-30T08:15:00Z.")
            return _NOWHEN
        return moment.astimezone(UTC)

    def _no_moment(self, name: str) -> datetime:
        self.fault(f"“{name}” is missing.")
        return _NOWHEN


def _rows(files: Mapping[str, bytes], name: str, faults: _Places) -> Iterator[_Row]:
    """The rows of a file, one after the other; a file that is not there has none."""
    data = files.get(name, b"")
    start, line = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        raw = data[start:end].strip()
        start, line = end + 1, line + 1
        if not raw:
            continue
        row = _object(raw, f"{name}, line {line:,}", faults)
        if row is not None:
            yield row


def _object(raw: bytes, place: str, faults: _Places) -> _Row | None:
    try:
        values = read_json(raw)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        faults.add(place, "This is not one JSON object.")
        return None
    return _Row(values, place, faults)


def _about(raw: bytes, faults: _Places) -> _Row:
    row = _object(raw, ABOUT, faults)
    if row is None:
        faults.raise_any()
        raise AssertionError
    if row.values.get("format") != FORMAT or row.values.get("version") != VERSION:
        raise InvalidInput.for_field(
            ABOUT, f"{ABOUT}: this is no archive that this version reads: “format” is {FORMAT!r}, “version” {VERSION}."
        )
    return row


def _settings(about: _Row, faults: _Places) -> Settings:
    config = about.values.get("config")
    row = _Row(config if isinstance(config, dict) else {}, f"{ABOUT}, config", faults)
    shares, caps = row.values.get("shares"), row.values.get("category_caps", {})
    parts: list[Any] = [
        shares.get(name) if isinstance(shares, dict) else None for name in ("core", "working", "episodic")
    ]
    numbers = all(type(part) is int for part in parts) and type(row.values.get("budget_tokens")) is int
    if not numbers or not isinstance(caps, dict) or not all(type(cap) is int for cap in caps.values()):
        row.fault("“budget_tokens”, “shares” and “category_caps” are whole numbers.")
        return Settings(BUDGET_TOKENS_MAX, Shares(), {})
    settings = Settings(row.values["budget_tokens"], Shares(*parts), caps)
    try:
        check_settings(settings)
    except InvalidInput as error:
        faults.take(row.place, error)
    return settings


def _memories(files: Mapping[str, bytes], faults: _Places) -> tuple[tuple[ArchivedMemory, ...], int]:
    """The memories with their earlier versions, in order, and how many more lie in the bin."""
    found: dict[int, ArchivedMemory] = {}
    binned: set[int] = set()
    keys: set[tuple[MemoryType, str, str]] = set()
    chars: dict[str, int] = {}
    axiom_bytes = 0
    for row in _rows(files, MEMORIES, faults):
        number = row.number("id", "mem")
        if number in found or number in binned:
            row.fault(f"mem-{number} stands here twice.")
        if row.values.get("forgotten_at") is not None:
            binned.add(number)
            continue
        memory = _memory(row, number)
        if memory is None:
            continue
        found[number] = memory
        draft = memory.draft
        if draft.type in (MemoryType.CORE, MemoryType.WORKING):
            key = (draft.type, draft.category if draft.type is MemoryType.CORE else "", draft.key)
            if key in keys:
                row.fault(f"Another memory has the key “{draft.key}” already.")
            keys.add(key)
        if memory.archived_at is None and draft.type is MemoryType.CORE:
            chars[draft.category] = chars.get(draft.category, 0) + len(draft.content)
        elif memory.archived_at is None and draft.type is MemoryType.AXIOM:
            axiom_bytes += size_bytes(draft.content)
    # Caps may have been lowered under what was there; above the largest cap nothing can ever have been.
    for category, used in chars.items():
        if used > CATEGORY_CAP_CHARS_MAX:
            faults.add(MEMORIES, f"{category} has {used:,} characters, more than the largest cap.")
    if axiom_bytes > (most := axiom_allowance_bytes(BUDGET_TOKENS_MAX)):
        faults.add(MEMORIES, f"The axioms have {axiom_bytes:,} bytes together; no budget allows more than {most:,}.")
    revisions = _revisions(files, found, binned, faults)
    memories = (replace(one, revisions=tuple(revisions.get(number, ()))) for number, one in sorted(found.items()))
    return tuple(memories), len(binned)


def _memory(row: _Row, number: int) -> ArchivedMemory | None:
    kind, source = row.values.get("type"), row.values.get("source")
    if kind not in list(MemoryType) or source not in list(Source):
        row.fault(f"“type” is one of {', '.join(MemoryType)}, “source” one of {', '.join(Source)}.")
        return None
    texts = {
        name: row.text(name, default="")
        for name in ("content", "category", "key", "subject", "predicate", "object", "context")
    }
    draft = MemoryDraft(
        type=MemoryType(kind),
        **texts,
        tags=_tags(row),
        importance=_importance(row),
        source=Source(source),
        occurred_at=row.moment("occurred_at"),
    )
    try:
        draft = checked(draft)
    except InvalidInput as error:
        row.faults.take(row.place, error)
    return ArchivedMemory(
        number=number,
        draft=draft,
        created_at=row.moment("created_at"),
        updated_at=row.moment("updated_at"),
        archived_at=row.maybe_moment("archived_at"),
        version=row.whole("version"),
    )


def _tags(row: _Row) -> tuple[str, ...]:
    tags = row.values.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) and is_storable(tag) for tag in tags):
        row.fault("“tags” is a list of texts.")
        return ()
    return tuple(tags)


def _importance(row: _Row) -> float:
    value = row.values.get("importance")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        row.fault("“importance” is a number from 0 to 1.")
        return 0.0
    return float(value)


def _revisions(
    files: Mapping[str, bytes], memories: Mapping[int, ArchivedMemory], binned: set[int], faults: _Places
) -> dict[int, list[ArchivedRevision]]:
    found: dict[int, list[ArchivedRevision]] = {}
    seen: set[tuple[int, int]] = set()
    for row in _rows(files, REVISIONS, faults):
        number, version = row.number("memory", "mem"), row.whole("version")
        if number in binned:
            continue
        memory = memories.get(number)
        if memory is None or version >= memory.version or (number, version) in seen:
            row.fault("This is no earlier version, told once, of a memory of this archive.")
            continue
        seen.add((number, version))
        data: dict[str, Any] = {
            name: row.text(name, default="")
            for name in ("content", "category", "key", "subject", "predicate", "object", "context", "source")
        }
        if size_bytes(data["content"]) > CONTENT_MAX_BYTES:
            row.fault(f"“content” has more than {CONTENT_MAX_BYTES:,} bytes.")
        data |= {"tags": list(_tags(row)), "importance": _importance(row)}
        for name in ("occurred_at", "updated_at", "archived_at", "forgotten_at"):
            moment = row.maybe_moment(name)
            data[name] = moment and moment.isoformat()
        found.setdefault(number, []).append(
            ArchivedRevision(version, data, row.moment("replaced_at"), row.text("replaced_by", LABEL_MAX_CHARS))
        )
    return found


def _promises(files: Mapping[str, bytes], faults: _Places) -> tuple[ArchivedPromise, ...]:
    found: dict[int, ArchivedPromise] = {}
    for row in _rows(files, PROMISES, faults):
        number, content = row.number("id", "prm"), row.text("content")
        if number in found:
            row.fault(f"prm-{number} stands here twice.")
        try:
            size = check_content(content)
        except InvalidInput as error:
            faults.take(row.place, error)
            continue
        by = row.text("created_by", LABEL_MAX_CHARS)
        found[number] = ArchivedPromise(number, content, size, row.moment("created_at"), by)
    used, most = sum(one.size_bytes for one in found.values()), cap_bytes(BUDGET_TOKENS_MAX)
    if used > most:
        faults.add(PROMISES, f"The promises have {used:,} bytes together; no budget allows more than {most:,}.")
    return tuple(one for _, one in sorted(found.items()))


def _capsules(files: Mapping[str, bytes], faults: _Places) -> tuple[ArchivedCapsule, ...]:
    found: dict[int, ArchivedCapsule] = {}
    contents: set[tuple[str, str]] = set()
    for row in _rows(files, CAPSULES, faults):
        number = row.number("id", "cap")
        if number in found:
            row.fault(f"cap-{number} stands here twice.")
        capsule = _capsule(row, number)
        if capsule is None:
            continue
        found[number] = capsule
        if capsule.forgotten_at is None:
            key = (capsule.draft.project_id, content_hash(capsule.draft.content))
            if key in contents:
                row.fault("Another capsule of the project says the same.")
            contents.add(key)
    return tuple(one for _, one in sorted(found.items()))


def _capsule(row: _Row, number: int) -> ArchivedCapsule | None:
    gone = row.maybe_moment("forgotten_at")
    names = ("kind", "project_id", "confidence", "valid_from", "valid_to", "source", "tainted")
    # What was forgotten has no content any more; any other stands in while the rest is judged.
    content = "forgotten" if gone else row.values.get("content")
    mine = Faults()
    values = {"content": content, **{name: row.values.get(name) for name in names}}
    draft = collect_draft(values, now=_NOWHEN, faults=mine)
    reason = ""
    try:
        tier = read_tier(row.values.get("tier"))
        reason = read_reason(row.values.get("forgotten_reason")) if gone else ""
        mine.raise_any()
    except InvalidInput as error:
        row.faults.take(row.place, error)
        return None
    assert draft is not None
    if gone:
        draft = replace(draft, content="")
    by = row.text("created_by", LABEL_MAX_CHARS)
    return ArchivedCapsule(number, draft, tier, row.moment("created_at"), by, gone, reason)


def _relations(files: Mapping[str, bytes], capsules: frozenset[int], faults: _Places) -> tuple[ArchivedRelation, ...]:
    found: dict[Relation, ArchivedRelation] = {}
    for row in _rows(files, RELATIONS, faults):
        kind, source, target = row.values.get("kind"), row.number("from", "cap"), row.number("to", "cap")
        if kind not in list(RelationKind) or source == target or not {source, target} <= capsules:
            row.fault(f"A relation ({', '.join(RelationKind)}) is between two capsules of this archive.")
            continue
        relation = Relation(RelationKind(kind), source, target)
        found[relation] = ArchivedRelation(relation, row.moment("created_at"))
    loop = find_supersedes_loop((), found)
    if loop is not None:
        faults.add(RELATIONS, f"These supersede each other: {', '.join(f'cap-{number}' for number in loop)}.")
    return tuple(found.values())


def _aliases(files: Mapping[str, bytes], faults: _Places) -> tuple[ArchivedAlias, ...]:
    found: dict[Alias, ArchivedAlias] = {}
    for row in _rows(files, ALIASES, faults):
        try:
            alias = read_alias(row.values.get("term"), row.values.get("alias"))
        except InvalidInput as error:
            faults.take(row.place, error)
            continue
        by = row.text("created_by", LABEL_MAX_CHARS)
        found[alias] = ArchivedAlias(alias, row.moment("created_at"), by)
    return tuple(found.values())
