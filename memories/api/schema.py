"""What the OpenAPI schema says beyond what drf-spectacular finds by itself."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema


class OperationSchema(AutoSchema):  # type: ignore[no-untyped-call]
    """Says of each operation whether it can do without a body (`operation` knows)."""

    def _get_request_body(self, direction: Any = "request") -> Any:
        body = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        if body and getattr(getattr(self.view, self.method.lower()), "needs_body", False):
            body["required"] = True
        return body
