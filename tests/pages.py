"""Every page by the name of its address, and what does not count as one: browser tests and pictures go over this table.

`tests/guards/test_pages.py` compares it with the addresses that exist, so a new page is covered or says why not.
"""

from __future__ import annotations

from urllib.parse import quote

# Below `/agents/<slug>/`. An address names rows that the agent of the browser tests has, and the sample agent too.
IN_AGENT: dict[str, tuple[str, ...]] = {
    "agent": ("",),
    "preview": ("preview/", "preview/?context_hint=tide&budget_tokens=2000", "preview/?share_core=90"),
    "boots": ("boots/",),
    "boot": (
        "boots/1/", "boots/1/?against=next", "boots/1/?part=text", "boots/1/?part=manifest", "boots/1/?part=out",
    ),
    "promises": ("promises/",),
    "memories": ("memories/?category=soul", "memories/?q=tide", "memories/?q=nothinglikethis"),
    "memory": ("memories/1/",),
    "memory-new": ("memories/new/?type=semantic",),
    "memory-revise": ("memories/1/revise/",),
    "memory-forget": ("memories/1/forget/",),
    "capsules": ("capsules/", "capsules/?project_prefix=nott/", "capsules/?q=store"),
    "capsule": ("capsules/2/",),
    "capsule-new": ("capsules/new/", "capsules/new/?supersedes=cap-1"),
    "capsule-forget": ("capsules/2/forget/",),
    "blocks": ("capsules/blocks/", "capsules/blocks/?project_prefix=nott/"),
    "aliases": ("capsules/aliases/",),
    "pack": (
        "pack/", "pack/?token_budget=200&against=usual", "pack/?project_prefix=nott/&token_budget=-1",
    ),
    "settings": ("settings/",),
    "connect": ("connect/",),
    "members": ("members/",),
    "import": ("import/",),
    "import-plan": ("import/plan/",),
    "activity": ("activity/", "activity/?via=page", "activity/?since=x"),
    "help": ("help/",),
}  # fmt: skip
OUTSIDE: dict[str, tuple[str, ...]] = {
    "agent-new": ("/new-agent/",),
    "agents": ("/",),
    "sign-in": ("/sign-in/",),
    "join": ("/join/",),
}
PROBLEMS = ("no-such-page/",)
NO_PAGE = {
    "agent-next": "a part of the list of agents",
    "preview-text": "a file to keep",
    "preview-manifest": "the manifest as JSON",
    "boot-text": "a file to keep",
    "pack-json": "a file to keep",
    "promise-release": "takes a form only",
    "memory-archive": "takes a form only",
    "memory-restore": "takes a form only",
    "capsule-relate": "takes a form only",
    "capsule-tier": "takes a form only",
    "import-apply": "takes a form only",
    "import-discard": "takes a form only",
    "export": "a file to keep",
    "key-revoke": "needs the prefix of a key, which is drawn; its own test opens it",
    "member-role": "takes a form only",
    "member-remove": "needs a second member, whose number differs; its own test opens it",
    "member-invite": "takes a form only",
    "invitation-withdraw": "takes a form only",
    "sign-out": "takes a form only",
    "theme": "takes a form only",
    "icon": "a picture and no page",
}


def addresses(slug: str) -> dict[str, list[str]]:
    """The addresses to open, by the name of the page; problem pages under `problem`."""
    inside = {name: [f"/agents/{quote(slug)}/{page}" for page in pages] for name, pages in IN_AGENT.items()}
    problems = [f"/agents/{quote(slug)}/{page}" for page in PROBLEMS]
    return {**{name: list(pages) for name, pages in OUTSIDE.items()}, **inside, "problem": problems}
