"""The address of MCP."""

from __future__ import annotations

from django.urls import path

from memories.mcp.views import endpoint

urlpatterns = [path("mcp", endpoint, name="mcp")]
