"""The tools, one row each: name, purpose, what goes in, what comes out, what it does, which scope, which hints.

The purpose says when to use a tool and when not. An agent pays for every word of it in every session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from memories.contracts.base import Contract, Nothing, Shape
from memories.contracts.boots import BootIn, PastBootOut
from memories.contracts.capsule_calls import (
    AliasIn,
    BootstrapIn,
    CapsuleId,
    CapsuleOut,
    CaptureIn,
    DigestOut,
    Fences,
    ForgetIn,
    ListIn,
    PackOut,
    RelateIn,
    RelationOut,
    RetrievedOut,
    RetrieveIn,
    RowsOut,
    TierIn,
    WholeOut,
)
from memories.contracts.config import ConfigOut
from memories.contracts.memories import MemoryOut
from memories.contracts.promises import PromiseIn, PromiseMade, PromisesOut
from memories.contracts.recall import RecallIn, RecallOut
from memories.contracts.tools import (
    ArchiveIn,
    BootId,
    ConfigIn,
    ExactIn,
    ExactOut,
    ForgottenOut,
    HelpOut,
    MemoryId,
    PromiseId,
    ReleasedOut,
    RememberIn,
    ServedOut,
    TopicIn,
)
from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.mcp import capsules as do_capsules
from memories.mcp import operations as do
from memories.mcp.answers import Answer
from memories.mcp.schemas import input_schema, output_schema


@dataclass(frozen=True, slots=True)
class Hints:
    """What a client may want to know before it lets a model call the tool. All tools stay inside Revell."""

    reads: bool = False
    destroys: bool = False
    repeats: bool = False

    def to_wire(self) -> dict[str, bool]:
        return {
            "readOnlyHint": self.reads,
            "destructiveHint": self.destroys,
            "idempotentHint": self.repeats,
            "openWorldHint": False,
        }


# Nothing changes.
READS = Hints(reads=True, repeats=True)
# Something is added or changed; the earlier state is kept.
WRITES = Hints()
# As WRITES, and doing it twice is the same as doing it once.
SETTLES = Hints(repeats=True)
# Something is gone for the agent afterwards.
TAKES_AWAY = Hints(destroys=True, repeats=True)
CONSUMES = Hints(destroys=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """One row. `changing` is the scope when arguments are given, for a tool that shows without them."""

    name: str
    purpose: str
    takes: type[Contract]
    gives: type[Shape]
    run: Callable[[Actor, Mapping[str, Any]], Answer]
    scope: Scope
    hints: Hints
    changing: Scope | None = None

    def to_wire(self) -> dict[str, Any]:
        """As `tools/list` shows it."""
        return {
            "name": self.name,
            "description": self.purpose,
            "inputSchema": input_schema(self.takes),
            "outputSchema": output_schema(self.gives),
            "annotations": self.hints.to_wire(),
        }


# fmt: off
TOOLS = (
    Tool("revell_boot",
         "Your memory as one text. Call first in every session, and after every compaction with channel post_compact. "
         "Not to look something up (revell_recall). It consumes the promises that it shows.",
         BootIn, ServedOut, do.serve_boot, Scope.BOOT, CONSUMES),
    Tool("revell_boot_acknowledge",
         "Say that a boot with acknowledge explicit was read; its promises decay now. Not needed otherwise.",
         BootId, PastBootOut, do.acknowledge_boot, Scope.BOOT, TAKES_AWAY),
    Tool("revell_boot_config",
         "Budget, shares, caps and their use. Arguments change them, all or nothing, from the next boot on; without "
         "arguments it only shows.",
         ConfigIn, ConfigOut, do.show_or_change_config, Scope.READ, SETTLES, changing=Scope.CONFIGURE),
    Tool("revell_payload_promise",
         "A note that stands at the top of your next boot, once; then it is episodic memory. For what you want to see "
         "the moment you are back, matters now and not for good: where you stand before a compaction, a thought still "
         "unsure. It takes budget from that boot's memory. Not for who you are (core), a rule (axiom), a long story "
         "(episodic) or a project's state (working): revell_remember.",
         PromiseIn, PromiseMade, do.make_promise, Scope.WRITE, SETTLES),
    Tool("revell_payload_list",
         "Pending promises and the room left under their cap. What was served already: revell_recall.",
         Nothing, PromisesOut, do.list_promises, Scope.READ, READS),
    Tool("revell_payload_release",
         "Withdraw a pending promise; it leaves no memory. To correct one: release it, promise anew.",
         PromiseId, ReleasedOut, do.release_promise, Scope.WRITE, CONSUMES),
    Tool("revell_remember",
         "Store or revise one memory. core: who you are (category, key). axiom: a rule, at most 250 characters. "
         "working: state of a task (key; archived after 7 days without an update). episodic: what happened. semantic: "
         "a fact (subject, predicate, object). The same key, or id, revises. Not for the next boot only "
         "(revell_payload_promise), nor for findings of a project (memory_capture).",
         RememberIn, MemoryOut, do.remember_or_revise, Scope.WRITE, WRITES),
    Tool("revell_recall_exact",
         "Read one memory by id, or page through them by exact filters, newest first. By meaning or words: "
         "revell_recall.",
         ExactIn, ExactOut, do.read_memories, Scope.READ, READS),
    Tool("revell_archive",
         "Take a memory out of the boot; it is still recalled. restore brings it back. To be rid of it: revell_forget.",
         ArchiveIn, MemoryOut, do.archive_or_restore, Scope.WRITE, SETTLES),
    Tool("revell_forget",
         "Put a memory into the bin: nothing finds it, after 30 days it is destroyed. Only for what is wrong or must "
         "not stay; to make room: revell_archive.",
         MemoryId, ForgottenOut, do.forget_memory, Scope.WRITE, CONSUMES),
    Tool("revell_recall",
         "Find memories by words, best first, archived ones and served promises too. Use it before you say that you do "
         "not know. By id or exact filter: revell_recall_exact. Findings of a project: memory_retrieve.",
         RecallIn, RecallOut, do.find_memories, Scope.READ, READS),
    Tool("revell_help",
         "What to call when, and what belongs where. Topics: boot, promises, memories, recall, config, errors.",
         TopicIn, HelpOut, do.show_help, Scope.READ, READS),
    Tool("memory_bootstrap",
         "Start work on a project: what you cannot do, what to do next, what was decided, what failed. To find "
         "something: memory_retrieve.",
         BootstrapIn, PackOut, do_capsules.compile_pack, Scope.READ, READS),
    Tool("memory_capture",
         "Keep one finding of a project: a constraint, decision, failure_pattern, task, procedure, fact or reference. "
         "It never changes: correct it by a new one with supersedes; finish a task by one with proves. Not for "
         "yourself: revell_remember.",
         CaptureIn, CapsuleOut, do_capsules.capture, Scope.WRITE, SETTLES),
    Tool("memory_retrieve",
         "Find capsules by terms, whole, best first. Aliases widen a term.",
         RetrieveIn, RetrievedOut, do_capsules.retrieve, Scope.READ, READS),
    Tool("memory_digest",
         "Counts, the newest, and which tasks are ready, blocked or done.",
         Fences, DigestOut, do_capsules.digest, Scope.READ, READS),
    Tool("memory_list",
         "Page through capsules by filters, headlines only. One whole: memory_get.",
         ListIn, RowsOut, do_capsules.list_page, Scope.READ, READS),
    Tool("memory_get",
         "One capsule whole: content, relations, history.",
         CapsuleId, WholeOut, do_capsules.read_one, Scope.READ, READS),
    Tool("memory_relate",
         "Relate two capsules: from blocks, supersedes, proves or is derived_from to. It cannot be undone.",
         RelateIn, RelationOut, do_capsules.relate, Scope.WRITE, SETTLES),
    Tool("memory_tier",
         "Archive or quarantine a capsule, or make it active again.",
         TierIn, CapsuleOut, do_capsules.change_tier, Scope.WRITE, SETTLES),
    Tool("memory_forget",
         "Destroy a capsule's content for good; number and reason stay. Outdated is not wrong: supersede it.",
         ForgetIn, CapsuleOut, do_capsules.forget, Scope.WRITE, TAKES_AWAY),
    Tool("memory_alias",
         "Let memory_retrieve look for alias too when asked for term, one way. Without arguments: all aliases.",
         AliasIn, RowsOut, do_capsules.list_or_make_aliases, Scope.READ, SETTLES, changing=Scope.WRITE),
)
# fmt: on
BY_NAME = {tool.name: tool for tool in TOOLS}


@cache
def listed() -> tuple[dict[str, Any], ...]:
    """`tools/list`. The same for every key, so it is made once."""
    return tuple(tool.to_wire() for tool in TOOLS)
