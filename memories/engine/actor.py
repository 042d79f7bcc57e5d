"""Who is acting now: a key, a person or the operator, with tenant, scopes and channel. How one is made is not here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memories.engine.kinds import Scope, Source
from memories.errors import NotPermitted


class Via(StrEnum):
    """The skin an action came through; events carry it."""

    REST = "rest"
    MCP = "mcp"
    PAGE = "page"
    COMMAND = "command"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Actor:
    """The first argument of every service and selector.

    `tenant_id` is the database key of the one tenant this actor works in; None only for the operator, who stands above
    tenants (`Scope.OPERATE`). `label` is what events and pages show: `key rvl_ab12cd34`, `keeper`, `operator`.
    """

    tenant_id: int | None
    scopes: frozenset[Scope]
    via: Via
    label: str
    source: Source = Source.AGENT
    person_id: int | None = None
    key_id: int | None = None
    role: str = ""

    def can(self, scope: Scope) -> bool:
        """Whether `require` would let this through: pages grey a button with the same check that refuses it."""
        return scope in self.scopes

    def require(self, scope: Scope) -> None:
        """Raise NotPermitted, naming the scope that is missing."""
        if self.can(scope):
            return
        if scope is Scope.OPERATE:
            raise NotPermitted("Only an administrator of this server may do this.", scope=str(scope))
        holder = f"The role {self.role}" if self.role else "This API key" if self.key_id else "This actor"
        raise NotPermitted(
            f"{holder} does not have the scope “{scope}”. Ask an owner of the agent for it.",
            scope=str(scope),
        )

    @property
    def tenant(self) -> int:
        """The tenant's key, for actions that only make sense inside one."""
        if self.tenant_id is None:
            raise NotPermitted("This action needs an agent; the operator has to name one.", scope="tenant")
        return self.tenant_id


def operator(via: Via, *, label: str = "operator", tenant_id: int | None = None) -> Actor:
    """The operator of the installation, all scopes, in a tenant when one is given."""
    return Actor(
        tenant_id=tenant_id,
        scopes=frozenset(Scope),
        via=via,
        label=label,
        source=Source.HUMAN,
    )
