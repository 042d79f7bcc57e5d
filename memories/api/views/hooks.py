"""Delivery into agents: the raw event of a hook in, that agent's own hook output out. Decay follows as in `boots`."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from memories.api.operations import Call, Endpoint, operation
from memories.contracts.hooks import HookEvent, HookOut, HookQuery, hook_call
from memories.engine import hooks
from memories.engine.kinds import Scope
from memories.errors import NotFound
from memories.services import boot
from memories.services.handover import hand_over

CLIENT = OpenApiParameter(
    "client",
    {"type": "string", "enum": [str(client) for client in hooks.Client]},
    OpenApiParameter.PATH,
    description="The agent whose hook calls.",
)


class Hook(Endpoint):
    scopes = {"POST": Scope.BOOT}

    @operation(
        "deliver_to_hook",
        tag="hooks",
        path=(CLIENT,),
        query=HookQuery,
        body=HookEvent,
        answers={200: HookOut},
        refusals=(404,),
    )
    def post(self, call: Call, client: str) -> StreamingHttpResponse | Response:
        """Answer an agent's hook.

        `SessionStart` is a real serve: `post_compact` after a compaction, else `session_start`. Any other event is
        answered with an empty object. With `slice` and `of` the payload of one boot goes in several hooks of one
        event; a promise decays when the slice that completes it has left.
        """
        asked = hook_call(_client(client), call.query)
        request = hooks.boot_request(asked, call.body, now=timezone.now())
        if request is None:
            return Response(hooks.output(""))
        served = boot.serve(call.actor, request=request)
        parts = hooks.slices(served.payload, asked.of)
        place = asked.slice - 1
        return StreamingHttpResponse(
            hand_over(
                call.actor,
                body=JSONRenderer().render(hooks.output(parts[place])),
                boots=[served.boot],
                promises=hooks.promises_of_slices(parts)[place],
            ),
            content_type="application/json",
        )


def _client(name: str) -> hooks.Client:
    if name not in set(hooks.Client):
        raise NotFound(f"There are hooks for {' and '.join(hooks.Client)}.")
    return hooks.Client(name)
