"""Memories: remember, list, read, revise, archive, restore, forget."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from memories.api.operations import Call, Endpoint, answer_header, created, either, id_parameter, operation
from memories.api.pagination import page_body
from memories.api.preconditions import etag, expected_version
from memories.contracts.ids import Prefix, number_of
from memories.contracts.memories import (
    MemoriesIn,
    MemoriesOut,
    MemoryChange,
    MemoryOut,
    MemoryPage,
    MemoryQuery,
    draft,
    where,
)
from memories.engine.kinds import Scope
from memories.selectors.memories import get_memory, page_memories
from memories.services import memories

TAG = "memories"
ID = id_parameter(Prefix.MEMORY)
IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "pattern": r'^(\*|(W/)?"[!#-~]*"|[0-9]+)$'},
    OpenApiParameter.HEADER,
    description='The version in quotes, such as `"3"`: 409 with the present state when somebody wrote since.',
)


class Memories(Endpoint):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}

    @operation("list_memories", tag=TAG, query=MemoryQuery, answers={200: MemoryPage})
    def get(self, call: Call) -> Response:
        """List memories, newest first, narrowed by filters."""
        page = page_memories(
            call.actor, where=where(call.query), limit=call.query["limit"], cursor=call.query.get("cursor", "")
        )
        return Response(page_body(call.request, page, MemoryOut))

    @operation(
        "remember",
        tag=TAG,
        body=MemoriesIn,
        answers={201: either("Remembered", MemoryOut, MemoriesOut), 200: MemoryOut},
        refusals=(409,),
        headers=(
            answer_header("Location", "The new memory, unless several were sent.", 201),
            answer_header("ETag", "Its version, unless several were sent.", 200, 201),
        ),
    )
    def post(self, call: Call) -> Response:
        """Remember: one memory, or up to 500 in `items`, all or nothing.

        201 for a new memory and for every batch, 200 when a core or working memory with this key was revised.
        """
        drafts = [draft(item, source=call.actor.source) for item in call.body["items"]]
        if call.body["several"]:
            stored = memories.remember_many(call.actor, drafts=drafts)
            return Response(MemoriesOut({"results": [one.memory for one in stored]}).data, status=201)
        one = memories.remember(call.actor, draft=drafts[0])
        if one.created:
            return created(
                MemoryOut(one.memory).data, f"memories/{one.memory}", call.request, ETag=etag(one.memory.version)
            )
        return _single(one.memory)


class Memory(Endpoint):
    scopes = {"GET": Scope.READ, "PATCH": Scope.WRITE, "DELETE": Scope.WRITE}

    @operation(
        "get_memory",
        tag=TAG,
        path=(ID,),
        answers={200: MemoryOut},
        refusals=(404,),
        headers=(answer_header("ETag", "Its version.", 200),),
    )
    def get(self, call: Call, memory_id: str) -> Response:
        """Read one memory, archived or not."""
        return _single(get_memory(call.actor, number=number_of(Prefix.MEMORY, memory_id)))

    @operation(
        "revise_memory",
        tag=TAG,
        path=(ID,),
        body=MemoryChange,
        answers={200: MemoryOut},
        refusals=(404, 409),
        headers=(IF_MATCH, answer_header("ETag", "Its version.", 200)),
    )
    def patch(self, call: Call, memory_id: str) -> Response:
        """Revise a memory; the earlier version is kept."""
        return _single(
            memories.revise(
                call.actor,
                number=number_of(Prefix.MEMORY, memory_id),
                changes=call.body,
                version=expected_version(call.request),
            )
        )

    @operation("forget_memory", tag=TAG, path=(ID,), answers={204: None}, refusals=(404, 409), headers=(IF_MATCH,))
    def delete(self, call: Call, memory_id: str) -> Response:
        """Forget a memory: nothing finds it any more, and after 30 days in the bin it is destroyed."""
        memories.forget(call.actor, number=number_of(Prefix.MEMORY, memory_id), version=expected_version(call.request))
        return Response(status=204)


class Archive(Endpoint):
    scopes = {"POST": Scope.WRITE}

    @operation(
        "archive_memory",
        tag=TAG,
        path=(ID,),
        answers={200: MemoryOut},
        refusals=(404, 409),
        headers=(IF_MATCH, answer_header("ETag", "Its version.", 200)),
    )
    def post(self, call: Call, memory_id: str) -> Response:
        """Archive a memory: out of the payload, still recalled."""
        return _single(
            memories.archive(
                call.actor, number=number_of(Prefix.MEMORY, memory_id), version=expected_version(call.request)
            )
        )


class Restore(Endpoint):
    scopes = {"POST": Scope.WRITE}

    @operation(
        "restore_memory",
        tag=TAG,
        path=(ID,),
        answers={200: MemoryOut},
        refusals=(404, 409),
        headers=(IF_MATCH, answer_header("ETag", "Its version.", 200)),
    )
    def post(self, call: Call, memory_id: str) -> Response:
        """Restore a memory from the archive or from the bin."""
        return _single(
            memories.restore(
                call.actor, number=number_of(Prefix.MEMORY, memory_id), version=expected_version(call.request)
            )
        )


def _single(memory: object) -> Response:
    body = MemoryOut(memory).data
    return Response(body, headers={"ETag": etag(body["version"])})
