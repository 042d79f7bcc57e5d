"""People who sign in. Their roles in tenants are in `tenants.py`."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from memories.engine.actor import Actor
from memories.engine.kinds import Scope
from memories.errors import Conflict, InvalidInput
from memories.models import Person

_USERNAME_MAX_CHARS = 150  # Django's own


def create(actor: Actor, *, username: str, password: str) -> Person:
    """A person who can sign in and belongs to no tenant yet. Conflict when the name is taken."""
    actor.require(Scope.OPERATE)
    return _create(username, password, administrator=False)


def create_administrator(actor: Actor, *, username: str, password: str) -> Person:
    """A person who may use the admin. Conflict when the name is taken."""
    actor.require(Scope.OPERATE)
    return _create(username, password, administrator=True)


def register(actor: Actor, *, username: str, password: str) -> Person:
    """The person behind a name and a password of their own choice; for `invitations`, which decides who may come.

    InvalidInput, by field, for a name that is none and a password that is too easy; Conflict when the name is taken.
    """
    _check_username(username)
    try:
        validate_password(password, Person(username=username))
    except ValidationError as error:
        raise InvalidInput(error.messages[0], errors={"password": error.messages}) from None
    return _create(username, password, administrator=False)


def _create(username: str, password: str, *, administrator: bool) -> Person:
    _check_username(username)
    try:
        with transaction.atomic():
            make = Person.objects.create_superuser if administrator else Person.objects.create_user
            return make(username=username, password=password)
    except IntegrityError:
        taken = f"There is a person “{username}” already."
        raise Conflict(taken, errors={"username": [taken]}, username=username) from None


def _check_username(username: str) -> None:
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        valid = False
    else:
        valid = len(username) <= _USERNAME_MAX_CHARS
    if not valid:
        raise InvalidInput.for_field(
            "username", f"A sign-in name has letters, digits and @ . + - _, at most {_USERNAME_MAX_CHARS} of them."
        )
