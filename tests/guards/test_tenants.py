"""Whatever a tenant owns hangs on it by a key that cannot be empty and takes the row with it when the tenant goes."""

from __future__ import annotations

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db import models

from tests.guards.sources import check_allow_list

ALLOWED = {
    "Person": "a person may be a member of several tenants, or of none",
    "Tenant": "it is the tenant itself",
}


def has_tenant_key(model: type[models.Model]) -> bool:
    """True with a foreign key `tenant` that is required and cascades."""
    try:
        field = model._meta.get_field("tenant")
    except FieldDoesNotExist:
        return False
    return (
        isinstance(field, models.ForeignKey)
        and not field.null
        and field.remote_field.on_delete is models.CASCADE
        and field.remote_field.model is apps.get_model("memories", "Tenant")
    )


def test_every_row_that_a_tenant_owns_has_its_key():
    kinds = apps.get_app_config("memories").get_models(include_auto_created=True)
    without = [model.__name__ for model in kinds if not has_tenant_key(model) and not model._meta.auto_created]
    check_allow_list(without, ALLOWED, "These need a tenant key: ForeignKey(Tenant, on_delete=CASCADE)")


def test_no_relation_is_made_by_a_table_without_a_tenant():
    """A many-to-many table of Django's own could join rows of two tenants."""
    joined = [
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("memories").get_models()
        for field in model._meta.local_many_to_many
        if field.remote_field.through._meta.auto_created and model.__name__ != "Person"
    ]
    assert joined == []
