# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences as data: the text for files, and what it is made of."""

from __future__ import annotations

import ast
import copy
import string
from pathlib import Path

import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Expression, MechanismError
from solver.mechanism.messages import TEXTS, Message, named
from solver.script import parse

SOLVER = Path(__file__).resolve().parents[3] / "solver"


@pytest.mark.parametrize("code", TEXTS)
def test_every_code_is_worded_by_its_values(code):
    keys = {key for _, key, *_ in string.Formatter().parse(TEXTS[code]) if key} - {"about", "names"}
    said = Message(code, ("joint", "A {odd} 'name'"), **{key: f"<{key}>" for key in keys})
    assert all(f"<{key}>" in said for key in keys)
    assert said.code == code
    assert said.parts == (("joint", "A {odd} 'name'"),)
    own = ("{item}", "{one}", "{shapes}")  # by which these name their parts themselves
    assert ("A {odd} 'name'" in said) is not any(field in TEXTS[code] for field in own)


def test_it_is_text():
    said = Message("not-met", ("constraint", "nail"), frame=3, gap="0.1 m")
    assert said == "constraint 'nail': could not be met from frame 3 on; largest gap 0.1 m"
    assert isinstance(said, str)
    for other in (copy.copy(said), copy.deepcopy(said), said.as_text("cut")):
        assert (other.code, other.parts, other.values) == (said.code, said.parts, said.values)
    assert copy.deepcopy([said.as_text("cut")]) == ["cut"]
    assert named((("joint", "A"), ("constraint", "B"))) == "joint 'A', constraint 'B'"


def test_what_the_solver_refuses_is_data():
    bodies = [Body(name="bar", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0))]
    pull = Expression(name="pull", body="bar", force=("sign(x)", "0", "0"))
    with pytest.raises(MechanismError) as error:
        simulate(Mechanism(bodies=bodies, forces=[pull]), 1.0, integrator="variational")
    (problem,) = error.value.problems
    assert (problem.code, problem.parts) == ("jumps-by-variational", (("force", "pull"),))
    assert "by place or speed" in problem.values["what"]


def test_what_is_refused_is_said_by_code():
    """No text of its own is handed to the door."""
    texts = []
    for path in sorted(SOLVER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("refuse", "refuse_run"):
                texts += [f"{path.name}:{text.lineno}" for argument in node.args for text in _texts(argument)]
    assert texts == []


@pytest.mark.parametrize(
    ("content", "code", "what"),
    [
        (None, "wrong-file", "cannot be read: No such file or directory"),
        ("", "wrong-file", "is empty"),
        ("[]", "wrong-file", "must hold a JSON object, holds a list of 0"),
        ("{}", "wrong-entry", 'is missing, must be "ves-mechanism"'),
        ('{"include": 3}', "wrong-entry", "must be a list, is 3"),
        ('{"include": [3]}', "wrong-part", "must be an object, is 3"),
        ('{"include": [{"file": "x.json"}]}', "wrong-include", "includes itself"),
    ],
)
def test_what_is_wrong_with_a_file_is_data(content, code, what, tmp_path):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(MechanismError) as error:
        Mechanism.load(path)
    assert (error.value.problems[0].code, error.value.problems[0].values["what"]) == (code, what)


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("sb c", "wrong-command", "a.ves:1: sb: there is no body named 'c'"),
        ("x" * 9999, "long-line", "a.ves:1: is longer than 4000 letters"),
    ],
)
def test_what_is_wrong_with_a_script_is_data(line, code, text):
    with pytest.raises(MechanismError) as error:
        parse(line, "a.ves")
    assert error.value.problems[0].code == code
    assert error.value.problems[0].startswith(text)


def _texts(node: ast.AST):
    """Strings below a node, but for the values of a sentence."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Message", "wrong_file", "_problem"):
        return
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


@pytest.mark.parametrize(("count", "more"), [(1, ""), (5, ""), (6, " and 1 more"), (105, " and 100 more")])
def test_of_many_parts_five_are_named_and_the_others_counted(count, more):
    note = Message.about_many("not-finite", [("body", f"b{k}") for k in range(count)])
    assert len(note.parts) == min(count, 5)
    assert note.startswith(", ".join(f"body 'b{k}'" for k in range(min(count, 5))) + more + ": ")
