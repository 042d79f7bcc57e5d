"""The frame around a page of a list."""

from __future__ import annotations

from rest_framework import serializers

from memories.contracts.base import Query, Shape
from memories.contracts.fields import Filter, Whole
from memories.engine.limits import PAGE_DEFAULT, PAGE_MAX
from memories.selectors.pages import CURSOR_OF_ONE_KEY


def cursor(pattern: str) -> Filter:
    """The place in a list whose cursors look like this."""
    return Filter(
        schema={"pattern": f"^{pattern}$"},
        required=False,
        help_text="From the `next` or `previous` of another page.",
    )


class PageQuery(Query):
    """Which page, and how much of it."""

    limit = Whole(required=False, default=PAGE_DEFAULT, minimum=1, maximum=PAGE_MAX, help_text="Rows on a page.")
    cursor = cursor(CURSOR_OF_ONE_KEY)


class PageShape(Shape):
    """`results` are one page; `total` counts all rows that the filters let through."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    total = serializers.IntegerField()
