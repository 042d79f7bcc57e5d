"""Boots: serve, preview, acknowledge, look back. Decay follows the payload out of the door (P38)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.operations import Call, Endpoint, answer_header, id_parameter, operation
from memories.api.pagination import page_body
from memories.contracts.boots import (
    BootIn,
    BootOut,
    PastBootOut,
    PastBootPage,
    PastBootWithTextOut,
    PreviewOut,
    PreviewQuery,
    request,
    what_if,
)
from memories.contracts.ids import Prefix, number_of
from memories.contracts.pages import PageQuery
from memories.engine.kinds import Scope
from memories.errors import InvalidInput
from memories.selectors.boot import get_boot, page_boots
from memories.services import boot
from memories.services.handover import hand_over

TAG = "boots"
ID = id_parameter(Prefix.BOOT)
PLAIN = "text/plain"
JSON = "application/json"


class PlainTextRenderer(BaseRenderer):
    """The bare payload, for clients such as curl."""

    media_type = PLAIN
    format = "txt"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return str(data).encode()


class Serve(Endpoint):
    scopes = {"POST": Scope.BOOT}
    renderer_classes = (JSONRenderer, PlainTextRenderer)

    @operation(
        "serve_boot",
        tag=TAG,
        body=BootIn,
        answers={(200, JSON): BootOut, (200, PLAIN): OpenApiTypes.STR},
        headers=(
            answer_header("X-Revell-Boot", "With text/plain: the id of the boot.", 200),
            answer_header("X-Revell-Sha256", "With text/plain: the SHA-256 of the payload.", 200),
            answer_header("X-Revell-Repeat", "With text/plain: `true` when an idempotency key answered again.", 200),
        ),
    )
    def post(self, call: Call) -> StreamingHttpResponse:
        """Serve a boot: the payload that an agent wakes up with.

        The promises in it decay to episodic memories as soon as the payload left, before the answer ends; with
        `acknowledge: explicit` when the boot is acknowledged. The idempotency key may instead be sent as the header
        `Idempotency-Key`; if both are, they must be the same. With `Accept: text/plain` the bare payload comes back.
        """
        served = boot.serve(call.actor, request=request(_with_header_key(call)))
        if _wants_text(call.request):
            body, headers = served.payload.encode(), _text_headers(f"boot-{served.boot}", served.sha256)
            headers["X-Revell-Repeat"] = str(served.repeat).lower()
        else:
            body, headers = JSONRenderer().render(BootOut(served).data), {}
        return StreamingHttpResponse(
            hand_over(call.actor, body=body, boots=[served.boot]),
            content_type=_content_type(call.request),
            headers=headers,
        )


class Preview(Endpoint):
    scopes = {"GET": Scope.READ}
    renderer_classes = (JSONRenderer, PlainTextRenderer)

    @operation(
        "preview_boot",
        tag=TAG,
        query=PreviewQuery,
        answers={(200, JSON): PreviewOut, (200, PLAIN): OpenApiTypes.STR},
        headers=(answer_header("X-Revell-Sha256", "With text/plain: the SHA-256 of the payload.", 200),),
    )
    def get(self, call: Call) -> Response | HttpResponse:
        """Preview the next boot. Nothing is changed, no promise is consumed.

        With other budget or shares it shows what they would do; nothing is saved.
        """
        shown = PreviewOut(boot.preview(call.actor, request=request(call.query), what_if=what_if(call.query))).data
        if _wants_text(call.request):
            return Response(shown["payload"], headers={"X-Revell-Sha256": shown["sha256"]})
        return Response(shown)


class Boots(Endpoint):
    scopes = {"GET": Scope.READ}

    @operation("list_boots", tag=TAG, query=PageQuery, answers={200: PastBootPage})
    def get(self, call: Call) -> Response:
        """List past boots, newest first, without their texts."""
        page = page_boots(call.actor, limit=call.query["limit"], cursor=call.query.get("cursor", ""))
        return Response(page_body(call.request, page, PastBootOut))


class Boot(Endpoint):
    scopes = {"GET": Scope.READ}

    @operation("get_boot", tag=TAG, path=(ID,), answers={200: PastBootWithTextOut}, refusals=(404,))
    def get(self, call: Call, boot_id: str) -> Response:
        """Read one past boot with its exact text and its manifest.

        The texts of the last 100 boots are kept; of older ones `payload` is null.
        """
        return Response(PastBootWithTextOut(get_boot(call.actor, number=number_of(Prefix.BOOT, boot_id))).data)


class Acknowledgement(Endpoint):
    scopes = {"POST": Scope.BOOT}

    @operation("acknowledge_boot", tag=TAG, path=(ID,), answers={200: PastBootOut}, refusals=(404,))
    def post(self, call: Call, boot_id: str) -> Response:
        """Acknowledge a boot: the agent has read it, and its promises decay now. Doing it twice is harmless."""
        return Response(PastBootOut(boot.acknowledge(call.actor, number=number_of(Prefix.BOOT, boot_id))).data)


def _with_header_key(call: Call) -> Mapping[str, Any]:
    """The options of the body with the idempotency key of the header."""
    header = call.request.headers.get("Idempotency-Key", "")
    told = call.body.get("idempotency_key", "")
    if header and told and header != told:
        raise InvalidInput.for_field(
            "idempotency_key", "The header Idempotency-Key and idempotency_key in the body differ. Send one of them."
        )
    return {**call.body, "idempotency_key": header or told}


def _wants_text(asked: Request) -> bool:
    return bool(asked.accepted_renderer.media_type == PLAIN)


def _content_type(asked: Request) -> str:
    return f"{PLAIN}; charset=utf-8" if _wants_text(asked) else JSON


def _text_headers(boot_id: str, sha256: str) -> dict[str, str]:
    return {"X-Revell-Boot": boot_id, "X-Revell-Sha256": sha256}
