"""Every number of the product, once. Decisions that use them live beside their noun; nothing here computes.

Units are in the names: bytes are UTF-8 bytes, chars are Unicode code points, tokens are budget units of 4 bytes (P1).
"""

from __future__ import annotations

from datetime import timedelta

# Budget (P1, P2, P3)
BYTES_PER_TOKEN = 4
BUDGET_TOKENS_MIN = 2_000
BUDGET_TOKENS_MAX = 33_000
BUDGET_TOKENS_DEFAULT = 22_000
SHARES_DEFAULT = (50, 20, 30)  # core, working, episodic
PROMISE_CAP_DIVISOR = 10
PROMISE_CAP_FLOOR_BYTES = 1_024
AXIOM_ALLOWANCE_DIVISOR = 5
AXIOM_ALLOWANCE_FLOOR_BYTES = 2_048
# The frame (names are at most NAME_MAX_CHARS) with one section header still fits below this.
MAX_CHARS_MIN = 2_000

# Boot (P25, P32, P43, P44)
WORKING_WINDOW = 500
EPISODIC_WINDOW = 2_000
CONTEXT_HINT_MAX_CHARS = 1_000
RECALLED_MAX = 10
IDEMPOTENCY_WINDOW = timedelta(minutes=10)
IDEMPOTENCY_KEY_MAX_CHARS = 200
SESSION_ID_MAX_CHARS = 200
BOOT_TEXTS_KEPT = 100
LEFT_OUT_LISTED_MAX = 200

# Delivery by hooks. The agents cut a hook's text above 10,000 characters (Codex above about as many bytes); below that
# there is room for cutting at line ends, and for the line that the program in the agent puts above an old payload.
HOOK_SLICE_CHARS = 9_500
HOOK_SLICE_ROOM_BYTES = 9_750
HOOK_SLICES_MAX = 14
HOOK_MOMENT_MAX_CHARS = 100

# Memories
CONTENT_MAX_BYTES = 32_768
AXIOM_MAX_CHARS = 250
CATEGORY_CAP_CHARS_DEFAULT = 2_500
CATEGORY_CAP_CHARS = {"soul": 4_000, "identity": 4_000}
CATEGORY_CAP_CHARS_MIN = 100
CATEGORY_CAP_CHARS_MAX = 100_000
CATEGORY_MAX_CHARS = 64
KEY_MAX_CHARS = 120
TAG_MAX_CHARS = 250
TAGS_MAX = 50
TERM_MAX_CHARS = 1_000  # semantic subject, predicate, object, context
IMPORTANCE_DEFAULT = 0.5
WORKING_LIFETIME = timedelta(days=7)
BIN_LIFETIME = timedelta(days=30)

# Requests
BODY_MAX_BYTES = 2 * 1024 * 1024
BATCH_MAX = 500
PAGE_DEFAULT = 50
PAGE_MAX = 200
RECALL_QUERY_MAX_CHARS = 1_000
RECALL_LIMIT_DEFAULT = 10
RECALL_LIMIT_MAX = 50

# People and keys
NAME_MAX_CHARS = 100
LABEL_MAX_CHARS = 200  # of an actor, as rows and events keep it
INVITATION_LIFETIME = timedelta(days=7)
SLUG_MAX_CHARS = 50

# Capsules (C1, C4, C12, C15, C17, C30, C31, C39)
CAPSULE_CONTENT_MAX_CHARS = 20_000
CAPSULE_CONFIDENCE_DEFAULT = 0.6
PROJECT_MAX_CHARS = 200
HEADLINE_MAX_CHARS = 140
PACK_TOKENS_DEFAULT = 1_500
PACK_LIST_CAP = 10
DECAY_HALF_LIFE_DAYS = 90
TERMS_MAX = 100
CAPSULE_TERM_MAX_CHARS = 1_000
SOURCE_MAX_CHARS = 200
REASON_MAX_CHARS = 500
ALIAS_MAX_CHARS = 100

# Imports
CAPSULE_IMPORT_MAX_BYTES = 32 * 1024 * 1024
IMPORT_FILE_MAX_BYTES = 2 * 1024 * 1024
UPLOAD_MAX_BYTES = 20 * 1024 * 1024
UPLOAD_UNPACKED_MAX_BYTES = 64 * 1024 * 1024
UPLOAD_FILES_MAX = 2_000
UPLOAD_STEPS_MAX = 5_000
UPLOAD_LIFETIME = timedelta(hours=1)
ARCHIVE_UNPACKED_MAX_BYTES = 2 * 1024 * 1024 * 1024
FRONTMATTER_MAX_BYTES = 16_384
