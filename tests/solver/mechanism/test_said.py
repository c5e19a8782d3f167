# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences as data: the text for files, and what it is made of."""

from __future__ import annotations

import copy
import string

import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Joint, MechanismError
from solver.mechanism.said import TEXTS, Said, named


@pytest.mark.parametrize("code", TEXTS)
def test_every_code_is_worded_by_its_values(code):
    keys = {key for _, key, *_ in string.Formatter().parse(TEXTS[code]) if key} - {"about"}
    said = Said(code, ("joint", "A {odd} 'name'"), **{key: f"<{key}>" for key in keys})
    assert all(f"<{key}>" in said for key in keys)
    assert said.code == code
    assert said.parts == (("joint", "A {odd} 'name'"),)
    assert ("{about}" in TEXTS[code]) is ("joint 'A {odd} 'name''" in said)


def test_it_is_text():
    said = Said("not-met", ("constraint", "nail"), frame=3, gap="0.1 m")
    assert said == "constraint 'nail': could not be met from frame 3 on; largest gap 0.1 m"
    assert isinstance(said, str)
    assert copy.copy(str(said)) == said
    assert named((("joint", "A"), ("constraint", "B"))) == "joint 'A', constraint 'B'"


def test_what_the_solver_refuses_is_data():
    bodies = [Body(name="bar", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0))]
    hinge = Joint(name="hinge", type="revolute", parent=None, child="bar", position=(0.0, 0.0, 0.0), friction=(0.5,))
    with pytest.raises(MechanismError) as error:
        simulate(Mechanism(bodies=bodies, joints=[hinge]), 1.0, integrator="variational")
    (problem,) = error.value.problems
    assert (problem.code, problem.parts) == ("jumps-by-variational", (("joint", "hinge"),))
    assert problem.values["what"] == "dry friction"
