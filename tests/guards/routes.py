"""Walks the addresses of the project for the guards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Route:
    """`path` with every parameter as `{id}`, and what answers there."""

    path: str
    view: Callable[..., Any]
    name: str | None

    @property
    def view_class(self) -> type | None:
        """The class behind `as_view()`, for views that are made of one."""
        return getattr(self.view, "cls", None) or getattr(self.view, "view_class", None)

    def methods(self) -> tuple[str, ...]:
        return tuple(m.upper() for m in METHODS if hasattr(self.view_class, m))


def routes() -> list[Route]:
    return list(_walk(get_resolver().url_patterns, ""))


def _walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[Route]:
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, path)
        else:
            yield Route(re.sub(r"<[^>]+>", "{id}", path), pattern.callback, pattern.name)
