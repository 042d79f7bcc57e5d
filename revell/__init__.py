"""The project around the domain: settings, addresses, middleware, health. It imports `memories`, never the reverse."""

__version__ = "0.1.0"
