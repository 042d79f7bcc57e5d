"""The addresses of the pages. An agent is named by its slug, everything inside it by its number."""

from __future__ import annotations

from django.urls import include, path

from memories.web.views import (
    activity,
    agents,
    boots,
    capsules,
    imports,
    invitations,
    keys,
    members,
    memories,
    packs,
    payloads,
    people,
    promises,
    settings,
)
from memories.web.views import help as help_pages

inside = [
    path("", agents.home, name="agent"),
    path("next", agents.following, name="agent-next"),
    path("preview/", payloads.preview, name="preview"),
    path("preview/text", payloads.text, name="preview-text"),
    path("preview/manifest", payloads.manifest, name="preview-manifest"),
    path("boots/", boots.index, name="boots"),
    path("boots/<int:number>/", boots.index, name="boot"),
    path("boots/<int:number>/text", boots.text, name="boot-text"),
    path("promises/", promises.index, name="promises"),
    path("promises/<int:number>/release", promises.release, name="promise-release"),
    path("memories/", memories.index, name="memories"),
    path("memories/new/", memories.add, name="memory-new"),
    path("memories/<int:number>/", memories.one, name="memory"),
    path("memories/<int:number>/revise/", memories.revise, name="memory-revise"),
    path("memories/<int:number>/archive", memories.archive, name="memory-archive"),
    path("memories/<int:number>/restore", memories.restore, name="memory-restore"),
    path("memories/<int:number>/forget/", memories.forget, name="memory-forget"),
    path("capsules/", capsules.index, name="capsules"),
    path("capsules/new/", capsules.add, name="capsule-new"),
    path("capsules/blocks/", capsules.graph, name="blocks"),
    path("capsules/aliases/", capsules.aliases, name="aliases"),
    path("capsules/<int:number>/", capsules.one, name="capsule"),
    path("capsules/<int:number>/relate", capsules.relate, name="capsule-relate"),
    path("capsules/<int:number>/tier", capsules.tier, name="capsule-tier"),
    path("capsules/<int:number>/forget/", capsules.forget, name="capsule-forget"),
    path("pack/", packs.pack, name="pack"),
    path("pack/json", packs.as_json, name="pack-json"),
    path("settings/", settings.index, name="settings"),
    path("connect/", keys.index, name="connect"),
    path("connect/<slug:prefix>/revoke/", keys.revoke, name="key-revoke"),
    path("members/", members.index, name="members"),
    path("members/<int:number>/role", members.role, name="member-role"),
    path("members/<int:number>/remove/", members.remove, name="member-remove"),
    path("members/invite/", members.invite, name="member-invite"),
    path("members/invitations/<slug:prefix>/withdraw", members.withdraw, name="invitation-withdraw"),
    path("import/", imports.index, name="import"),
    path("import/plan/", imports.plan, name="import-plan"),
    path("import/apply", imports.apply, name="import-apply"),
    path("import/discard", imports.discard, name="import-discard"),
    path("export", imports.export, name="export"),
    path("activity/", activity.index, name="activity"),
    path("help/", help_pages.index, name="help"),
]

urlpatterns = [
    path("", agents.index, name="agents"),
    path("new-agent/", agents.add, name="agent-new"),
    path("sign-in/", people.sign_in, name="sign-in"),
    path("sign-out/", people.sign_out, name="sign-out"),
    path("join/", invitations.join, name="join"),
    path("favicon.ico", people.icon, name="icon"),
    path("theme/", people.theme, name="theme"),
    path("agents/<slug:slug>/", include(inside)),
]
