"""Reading JSON strictly: what two readers could understand differently is refused.

What the JSON means is not here.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

_NAME_SHOWN_MAX = 80


def read_json(raw: bytes, *, what: str = "The body") -> Any:
    """The value in `raw`: UTF-8, no NaN or Infinity, no name twice in one object, no nesting beyond reason.

    ValueError, with a sentence for the sender that begins with `what` it is, for anything else.
    """
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_no_name_twice)
    except UnicodeDecodeError:
        raise ValueError(f"{what} is not valid UTF-8.") from None
    except RecursionError:
        raise ValueError(f"{what} is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"{what} is not valid JSON: {str(error)[:200]}.") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"“{_shown(twice)}” stands twice in one object")
    return read


def _shown(name: str) -> str:
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _NAME_SHOWN_MAX else text[:_NAME_SHOWN_MAX] + "…"
