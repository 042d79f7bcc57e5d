"""Schemathesis with all its checks, over the wire: what the schema allows is taken, what it forbids is refused.

The settings, and the exceptions with their reasons, are in `schemathesis.toml`. It runs as its own program, because
loading it costs more than most tests.
"""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from memories.models import Boot, Memory, Tenant
from tests import factories
from tests.api.servers import serving

CONFIG = Path(__file__).parent / "schemathesis.toml"
PROGRAM = Path(sysconfig.get_path("scripts")) / "schemathesis"
TIMEOUT_SECONDS = 900


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_every_operation_keeps_its_word(tmp_path):
    tenant = factories.make_tenant()
    actor = factories.agent_of(tenant)
    factories.remember(actor, "core", "I say what I know.")
    factories.remember(actor, "semantic", "", subject="a", predicate="is", object="b")
    factories.served_promise(actor)
    factories.capture(actor, "zanzibar", "task")
    factories.capture(actor, "never on a Friday", "constraint")
    with serving(tenant, tmp_path, threads=4) as server:
        command = [
            *(str(PROGRAM), "--config-file", str(CONFIG), "run", f"http://127.0.0.1:{server.port}/api/schema/"),
            *("--header", f"Authorization: Bearer {server.key}", "--no-color", "--suppress-health-check", "too_slow"),
        ]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    selected = re.search(r"Selected: (\d+)/\1\s+Tested: \1\b", done.stdout)
    assert selected, "every operation was tested"
    # A control: it came in, and looked at more than refusals.
    assert Tenant.objects.count() == 1
    assert Memory.objects.count() > 10
    assert Boot.objects.count() > 3
