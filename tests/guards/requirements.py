"""Which requirements the suite must name in a test; a family is switched on when it is built."""

from __future__ import annotations

# The letter of a family of requirements, and its last number.
FAMILIES = {"P": 49, "C": 59}

# The families that fail the guard when one of their requirements has no test. The others are only listed.
ENFORCED: frozenset[str] = frozenset({"P", "C"})
