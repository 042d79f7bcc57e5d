"""Django's admin for the operator: lists, search, filters. What changes rows calls a service with an actor."""
