"""Plans for importing capsules: JSON Lines with local ids, and Markdown decision records. All or nothing (C10).

A plan is made from texts alone; reading files and carrying a plan out are done elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from memories.engine.capsules import CapsuleKind
from memories.engine.drafts import LINKS, CapsuleDraft, collect_draft, content_fault
from memories.engine.faults import Faults
from memories.engine.fences import project_fault
from memories.engine.graphs import shortest_cycle
from memories.engine.limits import KEY_MAX_CHARS
from memories.engine.relations import Relation, RelationKind, find_supersedes_loop
from memories.engine.strict_json import read_json
from memories.engine.text import is_encodable

SOURCE = "import"
_STORED = re.compile(r"cap-[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True, slots=True)
class PlannedCapsule:
    """A capsule to be captured. `name` is unique in its plan; `origin` says where it stands, such as `lines.3`."""

    name: str
    origin: str
    draft: CapsuleDraft


@dataclass(frozen=True, slots=True)
class PlannedRelation:
    """A relation between names of the plan, or ids of capsules that are there already (`cap-12`)."""

    kind: RelationKind
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What an import would do. `left_out` are pairs of origin and reason; `cycle` is a loop of blocks, by name (C7)."""

    capsules: tuple[PlannedCapsule, ...]
    relations: tuple[PlannedRelation, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    cycle: tuple[str, ...] | None = None

    def stored_ids(self) -> tuple[str, ...]:
        """The ids of stored capsules that relations name, each once; the import needs all of them."""
        own = {capsule.name for capsule in self.capsules}
        ends = (end for relation in self.relations for end in (relation.source, relation.target))
        return tuple(dict.fromkeys(end for end in ends if end not in own))

    def summary(self) -> list[str]:
        """The plan in lines for a person to read before it is carried out."""
        kinds = Counter(capsule.draft.kind for capsule in self.capsules)
        relations = Counter(relation.kind for relation in self.relations)
        lines = [_counted("capsule", len(self.capsules), ((kind, kinds[kind]) for kind in CapsuleKind))]
        lines.append(_counted("relation", len(self.relations), ((kind, relations[kind]) for kind in RelationKind)))
        if stored := self.stored_ids():
            lines.append(f"related to stored capsules: {', '.join(stored)}")
        if self.cycle is not None:
            lines.append(f"these block each other in a circle: {' → '.join((*self.cycle, self.cycle[0]))}")
        lines += [f"left out: {origin}: {reason}" for origin, reason in self.left_out]
        return lines


def _counted(noun: str, total: int, parts: Iterable[tuple[StrEnum, int]]) -> str:
    named = ", ".join(f"{count} {part}" for part, count in parts if count)
    return f"{total} {noun}{'' if total == 1 else 's'}{f': {named}' if named else ''}"


def plan_json_lines(text: str, *, now: datetime, project_id: str | None = None) -> Plan:
    """The plan of a JSON Lines text: one capsule a line, with the fields of a capture and an optional local `id`.

    `supersedes`, `blocks`, `blocked_by`, `proves` and `derived_from` name local ids, further up or down, or stored
    capsules (`cap-12`); a local id goes first. `project_id` stands for lines without one. InvalidInput names every
    fault by line (`lines.3.kind`).
    """
    faults = Faults()
    defaults: dict[str, object] = {"source": SOURCE, **({} if project_id is None else {"project_id": project_id})}
    capsules: list[PlannedCapsule] = []
    first_lines: dict[str, str] = {}
    known = Counter[str]()
    for place, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        origin = f"lines.{place}"
        values = _line_object(line, origin, faults)
        if values is None:
            continue
        name = values.pop("id", None)
        if name is None:
            name = f"line {place}"
        elif not isinstance(name, str) or not name.strip() or not is_encodable(name) or len(name) > KEY_MAX_CHARS:
            faults.add(f"{origin}.id", f"A local id is a text of 1 to {KEY_MAX_CHARS} characters, such as a1.")
            name = f"line {place}"
        known[name] += 1
        if known[name] > 1:
            faults.add(f"{origin}.id", f"The local id {name} is taken by {first_lines[name]}.")
            continue
        first_lines[name] = origin
        draft = collect_draft(values, now=now, faults=faults, at=f"{origin}.", defaults=defaults)
        if draft is not None:
            capsules.append(PlannedCapsule(name, origin, draft))
    relations = _related(capsules, known, faults)
    if not known and not faults:
        faults.add("lines", "There is no capsule in this text.")
    faults.raise_any()
    return Plan(tuple(capsules), relations, cycle=_blocks_cycle(relations))


def _line_object(line: str, origin: str, faults: Faults) -> dict[str, object] | None:
    try:
        values = read_json(line.encode("utf-8", "surrogatepass"), what="This line")
    except ValueError as error:
        faults.add(origin, str(error))
        return None
    if not isinstance(values, dict):
        faults.add(origin, "This line is JSON, but not an object.")
        return None
    return values


def _related(
    capsules: Iterable[PlannedCapsule], known: Mapping[str, int], faults: Faults
) -> tuple[PlannedRelation, ...]:
    """The relations of all drafts. Equal contents of one project will be one capsule (C9), so they are one end here."""
    capsules = list(capsules)
    first: dict[tuple[str, str], str] = {}
    alike = {c.name: first.setdefault((c.draft.project_id, c.draft.content), c.name) for c in capsules}
    origins: dict[PlannedRelation, str] = {}
    for capsule in capsules:
        for field, other in capsule.draft.links:
            at = f"{capsule.origin}.{field}"
            if other not in known and not _STORED.fullmatch(other):
                faults.add(at, f"{other[:100]!a} is neither a local id nor an id such as cap-12.")
                continue
            if alike.get(other, other) == alike[capsule.name]:
                same = "" if other == capsule.name else f" {capsule.name} and {other} have the same content."
                faults.add(at, f"A capsule has no relation to itself.{same}")
                continue
            kind, is_source = LINKS[field]
            source, target = (capsule.name, other) if is_source else (other, capsule.name)
            origins.setdefault(PlannedRelation(kind, source, target), at)

    numbers: dict[str, int] = {}

    def number(name: str) -> int:
        return numbers.setdefault(alike.get(name, name), len(numbers))

    numbered = {
        Relation(relation.kind, number(relation.source), number(relation.target)): at
        for relation, at in origins.items()
    }
    loop = find_supersedes_loop((), numbered)
    if loop is not None:
        names = list(numbers)
        path = " → ".join(names[step] for step in loop)
        at = numbered[Relation(RelationKind.SUPERSEDES, loop[0], loop[1])]
        faults.add(at, f"This closes a loop of supersedes: {path}.")
    return tuple(origins)


def _blocks_cycle(relations: Iterable[PlannedRelation]) -> tuple[str, ...] | None:
    names: dict[str, int] = {}
    graph: dict[int, set[int]] = {}
    for relation in relations:
        if relation.kind == RelationKind.BLOCKS:
            source = names.setdefault(relation.source, len(names))
            target = names.setdefault(relation.target, len(names))
            graph.setdefault(source, set()).add(target)
    cycle = shortest_cycle(graph, range(len(names)))
    return None if cycle is None else tuple(list(names)[step] for step in cycle)


# ---- Markdown decision records

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_TITLE_NUMBER = re.compile(r"(?:ADR[-_ ]?0*(\d+)[.:]?|0*(\d+)[.:])[ \t]*(?:[-–—][ \t]*)?(?=\S)", re.IGNORECASE)
_FILE_NUMBER = re.compile(r"(?:adr[-_ ]?)?0*(\d+)", re.IGNORECASE)
_FIELD = r"^[ \t]*[*+-]?[ \t]*\**{name}\**[ \t]*:\**[ \t]*(.+?)[ \t]*$"
_STATUS_LINE = re.compile(_FIELD.format(name="status"), re.MULTILINE | re.IGNORECASE)
_STATUS_SECTION = re.compile(
    r"^#{2,}[ \t]+status[ \t]*#*[ \t]*$(.*?)(?=^#|\Z)", re.MULTILINE | re.IGNORECASE | re.DOTALL
)
_DATE_LINE = re.compile(_FIELD.format(name="date"), re.MULTILINE | re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_RELATION_LINE = re.compile(r"^[ \t]*[*+-]?[ \t]*\**(super[sc]ed.*)$", re.MULTILINE | re.IGNORECASE)
# Also the spelling "supercedes", which older tools wrote.
_VERB = re.compile(r"\bsuper[sc]ed(?:(ed)(?:[-_ \t]*by)?|es|ing)\b", re.IGNORECASE)
_REFERENCE = re.compile(
    r"\]\((?P<file>[^)#\s]+)[^)]*\)|\bADR[-_ ]?0*(?P<adr>\d+)\b|(?<![\w.])#?0*(?P<number>\d+)\b", re.I
)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
# How far behind the title a record's own words on what it supersedes are looked for.
_HEAD_CHARS = 2_000
_NOT_IN_FORCE = re.compile(r"rejected|deprecated|withdrawn|obsolete|proposed|draft|pending", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Record:
    file: str
    number: int | None
    title: str
    text: str
    status: str
    date: datetime | None
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]

    @property
    def refused_because(self) -> str | None:
        """Why the record holds no decision that is or was in force; None when it does."""
        if self.superseded_by:
            return None
        word = _NOT_IN_FORCE.search(self.status)
        if word is not None:
            return f"its status is {word[0].lower()}"
        if _VERB.search(self.status) and "ed" in self.status.lower() and not self.supersedes:
            return "it is superseded and does not name by what"
        return None


def plan_records(files: Mapping[str, str], *, now: datetime, project_id: str) -> Plan:
    """The plan of Markdown decision records, by file name: a decision each, joined by `supersedes`.

    A record is read as people write them: a title, a status as a section, a line or front matter, a date, and
    "Superseded by ADR-0007" or "Supersedes [3. Old](0003-old.md)" there. What was never in force, or is no longer and
    names no successor, is left out with its reason. InvalidInput names every fault by file.
    """
    faults = Faults()
    fault = project_fault(project_id)
    if fault is not None:
        faults.add("project_id", fault)
    records = [_read_record(file, files[file], faults) for file in sorted(files)]
    if not records:
        faults.add("files", "There is no decision record here.")
    pairs = _supersessions([record for record in records if record is not None], faults)
    left_out: dict[str, str] = {}
    capsules: list[PlannedCapsule] = []
    for record in records:
        if record is None:
            continue
        reason = record.refused_because
        if reason is not None:
            left_out[record.file] = reason
            continue
        content = f"{record.title}\n\n{record.text}".strip()
        fault = content_fault(content)
        if fault is not None:
            faults.add(record.file, fault)
            continue
        draft = CapsuleDraft(content, CapsuleKind.DECISION, project_id, record.date or now, source=SOURCE)
        capsules.append(PlannedCapsule(record.file, record.file, draft))
    # A decision whose successor is not in force is not in force again for that.
    for source, target in pairs:
        if source in left_out and target not in left_out:
            left_out[target] = f"it is superseded by {source}, which is left out"
    relations = tuple(
        PlannedRelation(RelationKind.SUPERSEDES, source, target)
        for source, target in pairs
        if source not in left_out and target not in left_out
    )
    names = sorted(files)
    loop = find_supersedes_loop((), (Relation(r.kind, names.index(r.source), names.index(r.target)) for r in relations))
    if loop is not None:
        path = " → ".join(names[step] for step in loop)
        faults.add(names[loop[0]], f"These supersede each other in a circle: {path}.")
    faults.raise_any()
    kept = tuple(capsule for capsule in capsules if capsule.name not in left_out)
    return Plan(kept, relations, tuple(sorted(left_out.items())))


def _read_record(file: str, text: str, faults: Faults) -> _Record | None:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    front = _FRONT_MATTER.match(text)
    head, body = (front[1], text[front.end() :]) if front else ("", text)
    title = _TITLE.search(body)
    if title is None:
        faults.add(file, "This record has no title: a line that begins with one #.")
        return None
    numbered = _TITLE_NUMBER.match(title[1])
    by_file = _FILE_NUMBER.match(file.rsplit("/", 1)[-1])
    number = by_file[1] if by_file else (numbered[1] or numbered[2]) if numbered else None
    section = _STATUS_SECTION.search(body)
    lines = _STATUS_LINE.search(head) or _STATUS_LINE.search(body)
    status = section[1] if section else lines[1] if lines else ""
    stated = "\n".join(
        [status, *_RELATION_LINE.findall(head), *_RELATION_LINE.findall(body[: title.end() + _HEAD_CHARS])]
    )
    supersedes, superseded_by = _references(stated)
    return _Record(
        file=file,
        number=None if number is None else int(number),
        title=title[1][numbered.end() :] if numbered else title[1],
        text=_without_status(body[: title.start()], body[title.end() :]),
        status=status,
        date=_date(head) or _date(body),
        supersedes=supersedes,
        superseded_by=superseded_by,
    )


def _without_status(*parts: str) -> str:
    """The record's text without what says its status: that changes when it is superseded, and the decision does not.

    So a record that was imported before is found again, and only the relation is new (C1, C9).
    """
    text = "".join(_STATUS_SECTION.sub("", part) for part in parts).strip()
    head, rest = text[:_HEAD_CHARS], text[_HEAD_CHARS:]
    head = _STATUS_LINE.sub("", head)
    head = _RELATION_LINE.sub(lambda line: "" if any(_references(line[0])) else line[0], head)
    return _BLANK_LINES.sub("\n\n", head + rest).strip()


def _references(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files or numbers that the record supersedes, and those that supersede it, as written."""
    supersedes: list[str] = []
    superseded_by: list[str] = []
    for line in text.splitlines():
        verbs = list(_VERB.finditer(line))
        ends = [*(verb.start() for verb in verbs[1:]), len(line)]
        for verb, end in zip(verbs, ends, strict=False):
            said = line[verb.end() : end]
            # The text of a link repeats what its target says.
            named = [found["file"] for found in _REFERENCE.finditer(said) if found["file"]]
            named = named or [found["adr"] for found in _REFERENCE.finditer(said) if found["adr"]]
            named = named or [found["number"] for found in _REFERENCE.finditer(_DATE.sub("", said)) if found["number"]]
            (superseded_by if verb[1] else supersedes).extend(named)
    return tuple(dict.fromkeys(supersedes)), tuple(dict.fromkeys(superseded_by))


def _supersessions(records: list[_Record], faults: Faults) -> list[tuple[str, str]]:
    """Pairs of replacing and replaced file, each once, whichever of the two says so."""
    by_name = {record.file.rsplit("/", 1)[-1]: record.file for record in records}
    by_number: dict[int, list[str]] = {}
    for record in records:
        if record.number is not None:
            by_number.setdefault(record.number, []).append(record.file)

    def resolve(record: _Record, named: str) -> str | None:
        if named.isdecimal():
            found = by_number.get(int(named), [])
            if len(found) == 1:
                return found[0]
            many = f"; it could be any of {', '.join(found)}" if found else ", which is not among the files"
            faults.add(record.file, f"This record names number {named}{many}.")
            return None
        file = by_name.get(named.rsplit("/", 1)[-1])
        if file is None:
            faults.add(record.file, f"This record names {named}, which is not among the files.")
        return file

    pairs: dict[tuple[str, str], None] = {}
    for record in records:
        for named in record.supersedes:
            if (other := resolve(record, named)) is not None:
                pairs[(record.file, other)] = None
        for named in record.superseded_by:
            if (other := resolve(record, named)) is not None:
                pairs[(other, record.file)] = None
    for source, target in pairs:
        if source == target:
            faults.add(source, "This record says that it supersedes itself.")
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def _date(text: str) -> datetime | None:
    line = _DATE_LINE.search(text)
    found = _DATE.search(line[1]) if line else None
    try:
        return datetime.fromisoformat(found[0]).replace(tzinfo=UTC) if found else None
    except ValueError:
        return None
