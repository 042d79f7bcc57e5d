"""From a method of the protocol to the domain and back. The tools are `tools`, the wire is `protocol`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import Scope
from memories.errors import RevellError
from memories.mcp.answers import as_refusal, as_result
from memories.mcp.guide import PROMPT_BY_NAME, PROMPTS, help_text
from memories.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    Call,
    Fault,
    Result,
)
from memories.mcp.tools import BY_NAME, Tool, listed
from memories.problems import McpForm, database_fault, presentation
from memories.services import boot

log = logging.getLogger(__name__)

PREVIEW = "revell://boot/preview"
HELP = "revell://help"
RESOURCES = (
    {
        "uri": PREVIEW,
        "name": "boot_preview",
        "title": "What the next boot gives",
        "description": "Exactly the text of the next boot. Reading it consumes nothing.",
        "mimeType": "text/plain",
    },
    {
        "uri": HELP,
        "name": "help",
        "title": "Help",
        "description": "What to call when, and what belongs where.",
        "mimeType": "text/plain",
    },
)
CAPABILITIES: Mapping[str, Any] = {"tools": {}, "resources": {}, "prompts": {}}
# Lists change only with the server's version.
_FRESH_MS = 300_000


class Session:
    """The calls of one HTTP request, by one actor. `boots` are those served in it, which decay afterwards (P38)."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.boots: list[int] = []
        self._methods: Mapping[str, Callable[[Call], Result]] = {
            "tools/list": lambda call: _page(call, "tools", listed()),
            "tools/call": self._call_tool,
            "resources/list": lambda call: _page(call, "resources", RESOURCES),
            "resources/templates/list": lambda call: _page(call, "resourceTemplates", ()),
            "resources/read": self._read_resource,
            "prompts/list": _list_prompts,
            "prompts/get": _get_prompt,
        }

    def serve(self, call: Call) -> Result:
        """The answer to one call of the protocol; Fault when there is no such method, tool, resource or prompt."""
        method = self._methods.get(call.method)
        if method is None:
            raise Fault(METHOD_NOT_FOUND, f"There is no method {_shown(call.method)} here.")
        try:
            return method(call)
        except Fault:
            raise
        except Exception as error:
            if isinstance(error, RevellError) and presentation(error).mcp is not McpForm.INTERNAL_ERROR:
                # Outside of tools there is no result that could carry it.
                raise Fault(INVALID_PARAMS, error.detail, {"code": error.code}) from None
            log.exception("a fault in %s", _shown(call.method))
            raise Fault(INTERNAL_ERROR, "This is a fault in Revell, not in what you sent.") from None

    def _call_tool(self, call: Call) -> Result:
        tool = BY_NAME.get(_text(call, "name"))
        if tool is None:
            raise Fault(INVALID_PARAMS, f"There is no tool {_shown(call.params['name'])}; tools/list names them.")
        arguments = call.params.get("arguments")
        arguments = {} if arguments is None else arguments
        if not isinstance(arguments, Mapping):
            raise Fault(INVALID_PARAMS, "arguments must be an object.")
        try:
            return Result(self._run(tool, arguments))
        except Exception as raised:
            error = raised if isinstance(raised, RevellError) else database_fault(raised)
            if error is None or presentation(error).mcp is not McpForm.TOOL_ERROR:
                raise
            return Result(as_refusal(error))

    def _run(self, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.actor.require(tool.changing if tool.changing and arguments else tool.scope)
        answer = tool.run(self.actor, tool.takes.read(arguments))
        if answer.boot is not None:
            self.boots.append(answer.boot)
        return as_result(answer)

    def _read_resource(self, call: Call) -> Result:
        uri = _text(call, "uri")
        if uri == PREVIEW:
            self.actor.require(Scope.READ)
            text = boot.preview(self.actor, request=BootRequest()).text
            return Result(_contents(uri, text), fresh_ms=0)
        if uri == HELP:
            return Result(_contents(uri, help_text()), fresh_ms=_FRESH_MS, shared=True)
        code = INVALID_PARAMS if call.is_modern else RESOURCE_NOT_FOUND
        raise Fault(code, "There is no such resource; resources/list names them.", {"uri": uri})


def _list_prompts(call: Call) -> Result:
    shown = [{"name": one.name, "title": one.title, "description": one.description} for one in PROMPTS]
    return _page(call, "prompts", shown)


def _get_prompt(call: Call) -> Result:
    prompt = PROMPT_BY_NAME.get(_text(call, "name"))
    if prompt is None:
        raise Fault(INVALID_PARAMS, f"There is no prompt {_shown(call.params['name'])}; prompts/list names them.")
    message = {"role": "user", "content": {"type": "text", "text": prompt.text}}
    return Result({"description": prompt.description, "messages": [message]})


def _page(call: Call, name: str, rows: Any) -> Result:
    """The whole list: it is one page, so there is no cursor that could be right."""
    if call.params.get("cursor") is not None:
        raise Fault(INVALID_PARAMS, "There is no such cursor: this list is one page.")
    return Result({name: list(rows)}, fresh_ms=_FRESH_MS, shared=True)


def _contents(uri: str, text: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}


def _text(call: Call, name: str) -> str:
    value = call.params.get(name)
    if not isinstance(value, str):
        raise Fault(INVALID_PARAMS, f"{call.method} needs {name}, as a text.")
    return value


def _shown(text: str) -> str:
    return ascii(text[:80])
