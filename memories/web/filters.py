"""Template filters, loaded for every template (`TEMPLATES` in the settings): figures, and text to the byte."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

register = template.Library()

MINUS = "−"


@register.filter
def figures(number: int) -> str:
    """`88000` as `88,000`."""
    return f"{number:,}".replace("-", MINUS)


@register.filter
def signed(number: int) -> str:
    """`+ 124`, `− 897`, `0`."""
    return "0" if number == 0 else f"{'+' if number > 0 else MINUS} {abs(number):,}"


@register.filter(is_safe=True)
def exact(text: str) -> SafeString:
    """`text` escaped to the byte: a browser's parser would turn a bare carriage return into a new line."""
    return SafeString(conditional_escape(text).replace("\r", "&#13;"))


@register.filter
def utc(moment: datetime) -> str:
    """`2026-11-30 08:15`, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


@register.filter
def iso(moment: datetime) -> str:
    """`2026-11-30T08:15:00Z`, for `datetime` attributes."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
