"""Promises: list, make, release."""

from __future__ import annotations

from rest_framework.response import Response

from memories.api.operations import Call, Endpoint, answer_header, created, id_parameter, operation
from memories.contracts.ids import Prefix, number_of
from memories.contracts.promises import PromiseIn, PromiseMade, PromisesOut
from memories.engine.kinds import Scope
from memories.selectors.promises import list_pending
from memories.services import promises

TAG = "promises"


class Promises(Endpoint):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}

    @operation("list_promises", tag=TAG, answers={200: PromisesOut})
    def get(self, call: Call) -> Response:
        """List the pending promises, oldest first, with the use of their cap."""
        return Response(PromisesOut(list_pending(call.actor)).data)

    @operation(
        "make_promise",
        tag=TAG,
        body=PromiseIn,
        answers={201: PromiseMade, 200: PromiseMade},
        refusals=(409,),
        headers=(answer_header("Location", "The promise.", 201),),
    )
    def post(self, call: Call) -> Response:
        """Make a promise: a note that the next boot shows at the top, once.

        For what matters right now and not for good; afterwards it is episodic memory. It costs budget: its bytes come
        off the memory of that boot. Identity belongs in core, a rule in an axiom, a narrative in episodic, the state
        of a project in working memory. 200 with `already_pending` when the same note is pending already.
        """
        made = promises.make(call.actor, content=call.body["content"])
        body = PromiseMade(made).data
        if made.already_pending:
            return Response(body)
        return created(body, f"promises/{made.promise}", call.request)


class Promise(Endpoint):
    scopes = {"DELETE": Scope.WRITE}

    @operation("release_promise", tag=TAG, answers={204: None}, path=(id_parameter(Prefix.PROMISE),), refusals=(404,))
    def delete(self, call: Call, promise_id: str) -> Response:
        """Release a pending promise, without decay."""
        promises.release(call.actor, number=number_of(Prefix.PROMISE, promise_id))
        return Response(status=204)
