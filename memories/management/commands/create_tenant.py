"""`manage.py create_tenant SLUG`: a new agent with default settings."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memories.management.base import RevellCommand, called_as
from memories.services import tenants


class Command(RevellCommand):
    help = "Make a new agent (a tenant) with default settings."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", metavar="SLUG", help="Its short name: lower-case words joined by hyphens.")
        parser.add_argument("--name", default="", help="Its name in the payload and on pages; the slug if not given.")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = tenants.create(self.operator(), slug=options["slug"], name=options["name"])
        if options["json"]:
            self.say_json({"slug": tenant.slug, "name": tenant.name})
            return
        self.say(f"Made the agent {tenant.slug} ({tenant.name}).")
        self.say(f"A key for it:         {called_as()} issue_key {tenant.slug} --name NAME")
        self.say(f"Someone who sees it:  {called_as()} add_member {tenant.slug} USERNAME --role owner")
