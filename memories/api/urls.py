"""The addresses below `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from memories.api.views import boots, capsules, config, help, hooks, memories, promises, recall  # noqa: A004 (the noun is help)

urlpatterns = [
    path("boot", boots.Serve.as_view(), name="boot"),
    path("boot/preview", boots.Preview.as_view(), name="boot-preview"),
    path("boot/config", config.Config.as_view(), name="boot-config"),
    path("boots", boots.Boots.as_view(), name="boots"),
    path("boots/<str:id>", boots.Boot.as_view(), name="boot-of"),
    path("boots/<str:id>/acknowledge", boots.Acknowledgement.as_view(), name="boot-acknowledge"),
    path("promises", promises.Promises.as_view(), name="promises"),
    path("promises/<str:id>", promises.Promise.as_view(), name="promise"),
    path("memories", memories.Memories.as_view(), name="memories"),
    path("memories/<str:id>", memories.Memory.as_view(), name="memory"),
    path("memories/<str:id>/archive", memories.Archive.as_view(), name="memory-archive"),
    path("memories/<str:id>/restore", memories.Restore.as_view(), name="memory-restore"),
    path("recall", recall.Recall.as_view(), name="recall"),
    path("capsules", capsules.Capsules.as_view(), name="capsules"),
    path("capsules/relations", capsules.Relations.as_view(), name="capsule-relations"),
    path("capsules/aliases", capsules.Aliases.as_view(), name="capsule-aliases"),
    path("capsules/retrieve", capsules.Retrieve.as_view(), name="capsules-retrieve"),
    path("capsules/digest", capsules.Digest.as_view(), name="capsules-digest"),
    path("capsules/<str:id>", capsules.Capsule.as_view(), name="capsule"),
    path("capsules/<str:id>/tier", capsules.CapsuleTier.as_view(), name="capsule-tier"),
    path("bootstrap", capsules.Bootstrap.as_view(), name="bootstrap"),
    path("hooks/<str:client>", hooks.Hook.as_view(), name="hook"),
    path("help", help.Topics.as_view(), name="help"),
    path("help/<str:topic>", help.Topic.as_view(), name="help-topic"),
]
