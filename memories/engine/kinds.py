"""The closed lists of words of the memory half: types, categories, sections, channels, scopes. No rule is here."""

from __future__ import annotations

from enum import StrEnum


class MemoryType(StrEnum):
    CORE = "core"
    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    AXIOM = "axiom"


class Category(StrEnum):
    """The categories of core memory, in the order of the payload (P15, P20)."""

    SOUL = "soul"
    IDENTITY = "identity"
    RELATIONSHIP = "relationship"
    OPERATIONS = "operations"
    TOOLS = "tools"
    ROUTINE = "routine"
    REORIENT = "reorient"
    ACCOUNTS = "accounts"


class Source(StrEnum):
    AGENT = "agent"
    HUMAN = "human"
    IMPORT = "import"


class Section(StrEnum):
    """The sections between the SUCCESS line and END, in the order of the payload (P15)."""

    PROMISED = "promised"
    SOUL = "soul"
    IDENTITY = "identity"
    RELATIONSHIP = "relationship"
    OPERATIONS = "operations"
    TOOLS = "tools"
    ROUTINE = "routine"
    REORIENT = "reorient"
    ACCOUNTS = "accounts"
    AXIOMS = "axioms"
    WORKING = "working"
    RECALLED = "recalled"
    EPISODIC = "episodic"


class Pool(StrEnum):
    """The three shares of the budget (P23)."""

    CORE = "core"
    WORKING = "working"
    EPISODIC = "episodic"


class Reason(StrEnum):
    """Why something active does not stand in a payload (P30)."""

    NO_ROOM = "no_room"
    TOO_LARGE = "too_large"
    REPEATS_RECALLED = "repeats_recalled"
    BEYOND_WINDOW = "beyond_window"


class Channel(StrEnum):
    """The real serves (P36)."""

    AGENT = "agent"
    SESSION_START = "session_start"
    POST_COMPACT = "post_compact"


class Acknowledge(StrEnum):
    """When promises decay: after the payload left (P38) or when the agent says that it has read it (P42)."""

    AUTO = "auto"
    EXPLICIT = "explicit"


class Outcome(StrEnum):
    """How a promise that a boot showed ended (P39, P40, P41)."""

    SHOWN = "shown"  # not settled yet: acknowledgement is awaited, or the delivery broke
    DECAYED = "decayed"  # this boot made it a memory
    DECAYED_ELSEWHERE = "decayed_elsewhere"  # another boot that showed it too was first
    RELEASED = "released"  # withdrawn before it could decay
    FAILED = "failed"  # the last try failed; the promise is still pending


class Role(StrEnum):
    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"


class Scope(StrEnum):
    """What an actor may do. A key holds any of the first four; roles and the operator map to sets of them."""

    READ = "read"
    WRITE = "write"
    BOOT = "boot"
    CONFIGURE = "configure"
    MANAGE = "manage"  # keys and members of a tenant: people only
    OPERATE = "operate"  # the whole installation: tenants, sweeps


KEY_SCOPES = (Scope.READ, Scope.WRITE, Scope.BOOT, Scope.CONFIGURE)

# There is no page that serves a boot (P36), so no role holds the scope for it.
ROLE_SCOPES: dict[Role, frozenset[Scope]] = {
    Role.VIEWER: frozenset({Scope.READ}),
    Role.EDITOR: frozenset({Scope.READ, Scope.WRITE, Scope.CONFIGURE}),
    Role.OWNER: frozenset({Scope.READ, Scope.WRITE, Scope.CONFIGURE, Scope.MANAGE}),
}

DECAY_TAG = "payload-promise-decayed"
AXIOM_CATEGORY_DEFAULT = "general"
