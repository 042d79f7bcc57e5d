"""What an answer costs when it has to say so itself: compact JSON and a counter that counts its own digits (C43).

Which rows are worth their cost is decided by `pack` and `retrieve`.
"""

from __future__ import annotations

import json

# Characters here, where the boot payload counts bytes (C43, P1).
CHARS_PER_TOKEN = 4
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def compact(value: object) -> str:
    """`value` as compact JSON: no white space, no ASCII escapes, keys as they come (C43)."""
    return _ENCODER.encode(value)


def self_counting_tokens(chars: int, times: int = 1) -> int:
    """The cost in tokens of a text of `chars` characters in which that very cost is still to be written `times` times.

    One digit more can raise the cost, but never back to fewer digits, so counting up finds the number that is true.
    """
    digits = 1
    while len(str(tokens := -(-(chars + times * digits) // CHARS_PER_TOKEN))) != digits:
        digits += 1
    return tokens


class Ledger:
    """The running cost of an answer under a ceiling, its own counters `used` and `trimmed` included (C43 to C47).

    `chars` is the frame without the digits of both counters; `planned` is the number of rows that would be shown
    without a ceiling. What fits at one ceiling fits at every higher one: a ceiling higher by n tokens may be written
    with at most n digits more, and gives room for 4 n characters more. So a higher ceiling never drops a row (C49).
    """

    def __init__(self, chars: int, planned: int, ceiling: int) -> None:
        self._chars = chars
        self._planned = planned
        self._ceiling = ceiling
        self._shown = 0

    @property
    def used_tokens(self) -> int:
        """The cost so far. A floor above the ceiling costs the same below whichever ceiling: as much as the ceiling

        that just covers it, which may be written with more digits and so cost one token more (C43, C44).
        """
        used = self._cost(self._chars, self._shown)
        if used <= self._ceiling:
            return used
        bare = self._chars + len(str(self.trimmed)) - len(str(self._ceiling))
        return min(used + 1, self_counting_tokens(bare, times=2))

    @property
    def trimmed(self) -> int:
        return self._planned - self._shown

    def charge_row(self, chars: int) -> None:
        """A row of the floor: it is there whatever it costs (C44)."""
        self._chars += chars
        self._shown += 1

    def take_row(self, chars: int) -> bool:
        """Whether the row fits; if so it is charged."""
        if self._cost(self._chars + chars, self._shown + 1) > self._ceiling:
            return False
        self.charge_row(chars)
        return True

    def take_extra(self, chars: int) -> bool:
        """As `take_row` for what is no row, such as a handle (C46)."""
        if self._cost(self._chars + chars, self._shown) > self._ceiling:
            return False
        self._chars += chars
        return True

    def _cost(self, chars: int, shown: int) -> int:
        return self_counting_tokens(chars + len(str(self._planned - shown)))
