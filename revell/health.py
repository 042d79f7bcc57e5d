"""What an operator's tools ask: does it live (`/healthz`), can it serve (`/readyz`), how much is in it (`/metrics`)."""

from __future__ import annotations

import hmac
from ipaddress import ip_address

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memories.errors import NotAuthenticated, Unavailable
from revell import __version__
from revell.refusals import refuse

FORWARDING_HEADERS = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process answers; the database is not asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when the database answers and every migration is applied, else 503 with what is missing."""
    try:
        pending = _pending_migrations()
    except DatabaseError:
        return refuse(request, Unavailable("The database does not answer. Try again shortly.", retry_after=5))
    if pending:
        detail = f"{pending} migrations are not applied. Run: python manage.py migrate"
        return refuse(request, Unavailable(detail, retry_after=30, pending_migrations=pending))
    return HttpResponse("ready\n", content_type="text/plain")


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Figures as Prometheus text, for loopback or for who brings the operator's key (`METRICS_KEY`)."""
    if not (_is_loopback(request) or _has_metrics_key(request)):
        return refuse(request, NotAuthenticated("Ask from this machine, or send METRICS_KEY as a bearer key."))
    lines = [
        "# HELP revell_build_info The version that runs.",
        "# TYPE revell_build_info gauge",
        f'revell_build_info{{version="{__version__}",database="{connection.vendor}"}} 1',
    ]
    try:
        pending: int | None = _pending_migrations()
    except DatabaseError:
        pending = None
    lines += [
        "# HELP revell_ready 1 when the database answers and every migration is applied.",
        "# TYPE revell_ready gauge",
        f"revell_ready {int(pending == 0)}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8")


def _pending_migrations() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _is_loopback(request: HttpRequest) -> bool:
    # A proxy on this machine comes from loopback on behalf of anybody.
    if any(header in request.META for header in FORWARDING_HEADERS):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def _has_metrics_key(request: HttpRequest) -> bool:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    expected = settings.METRICS_KEY
    return bool(expected) and scheme.lower() == "bearer" and hmac.compare_digest(key.encode(), expected.encode())
