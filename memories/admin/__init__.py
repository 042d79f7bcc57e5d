"""Django's admin for the operator: lists, search, filters. What changes rows calls a service with an actor.

Nothing is edited in place: a form calls its service while it is cleaned, so that a refusal stands on its field, and an
action calls its service for each row. People are Django's own accounts and Django's own forms write them.
"""

from __future__ import annotations

from django.contrib import admin

from memories.admin import capsules, contents, tenancy

__all__ = ["capsules", "contents", "tenancy"]

admin.site.site_header = "Revell for its operator"
admin.site.site_title = "Revell"
admin.site.index_title = "This installation"
