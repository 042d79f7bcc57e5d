"""What nobody types by hand: every answer is below 500, on both databases, and nothing is written."""

from __future__ import annotations

import pytest

from memories.models import Memory, Promise
from tests import factories

pytestmark = pytest.mark.django_db
VALUES = (
    "\0",
    "a\0b",
    "\ud800",
    "%ED%A0%80",
    "9" * 400,
    "-1",
    "١٢",
    "' OR 1=1 --",
    "NaN",
    "\u202e",
    "x" * 5_000,
    "[]",
    "",
)
GETS = {
    "preview/": ("context_hint", "project_prefix", "channel", "budget_tokens", "share_core"),
    "preview/text": ("context_hint", "project_prefix"),
    "boots/": ("cursor", "part", "against"),
    "boots/1/": ("against", "part"),
    "memories/": ("q", "tag", "type", "cursor", "archived", "category", "source"),
    "activity/": ("verb", "by", "via", "since", "until", "cursor"),
    "memories/new/": ("type",),
    "capsules/": ("project_prefix", "kind", "state", "q", "cursor"),
    "capsules/1/": ("relation",),
    "capsules/new/": ("supersedes", "proves", "content", "kind", "project_id", "confidence"),
    "capsules/blocks/": ("project_prefix",),
    "pack/": ("project_prefix", "project_id", "terms", "ancestors", "token_budget", "against"),
    "pack/json": ("project_prefix", "project_id", "terms", "ancestors", "token_budget"),
}
POSTS = {
    "promises/": ("content",),
    "settings/": ("budget_tokens", "share_core", "cap_soul"),
    "memories/new/": ("type", "content", "tags", "importance", "category", "key"),
    "memories/1/archive": ("version",),
    "capsules/new/": ("content", "kind", "project_id", "confidence", "valid_from", "valid_to", "source", "blocks"),
    "capsules/1/relate": ("relation", "other"),
    "capsules/1/tier": ("tier",),
    "capsules/1/forget/": ("reason",),
    "capsules/aliases/": ("term", "alias"),
    "members/invite/": ("role",),
    "import/": ("project", "files"),
    "import/apply": ("mark",),
}


def encoded(value: str) -> str:
    from urllib.parse import quote

    return value if value.startswith("%") else quote(value.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_hostile_values_in_addresses(owner, at, actor, value):
    factories.remember(actor)
    factories.capture(actor)
    for page, names in GETS.items():
        for name in names:
            response = owner.get(f"{at(page)}?{name}={encoded(value)}")
            assert response.status_code < 500, (page, name)


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_hostile_values_in_forms(owner, at, actor, value):
    factories.remember(actor)
    factories.capture(actor)
    kind = "application/x-www-form-urlencoded"
    for page, names in POSTS.items():
        for name in names:
            response = owner.post(at(page), f"{name}={encoded(value)}", content_type=kind)
            assert response.status_code < 500, (page, name)
    texts = [*Promise.objects.values_list("content", flat=True), *Memory.objects.values_list("content", flat=True)]
    assert not any("\0" in text for text in texts)


@pytest.mark.parametrize("value", ["\0", "%ED%A0%80", "x" * 5_000], ids=ascii)
def test_hostile_names_at_the_sign_in(client, db, value):
    body = f"username={encoded(value)}&password={encoded(value)}"
    for address in ("/sign-in/", "/join/"):
        for more in ("", f"&code={encoded(value)}&way=known", f"&way={encoded(value)}&again={encoded(value)}"):
            response = client.post(address, body + more, content_type="application/x-www-form-urlencoded")
            assert response.status_code == 422
