"""Forms of the admin that write through a service, and the pages that show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import admin
from django.db import models, transaction
from django.http import HttpRequest

from memories.admin.reading import ReadOnly, actor_of
from memories.engine.actor import Actor
from memories.errors import RevellError


class ServiceForm(forms.ModelForm):
    """Performs its service call as the last step of cleaning: what the service refuses, the form shows.

    Django runs a whole change view in one transaction, so nothing stays of a call whose form is shown again.
    """

    actor: Actor
    done: models.Model

    def perform(self) -> models.Model:
        """Call the service; return the row that it wrote."""
        raise NotImplementedError

    def inside(self) -> Actor:
        """The actor in the tenant that the form names, or that the row has."""
        tenant = self.cleaned_data.get("tenant") or self.instance.tenant
        return replace(self.actor, tenant_id=tenant.pk)

    def clean(self) -> dict[str, Any]:
        super().clean()
        if not self.errors:
            try:
                with transaction.atomic():
                    self.done = self.perform()
            except RevellError as error:
                for field, texts in (error.errors or {"": [error.detail]}).items():
                    self.add_error(field if field in self.fields else None, list(texts))
        return self.cleaned_data

    def _post_clean(self) -> None:
        """The rules are the service's, so the model is not asked a second time."""


class Editable(ReadOnly):
    """Rows that can be added and changed, by a `ServiceForm`."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.actor = actor_of(request)  # the class is made anew for each request
        return form

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        return form.done

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """The service has written it."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The service has written it."""
