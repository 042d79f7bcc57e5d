"""Budget, shares and caps: show and change."""

from __future__ import annotations

from rest_framework.response import Response

from memories.api.operations import Call, Endpoint, operation
from memories.contracts.config import ConfigChange, ConfigOut, changes
from memories.engine.kinds import Scope
from memories.selectors.tenants import get_config
from memories.services import tenants

TAG = "boots"


class Config(Endpoint):
    scopes = {"GET": Scope.READ, "PATCH": Scope.CONFIGURE}

    @operation("get_config", tag=TAG, answers={200: ConfigOut})
    def get(self, call: Call) -> Response:
        """Show budget, shares, caps and their use."""
        return Response(ConfigOut(get_config(call.actor)).data)

    @operation("change_config", tag=TAG, body=ConfigChange, answers={200: ConfigOut})
    def patch(self, call: Call) -> Response:
        """Change budget, shares or category caps, all or nothing.

        It takes effect at the next boot. Lowering the budget deletes nothing: promises above the new cap stay pending,
        and `over_bytes` and `note` say so.
        """
        tenants.configure(call.actor, **changes(call.body))
        return Response(ConfigOut(get_config(call.actor)).data)
