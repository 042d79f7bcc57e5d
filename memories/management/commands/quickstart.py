"""`manage.py quickstart`: from an empty database to an agent that boots; `make run` calls it at every start."""

from __future__ import annotations

from typing import Any

from memories.engine.kinds import KEY_SCOPES
from memories.management import capsule_files, folders
from memories.management.base import RevellCommand, address, called_as, new_password
from memories.selectors.installation import Installation, get_installation
from memories.services import installation

USERNAME = "admin"
SLUG = "clawbert"
NAME = "Clawbert"
_NAMED_MAX = 5


class Command(RevellCommand):
    help = (
        "Fill an empty database: an administrator, the sample agent with memories, promises and capsules, an API key. "
        "Prints the secrets once. When there is something already, it changes nothing and says what there is."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        found = get_installation(self.operator())
        if not found.is_empty:
            self._say_what_there_is(found, as_json=options["json"])
            return
        password = new_password()
        made = installation.set_up(
            self.operator(),
            username=USERNAME,
            password=password,
            slug=SLUG,
            name=NAME,
            files=folders.read(folders.SAMPLE).files,
            notes=_sample_promises(),
            findings=capsule_files.read(folders.SAMPLE / "capsules.jsonl"),
        )
        curl = (
            f'curl -sS -X POST -H "Authorization: Bearer {made.secret}" -H "Accept: text/plain" {address()}/api/v1/boot'
        )
        if options["json"]:
            told = {"created": True, "address": address(), "username": USERNAME, "password": password}
            self.say_json({**told, "tenant": SLUG, "key": made.secret, "curl": curl})
            return
        self.say("Revell is set up. Keep these, they are shown only now:")
        self.say()
        self.say(f"  Address       {address()}")
        self.say(f"  User name     {USERNAME}")
        self.say(f"  Password      {password}")
        self.say(f"  API key       {made.secret}")
        self.say()
        self.say(
            f"The agent {NAME} ({SLUG}) has {made.memories} memories and {made.capsules} capsules of a project, "
            f"and promised itself {made.promises} notes."
        )
        self.say("Its boot, in another terminal:")
        self.say()
        self.say(curl)
        self.say()

    def _say_what_there_is(self, found: Installation, *, as_json: bool) -> None:
        if as_json:
            told = {"address": address(), "tenants": found.tenants, "administrators": found.administrators}
            self.say_json({"created": False, **told})
            return
        manage = called_as()
        slug = found.tenants[0] if found.tenants else "SLUG"
        name = found.administrators[0] if found.administrators else "NAME"
        self.say(
            f"Revell is set up already: agents {_named(found.tenants)}; administrators {_named(found.administrators)}."
        )
        if not found.tenants:
            self.say(f"  An agent:          {manage} create_tenant SLUG --name NAME")
        self.say(f"  Another API key:   {manage} issue_key {slug} --name NAME --scopes {','.join(KEY_SCOPES)}")
        if found.administrators:
            self.say(f"  Another password:  {manage} changepassword {name}")
        else:
            self.say(f"  An administrator:  {manage} createsuperuser")


def _sample_promises() -> list[str]:
    text = (folders.SAMPLE / "promises.txt").read_text(encoding="utf-8")
    return [note for part in text.split("\n---\n") if (note := part.strip())]


def _named(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED_MAX]) or "none"
    more = len(names) - _NAMED_MAX
    return f"{shown} and {more:,} more" if more > 0 else shown
