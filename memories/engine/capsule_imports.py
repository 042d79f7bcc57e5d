"""An import of capsules: which plan its files make, and what became of the plan. The formats themselves are `adr`.

Reading files from a disk, and writing capsules, are done elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.engine.adr import Plan, plan_json_lines, plan_records
from memories.engine.capsule_writes import Placed, Written
from memories.engine.capsules import capsule_id
from memories.engine.drafts import CapsuleDraft
from memories.engine.faults import Faults
from memories.engine.limits import CAPSULE_IMPORT_MAX_BYTES
from memories.engine.relations import Relation
from memories.errors import InvalidInput

LINES = (".jsonl", ".ndjson")
RECORDS = (".md", ".markdown")
# What lies in a folder of decision records and is none.
NO_RECORDS = ("readme", "index", "template", "adr-template", "0000-template")


def is_record(name: str) -> bool:
    """Whether a file of that name, in a folder of decision records, is read as one."""
    stem, ending = _divided(name)
    return ending in RECORDS and stem not in NO_RECORDS and not stem.startswith(".")


def plan_files(files: Mapping[str, bytes], *, now: datetime, project_id: str | None = None) -> Plan:
    """The plan of one JSON Lines file, or of Markdown decision records; InvalidInput names every fault.

    `project_id` stands for lines without a project, and is needed for records, which name none.
    """
    size = sum(map(len, files.values()))
    if size > CAPSULE_IMPORT_MAX_BYTES:
        raise InvalidInput(
            f"An import has at most {CAPSULE_IMPORT_MAX_BYTES:,} bytes; this one has {size:,} or more. Divide it."
        )
    texts = _decoded(files)
    endings = {_divided(name)[1] for name in texts}
    if len(texts) == 1 and endings <= set(LINES):
        return plan_json_lines(next(iter(texts.values())), now=now, project_id=project_id)
    if not endings <= set(RECORDS):
        raise InvalidInput(
            "Capsules come in one JSON Lines file (.jsonl), or as Markdown decision records (.md). "
            f"This is neither: {', '.join(sorted(texts)[:5])}."
        )
    if project_id is None:
        raise InvalidInput.for_field(
            "project", "Decision records name no project. Say which one they belong to, such as --project atlas."
        )
    return plan_records(texts, now=now, project_id=project_id)


@dataclass(frozen=True, slots=True)
class Landed:
    """One capsule of the plan and where it is. In a plan that was not carried out, a new one has no number yet."""

    name: str
    origin: str
    draft: CapsuleDraft
    number: int | None
    new: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an import did, or would do. `left_out` are origin and reason.

    `freed` are relations that lose their end (C8). `cycle` is a loop of `blocks`, as ids (C7); what has no number yet
    stands in it by its name.
    """

    capsules: tuple[Landed, ...]
    relations_new: int
    relations_same: int
    freed: tuple[Relation, ...] = ()
    cycle: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def new(self) -> int:
        return sum(landed.new for landed in self.capsules)

    @property
    def same(self) -> int:
        return len(self.capsules) - self.new

    def by_kind(self) -> dict[str, int]:
        """How many of the plan's capsules are of each kind that occurs."""
        return dict(Counter(str(landed.draft.kind) for landed in self.capsules))


def outcome_of(
    plan: Plan, placed: Sequence[Placed], relations: Iterable[Relation], written: Written, *, carried_out: bool
) -> Outcome:
    """What became of `plan`, whose capsules were `placed` in their order and asked for `relations`."""
    names = (
        {} if carried_out else {at.number: one.name for one, at in zip(plan.capsules, placed, strict=True) if at.new}
    )
    return Outcome(
        capsules=tuple(
            Landed(
                capsule.name, capsule.origin, capsule.draft, at.number if carried_out or not at.new else None, at.new
            )
            for capsule, at in zip(plan.capsules, placed, strict=True)
        ),
        relations_new=len(written.added),
        relations_same=len(set(relations)) - len(written.added),
        freed=written.freed,
        cycle=tuple(names.get(number, capsule_id(number)) for number in written.cycle or ()),
        left_out=plan.left_out,
    )


def relations_of(plan: Plan, placed: Sequence[Placed], stored: Mapping[str, int]) -> list[Relation]:
    """The plan's relations between numbers: those of its `placed` capsules and those of `stored` ids."""
    numbers = {**stored, **{capsule.name: at.number for capsule, at in zip(plan.capsules, placed, strict=True)}}
    return [Relation(one.kind, numbers[one.source], numbers[one.target]) for one in plan.relations]


def _divided(name: str) -> tuple[str, str]:
    """The name of a file without its ending, and the ending with its dot, both in small letters."""
    stem, dot, ending = name.lower().rpartition(".")
    return (stem, dot + ending) if dot else (ending, "")


def _decoded(files: Mapping[str, bytes]) -> dict[str, str]:
    faults = Faults()
    texts: dict[str, str] = {}
    for name, data in files.items():
        try:
            texts[name] = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            faults.add(name, f"Line {line:,} is not UTF-8; save the file as UTF-8.")
    faults.raise_any()
    return texts


def told_faults(by_place: Mapping[str, Iterable[str]]) -> list[str]:
    """Each fault of a plan as a line that begins with its place: `line 3, kind: …`, `0007-queue.md: …`."""
    return [f"{_place(field)}{sentence}" for field, sentences in by_place.items() for sentence in sentences]


def _place(field: str) -> str:
    if field in ("lines", "files", "project", "project_id"):
        return ""
    parts = field.split(".")
    if parts[0] == "lines" and len(parts) > 1:
        return ", ".join([f"line {parts[1]}", *parts[2:]]) + ": "
    return f"{field}: "
