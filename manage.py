#!/usr/bin/env python
"""Runs Django's commands for this project."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "revell.settings")
    from revell.environment import WrongEnvironment

    try:
        import revell.settings  # noqa: F401  (a wrong variable is told plainly, before Django wraps it in a traceback)
    except WrongEnvironment as problem:
        sys.exit(str(problem))

    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
