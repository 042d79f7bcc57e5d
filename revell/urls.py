"""Where everything is: pages at the root, REST below `/api/v1/`, MCP at `/mcp`, the operator's parts beside them."""

from __future__ import annotations

from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path

from revell import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("admin/", admin.site.urls),
]
# Each skin brings its own addresses; one that is not there yet brings none.
for _prefix, _module, _needs in (
    ("api/", "revell.reference", "memories.api.auth"),
    ("api/v1/", "memories.api.urls", "memories.api.urls"),
    ("", "memories.mcp.urls", "memories.mcp.urls"),
    ("", "memories.web.urls", "memories.web.urls"),
):
    if find_spec(_needs):
        urlpatterns.append(path(_prefix, include(_module)))

handler400 = "revell.refusals.bad_request"
handler403 = "revell.refusals.permission_denied"
handler404 = "revell.refusals.page_not_found"
handler500 = "revell.refusals.server_error"
