"""How an error stands in the log: with its traceback, without what a database says about the rows that it refused."""

from __future__ import annotations

import logging
import traceback
from types import TracebackType

from django.db import Error as DjangoError

_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"


class Formatter(logging.Formatter):
    """Tracebacks as everywhere, but PostgreSQL quotes refused rows and values, and those are memories of an agent."""

    def formatException(  # noqa: N802  (logging's name)
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        error = ei[1]
        return "" if error is None else "".join(_told(error)).rstrip("\n")


def _told(error: BaseException) -> list[str]:
    before: list[str] = []
    if error.__cause__ is not None:
        before = [*_told(error.__cause__), _CAUSE]
    elif error.__context__ is not None and not error.__suppress_context__:
        before = [*_told(error.__context__), _CONTEXT]
    stack = traceback.format_tb(error.__traceback__)
    return [*before, *(["Traceback (most recent call last):\n"] if stack else []), *stack, *_last_lines(error)]


def _last_lines(error: BaseException) -> list[str]:
    # Django's errors have the driver's for a cause; only PostgreSQL's have a state of SQL, and only they quote values.
    driver = error.__cause__ if isinstance(error, DjangoError) else error
    state = getattr(driver, "sqlstate", None)
    if state is None:
        return traceback.format_exception_only(error)
    kind = type(error)
    constraint = getattr(getattr(driver, "diag", None), "constraint_name", None)
    at = f", constraint {constraint}" if constraint else ""
    return [f"{kind.__module__}.{kind.__qualname__}: SQLSTATE {state}{at} (its words may hold contents)\n"]
