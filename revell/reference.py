"""The REST reference that describes itself: the OpenAPI schema and a page to browse it, with no outside host."""

from __future__ import annotations

from csp.decorators import csp_update
from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

# Swagger's own style sheet draws its arrows from data: pictures. No other page may.
docs = csp_update({"img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="api-schema", template_name="api/docs.html")
)

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", docs, name="api-docs"),
]
