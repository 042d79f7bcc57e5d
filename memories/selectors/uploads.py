"""Reading what a person has uploaded and not decided about yet."""

from __future__ import annotations

from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.models import Upload


def find_upload(actor: Actor) -> Upload | None:
    """The actor's own upload in the tenant, without its files; None when there is none or it is too old."""
    actor.require(Scope.READ)
    mine = Upload.objects.of(actor).filter(person=actor.person_id, expires_at__gt=timezone.now())
    return mine.defer("data").first()
