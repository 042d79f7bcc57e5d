"""What comes from the environment is read in one place and stands in the docs."""

from __future__ import annotations

import ast

from revell.environment import VARIABLES
from tests.documents import differences
from tests.guards.sources import ROOT, check_allow_list, dotted, name_of, python_files, tree

# "file: what": why it looks at the environment itself.
ALLOWED = {
    "revell/environment.py: os.environ": "it is the one place that reads",
    "revell/wsgi.py: os.environ": "Django must be told its settings before it starts",
    "memories/management/commands/mcp_stdio.py: os.environ": "the key of who runs the bridge, no setting of a server",
    "manage.py: os.environ": "Django must be told its settings before it starts",
}
READERS = {"str", "int", "bool", "list", "dj_db_url"}


def names_read() -> set[str]:
    return {
        node.args[0].value
        for node in ast.walk(tree(ROOT / "revell" / "environment.py"))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and dotted(node.func.value) == "env"
        and node.func.attr in READERS
        and isinstance(node.args[0], ast.Constant)
    }


def test_every_variable_that_is_read_is_declared_and_none_is_declared_in_vain():
    assert names_read() | {"SECRET_KEY"} == {variable.name for variable in VARIABLES}


def test_every_variable_is_in_the_docs():
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert [variable.name for variable in VARIABLES if f"`{variable.name}`" not in text] == []


def test_the_written_parts_of_the_docs_are_what_the_code_says():
    assert differences() == []


def test_nothing_else_reads_the_environment():
    found = {
        f"{name_of(path)}: {name}"
        for path in python_files("memories", "revell", "manage.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and (name := dotted(node)) in ("os.environ", "os.getenv", "os.environb")
    }
    check_allow_list(found, ALLOWED, "Read it in revell/environment.py")
