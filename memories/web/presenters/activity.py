"""Events as sentences: what was done to what, with links to what is still there. Nothing is read here."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.engine.actor import Via
from memories.selectors.events import Named

# Ids that a row names; of more only their number is told.
_NAMED_MAX = 5
_ID = re.compile(r"\b(mem|prm|cap|boot)-([1-9][0-9]{0,17})\b")
_ID_OR_KEY = re.compile(rf"{_ID.pattern}|\brvl_[a-z0-9]+\b", re.ASCII)
_KINDS = {"mem": "memories", "prm": "promises", "cap": "capsules", "boot": "boots"}
# The page on which a thing of a kind is seen, by the name of its address; some have one of their own.
_PAGES = {"mem": "memory", "prm": "promises", "cap": "capsule", "boot": "boot"}
_NUMBERED = ("mem", "cap", "boot")

SKINS = {
    Via.PAGE: "page",
    Via.MCP: "MCP",
    Via.REST: "REST",
    Via.COMMAND: "command",
    Via.ADMIN: "admin",
}


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    name: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a sentence. With a `page` they lead there, and to `number` there where it is not 0."""

    text: str
    page: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class EventRow:
    at: datetime
    by: str
    skin: str
    verb: str
    pieces: tuple[Piece, ...]


def verbs() -> tuple[Choice, ...]:
    """Everything that an event can say, in the order of its nouns."""
    return tuple(Choice(verb, verb.replace(".", " ")) for verb in sorted(TOLD))


def skins() -> tuple[Choice, ...]:
    return tuple(Choice(str(via), name) for via, name in SKINS.items())


def named_in(events: Iterable[Any]) -> Named:
    """The numbers that the sentences of these events name."""
    found: dict[str, set[int]] = {kind: set() for kind in _KINDS.values()}
    for event in events:
        for kind, number in _ID.findall(_sentence(event)):
            found[_KINDS[kind]].add(int(number))
    return Named(**found)


def event_rows(events: Iterable[Any], there: Named, *, keys: Collection[str] = ()) -> list[EventRow]:
    """`there` and `keys` (as `rvl_ab12cd34`) are what has a page, or a row on one."""
    return [
        EventRow(
            at=event.at,
            by=event.actor,
            skin=SKINS.get(event.via, event.via),
            verb=event.verb.replace(".", " "),
            pieces=tuple(_pieces(_sentence(event), there, keys)),
        )
        for event in events
    ]


def _pieces(sentence: str, there: Named, keys: Collection[str]) -> Iterable[Piece]:
    end = 0
    for match in _ID_OR_KEY.finditer(sentence):
        kind, number = match[1], int(match[2] or 0)
        known = number in getattr(there, _KINDS[kind]) if kind else match[0] in keys
        if known:
            yield Piece(sentence[end : match.start()])
            yield Piece(match[0], _PAGES[kind] if kind else "connect", number if kind in _NUMBERED else 0)
            end = match.end()
    yield Piece(sentence[end:])


def _sentence(event: Any) -> str:
    tell = TOLD.get(event.verb)
    # Rows are never changed, so old ones may lack a figure, or have a verb, that this version knows.
    return tell(defaultdict(str, event.what)) if tell else ""


# What is told of each verb -------------------------------------------------------------------------------------------


def _some(what: Mapping[str, Any], key: str, noun: str = "") -> str:
    """`mem-3`, `mem-3, mem-4 and 95 more`, or `95 memories` where only their number was kept."""
    value = what.get(key, ())
    if isinstance(value, int):
        return f"{value:,} {noun}"
    texts = [value] if isinstance(value, str) else [str(one) for one in value]
    more = len(texts) - _NAMED_MAX
    return ", ".join(texts[:_NAMED_MAX]) + (f" and {more:,} more" if more > 0 else "")


def _figure(what: Mapping[str, Any], key: str) -> str:
    value = what.get(key)
    return f"{value:,}" if isinstance(value, int) else "?"


