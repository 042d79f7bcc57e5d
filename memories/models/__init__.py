"""Tables, constraints and querysets. No workflow: `engine` decides what may happen, `services` do it."""

from memories.models.boot import Boot, ServedPromise
from memories.models.capsule import Capsule, CapsuleRelation, TermAlias, TierChange
from memories.models.event import Event
from memories.models.memory import Memory, MemoryRevision, MemoryTag, MemoryWords
from memories.models.promise import Promise
from memories.models.tenancy import ApiKey, Invitation, Membership, Person, Tenant
from memories.models.upload import Upload

__all__ = [
    "ApiKey",
    "Boot",
    "Capsule",
    "CapsuleRelation",
    "Event",
    "Invitation",
    "Membership",
    "Memory",
    "MemoryRevision",
    "MemoryTag",
    "MemoryWords",
    "Person",
    "Promise",
    "ServedPromise",
    "Tenant",
    "TermAlias",
    "TierChange",
    "Upload",
]
