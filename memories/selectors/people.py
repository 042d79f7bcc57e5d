"""Reading people. Their roles in tenants are read in `tenants.py`."""

from __future__ import annotations

from memories.models import Person


def anybody_can_sign_in() -> bool:
    """False on an installation where no person was made yet."""
    return Person.objects.filter(is_active=True).exists()
