"""The tree of projects beside the capsules: every project with what it and all below it hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

_ALL_MOST = 40
_SHOWN_MOST = 200
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Project:
    """`count` is what choosing it shows: its own capsules and those below it. `depth` is 0 to 4, for indenting."""

    name: str
    count: int
    here: bool
    query: str
    depth: int


def tree_of(
    by_project: Iterable[tuple[str, int]], chosen: str, query: Callable[..., str]
) -> tuple[tuple[Project, ...], int]:
    """The rows of the tree, and how many more there would be.

    A small tree is shown whole. Of a large one: the first level, and what lies on the way to `chosen` and right below
    it; never more than 200 rows.
    """
    counts: dict[tuple[str, ...], int] = {}
    for name, count in by_project:
        segments = tuple(name.split("/"))
        for depth in range(1, len(segments) + 1):
            counts[segments[:depth]] = counts.get(segments[:depth], 0) + count
    way = tuple(chosen.split("/")) if chosen else ()
    names = sorted(counts)
    if len(names) > _ALL_MOST:
        names = [one for one in names if len(one) == 1 or one[:-1] == way[: len(one) - 1]]
    shown = names[:_SHOWN_MOST]
    # What was chosen is in sight, however many stand before it.
    shown += [one for one in names[_SHOWN_MOST:] if one == way]
    rows = tuple(
        Project(
            name="/".join(one),
            count=counts[one],
            here=one == way,
            query=query(project_prefix="/".join(one)),
            depth=min(len(one) - 1, _DEEPEST),
        )
        for one in shown
    )
    return rows, len(names) - len(shown)
