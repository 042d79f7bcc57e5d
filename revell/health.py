"""What an operator's tools ask: does it live (`/healthz`), can it serve (`/readyz`), how much is in it (`/metrics`)."""

from __future__ import annotations

import hmac
import logging
from ipaddress import ip_address

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memories.engine.actor import Via, operator
from memories.errors import NotAuthenticated, Unavailable
from memories.selectors.figures import get_figures
from revell import __version__
from revell.refusals import refuse

logger = logging.getLogger(__name__)

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
        *_metric("revell_build_info", "The version that runs.", {f'version="{__version__}"': 1}),
        *_metric("revell_ready", "1 when the database answers and all migrations are applied.", {"": int(_is_ready())}),
    ]
    try:
        figures = get_figures(operator(Via.REST, label="metrics"))
    except DatabaseError:
        logger.warning("The figures cannot be read", exc_info=True)
    else:
        by_type = {f'type="{kind}"': count for kind, count in figures.memories.items()}
        lines += [
            *_metric("revell_tenants", "Agents.", {"": figures.tenants}),
            *_metric("revell_memories", "Active memories of all agents.", by_type),
            *_metric("revell_promises", "Promises that wait for a boot.", {"": figures.promises}),
            *_metric("revell_promise_bytes", "Their contents together.", {"": figures.promise_bytes}),
            *_metric("revell_boots_total", "Boots served.", {"": figures.boots}, kind="counter"),
        ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8")


def _metric(name: str, purpose: str, values: dict[str, int], *, kind: str = "gauge") -> list[str]:
    samples = [f"{name}{{{labels}}} {value}" if labels else f"{name} {value}" for labels, value in values.items()]
    return [f"# HELP {name} {purpose}", f"# TYPE {name} {kind}", *samples]


def _is_ready() -> bool:
    try:
        return _pending_migrations() == 0
    except DatabaseError:
        return False


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
