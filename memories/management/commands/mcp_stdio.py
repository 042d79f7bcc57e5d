"""A bridge for clients that speak MCP over stdin and stdout only: every line goes to the server, every answer back."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, TextIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from django.core.management.base import BaseCommand, CommandError

KEY_VARIABLE = "REVELL_KEY"
LOOPBACK = "http://127.0.0.1:8000/mcp"
TIMEOUT_SECONDS = 30
# The error of JSON-RPC for a server's own troubles.
INTERNAL_ERROR = -32603
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Command(BaseCommand):
    """`manage.py mcp_stdio --url …`, with the key in the environment. It ends when its input does."""

    help = "Bridge MCP from stdin and stdout to the server at --url. The key comes from the environment: REVELL_KEY."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", default=LOOPBACK, help=f"the address of MCP, {LOOPBACK} when not given")

    def handle(self, *args: Any, **options: Any) -> None:
        key = os.environ.get(KEY_VARIABLE, "").strip()
        if not key:
            raise CommandError(f"Set {KEY_VARIABLE} to an API key; it is never taken from the arguments.")
        url = options["url"]
        if not url.startswith(("http://", "https://")):
            raise CommandError("--url is an address such as http://127.0.0.1:8000/mcp.")
        bridge(sys.stdin, sys.stdout, url=url, key=key)


def bridge(lines: TextIO, answers: TextIO, *, url: str, key: str) -> None:
    """Carry each line to `url` and what comes back to `answers`, until the lines end.

    A server that is not there is an error in the answer to that line; the next line tries anew.
    """
    version = ""
    for line in lines:
        if not line.strip():
            continue
        message = _read(line)
        answer = _carried(line, message, version, url=url, key=key)
        if answer is None:
            continue
        version = _agreed(message, answer) or version
        answers.write(json.dumps(answer, ensure_ascii=True, separators=(",", ":")) + "\n")
        answers.flush()


def _carried(line: str, message: Any, version: str, *, url: str, key: str) -> Any:
    request = Request(url, data=line.encode("utf-8", "replace"), method="POST")  # noqa: S310 (http and https only)
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **_mirrored(message, version),
    }
    for name, value in headers.items():
        request.add_header(name, value)
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 (as above)
            raw = response.read()
    except HTTPError as error:
        raw = error.read()
    except (URLError, OSError) as error:
        return _trouble(message, f"The server at {url} does not answer: {getattr(error, 'reason', error)}. Try again.")
    return _answer_in(raw, message)


def _answer_in(raw: bytes, message: Any) -> Any:
    """The answer of the protocol in `raw`; a problem of HTTP becomes one."""
    if not raw:
        return None
    answer = _read(raw.decode("utf-8", "replace"))
    if isinstance(answer, list) or (isinstance(answer, Mapping) and "jsonrpc" in answer):
        return answer
    told = answer.get("detail") if isinstance(answer, Mapping) else None
    return _trouble(message, told or "The server's answer is not MCP. Is --url the address of MCP?")


def _mirrored(message: Any, version: str) -> dict[str, str]:
    """The headers that repeat what stands in the message, as HTTP asks for them since 2026-07-28."""
    if not isinstance(message, Mapping):
        return {"MCP-Protocol-Version": version} if version else {}
    params = message.get("params")
    params = params if isinstance(params, Mapping) else {}
    meta = params.get("_meta")
    stated = meta.get(VERSION_KEY) if isinstance(meta, Mapping) else None
    if not isinstance(stated, str):
        return {"MCP-Protocol-Version": version} if version and message.get("method") != "initialize" else {}
    method = message.get("method")
    found = {
        "MCP-Protocol-Version": stated,
        "Mcp-Method": method,
        "Mcp-Name": params.get(_NAMED.get(str(method), "")),
    }
    return {header: _coded(text) for header, text in found.items() if isinstance(text, str)}


def _coded(text: str) -> str:
    """Text fit for a header: in base64 when it is not plain."""
    plain = text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?")
    if plain:
        return text
    return f"=?base64?{b64encode(text.encode('utf-8', 'replace')).decode()}?="


def _agreed(message: Any, answer: Any) -> str:
    """The version that an `initialize` settled; later messages name it."""
    if not isinstance(message, Mapping) or message.get("method") != "initialize" or not isinstance(answer, Mapping):
        return ""
    result = answer.get("result")
    return str(result.get("protocolVersion", "")) if isinstance(result, Mapping) else ""


def _trouble(message: Any, sentence: str) -> dict[str, Any] | None:
    """An error in the place of the answer; None where none is owed."""
    if not isinstance(message, Mapping) or "id" not in message or "method" not in message:
        return None
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": INTERNAL_ERROR, "message": sentence}}


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
