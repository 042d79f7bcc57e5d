"""The door for the WSGI server: `granian --interface wsgi revell.wsgi:application`."""

import os
import sys

from revell.environment import WrongEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "revell.settings")

try:
    import revell.settings  # noqa: F401
except WrongEnvironment as problem:
    sys.exit(str(problem))

from django.core.wsgi import get_wsgi_application

from revell.middleware import KnownLength

application = KnownLength(get_wsgi_application())
