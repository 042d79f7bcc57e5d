"""The Model Context Protocol over HTTP: bytes and headers in, a status and an object out. Nothing is kept in between.

Two eras share one address. Since 2026-07-28 every request carries its own version and capabilities in `params._meta`,
mirrored in headers; before that a client shook hands by `initialize` and named the version in a header afterwards. What
the methods do is not here: the caller gives a function for them. No Django here, and no domain.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from memories.engine.strict_json import read_json

MODERN: Final = ("2026-07-28",)
HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
# The header came with 2025-06-18, so a client that sends none speaks what was before it.
WITHOUT_HEADER: Final = "2025-03-26"
WITH_BATCHES: Final = ("2025-03-26",)
BATCH_MAX: Final = 100

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022
# Only in the handshake era; later it is INVALID_PARAMS.
RESOURCE_NOT_FOUND = -32002

VERSION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

# What the header Mcp-Name repeats, by method.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_BAD_REQUEST = (PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_VERSION)
_BASE64 = re.compile(r"=\?base64\?(?P<text>.*)\?=")


class Fault(Exception):
    """A JSON-RPC error: the call itself is wrong, or there is no such thing to call."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Server:
    """What a server says about itself. `instructions` are for the model at the other end."""

    name: str
    title: str
    version: str
    instructions: str
    capabilities: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `version` is the protocol that it speaks."""

    version: str
    method: str
    params: Mapping[str, Any]

    @property
    def is_modern(self) -> bool:
        return self.version in MODERN


@dataclass(frozen=True, slots=True)
class Result:
    """What a method answers. `fresh_ms`: how long a client may keep it; None for what must not be kept at all.

    `shared`: it is the same for everybody.
    """

    values: Mapping[str, Any]
    fresh_ms: int | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The HTTP answer. `body` is JSON-ready; None means that there is none."""

    status: int
    body: Any = None


@dataclass(frozen=True, slots=True)
class _Request:
    """A message with an id, which is owed an answer."""

    id: str | int
    method: str
    params: Any


Serve = Callable[[Call], Result]


def answer(body: bytes, headers: Mapping[str, str], *, server: Server, serve: Serve) -> Reply:
    """The answer to one POST. `headers` have lower-case names; `serve` answers every method that is not the protocol's.

    `serve` raises `Fault` for what it does not have. Notifications and answers to us are taken and dropped: 202.
    """
    try:
        sent = read_json(body)
    except ValueError as error:
        return _refused(None, Fault(PARSE_ERROR, str(error)))
    stated = headers.get(VERSION_HEADER, "").strip()
    if stated not in ("", *HANDSHAKE) or _names_version(sent):
        return _modern(sent, headers, server, serve)
    version = stated or WITHOUT_HEADER
    if isinstance(sent, list):
        return _batch(sent, version, server, serve)
    reply = _single(sent, version, server, serve)
    return Reply(202) if reply is None else reply


# The stateless era ----------------------------------------------------------------------------------------------------


def _modern(sent: Any, headers: Mapping[str, str], server: Server, serve: Serve) -> Reply:
    try:
        message = _read(sent)
        if not isinstance(message, _Request):
            if message is _Kind.ANSWER:
                raise Fault(INVALID_REQUEST, "A client has nothing to answer here: send requests or notifications.")
            _check_supported(headers.get(VERSION_HEADER, "").strip())
            return Reply(202)
    except Fault as fault:
        return _refused(_id_of(sent), fault)
    try:
        call = Call(_checked_version(message, headers), message.method, message.params)
        result = _discovered(server) if message.method == "server/discover" else serve(call)
    except Fault as fault:
        return _refused(message.id, fault)
    meta = {**result.values.get("_meta", {}), SERVER_KEY: _about(server, MODERN[0])}
    values: dict[str, Any] = {"resultType": "complete", **result.values, "_meta": meta}
    if result.fresh_ms is not None:
        values |= {"ttlMs": result.fresh_ms, "cacheScope": "public" if result.shared else "private"}
    return Reply(200, {"jsonrpc": "2.0", "id": message.id, "result": values})


