# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest possible inertia, against a search over the cone, and what is said and done by it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from solver import Mechanism, MechanismError, Script
from solver.__main__ import main
from solver.mechanism.inertia import nearest_inertia, nearest_moments

pytestmark = pytest.mark.fallback
EDGES = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])  # of the cone of triangle inequalities
ALLEGRO = [7.738328823773934e-06, 2.1779139498628814e-05, 3.677322001089725e-05]  # link 2 of a robot's hand


def nearest_by_search(triple: np.ndarray) -> np.ndarray:
    """By non-negative least squares over the edges: each subset of them, the best that needs no negative share."""
    best = np.zeros(3)
    for choice in range(1, 8):
        edges = EDGES[[bool(choice >> k & 1) for k in range(3)]].T
        share = np.linalg.lstsq(edges, triple, rcond=None)[0]
        if (share >= -1e-12).all() and np.linalg.norm(edges @ share - triple) < np.linalg.norm(best - triple):
            best = edges @ share
    return best


def test_nearest_moments_are_those_of_a_search():
    for triple in np.sort(np.random.default_rng(5).normal(0.3, 1.0, (300, 3))):
        assert nearest_moments(triple) == pytest.approx(nearest_by_search(triple), abs=1e-12)


def test_a_matrix_keeps_its_axes_and_no_possible_one_is_nearer():
    rng = np.random.default_rng(7)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    given = axes @ np.diag([0.1, 0.2, 1.0]) @ axes.T
    nearest = nearest_inertia(given)
    assert axes.T @ nearest @ axes == pytest.approx(np.diag([0.1 + 0.7 / 3, 0.2 + 0.7 / 3, 1.0 - 0.7 / 3]), abs=1e-14)
    distance = np.linalg.norm(nearest - given)
    for _ in range(300):
        turned = np.linalg.qr(axes + rng.normal(0.0, 0.3, (3, 3)))[0]
        other = turned @ np.diag(rng.uniform(0.0, 1.0, 3) @ EDGES) @ turned.T
        assert np.linalg.norm(other - given) > distance


@pytest.mark.parametrize(
    "inertia",
    [
        ALLEGRO,
        [0.3, 0.1, 0.1],
        [[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 3.0]],
        [[-3.5e-8, 1e-9, 0.0], [1e-9, 3.5e-8, 0.0], [0.0, 0.0, 9.1e-8]],  # of a robot's antenna
    ],
)
def test_it_is_refused_with_the_nearest_and_mended_by_it(inertia, tmp_path, capsys):
    file, out = tmp_path / "robot.json", tmp_path / "mended.json"
    body = {"name": "link 2", "mass": 0.0355, "inertia": inertia}
    file.write_text(json.dumps({"format": "ves-mechanism", "version": 1, "bodies": [body]}))
    with pytest.raises(MechanismError) as error:
        Mechanism.load(file)
    (problem,) = error.value.problems
    assert problem.parts == (("body", "link 2"),)
    proposed = json.loads(problem.rpartition("nearest possible inertia is ")[2])
    body["inertia"] = proposed
    assert Mechanism.from_dict({"format": "ves-mechanism", "version": 1, "bodies": [body]}).problems() == []
    assert main(["check", str(file)]) == 1
    capsys.readouterr()
    assert main(["assemble", str(file), "-o", str(out), "--mend"]) == 0
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("body 'link 2': inertia [")
    taken = np.array(Mechanism.load(out).bodies[0].inertia)
    assert taken == pytest.approx(np.array(proposed), rel=1e-9, abs=1e-15)


def test_all_commands_mend_and_say_so(tmp_path, capsys):
    file, out = tmp_path / "two.ves", tmp_path / "out.npz"
    file.write_text("ib a\nsb a -in 1 1 3\nib b\nsb b -in 1 1 2\nstep 1\n")
    for command in (["check"], ["evaluate", "-o", str(out)], ["simulate", "-o", str(out)]):
        assert main([*command, str(file)]) == 1
        assert "nearest possible inertia is [1.333333333, 1.333333333, 2.666666667]" in capsys.readouterr().err
        assert main([*command, str(file), "--mend"]) == 0
        (said,) = capsys.readouterr().err.splitlines()
        assert said == (
            "body 'a': inertia [1, 1, 3] was impossible; the nearest possible one is taken, "
            "[1.333333333, 1.333333333, 2.666666667]"
        )
    with np.load(out) as result:
        assert said in result["notes"].tolist()
    assert [body.inertia for body in Script.load(file, mends=True).mechanism.bodies][1] == (1.0, 1.0, 2.0)


def test_what_is_no_inertia_is_not_mended(tmp_path):
    wrong = [(1.0, [1, -1, 1]), (1.0, "heavy"), (1.0, [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), ("heavy", [0, 0, 0])]
    for mass, inertia in wrong:
        file = tmp_path / "wrong.json"
        body = {"name": "link", "mass": mass, "inertia": inertia}
        file.write_text(json.dumps({"format": "ves-mechanism", "version": 1, "bodies": [body]}))
        with pytest.raises(MechanismError, match="body 'link': inertia"):
            Script.load(file, mends=True)


@pytest.mark.parametrize(
    "inertia",
    [
        [0, 0, 0],
        [[0, 0, 0]] * 3,
        [[2.7e-20, -1.7e-21, 1.4e-20], [-1.7e-21, 5.4e-20, 3.4e-21], [1.4e-20, 3.4e-21, 1.4e-20]],  # a robot's ankle
    ],
)
def test_no_inertia_at_all_is_refused_and_mended_by_that_of_a_ball(inertia, tmp_path):
    """Robots have links of mass whose inertia nobody filled in, or that rounding did."""
    file = tmp_path / "link.json"
    body = {"name": "link", "mass": 0.1, "inertia": inertia}
    file.write_text(json.dumps({"format": "ves-mechanism", "version": 1, "bodies": [body]}))
    with pytest.raises(MechanismError, match="body 'link': inertia"):
        Mechanism.load(file)
    script = Script.load(file, mends=True)
    (taken,) = (body.inertia for body in script.mechanism.bodies)
    radius = np.cbrt(3.0 * 0.1 / (4.0 * np.pi * 1000.0))  # m, of 100 g of water: 2.9 cm
    assert np.array(taken) == pytest.approx(0.4 * 0.1 * radius**2)
    (note,) = script.notes
    assert (note.code, note.parts) == ("inertia-ball", (("body", "link"),))
