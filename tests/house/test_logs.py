"""The log holds no contents: not even where PostgreSQL quotes the row that it refused."""

from __future__ import annotations

import logging
import sys

import pytest
from django.conf import settings
from django.db import DataError, Error, IntegrityError, connection, transaction
from django.utils.module_loading import import_string

from memories.models import Tenant
from revell.logs import Formatter
from tests import factories

CONTENT = "the harbour master\nsleeps at noon"


def logged(formatter: logging.Formatter) -> str:
    """The line of a log for the exception that is being handled."""
    return formatter.format(logging.LogRecord("revell", logging.ERROR, "", 0, "prm-1 stays", (), sys.exc_info()))


def refused(tenant: Tenant, formatter: logging.Formatter) -> str:
    actor = factories.agent_of(tenant)
    memory = factories.remember(actor, content=CONTENT)
    try:
        with transaction.atomic():
            memory.importance = 7
            memory.save()
    except IntegrityError:
        return logged(formatter)
    raise AssertionError("the database took it")


@pytest.mark.django_db
def test_a_refused_row_is_named_by_its_constraint_and_not_quoted() -> None:
    told = refused(factories.make_tenant(), Formatter())
    assert "memory_importance_0_to_1" in told
    assert "Traceback (most recent call last):" in told
    assert "IntegrityError" in told
    assert "harbour" not in told
    assert "noon" not in told


@pytest.mark.postgresql
@pytest.mark.django_db
def test_control_postgresql_quotes_the_row() -> None:
    assert "harbour" in refused(factories.make_tenant(), logging.Formatter())


@pytest.mark.postgresql
@pytest.mark.django_db
def test_a_value_that_does_not_fit_is_not_quoted() -> None:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT %s::integer", [CONTENT])
    except DataError as error:
        assert "harbour" in str(error)
        assert "harbour" not in logged(Formatter())


def test_other_errors_are_told_whole_with_what_led_to_them() -> None:
    def fail() -> None:
        try:
            raise KeyError("first")
        except KeyError as first:
            raise Error("connection refused") from first

    try:
        fail()
    except Error:
        told, usual = logged(Formatter()), logged(logging.Formatter())
    assert told == usual
    assert "connection refused" in told


def test_the_server_logs_with_it() -> None:
    assert import_string(settings.LOGGING["formatters"]["plain"]["()"]) is Formatter
