"""Two presses of Apply at the same instant import once."""

from __future__ import annotations

import pytest

from memories.engine.kinds import Role
from memories.errors import NotFound
from memories.models import Event, Memory, Upload
from memories.services import uploads
from tests import factories
from tests.concurrency.crowd import at_once, errors

pytestmark = pytest.mark.django_db(transaction=True)
DAY = {"memory/2026-11-28.md": b"## 14:30 Deploy\n\nIt went well."}


def test_two_presses_of_apply_import_once(transactional_db: None) -> None:
    _, person = factories.person_in(factories.make_tenant(), Role.EDITOR)
    uploads.keep(person, files=DAY)
    mark = uploads.plan(person).mark
    results = at_once([lambda: uploads.apply(person, mark=mark)] * 6)
    assert [type(error) for error in errors(results)] == [NotFound] * 5
    assert Memory.objects.count() == 1
    assert Event.objects.filter(verb="memory.imported").count() == 1
    assert not Upload.objects.exists()


def test_an_upload_replaced_while_it_is_applied_is_applied_or_kept_never_both(transactional_db: None) -> None:
    _, person = factories.person_in(factories.make_tenant(), Role.EDITOR)
    uploads.keep(person, files=DAY)
    mark = uploads.plan(person).mark
    other = {"memory/2026-11-29.md": b"another day"}
    at_once([lambda: uploads.apply(person, mark=mark), lambda: uploads.keep(person, files=other)])
    assert Upload.objects.count() == 1
    assert [step.draft.path for step in uploads.plan(person).workspace.steps] == ["memory/2026-11-29.md"]
    assert Memory.objects.count() in (0, 1)
