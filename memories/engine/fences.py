"""Project names and the fence over them (C4, C20, C24 to C27). Which rows a fence lets through is decided here;

reading them is the selectors' work, with the pieces that a fence offers for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memories.engine.faults import Faults
from memories.engine.limits import PROJECT_MAX_CHARS
from memories.engine.text import has_control, is_blank, is_encodable


@dataclass(frozen=True, slots=True)
class Fence:
    """A filter over projects; the empty fence lets everything through. `fence_of` and `collect_fence` make valid ones.

    For a query: a project is inside when `project_id` is None or equals it, and `project_prefix` is None or equals it
    or `under` begins it; or when it is one of `ancestor_projects`. Beginning is by code points, case-sensitive and
    without pattern characters: SQLite's LIKE folds ASCII case, so a query compares with `substr` or with the range
    from `under` up to (not with) `under_end` in a binary collation.
    """

    project_id: str | None = None
    project_prefix: str | None = None
    ancestors: bool = False

    @property
    def under(self) -> str | None:
        """What every project below the prefix begins with (C24)."""
        return None if self.project_prefix is None else self.project_prefix + "/"

    @property
    def under_end(self) -> str | None:
        """The first text, by code points, behind everything that begins with `under`."""
        return None if self.project_prefix is None else self.project_prefix + chr(ord("/") + 1)

    @property
    def ancestor_projects(self) -> tuple[str, ...]:
        """The projects above the fence, outermost first (C27); none unless the caller asked for them.

        With both fences given, `project_id` is the narrower one and its ancestors count. Where the two contradict each
        other the fence matches nothing, and nothing has no ancestors.
        """
        base = self.project_prefix if self.project_id is None else self.project_id
        if not self.ancestors or base is None or not self._own(base):
            return ()
        segments = base.split("/")
        return tuple("/".join(segments[:depth]) for depth in range(1, len(segments)))

    def matches(self, project_id: str) -> bool:
        """Whether a capsule of `project_id` is inside (C24 to C27)."""
        return self._own(project_id) or (self.ancestors and project_id in self.ancestor_projects)

    def inside(self, projects: Iterable[str]) -> frozenset[str]:
        """Those of `projects` that are inside; each is looked at once, however many capsules share it."""
        return frozenset(project for project in frozenset(projects) if self.matches(project))

    def scope(self) -> dict[str, str | bool]:
        """What was searched, for the answer (C23): the fences that were given and nothing else."""
        scope: dict[str, str | bool] = {}
        if self.project_id is not None:
            scope["project_id"] = self.project_id
        if self.project_prefix is not None:
            scope["project_prefix"] = self.project_prefix
        if self.ancestors:
            scope["ancestors"] = True
        return scope

    def _own(self, project_id: str) -> bool:
        if self.project_id is not None and project_id != self.project_id:
            return False
        prefix = self.project_prefix
        return prefix is None or project_id == prefix or project_id.startswith(prefix + "/")


EVERYWHERE = Fence()


def fence_of(project_id: object = None, project_prefix: object = None, ancestors: object = None) -> Fence:
    """A valid fence from plain values, None meaning left out; InvalidInput that teaches otherwise (C4, C20)."""
    faults = Faults()
    fence = collect_fence(project_id, project_prefix, ancestors, faults)
    faults.raise_any()
    return fence


def collect_fence(project_id: object, project_prefix: object, ancestors: object, faults: Faults) -> Fence:
    """As `fence_of`, with the faults put into `faults`; what is wrong is left out of the fence."""
    if ancestors is not None and not isinstance(ancestors, bool):
        faults.add("ancestors", f"ancestors is true or false, not {_shown(ancestors)}.")
        ancestors = None
    return Fence(
        project_id=_fence_name("project_id", project_id, faults),
        project_prefix=_fence_name("project_prefix", project_prefix, faults),
        ancestors=bool(ancestors),
    )


def project_fault(project_id: object) -> str | None:
    """What is wrong with `project_id` as the name of a project, as a sentence; None when nothing is (C4)."""
    if not isinstance(project_id, str):
        return f"A project is a text such as nott or nott/x, not {_shown(project_id)}."
    if not is_encodable(project_id):
        return "The project's name is not valid UTF-8 text (it holds a lone surrogate)."
    if is_blank(project_id):
        return "A project needs a name, such as nott or nott/x."
    if has_control(project_id, allowed=""):
        return "A project's name holds no control characters, line ends and tabs included."
    if project_id != project_id.strip():
        return f"A project's name has no white space at its ends. Send {_shown(project_id.strip())}."
    if any(is_blank(segment) for segment in project_id.split("/")):
        mended = "/".join(segment.strip() for segment in project_id.split("/") if not is_blank(segment))
        advice = f" Send {_shown(mended)}." if mended else " Send a name such as nott or nott/x."
        return f"{_shown(project_id)} has an empty segment; segments are joined by single slashes.{advice}"
    if len(project_id) > PROJECT_MAX_CHARS:
        return f"A project's name has at most {PROJECT_MAX_CHARS} characters; this one has {len(project_id):,}."
    return None


def _fence_name(field: str, value: object, faults: Faults) -> str | None:
    if value is None:
        return None
    fault = project_fault(value)
    if fault is None:
        assert isinstance(value, str)
        return value
    if isinstance(value, str) and is_encodable(value):
        fault = _lesson(field, value) or fault
    faults.add(field, fault)
    return None


def _lesson(field: str, value: str) -> str | None:
    """The two faults that would look like an honest empty answer, told with what they would have matched (C20)."""
    whole = f"Leave {field} out to search everything, or send a project such as nott."
    if field == "project_id" and is_blank(value):
        return f"An empty project_id matches nothing, because every capsule has a project. {whole}"
    if field == "project_prefix":
        if is_blank(value):
            return (
                "An empty project_prefix would match only an empty name and names that begin with a slash, and no "
                f"project has one. {whole}"
            )
        if value.endswith("/"):
            mended = "/".join(segment.strip() for segment in value.split("/") if not is_blank(segment))
            advice = f"Send {_shown(mended)}: it covers {mended} and all below {mended}/." if mended else whole
            return (
                f"project_prefix {_shown(value)} would match only that very name and names that begin with "
                f"{_shown(value + '/')}, and no project has one. {advice}"
            )
    return None


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= PROJECT_MAX_CHARS else text[:PROJECT_MAX_CHARS] + "…"
    return f"“{text}”" if isinstance(value, str) else text
