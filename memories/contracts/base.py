"""What every contract shares: unknown fields are refused by name, and all faults are told at once, by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from memories.contracts.fields import Value
from memories.errors import InvalidInput

_UNKNOWN_NAMED_MAX = 10
_NAME_SHOWN_MAX = 80


class Contract(serializers.Serializer):
    """What goes in. `read` is the way through it."""

    default_error_messages = {"invalid": "This must be an object with fields: {{…}}."}
    # How many fields a call has to name at least: a change that changes nothing is a mistake.
    least: ClassVar[int] = 0
    # Whether an optional field that is null counts as not given. A change says no: null might mean "take it away".
    null_is_missing: ClassVar[bool] = False
    # The contracts of which this one is either.
    alternatives: ClassVar[Sequence[type[Contract]]] = ()

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """The values that were given, by name; InvalidInput names every field that is unknown, missing or wrong."""
        if not isinstance(data, Mapping):
            raise refusal({"": [cls.default_error_messages["invalid"].format()]})
        bound = cls(data=data)
        if not bound.is_valid():
            raise refusal(bound.errors)
        return dict(bound.validated_data)

    @classmethod
    def is_needed(cls) -> bool:
        """Whether a call with no fields at all would be refused."""
        return bool(cls.least or cls.alternatives or any(field.required for field in cls().fields.values()))

    @classmethod
    def refuse_unknown(cls, data: Mapping[str, Any]) -> None:
        """InvalidInput naming the fields that are none, for a contract that leaves its values to another reader."""
        if unknown := cls().unknown_fields(data):
            raise refusal(unknown)

    @classmethod
    def described(cls, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with what fields alone cannot say."""
        return schema

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError({"": [self.default_error_messages["invalid"].format()]})
        errors: dict[str, Any] = {}
        values: dict[str, Any] = {}
        if self.null_is_missing:
            data = {name: value for name, value in data.items() if value is not None or not self._is_optional(name)}
        errors |= self.unknown_fields(data)
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            errors |= cast(dict[str, Any], error.detail)
        if not errors and len(data) < self.least:
            errors[""] = [f"Nothing is to be changed. Name at least one of: {', '.join(self.fields)}."]
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def unknown_fields(self, data: Mapping[str, Any]) -> dict[str, list[str]]:
        """The fault of each name in `data` that is no field here."""
        known = ", ".join(self.fields) or "none"
        unknown = [str(name) for name in data if name not in self.fields][:_UNKNOWN_NAMED_MAX]
        return {name: [f"There is no field of this name here. The fields are: {known}."] for name in unknown}

    def _is_optional(self, name: str) -> bool:
        field = self.fields.get(name)
        return field is not None and not field.required


class Nothing(Contract):
    """A call that takes no fields."""


class Query(Contract):
    """What goes in through the address, where every value is text and may stand there more than once."""

    @classmethod
    def read_query(cls, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """As `read`, from the texts of each name."""
        fields = cls().fields
        data: dict[str, Any] = {}
        for name, texts in given.items():
            field = fields.get(name)
            if not isinstance(field, Value):
                data[name] = texts  # `read` refuses it by name
            elif field.repeated:
                data[name] = [field.from_query(text) for text in texts]
            elif len(texts) == 1:
                data[name] = field.from_query(texts[0])
            else:
                raise InvalidInput.for_field(name, f"“{name}” may be given only once.")
        return cls.read(data)


class Shape(serializers.Serializer):
    """What comes out."""


def refusal(errors: Any) -> InvalidInput:
    """The faults of a contract as one error: `items.3.content` names the content of the fourth item."""
    flat: dict[str, list[str]] = {}
    for path, text in _leaves(errors):
        flat.setdefault(path, []).append(text)
    path, texts = next(iter(flat.items()))
    detail = f"{path}: {texts[0]}" if path else texts[0]
    return InvalidInput(detail, errors=flat)


def shown_name(name: str) -> str:
    """A name that a caller made up, fit to be shown: short, and without what UTF-8 cannot carry."""
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _NAME_SHOWN_MAX else text[:_NAME_SHOWN_MAX] + "…"


def _leaves(errors: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    if isinstance(errors, ErrorDetail | str):
        yield ".".join(part for part in path if part), str(errors)
    elif isinstance(errors, Mapping):
        for name, inner in errors.items():
            step = "" if name == "non_field_errors" else shown_name(str(name))
            yield from _leaves(inner, (*path, step))
    else:
        for place, inner in enumerate(errors):
            here = (*path, str(place)) if isinstance(inner, Mapping) else path
            yield from _leaves(inner, here)


class _ContractSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Says in the schema what `to_internal_value` does."""

    target_class = Contract
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)  # noqa: SLF001 (as documented)
        schema["additionalProperties"] = False
        if self.target.least:
            schema["minProperties"] = self.target.least
        if self.target.null_is_missing:
            optional = set(schema["properties"]) - set(schema.get("required", ()))
            for name in optional:
                schema["properties"][name] = _or_null(schema["properties"][name])
        return self.target.described(schema)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    more = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    if "anyOf" in schema:
        more = {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"], **more}
