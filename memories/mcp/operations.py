"""What each tool does: values that its contract read go in, one domain call is made, JSON-ready values come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memories.contracts.boots import PastBootOut, request
from memories.contracts.config import ConfigOut, changes
from memories.contracts.help import TopicOut, TopicsOut
from memories.contracts.ids import Prefix, number_of
from memories.contracts.memories import MemoryOut, draft, where
from memories.contracts.promises import PromiseMade, PromisesOut
from memories.contracts.recall import RecallOut, query
from memories.contracts.tools import ServedOut
from memories.engine.actor import Actor
from memories.engine.help import TOPICS, get_topic
from memories.engine.kinds import Acknowledge
from memories.mcp.answers import Answer, told
from memories.selectors.memories import get_memory, page_memories
from memories.selectors.promises import list_pending
from memories.selectors.recall import recall
from memories.selectors.tenants import get_config
from memories.services import boot, memories, promises, tenants

Values = Mapping[str, Any]


def serve_boot(actor: Actor, values: Values) -> Answer:
    """The payload is the text; what it showed decays when the answer has left (P38)."""
    served = boot.serve(actor, request=request(values))
    texts = [served.payload]
    if served.acknowledge is Acknowledge.EXPLICIT:
        texts.append(f"Read it, then call revell_boot_acknowledge with boot-{served.boot}.")
    return Answer(ServedOut(served).data, texts=tuple(texts), boot=served.boot)


def acknowledge_boot(actor: Actor, values: Values) -> Answer:
    return told(PastBootOut(boot.acknowledge(actor, number=number_of(Prefix.BOOT, values["id"]))).data)


def show_or_change_config(actor: Actor, values: Values) -> Answer:
    if values:
        tenants.configure(actor, **changes(values))
    return told(ConfigOut(get_config(actor)).data)


def make_promise(actor: Actor, values: Values) -> Answer:
    return told(PromiseMade(promises.make(actor, content=values["content"])).data)


def list_promises(actor: Actor, values: Values) -> Answer:
    return told(PromisesOut(list_pending(actor)).data)


def release_promise(actor: Actor, values: Values) -> Answer:
    promises.release(actor, number=number_of(Prefix.PROMISE, values["id"]))
    return told({"id": values["id"], "released": True})


def remember_or_revise(actor: Actor, values: Values) -> Answer:
    if "id" in values:
        number = number_of(Prefix.MEMORY, values["id"])
        revised = memories.revise(actor, number=number, changes=values["changes"], version=values.get("version"))
        return told(MemoryOut(revised).data)
    return told(MemoryOut(memories.remember(actor, draft=draft(values, source=actor.source)).memory).data)


def read_memories(actor: Actor, values: Values) -> Answer:
    if "id" in values:
        return told(MemoryOut(get_memory(actor, number=number_of(Prefix.MEMORY, values["id"]))).data)
    page = page_memories(actor, where=where(values), limit=values["limit"], cursor=values.get("cursor", ""))
    return told(
        {
            "results": MemoryOut(page.results, many=True).data,
            "next": page.next or None,
            "previous": page.previous or None,
            "total": page.total,
        }
    )


def archive_or_restore(actor: Actor, values: Values) -> Answer:
    act = memories.restore if values["restore"] else memories.archive
    memory = act(actor, number=number_of(Prefix.MEMORY, values["id"]), version=values.get("version"))
    return told(MemoryOut(memory).data)


def forget_memory(actor: Actor, values: Values) -> Answer:
    memories.forget(actor, number=number_of(Prefix.MEMORY, values["id"]), version=values.get("version"))
    return told({"id": values["id"], "forgotten": True})


def find_memories(actor: Actor, values: Values) -> Answer:
    return told(RecallOut(recall(actor, query=query(values))).data)


def show_help(actor: Actor, values: Values) -> Answer:
    if "topic" in values:
        return told(TopicOut(get_topic(values["topic"])).data)
    return told(TopicsOut({"topics": TOPICS}).data)
