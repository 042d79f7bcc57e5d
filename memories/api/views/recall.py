"""Recall."""

from __future__ import annotations

from rest_framework.response import Response

from memories.api.operations import Call, Endpoint, operation
from memories.contracts.recall import RecallIn, RecallOut, query
from memories.engine.kinds import Scope
from memories.selectors.recall import recall


class Recall(Endpoint):
    scopes = {"POST": Scope.READ}

    @operation("recall", tag="memories", body=RecallIn, answers={200: RecallOut})
    def post(self, call: Call) -> Response:
        """Find memories by words, best first.

        Archived memories and decayed promises are found too; what was forgotten is not.
        """
        return Response(RecallOut(recall(call.actor, query=query(call.body))).data)
