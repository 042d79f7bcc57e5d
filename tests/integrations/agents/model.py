"""A model that answers the same short text to everything, on loopback, in both dialects that the agents speak.

It records each request, so that a test can look at what an agent really sent to its model. What the agents do with
their own hooks is no matter here.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID = "Understood."
USED_TOKENS = 50
# Reported once, it makes an agent compact by itself.
FULL_TOKENS = 300_000


class Model:
    """What was asked, in order: pairs of path and body.

    `before_next` is called once, when the next request has come and before it is answered. `tool_next` is a tool that
    the next answer calls, once, saying that the context is now full.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.tool_next = ""
        self.before_next: Callable[[], None] | None = None

    def asked(self, path: str, *, words: str = "") -> list[str]:
        """The bodies sent to `path` that hold `words`, as JSON text that is easy to search."""
        texts = [json.dumps(body, ensure_ascii=False) for asked, body in self.requests if asked == path]
        return [text for text in texts if words in text]

    def forget(self) -> None:
        self.requests.clear()


@contextmanager
def running() -> Iterator[Model]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    server.model = Model(f"http://127.0.0.1:{server.server_address[1]}")  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.model  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        model: Model = self.server.model  # type: ignore[attr-defined]
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        try:
            body = json.loads(raw)
        except ValueError:
            body = {"unread": raw.decode(errors="replace")}
        model.requests.append((path, body if isinstance(body, dict) else {"body": body}))
        meanwhile, model.before_next = model.before_next, None
        if meanwhile is not None:
            meanwhile()
        if path == "/v1/messages":
            self._stream(_messages(body))
        elif path == "/v1/messages/count_tokens":
            self._json({"input_tokens": USED_TOKENS})
        elif path == "/v1/responses":
            tool, model.tool_next = model.tool_next, ""
            self._stream(_responses(tool))
        else:
            self._json({})

    def do_GET(self) -> None:
        self._json({"data": [], "models": []})

    def do_HEAD(self) -> None:
        self._json({})

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _json(self, body: Any) -> None:
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, events: list[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())


def _messages(asked: dict[str, Any]) -> list[dict[str, Any]]:
    usage = {
        "input_tokens": USED_TOKENS,
        "output_tokens": 3,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model", "none"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAID}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ]


def _responses(tool: str) -> list[dict[str, Any]]:
    item: dict[str, Any] = {
        "type": "message",
        "role": "assistant",
        "id": "said_1",
        "status": "completed",
        "content": [{"type": "output_text", "text": SAID, "annotations": []}],
    }
    if tool:
        item = {"type": "function_call", "id": "call_1", "call_id": "call_1", "name": tool, "arguments": "{}"}
    tokens = FULL_TOKENS if tool else USED_TOKENS
    usage = {
        "input_tokens": tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens + 3,
    }
    return [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
    ]
