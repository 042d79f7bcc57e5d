"""What templates show, prepared: frozen dataclasses made from rows and payloads. Rendering them makes no query."""