def _checked_version(message: _Request, headers: Mapping[str, str]) -> str:
    """The version of the request; Fault when the envelope lacks a part, when a header says something else, or when
    nobody here speaks it, in this order.
    """
    meta = message.params.get("_meta") if isinstance(message.params, Mapping) else None
    if not isinstance(meta, Mapping):
        raise Fault(INVALID_PARAMS, f"params._meta must be an object with {VERSION_KEY} and {CAPABILITIES_KEY}.")
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise Fault(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.")
    if not isinstance(meta[CAPABILITIES_KEY], Mapping):
        raise Fault(INVALID_PARAMS, f"{CAPABILITIES_KEY} in params._meta must be an object.")
    version = meta[VERSION_KEY]
    _check_header(headers, VERSION_HEADER, version, f"{VERSION_KEY} in params._meta")
    _check_header(headers, METHOD_HEADER, message.method, "method")
    named = _NAMED.get(message.method)
    if named and message.params.get(named) is not None:
        _check_header(headers, NAME_HEADER, message.params[named], f"params.{named}", decode=True)
    _check_supported(version)
    return str(version)


def _check_header(headers: Mapping[str, str], name: str, value: Any, where: str, *, decode: bool = False) -> None:
    """Whoever routes by headers must see what we see."""
    text = headers.get(name)
    found = text.strip() if text is not None else None
    if decode and found is not None:
        found = _decoded(found)
    if found is None or found != value:
        raise Fault(HEADER_MISMATCH, f"The header {name} must be there once and say the same as {where}.")


def _decoded(text: str) -> str | None:
    """A header's text, which stands in base64 when it is not plain ASCII; None when that is malformed."""
    found = _BASE64.fullmatch(text)
    if found is None:
        return text
    try:
        raw = base64.b64decode(found["text"], validate=True)
        return raw.decode() if base64.b64encode(raw).decode() == found["text"] else None
    except (binascii.Error, ValueError):
        return None


def _check_supported(version: Any) -> None:
    if version not in MODERN:
        raise Fault(
            UNSUPPORTED_VERSION,
            f"This server speaks {', '.join(MODERN)}, and after initialize {', '.join(HANDSHAKE)}.",
            {"supported": list(MODERN), "requested": version},
        )


def _discovered(server: Server) -> Result:
    return Result(
        {
            "supportedVersions": list(MODERN),
            "capabilities": dict(server.capabilities),
            "instructions": server.instructions,
        },
        fresh_ms=300_000,
        shared=True,
    )


def _names_version(sent: Any) -> bool:
    """Whether the body says by itself that it belongs to the stateless era."""
    params = sent.get("params") if isinstance(sent, Mapping) else None
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    return isinstance(meta, Mapping) and VERSION_KEY in meta


# The handshake era ----------------------------------------------------------------------------------------------------


def _batch(sent: list[Any], version: str, server: Server, serve: Serve) -> Reply:
    if version not in WITH_BATCHES:
        return _refused(None, Fault(INVALID_REQUEST, f"{version} has no batches: send one message at a time."))
    if not 1 <= len(sent) <= BATCH_MAX:
        return _refused(None, Fault(INVALID_REQUEST, f"A batch has 1 to {BATCH_MAX} messages."))
    replies = [_single(one, version, server, serve, in_batch=True) for one in sent]
    bodies = [reply.body for reply in replies if reply is not None]
    return Reply(200, bodies) if bodies else Reply(202)


def _single(sent: Any, version: str, server: Server, serve: Serve, *, in_batch: bool = False) -> Reply | None:
    """The answer to one message; None when it is owed none."""
    try:
        message = _read(sent)
    except Fault as fault:
        return _refused(_id_of(sent), fault)
    if not isinstance(message, _Request):
        return None
    try:
        if not isinstance(message.params, Mapping):
            raise Fault(INVALID_PARAMS, "params must be an object.")
        if message.method == "initialize":
            if in_batch:
                raise Fault(INVALID_REQUEST, "initialize comes alone, before any batch.")
            values = _shaken(message.params, server)
        elif message.method == "ping":
            values = {}
        else:
            values = serve(Call(version, message.method, message.params)).values
    except Fault as fault:
        return Reply(200, _error(message.id, fault))
    return Reply(200, {"jsonrpc": "2.0", "id": message.id, "result": dict(values)})


def _shaken(params: Mapping[str, Any], server: Server) -> Mapping[str, Any]:
    """The version that the client offers, or else the newest of ours, which the client may take or leave."""
    offered = params.get("protocolVersion")
    if not isinstance(offered, str):
        raise Fault(INVALID_PARAMS, "initialize needs a protocolVersion, such as 2025-11-25.")
    version = offered if offered in HANDSHAKE else HANDSHAKE[0]
    return {
        "protocolVersion": version,
        "capabilities": dict(server.capabilities),
        "serverInfo": _about(server, version),
        "instructions": server.instructions,
    }


# Both -----------------------------------------------------------------------------------------------------------------


class _Kind(Enum):
    """What a message can be besides a request; neither is owed an answer."""

    NOTIFICATION = auto()
    ANSWER = auto()


def _read(sent: Any) -> _Request | _Kind:
    """What was sent; Fault for what is no message."""
    if not isinstance(sent, Mapping) or sent.get("jsonrpc") != "2.0":
        raise Fault(INVALID_REQUEST, 'The body must be one JSON-RPC message: an object with "jsonrpc": "2.0".')
    if "method" not in sent and "id" in sent and ("result" in sent or "error" in sent):
        return _Kind.ANSWER
    if not isinstance(sent.get("method"), str):
        raise Fault(INVALID_REQUEST, "The message needs a method, as a text.")
    if "id" not in sent:
        return _Kind.NOTIFICATION
    if not _is_id(sent["id"]):
        raise Fault(INVALID_REQUEST, "The id must be a text or a whole number.")
    params = sent.get("params")
    return _Request(sent["id"], sent["method"], {} if params is None else params)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _id_of(sent: Any) -> Any:
    found = sent.get("id") if isinstance(sent, Mapping) else None
    return found if _is_id(found) else None


def _about(server: Server, version: str) -> dict[str, str]:
    about = {"name": server.name, "version": server.version}
    return about if version == "2025-03-26" else {**about, "title": server.title}


def _refused(message: Any, fault: Fault) -> Reply:
    status = 404 if fault.code == METHOD_NOT_FOUND else 400 if fault.code in _BAD_REQUEST else 200
    return Reply(status, _error(message, fault))


def _error(message: Any, fault: Fault) -> dict[str, Any]:
    error: dict[str, Any] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        error["data"] = dict(fault.data)
    return {"jsonrpc": "2.0", "id": message, "error": error}
