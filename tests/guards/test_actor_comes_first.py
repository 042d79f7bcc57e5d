"""Every public function of a service or selector takes `actor` first and everything else by keyword."""

from __future__ import annotations

import ast

import pytest

from tests.guards.sources import FunctionNode, check_allow_list, name_of, python_files, top_functions, tree

# "file: function": why it needs no actor, or takes something else by position.
ALLOWED = {
    "memories/selectors/boot.py: config_of": "takes a row that the actor's own call has loaded, and asks nothing",
    "memories/selectors/pages.py: cut_page": "cuts rows that a selector has already held to the actor's tenant",
    "memories/selectors/people.py: anybody_can_sign_in": "before the first person there is nobody to be an actor",
    "memories/selectors/snapshot.py: one_state": "holds the database still, whoever reads; it reads nothing itself",
    "memories/selectors/tenants.py: actor_of": "makes the actor that a signed-in person is in one tenant",
    "memories/selectors/tenants.py: actor_outside": "makes the actor that an administrator is outside every agent",
    "memories/selectors/tenants.py: count_for_person": "a person's tenants come before an actor in one of them",
    "memories/selectors/tenants.py: list_neighbours": "a person's tenants come before an actor in one of them",
    "memories/selectors/tenants.py: list_for_person": "a person's tenants come before an actor in one of them",
    "memories/services/events.py: record": "an event's figures differ with its verb, so they come as **what",
    "memories/services/codes.py: draw": "chance for a secret, whoever it is for",
    "memories/services/codes.py: keyed_hash": "computes from a text and reads no row",
    "memories/services/invitations.py: accept": "whoever holds a code is no actor of the tenant yet",
    "memories/services/invitations.py: accept_as_new": "whoever holds a code is no actor of the tenant yet",
    "memories/services/invitations.py: check": "whoever holds a code is no actor of the tenant yet",
    "memories/services/keys.py: authenticate": "makes the actor that a key stands for",
}


def fault(function: FunctionNode) -> str:
    arguments = function.args
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    if positional != ["actor"]:
        return f"takes {positional or 'nothing'} by position, not only the actor"
    if arguments.vararg or arguments.kwarg:
        return "takes *args or **kwargs"
    return ""


def test_every_service_and_selector_takes_the_actor_first():
    found = []
    for path in python_files("memories/services", "memories/selectors"):
        for function in top_functions(tree(path)):
            if not function.name.startswith("_") and fault(function):
                found.append(f"{name_of(path)}: {function.name}")
    check_allow_list(found, ALLOWED, "Take actor first and the rest by keyword, or begin the name with _")


@pytest.mark.parametrize(
    "source",
    [
        "def make(content): ...",
        "def make(): ...",
        "def make(actor, content): ...",
        "def make(content, *, actor): ...",
        "def make(actor, **more): ...",
    ],
)
def test_the_guard_sees_each_kind_of_fault(source):
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert fault(function)


def test_the_guard_lets_the_right_shape_pass():
    function = ast.parse("def make(actor, *, content, now=None): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert not fault(function)
