"""The way of a served payload out of the door: the bytes in pieces, then the decay (P38). What decay does is `boot`."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence

from memories.engine.actor import Actor
from memories.services import boot

log = logging.getLogger(__name__)

# A server takes a piece only when it got rid of the one before, so the more pieces there are, the nearer is what it was
# given to what the client has: a connection that breaks is noticed before the last piece is handed over (docs/rest.md).
PIECES = 32
PIECE_MIN_BYTES = 128
PIECE_MAX_BYTES = 4096


def hand_over(
    actor: Actor, *, body: bytes, boots: Sequence[int], promises: Collection[int] | None = None
) -> Iterator[bytes]:
    """`body`, in which the payloads of these boots stand, in pieces; then their decay, then the end (P38).

    Where the body holds only a part of a payload, `promises` are the numbers of those that decay with it.
    Who reads to the end finds it done. A server closes the iterator when the connection breaks, which ends this
    function at the piece it had reached, and what was shown stays pending (P39).
    """
    size = max(PIECE_MIN_BYTES, min(PIECE_MAX_BYTES, len(body) // PIECES))
    for start in range(0, len(body), size):
        yield body[start : start + size]
    # An empty piece writes nothing, and is asked for only when the last one was taken.
    yield b""
    for number in boots:
        try:
            boot.decay(actor, boot=number, promises=promises)
        except Exception:
            # The agent has its payload; what did not decay is pending and is served again (P39).
            log.exception("the promises of boot-%s did not decay; they stay pending", number)
