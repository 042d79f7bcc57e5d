"""Tenants, their members and keys, and the people who sign in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from memories.admin.reading import ReadOnly, actor_of
from memories.admin.writing import Editable, ServiceForm
from memories.engine.kinds import KEY_SCOPES, Category, Role
from memories.models import ApiKey, Invitation, Membership, Person, Tenant
from memories.services import invitations, keys, tenants


class TenantForm(ServiceForm):
    class Meta:
        model = Tenant
        fields = ("slug", "name", "budget_tokens", "share_core", "share_working", "share_episodic", "category_caps")
        help_texts = {
            "category_caps": f"Character caps by category ({', '.join(Category)}) as JSON, for example "
            '{"tools": 4000}. What is not named keeps its cap.'
        }

    def clean_category_caps(self) -> dict[str, int]:
        caps = self.cleaned_data["category_caps"] or {}
        if not isinstance(caps, dict) or any(type(cap) is not int for cap in caps.values()):
            raise forms.ValidationError('Write whole numbers by category: {"tools": 4000}.')
        return caps

    def perform(self) -> Tenant:
        given = dict(self.cleaned_data)
        tenant_id = self.instance.pk
        if tenant_id is None:
            tenant_id = tenants.create(self.actor, slug=given.pop("slug"), name=given.pop("name")).pk
        return tenants.configure(replace(self.actor, tenant_id=tenant_id), **given)


@admin.register(Tenant)
class TenantAdmin(Editable):
    form = TenantForm
    joined = ()
    list_display = ("slug", "name", "budget_tokens", "memories", "boots", "created_at")
    search_fields = ("slug", "name")
    counts = tuple(f"{kind}_count" for kind in ("core", "axiom", "working", "episodic", "semantic"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*TenantForm.Meta.fields, *(("created_at", *self.counts) if obj else ()))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("slug", "name", "created_at", *self.counts) if obj else ()

    @admin.display(description="active memories")
    def memories(self, tenant: Tenant) -> int:
        return sum(getattr(tenant, count) for count in self.counts)

    @admin.display(description="boots so far")
    def boots(self, tenant: Tenant) -> int:
        return tenant.next_boot - 1


class MembershipForm(ServiceForm):
    class Meta:
        model = Membership
        fields = ("tenant", "person", "role")

    def perform(self) -> Membership:
        person = self.cleaned_data.get("person") or self.instance.person
        return tenants.set_member(self.inside(), person=person, role=Role(self.cleaned_data["role"]))


@admin.register(Membership)
class MembershipAdmin(Editable):
    form = MembershipForm
    joined = ("tenant", "person")
    list_display = ("person", "tenant", "role", "created_at")
    list_filter = ("role",)
    search_fields = ("person__username", "tenant__slug", "tenant__name")
    autocomplete_fields = ("tenant", "person")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("tenant", "person") if obj else ()

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        tenants.remove_member(actor_of(request, obj.tenant_id), person=obj.person)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        for membership in queryset:
            self.delete_model(request, membership)


class ApiKeyForm(ServiceForm):
    scopes = forms.MultipleChoiceField(
        choices=[(str(scope), str(scope)) for scope in KEY_SCOPES], widget=forms.CheckboxSelectMultiple
    )
    issued: keys.Issued

    class Meta:
        model = ApiKey
        fields = ("tenant", "name", "scopes", "expires_at")

    def perform(self) -> ApiKey:
        given = {name: self.cleaned_data[name] for name in ("name", "scopes", "expires_at")}
        self.issued = keys.issue(self.inside(), **given)
        return self.issued.key


@admin.register(ApiKey)
class ApiKeyAdmin(Editable):
    """A key is issued and revoked, never changed. Its hash is on no page."""

    form = ApiKeyForm
    list_display = ("shown", "tenant", "name", "may", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "tenant")
    search_fields = ("prefix", "name", "tenant__slug")
    autocomplete_fields = ("tenant",)
    big = ("secret_hash",)
    actions = ("revoke",)
    page_fields = (
        "shown", "tenant", "name", "may", "created_by", "created_at", "last_used_at", "expires_at", "revoked_at",
    )  # fmt: skip

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.page_fields if obj else ApiKeyForm.Meta.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.page_fields if obj else ()

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        text = f"The secret of this key, shown only now: {form.issued.secret}"
        self.message_user(request, text, messages.WARNING)

    @admin.display(description="key", ordering="prefix")
    def shown(self, key: ApiKey) -> str:
        return str(key)

    @admin.display(description="scopes")
    def may(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    @admin.action(description="Revoke", permissions=("operate",))
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        self.for_each(request, queryset, lambda actor, key: keys.revoke(actor, prefix=key.prefix))


@admin.register(Invitation)
class InvitationAdmin(ReadOnly):
    """An open invitation. Owners make them in the pages; its code is kept nowhere and its hash is on no page."""

    list_display = ("shown", "tenant", "role", "created_by", "created_at", "expires_at")
    list_filter = ("role", "tenant")
    search_fields = ("prefix", "created_by", "tenant__slug")
    big = ("code_hash",)
    actions = ("withdraw",)
    fields = ("shown", "tenant", "role", "created_by", "created_at", "expires_at")
    readonly_fields = ("shown",)

    @admin.display(description="invitation", ordering="prefix")
    def shown(self, invitation: Invitation) -> str:
        return str(invitation)

    @admin.action(description="Withdraw", permissions=("operate",))
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        self.for_each(request, queryset, lambda actor, one: invitations.withdraw(actor, prefix=one.prefix))


@admin.register(Person)
class PersonAdmin(UserAdmin):
    """Django's own. Nobody is deleted: who should not sign in any more is made inactive."""

    list_display = ("username", "email", "is_active", "is_staff", "last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "change_password")}),
        ("About", {"fields": ("first_name", "last_name", "email")}),
        ("May", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("When", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("change_password", "last_login", "date_joined")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="password")
    def change_password(self, person: Person) -> str:
        return format_html('<a href="{}">Set another one</a>', "../password/")
