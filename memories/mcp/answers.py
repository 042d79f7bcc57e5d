"""What a tool answers, and the form in which MCP carries it: structured values and the same as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memories.contracts.problems import shown_data
from memories.errors import RevellError


@dataclass(frozen=True, slots=True)
class Answer:
    """`texts` stand for the values where these are no good to read. `boot` decays when the answer has left (P38)."""

    values: Mapping[str, Any]
    texts: tuple[str, ...] = ()
    boot: int | None = None


def told(values: Mapping[str, Any]) -> Answer:
    """Values that are their own text."""
    return Answer(values)


def as_result(answer: Answer) -> dict[str, Any]:
    """The answer of `tools/call`."""
    texts = answer.texts or (compact(answer.values),)
    return {"content": [_text(text) for text in texts], "structuredContent": answer.values, "isError": False}


def as_refusal(error: RevellError) -> dict[str, Any]:
    """An error that a model can mend: the same code, sentence, fields and figures as everywhere else."""
    values = {
        "code": error.code,
        "message": error.detail,
        "errors": error.errors,
        "data": shown_data(error.data),
    }
    return {"content": [_text(compact(values))], "structuredContent": values, "isError": True}


def compact(values: Any) -> str:
    """JSON without spaces and escapes, which cost a model tokens."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
