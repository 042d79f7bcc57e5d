"""`manage.py add_member SLUG USERNAME --role ROLE`: who may look after an agent in the browser."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memories.engine.kinds import Role
from memories.management.base import RevellCommand, new_password
from memories.selectors import installation
from memories.services import people, tenants


class Command(RevellCommand):
    help = "Give a person a role in an agent, or change it. With --create the person is made, with a new password."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", metavar="SLUG", help="The agent's slug.")
        parser.add_argument("username", metavar="USERNAME", help="The person's sign-in name.")
        parser.add_argument("--role", choices=[str(role) for role in Role], required=True, help="What they may do.")
        parser.add_argument(
            "--create", action="store_true", help="Make the person; the password is generated and shown once."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug, username = options["slug"], options["username"]
        actor = self.operator_in(slug)
        password = new_password() if options["create"] else ""
        if password:
            person = people.create(self.operator(), username=username, password=password)
        else:
            person = installation.get_person(self.operator(), username=username)
        membership = tenants.set_member(actor, person=person, role=Role(options["role"]))
        if options["json"]:
            told = {"username": person.username, "tenant": slug, "role": membership.role}
            self.say_json({**told, "password": password} if password else told)
            return
        self.say(f"{person.username} is {membership.role} of {slug}.")
        if password:
            self.say(f"Password, shown only now: {password}")
