"""Django's settings. What may differ between two installations comes from `environment.py` and nowhere else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from csp.constants import NONE, SELF

from memories.engine.limits import BODY_MAX_BYTES, UPLOAD_FILES_MAX
from revell import __version__
from revell.environment import BASE_DIR, read

ENVIRONMENT = read()

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)
METRICS_KEY = ENVIRONMENT.metrics_key
PORT = ENVIRONMENT.port

# --- Parts ------------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "memories",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "axes",
]
MIDDLEWARE = [
    "revell.middleware.RequestId",
    "revell.middleware.SecurityHeaders",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "revell.middleware.BodyLimit",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "revell.urls"
WSGI_APPLICATION = "revell.wsgi.application"
APPEND_SLASH = True
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["memories.web.filters"],
        },
    }
]

# --- Database ---------------------------------------------------------------------------------------------------------


def _database() -> dict[str, Any]:
    database = {**ENVIRONMENT.database, "ATOMIC_REQUESTS": False, "CONN_HEALTH_CHECKS": True}
    if ENVIRONMENT.uses_sqlite:
        # A transaction takes the write lock when it begins, so that one which has read never fails to write
        # (docs/decisions/0002). Reads outside transactions take no lock.
        database["ENGINE"] = "revell.sqlite3"
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"
                "PRAGMA cache_size=-32000; PRAGMA mmap_size=268435456; PRAGMA journal_size_limit=67108864"
            ),
        }
        database["CONN_MAX_AGE"] = None
        # A file, because tests with threads must meet the locks that a server meets.
        database["TEST"] = {"NAME": str(BASE_DIR / "build" / "test.sqlite3")}
    else:
        database["CONN_MAX_AGE"] = 60
    return database


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Language and time ------------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# --- Static files -----------------------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served straight from where they lie: nothing to collect, so the server alone is enough.
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- People -----------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "memories.Person"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"

# Guesses are counted per address, so the answer is the same for names that exist and names that do not.
AXES_LOCKOUT_PARAMETERS = ["ip_address"]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_CALLABLE = "revell.refusals.locked_out"
AXES_CLIENT_IP_CALLABLE = "revell.middleware.client_address"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False

# --- Security ---------------------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_NAME = "revell_session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "revell_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_TRUSTED_ORIGINS = list(ENVIRONMENT.csrf_trusted_origins)
CSRF_FAILURE_VIEW = "revell.refusals.csrf_failure"
# Not turned on by a request's own headers: anybody may send those. The operator says so (docs/configuration.md).
BEHIND_HTTPS = ENVIRONMENT.behind_https
SESSION_COOKIE_SECURE = BEHIND_HTTPS
CSRF_COOKIE_SECURE = BEHIND_HTTPS
SECURE_SSL_REDIRECT = BEHIND_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # probes come straight to the port
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if BEHIND_HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_HTTPS else None
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # subdomains of the operator's host are not ours to bind to https
    "security.W021",  # nor is its place on the browsers' preload list
]
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_MAX_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
DATA_UPLOAD_MAX_NUMBER_FILES = UPLOAD_FILES_MAX

# --- REST -------------------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memories.api.auth.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["revell.refusals.RefuseAll"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "memories.api.schema.OperationSchema",
    "EXCEPTION_HANDLER": "memories.api.errors.problem_response",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Revell",
    "DESCRIPTION": "The memory of AI agents: boots, promises, memories, capsules.",
    "VERSION": __version__,
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    # What goes in and what comes out are contracts of their own already, and closed lists stand where they are used.
    "COMPONENT_SPLIT_REQUEST": False,
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "validatorUrl": None, "persistAuthorization": False},
    "DISABLE_ERRORS_AND_WARNINGS": False,
}

# --- Log --------------------------------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "revell.middleware.RequestIdFilter"}},
    "formatters": {
        "plain": {
            "()": "revell.logs.Formatter",
            "format": "{asctime} {levelname} {name} [{request_id}] {message}",
            "style": "{",
        },
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["request_id"]},
    },
    "root": {"handlers": ["stderr"], "level": ENVIRONMENT.log_level},
    "loggers": {
        "django": {"handlers": [], "level": ENVIRONMENT.log_level, "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        # Anybody can send any host; the answer says what to do, a traceback each would only fill the disk.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # Queries would put contents and secrets into the log.
        "django.db.backends": {"level": "INFO"},
    },
}
