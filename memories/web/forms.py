"""Turning what a form sent into plain values. What a value may be is decided by the engine and the services.

Textareas send their line ends as CRLF, whatever was typed; what is stored has LF.
"""

from __future__ import annotations

import re
from typing import Any

from django import forms

from memories.engine.actor import Via
from memories.engine.budget import Shares
from memories.engine.drafts import LINKS
from memories.engine.kinds import KEY_SCOPES, Category, Channel, Role
from memories.engine.tenants import Settings
from memories.errors import InvalidInput

_NUMBER = re.compile(r"[0-9]{1,9}")
# When a new key ends, in days.
KEY_LIFETIMES = {"": "Never", "30": "In 30 days", "90": "In 90 days", "365": "In a year"}


class SignInForm(forms.Form):
    username = forms.CharField(strip=False, max_length=300)
    password = forms.CharField(strip=False, max_length=4_096)


class Whole(forms.IntegerField):
    """A whole number; a field left empty is None."""

    default_error_messages = {"invalid": "This is a whole number, for example 50."}

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)


class Lines(forms.CharField):
    """Text of several lines, as it is stored. Everything else about it is the service's to judge."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=False, **options)
        self.validators = []

    def to_python(self, value: Any) -> str:
        return str(value or "").replace("\r\n", "\n").replace("\r", "\n")


class Text(forms.CharField):
    """One line of text, judged by the service."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)
        self.validators = []


class BudgetForm(forms.Form):
    """The budget and its three shares; None where nothing was given."""

    budget_tokens = Whole()
    share_core = Whole()
    share_working = Whole()
    share_episodic = Whole()


class WhatIfForm(BudgetForm):
    """What a preview is asked with (P47). Empty fields take the agent's own settings."""

    context_hint = Text()
    project_prefix = Text()
    channel = forms.ChoiceField(choices=[(str(one), str(one)) for one in Channel], required=False)


class SettingsForm(BudgetForm):
    """The settings, with a field `cap_<category>` for each core category."""

    def __init__(self, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        self.fields["seen"] = Text()
        for category in Category:
            self.fields[cap_field(category)] = Whole()

    def caps(self) -> dict[str, int]:
        """The category caps that were given."""
        given = {str(category): self.cleaned_data.get(cap_field(category)) for category in Category}
        return {category: cap for category, cap in given.items() if cap is not None}

    def seen(self) -> Settings | None:
        """The settings that the form was filled with (`seen_text`); None when it does not say."""
        numbers = self.cleaned_data.get("seen", "").split()
        if len(numbers) != 4 + len(Category) or not all(_NUMBER.fullmatch(one) for one in numbers):
            return None
        budget, core, working, episodic, *caps = (int(one) for one in numbers)
        return Settings(budget, Shares(core, working, episodic), dict(zip(map(str, Category), caps, strict=True)))


def seen_text(settings: Settings) -> str:
    """`settings`, with the cap of every category, as the form carries them along."""
    shares = settings.shares
    caps = (settings.category_caps[category] for category in Category)
    return " ".join(map(str, (settings.budget_tokens, shares.core, shares.working, shares.episodic, *caps)))


class PromiseForm(forms.Form):
    content = Lines()


class MemoryForm(forms.Form):
    """The fields of a memory; which of them a type has is decided by the engine. Tags stand one on a line."""

    content = Lines()
    category = Text()
    key = Text()
    tags = Lines()
    importance = forms.FloatField(required=False)
    subject = Text()
    predicate = Text()
    object = Text()
    context = Text()

    def values(self) -> dict[str, Any]:
        """What was sent, by field; a field that was not in the form is not there."""
        given = {name: value for name, value in self.cleaned_data.items() if name in self.data}
        if "tags" in given:
            given["tags"] = tuple(tag for tag in map(str.strip, given["tags"].split("\n")) if tag)
        if given.get("importance") is None:
            given.pop("importance", None)
        return given


class ActivityForm(forms.Form):
    """Filters of the account; what each may be is the selector's, but a day is a day and a skin is one of ours."""

    verb = Text()
    by = Text()
    via = forms.ChoiceField(
        choices=[(str(via), str(via)) for via in Via],
        required=False,
        error_messages={"invalid_choice": f"What is done comes through one of {', '.join(Via)}."},
    )
    since = forms.DateField(required=False, error_messages={"invalid": "A day looks like 2026-11-30."})
    until = forms.DateField(required=False, error_messages={"invalid": "A day looks like 2026-11-30."})


class UploadForm(forms.Form):
    """What stands beside the files of an upload."""

    project = Text()


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        choices=[(str(role), str(role)) for role in Role],
        error_messages={"invalid_choice": "There is no such role.", "required": "Choose a role."},
    )


