"""`ETag` and `If-Match`: the version of a resource, as HTTP writes it."""

from __future__ import annotations

import re

from rest_framework.request import Request

from memories.errors import InvalidInput

_TAG = re.compile(r'(?:W/)?"([\x21\x23-\x7e\x80-\xff]*)"|([0-9]+)')
_VERSION = re.compile(r"[1-9][0-9]{0,8}")
# No row ever has it, so a tag that is none of ours matches nothing.
_NO_VERSION = 0


def etag(version: int) -> str:
    """The version in quotes."""
    return f'"{version}"'


def expected_version(request: Request) -> int | None:
    """The version that `If-Match` expects; None without one and for `*`, which matches whatever is there.

    A weak tag counts like a strong one, because proxies weaken tags when they compress, and a bare number like one in
    quotes. InvalidInput for anything else and for several tags: a change is made to one version.
    """
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    found = _TAG.fullmatch(header.strip())
    if found is None:
        raise InvalidInput.for_field("If-Match", 'If-Match takes the version in quotes, such as "3", or *.')
    version = found[1] or found[2] or ""
    return int(version) if _VERSION.fullmatch(version) else _NO_VERSION
