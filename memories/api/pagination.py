"""A page of a list with the addresses of the pages beside it. Cutting pages is `selectors.pages`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from rest_framework import serializers
from rest_framework.request import Request

from memories.selectors.pages import Page


def page_body(request: Request, page: Page[Any], row: type[serializers.Serializer]) -> dict[str, Any]:
    """`{"results", "next", "previous", "total"}`; the addresses are absolute and keep the filters of this page."""
    return {
        "results": row(page.results, many=True).data,
        "next": _address(request, page.next),
        "previous": _address(request, page.previous),
        "total": page.total,
    }


def _address(request: Request, cursor: str) -> str | None:
    if not cursor:
        return None
    query = [(name, text) for name, texts in request.query_params.lists() for text in texts if name != "cursor"]
    return request.build_absolute_uri(f"{request.path}?{urlencode([*query, ('cursor', cursor)])}")