def _size(what: Mapping[str, Any]) -> str:
    size = what.get("size_bytes")
    return "" if size is None else f", {size:,} B"


def _stored(what: Mapping[str, Any]) -> str:
    """One memory, or how many; with the file it came from."""
    if "memory" in what:
        told = f"{what['memory']}, {what.get('type', '')}{'' if what.get('created', True) else ', revised'}"
    else:
        count, created = what.get("memories", 0), what.get("created", 0)
        told = f"{count:,} memories, {created:,} of them new"
    return told + _size(what) + (f", from {what['file']}" if "file" in what else "")


def _freed(what: Mapping[str, Any]) -> str:
    freed = _some(what, "freed")
    return f"; no longer blocked: {freed}" if freed else ""


def _config(what: Mapping[str, Any]) -> str:
    """Old and new of what differs."""
    old, new = what.get("old", {}), what.get("new", {})
    told = []
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, dict):
            before = before if isinstance(before, dict) else {}
            told += [
                f"{key.replace('_', ' ')} {one}: {before.get(one, 'default')} → {now}"
                for one, now in value.items()
                if now != before.get(one)
            ]
        elif value != before:
            told.append(f"{key.replace('_', ' ')}: {_plain(before)} → {_plain(value)}")
    return "; ".join(told)


def _plain(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return " / ".join(map(str, value)) if isinstance(value, list) else str(value)


TOLD: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "alias.made": lambda what: f"{what['term']} also finds {what['alias']}",
    "archive.exported": lambda what: f"{_figure(what, 'rows')} rows",
    "archive.imported": lambda what: (
        f"{what['name']}: {_figure(what, 'memories')} memories, {_figure(what, 'promises')} promises, "
        f"{_figure(what, 'capsules')} capsules"
    ),
    "boot.acknowledged": lambda what: str(what["boot"]),
    "boot.served": lambda what: (
        f"{what['boot']}, {what['channel']}{_size(what)}"
        + (f", with {_some(what, 'promises')}" if what.get("promises") else "")
    ),
    "capsule.captured": lambda what: f"{_some(what, 'capsules')}: {', '.join(what.get('kinds', ()))}",
    "capsule.forgotten": lambda what: f"{what['capsule']}{_freed(what)}",
    "capsule.related": lambda what: f"{_some(what, 'relations')}{_freed(what)}",
    "capsule.tier": lambda what: f"{what['capsule']}, {what['old']} → {what['new']}",
    "config.changed": _config,
    "invitation.expired": lambda what: f"{_some(what, 'invitations')}, unused",
    "invitation.made": lambda what: f"{what['invitation']}-…, for one {what['role']}",
    "invitation.withdrawn": lambda what: f"{what['invitation']}-…",
    "key.issued": lambda what: f"{what['key']}, {what['name']}, may {', '.join(what['scopes'])}",
    "key.revoked": lambda what: str(what["key"]),
    "member.added": lambda what: f"{what['person']}, {what['role']}",
    "member.changed": lambda what: f"{what['person']} is {what['role']} now",
    "member.joined": lambda what: f"{what['person']}, {what['role']}, with {what['invitation']}-…",
    "member.removed": lambda what: str(what["person"]),
    "memory.archived": lambda what: str(what["memory"]),
    "memory.destroyed": lambda what: f"{_some(what, 'memories')}, 30 days after being forgotten",
    "memory.ended": lambda what: f"{_some(what, 'memories', 'working')} archived, 7 days after their last change",
    "memory.forgotten": lambda what: str(what["memory"]),
    "memory.imported": _stored,
    "memory.remembered": _stored,
    "memory.restored": lambda what: str(what["memory"]),
    "memory.revised": lambda what: f"{what['memory']}, now version {what['version']}",
    "promise.decayed": lambda what: f"became {what['memory']}{_size(what)}",
    "promise.made": lambda what: f"{what['promise']}{_size(what)}",
    "promise.released": lambda what: str(what["promise"]),
    "tenant.created": lambda what: str(what["slug"]),
}
