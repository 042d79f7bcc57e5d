"""Help texts out. The texts are `engine.help`."""

from __future__ import annotations

from rest_framework import serializers

from memories.contracts.base import Shape


class TopicOut(Shape):
    """One topic."""

    name = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()


class TopicsOut(Shape):
    """All topics, in the order in which they are best read."""

    topics = TopicOut(many=True)
