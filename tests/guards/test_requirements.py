"""Every requirement has a test that names it: `test_p21_…` or `P21` in the docstring of the test or of its class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.guards.requirements import ENFORCED, FAMILIES
from tests.guards.sources import FunctionNode, python_files, tree

IN_NAME = re.compile(r"(?<![a-z0-9])([pc])(\d{1,2})(?![0-9a-z])")
IN_TEXT = re.compile(r"\b([PC])(\d{1,2})\b")


def named_by(module: ast.AST, inherited: str = "") -> Iterator[str]:
    """The requirements that the tests of a module name. A range counts for its two ends only."""
    for node in ast.iter_child_nodes(module):
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from named_by(node, ast.get_docstring(node) or "")
        elif isinstance(node, FunctionNode) and node.name.startswith("test_"):
            for family, number in IN_NAME.findall(node.name):
                yield f"{family.upper()}{number}"
            for family, number in IN_TEXT.findall(f"{inherited} {ast.get_docstring(node) or ''}"):
                yield f"{family}{number}"


def without_a_test(family: str) -> list[str]:
    """The requirements of `family` that no test outside the guards names, in order."""
    named = {
        requirement
        for path in python_files("tests")
        if path.name.startswith("test_") and path.parent.name != "guards"
        for requirement in named_by(tree(path))
    }
    return [f"{family}{n}" for n in range(1, FAMILIES[family] + 1) if f"{family}{n}" not in named]


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_requirement_is_named_by_a_test(family):
    missing = without_a_test(family)
    if family not in ENFORCED:
        print(f"{len(missing)} requirements of {family} have no test yet: {' '.join(missing)}")
        missing = []
    assert missing == []


def test_a_family_that_is_complete_is_enforced():
    """Nothing may slip back: the switch is thrown as soon as it can be."""
    complete = {family for family in FAMILIES if not without_a_test(family)}
    assert complete - ENFORCED == set()


def test_the_guard_reads_names_and_docstrings():
    source = '''
def test_p21_whole_text_fits(): ...
def test_fits():
    """P25, C7: small ones behind a large one."""
class TestDecay:
    """P37"""
    def test_row_goes(self): ...
def helper_p1():
    """P2"""
'''
    assert set(named_by(ast.parse(source))) == {"P21", "P25", "C7", "P37"}
