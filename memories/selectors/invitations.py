"""Reading open invitations. A code can never be read again."""

from __future__ import annotations

from django.utils import timezone

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.models import Invitation


def list_invitations(actor: Actor) -> list[Invitation]:
    """Those of the tenant that are still good, newest first."""
    actor.require(Scope.READ)
    return list(Invitation.objects.of(actor).filter(expires_at__gt=timezone.now()).order_by("-pk"))
