"""Chance and keyed hashes for what is shown once: API keys and invitations. What they are for is not here."""

from __future__ import annotations

import secrets

from django.utils.crypto import salted_hmac

_ALPHABET = "abcdefghijkmnopqrstuvwxyz23456789"


def draw(length: int) -> str:
    """`length` letters and digits that nobody can guess, none of which is taken for another."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def keyed_hash(purpose: str, text: str, secret_key: str | bytes) -> str:
    """What is stored in place of `text`: without the secret key of the installation nobody can try texts against it."""
    return salted_hmac(purpose, text, secret=secret_key, algorithm="sha256").hexdigest()
