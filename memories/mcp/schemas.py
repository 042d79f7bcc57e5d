"""A contract's JSON Schema, as small as a model needs it. drf-spectacular makes it; here it is only cut down.

An agent pays for the list of tools in every session, so what clients do not need goes: titles, nulls, and in answers
everything below the first level.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from rest_framework.views import APIView

from memories.contracts.base import Contract, Shape

_REF = "#/components/schemas/"
# What the engine checks with a sentence of its own, and a model learns from that sentence when it matters.
_OF_INPUTS = frozenset({"type", "properties", "required", "items", "enum", "description", "minimum", "maximum"})
_OF_INPUTS_ROOT = _OF_INPUTS | {"additionalProperties"}
_LOOKED_FOR = frozenset({"id", "boot_id", "payload"})
# The rest of a description is for who reads the reference.
_FIRST = re.compile(r"[.;] ")


class _Schema(AutoSchema):
    """The generator, outside a request."""

    method = "POST"
    path = "/mcp"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.registry = ComponentRegistry()
        self.view = APIView()
        self.view.request = None  # type: ignore[assignment]
        self.view.format_kwarg = None


def input_schema(contract: type[Contract]) -> dict[str, Any]:
    """What a tool takes; unknown names are refused. A null is the same as nothing, and not worth a word."""
    schema = {key: value for key, value in _schema(contract, "request").items() if key in _OF_INPUTS_ROOT}
    lean = {"type": "object", "properties": {name: _lean(of) for name, of in schema.get("properties", {}).items()}}
    if schema.get("required"):
        lean["required"] = schema["required"]
    return {**lean, "additionalProperties": False}


def output_schema(shape: type[Shape]) -> dict[str, Any]:
    """What a tool answers, first level only. Nothing is required: an error stands in the same place.

    Of the texts only those are named that a client looks for; the others explain themselves in the answer.
    """
    properties = _schema(shape, "response").get("properties", {})
    kinds = {name: _kind(of) for name, of in properties.items()}
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in kinds.items() if kind != "string" or name in _LOOKED_FOR},
    }


def _kind(schema: Mapping[str, Any]) -> str:
    """The type; of what may be null, "string", because it is left out like one."""
    kind = schema.get("type", "string")
    return "string" if isinstance(kind, list) else str(kind)


def _lean(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key in _OF_INPUTS}
    if "description" in kept:
        kept["description"] = _FIRST.split(kept["description"], maxsplit=1)[0].rstrip(".")
    if isinstance(kept.get("type"), list):
        kept["type"] = next(kind for kind in kept["type"] if kind != "null")
    if "enum" in kept:
        kept["enum"] = [word for word in kept["enum"] if word is not None]
    if "items" in kept:
        kept["items"] = _lean(kept["items"])
    if "properties" in kept:
        kept["properties"] = {name: {"type": of["type"]} for name, of in kept["properties"].items()}
    return kept


def _schema(kind: type[Contract] | type[Shape], direction: Literal["request", "response"]) -> dict[str, Any]:
    generator = _Schema()
    schema = generator.resolve_serializer(kind, direction).schema
    found: dict[str, Any] = _without_references(schema, generator.registry)
    return found


def _without_references(schema: Any, registry: ComponentRegistry) -> Any:
    """Every reference replaced by what it names: a tool's schema stands alone."""
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_REF)
            target = next(one.schema for one in registry._components.values() if one.name == name)  # noqa: SLF001 (no public way to look one up by name)
            return _without_references({**target, **{k: v for k, v in schema.items() if k != "$ref"}}, registry)
        if len(schema.get("allOf", ())) == 1:
            rest = {key: value for key, value in schema.items() if key != "allOf"}
            return _without_references({**schema["allOf"][0], **rest}, registry)
        return {key: _without_references(value, registry) for key, value in schema.items()}
    if isinstance(schema, list):
        return [_without_references(one, registry) for one in schema]
    return schema
