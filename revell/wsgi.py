"""The door for the WSGI server: `granian --interface wsgi revell.wsgi:application`."""

import gc
import os
import sys
from importlib import import_module

from revell.environment import WrongEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "revell.settings")

try:
    import revell.settings  # noqa: F401
except WrongEnvironment as problem:
    sys.exit(str(problem))

from django.core.wsgi import get_wsgi_application

from revell.middleware import KnownLength

application = KnownLength(get_wsgi_application())

# What is loaded now stays until the process ends. Loaded before the first request and taken out of every later
# collection, it no longer makes one request in many five times as long as the others.
import_module("revell.urls")
gc.collect()
gc.freeze()