class KeyForm(forms.Form):
    """A new API key; what its name and scopes may be is the service's. `expires` is in days, empty for never."""

    name = Text()
    scopes = forms.MultipleChoiceField(
        choices=[(str(scope), str(scope)) for scope in KEY_SCOPES],
        required=False,
        error_messages={"invalid_choice": "There is no such scope."},
    )
    expires = forms.ChoiceField(
        choices=list(KEY_LIFETIMES.items()),
        required=False,
        error_messages={"invalid_choice": "A key ends never, in 30, 90 or 365 days."},
    )


class AgentForm(forms.Form):
    """A new agent; a slug left empty is made from the name."""

    name = Text()
    slug = Text()


class JoinForm(forms.Form):
    """A code, and who comes with it: somebody new with a password typed twice, or somebody who signs in."""

    code = Text()
    way = forms.ChoiceField(choices=[("new", "new"), ("known", "known")], required=False)
    username = forms.CharField(required=False, strip=False, max_length=300)
    password = forms.CharField(required=False, strip=False, max_length=4_096)
    again = forms.CharField(required=False, strip=False, max_length=4_096)

    def check_both_passwords(self) -> None:
        """InvalidInput when a mistyped password would lock its owner out."""
        if self.cleaned_data["password"] != self.cleaned_data["again"]:
            raise InvalidInput.for_field("again", "The two passwords differ. Type the same one twice.")


class CapsuleForm(forms.Form):
    """A capture as it was typed; ids stand one beside the other, with or without `cap-`."""

    content = Lines()
    kind = Text()
    project_id = Text()
    confidence = Text()
    valid_from = Text()
    valid_to = Text()
    source = Text()
    tainted = forms.BooleanField(required=False)
    supersedes = Text()
    blocks = Text()
    blocked_by = Text()
    proves = Text()
    derived_from = Text()

    def values(self) -> dict[str, object]:
        """The call as an agent would send it; what was left empty is left out."""
        given: dict[str, object] = {name: value for name, value in self.cleaned_data.items() if value}
        for name in LINKS:
            if name in given:
                given[name] = ids_in(str(given[name]))
        if "confidence" in given:
            given["confidence"] = number_in(str(given["confidence"]))
        return given


class RelateForm(forms.Form):
    """A relation from the page of one of its ends."""

    relation = Text()
    other = Text()

    def values(self, number: int) -> tuple[object, object, object]:
        """Kind, source and target of the relation as seen from `cap-<number>`."""
        own, (other, *_) = f"cap-{number}", [*ids_in(self.cleaned_data["other"]), ""]
        kind, _, turned = self.cleaned_data["relation"].partition(":")
        return (kind, other, own) if turned else (kind, own, other)


class TierForm(forms.Form):
    tier = Text()


class ReasonForm(forms.Form):
    reason = Lines()


class AliasForm(forms.Form):
    term = Text()
    alias = Text()


class VersionForm(forms.Form):
    """The version that was read, so that nobody overwrites what they have not seen."""

    version = Whole()


def ids_in(text: str) -> list[str]:
    """The ids in a line such as `cap-3, 12`; a number alone is meant as one."""
    return [f"cap-{word}" if word.isascii() and word.isdecimal() else word for word in text.replace(",", " ").split()]


def number_in(text: str) -> object:
    """`0.5` as a number, with a comma too; anything else as it is, to be refused by name."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def cap_field(category: str) -> str:
    return f"cap_{category}"


def read(form: forms.Form) -> None:
    """Raise InvalidInput, by field, when a value is no number or no choice at all."""
    if form.is_valid():
        return
    errors = {field: [str(text) for text in texts] for field, texts in form.errors.items()}
    raise InvalidInput(next(iter(errors.values()))[0], errors=errors)
