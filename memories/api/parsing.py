"""Reading a body as JSON, strictly: what two readers could understand differently is refused."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from memories.engine.strict_json import read_json


class StrictJSONParser(BaseParser):
    """UTF-8, no NaN or Infinity, no name twice in one object, no nesting beyond reason."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            return read_json(stream.read())
        except ValueError as error:
            raise ParseError(str(error)) from None
