"""Where the API key stands in a request. Whether it is a good one, the domain decides."""

from __future__ import annotations

from memories.errors import NotAuthenticated


def read_bearer(authorization: str) -> str:
    """The secret in an `Authorization` header: `Bearer rvl_…`, and nothing else; NotAuthenticated without one.

    A key in an address would end up in logs, so there is no other place for it.
    """
    scheme, _, secret = authorization.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise NotAuthenticated("Send an API key as “Authorization: Bearer rvl_…”; an owner of the agent can issue one.")
    return secret.strip()
