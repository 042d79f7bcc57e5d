"""Help for agents, in their words."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from memories.api.operations import Call, Endpoint, operation
from memories.contracts.help import TopicOut, TopicsOut
from memories.engine.help import TOPICS, get_topic
from memories.engine.kinds import Scope

TAG = "help"
TOPIC = OpenApiParameter("topic", {"type": "string", "enum": [topic.name for topic in TOPICS]}, OpenApiParameter.PATH)


class Topics(Endpoint):
    scopes = {"GET": Scope.READ}

    @operation("list_help", tag=TAG, answers={200: TopicsOut})
    def get(self, call: Call) -> Response:
        """All help: what to call when, what belongs where."""
        return Response(TopicsOut({"topics": TOPICS}).data)


class Topic(Endpoint):
    scopes = {"GET": Scope.READ}

    @operation("get_help", tag=TAG, path=(TOPIC,), answers={200: TopicOut}, refusals=(404,))
    def get(self, call: Call, name: str) -> Response:
        """One topic of the help."""
        return Response(TopicOut(get_topic(name)).data)
