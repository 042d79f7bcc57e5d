"""Reading a body as JSON, strictly: what two readers could understand differently is refused."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from memories.contracts.base import shown_name


class StrictJSONParser(BaseParser):
    """UTF-8, no NaN or Infinity, no name twice in one object, no nesting beyond reason."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        raw = stream.read()
        try:
            return json.loads(raw.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_no_name_twice)
        except UnicodeDecodeError:
            raise ParseError("The body is not valid UTF-8.") from None
        except RecursionError:
            raise ParseError("The body is nested too deeply.") from None
        except ValueError as error:
            raise ParseError(f"The body is not valid JSON: {str(error)[:200]}.") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"“{shown_name(twice)}” stands twice in one object")
    return read
