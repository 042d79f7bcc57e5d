"""Each error has one code, one line in the tree of `errors.py`, one look in every skin, one line in the docs."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

import memories.errors
from memories.errors import (
    InvalidInput,
    NotAuthenticated,
    PromiseCapExceeded,
    RateLimited,
    RelationCycle,
    RevellError,
    TooLarge,
    Unavailable,
)
from memories.problems import PRESENTATIONS, McpForm, all_errors, as_problem, http_headers, presentation
from tests.guards.sources import ROOT, name_of, python_files, tree


def test_each_code_belongs_to_one_class():
    codes = Counter(kind.code for kind in all_errors())
    assert [code for code, count in codes.items() if count > 1] == []
    assert RevellError.code not in codes


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes():
    drawn = [line.split("─ ", 1)[1].split() for line in memories.errors.__doc__.splitlines() if "─ " in line]
    assert drawn == [[kind.__name__, kind.code] for kind in all_errors()]


def test_every_branch_of_the_tree_has_its_own_line_in_the_table():
    assert set(RevellError.__subclasses__()) <= set(PRESENTATIONS)


def test_every_code_is_in_the_docs():
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert [kind.code for kind in all_errors() if f"`{kind.code}`" not in text] == []


def test_errors_are_made_in_one_place():
    """A class of the tree that is defined elsewhere would have no line in the drawing and none in the docs."""
    names = {kind.__name__ for kind in all_errors()} | {"RevellError"}
    found = [
        f"{name_of(path)}: {node.name}"
        for path in python_files("memories", "revell")
        if name_of(path) != "memories/errors.py"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        and any((base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")) in names for base in node.bases)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("kind", "statuses", "mcp", "exit_code"),
    [
        (InvalidInput, (400, 422), McpForm.TOOL_ERROR, 1),
        (NotAuthenticated, (401, 401), McpForm.HTTP_STATUS, 1),
        (PromiseCapExceeded, (409, 409), McpForm.TOOL_ERROR, 1),
        (RelationCycle, (409, 409), McpForm.TOOL_ERROR, 1),
        (TooLarge, (413, 413), McpForm.HTTP_STATUS, 1),
        (RateLimited, (429, 429), McpForm.TOOL_ERROR, 75),
        (Unavailable, (503, 503), McpForm.TOOL_ERROR, 75),
    ],
)
def test_a_class_is_shown_as_itself_or_its_nearest_ancestor(kind, statuses, mcp, exit_code):
    shown = presentation(kind)
    assert ((shown.http_status, shown.page_status), shown.mcp, shown.exit_code) == (statuses, mcp, exit_code)


def test_a_problem_has_the_standard_members_and_the_own_data():
    problem = as_problem(PromiseCapExceeded("Too much. Shorten it.", errors={"content": ["Too much."]}, over_bytes=5))
    assert problem == {
        "type": "urn:revell:problem:promise_cap_exceeded",
        "title": "Promise cap exceeded",
        "status": 409,
        "code": "promise_cap_exceeded",
        "detail": "Too much. Shorten it.",
        "errors": {"content": ["Too much."]},
        "over_bytes": 5,
    }


def test_own_data_never_hides_a_standard_member():
    assert as_problem(InvalidInput("Mend it.", status="mine", code="mine"))["code"] == "invalid_input"


def test_http_says_how_to_sign_in_and_when_to_try_again():
    assert http_headers(NotAuthenticated("Send a key.")) == {"WWW-Authenticate": "Bearer"}
    assert http_headers(RateLimited("Wait.", retry_after=30)) == {"Retry-After": "30"}
    assert http_headers(Unavailable("Wait.")) == {"Retry-After": "5"}
    assert http_headers(InvalidInput("Mend it.")) == {}
