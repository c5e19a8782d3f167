# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces and joints of a mechanism file: import makes Empties from which export writes the same again."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from virtual_erector_set import solver

from tests.blender.exchanging import assert_same, export, import_file, there_and_back
from tests.blender.making import reports

FRAMES = 25
TURNED = [0.8, 0.0, 0.6, 0.0]


def table(*values: float) -> dict:
    """A table over the one second that the scene lasts; its knots are on frames."""
    return {"times": [k / (len(values) - 1) for k in range(len(values))], "values": list(values)}


FORCES = {
    "gravity": {"body": "a", "acceleration": [0, 1, table(-9, -3)]},
    "damping": {"body": "a", "linear": 0.5, "angular": table(0, 1, 0)},
    "motor": {"body": "a", "point": [1, 2, 3], "orientation": TURNED, "force": [1, 2, table(0, 8)],
              "torque": [4, 5, 6]},
    "jet": {"body": "a", "point": [0, table(0, 1), 3], "force": [1, 0, 0],
            "orientation": [table(1, 0.8, 1), 0, table(0, 0.6, 0), 0]},
    "brake": {"body": "b", "point": [1, 2, 3], "orientation": TURNED, "damping": [1, 2, table(0, 3)]},
    "pads": {"body": "b", "point": [1, 2, table(3, 4)], "damping": [5, 5, 5], "max_force": table(7, 0)},
    "support": {"body": "b", "point": [0, 0, -1], "stiffness": 1000, "damping": 20},
    "tyre": {"body": "b", "point": [table(1, 2), 0, -1], "stiffness": table(1000, 500), "damping": 20,
             "height": table(-0.5, 0.5), "friction": 0.7, "slope": 300},
    "spring": {"body_a": "a", "body_b": "b", "point_a": [0, 0, 1], "point_b": [4, 0, 1], "stiffness": 7,
               "rest_length": 3.5, "damping": 0.25},
    "rubber": {"body_a": "b", "point_a": [table(4, 5), 0, 1], "point_b": [9, 9, 9], "stiffness": table(7, 9),
               "rest_length": table(3, 2, 1), "damping": 0.25, "restitution": 0.1},
    "drag": {"body": "a", "area": table(1, 2), "wind": [1, table(0, 5), 3]},
    "water": {"body": "b", "coefficient": 12.5},
    "expression": {"body": "a", "point": [1, 2, 3], "force": ["-2*vx + a*sin(3*t)", "0", "1 if z < 0 else b"],
                   "a": table(0, 2), "b": -1.5},
    "own": {"body": "a", "point": [0, table(0, 1), 3], "force": ["vx", "vy*c", "m"], "axes": "own", "c": 3,
            "orientation": TURNED},
}  # fmt: skip
TYPES = {"own": "expression", "jet": "motor", "pads": "brake", "tyre": "support", "water": "drag"}


def body(name: str, x: float) -> dict:
    return {"name": name, "mass": 2, "inertia": [1, 1, 1], "position": [x, 0, 0], "orientation": [0.6, 0.8, 0, 0]}


def write(path: Path, **parts) -> Path:
    path.write_text(
        json.dumps({"format": "ves-mechanism", "version": 1, "bodies": [body("a", 0), body("b", 4)]} | parts)
    )
    return path


@pytest.mark.parametrize("name", list(FORCES))
def test_a_force_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    entry = {"name": name, "type": TYPES.get(name, name)} | FORCES[name]
    path = write(tmp_path / "given.json", forces=[entry])
    import_file(path, FRAMES)
    first, second = there_and_back(tmp_path, FRAMES)
    (given,), (found,), (again,) = (read["forces"] for read in (_load(path), first, second))
    assert given.keys() == found.keys() == again.keys()
    for key, value in given.items():
        same(value, found[key], key)
        same(value, again[key], key)


def _load(path: Path) -> dict:
    return dataclasses.asdict(solver.Mechanism.load(path))


def same(one, other, where: str) -> None:
    """Equal at all frames, whether number or table; orientations as the unit quaternions that they stand for."""
    if where == "orientation":
        np.testing.assert_allclose(unit(one), unit(other), atol=2e-5, err_msg=where)
    elif isinstance(one, tuple):
        for pair in zip(one, other, strict=True):
            same(*pair, where)
    elif isinstance(one, (float, dict)):
        np.testing.assert_allclose(at(one), at(other), rtol=2e-5, atol=2e-5, err_msg=where)
    else:
        assert one == other, where


def unit(quaternion: tuple) -> np.ndarray:
    values = np.array([at(component) for component in quaternion])
    return values / np.linalg.norm(values, axis=0)


def at(value: float | dict) -> np.ndarray:
    times = np.arange(FRAMES) / 24.0
    if isinstance(value, dict):
        return np.interp(times, value["times"], value["values"])
    return np.full(len(times), value)


def test_a_brake_with_one_number_brakes_in_all_directions(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json", forces=[{"name": "f", "type": "brake", "body": "a", "point": [0, 0, 0], "damping": 3}]
    )
    import_file(path, FRAMES)
    assert export(tmp_path / "b.json")["forces"][0]["damping"] == (3.0, 3.0, 3.0)


def test_a_spring_is_an_arrow_from_end_to_end(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", forces=[{"name": "spring", "type": "spring"} | FORCES["spring"]])
    import_file(path, FRAMES)
    bpy.context.view_layer.update()
    empty = bpy.data.objects["spring"]
    assert empty.empty_display_type == "SINGLE_ARROW"
    assert empty.empty_display_size == pytest.approx(4.0)
    tip = empty.matrix_world.translation + 4.0 * empty.matrix_world.to_3x3().col[2]
    assert tuple(tip) == pytest.approx((4, 0, 1), abs=1e-5)


JOINTS = {
    "hinge": {"type": "revolute", "limits": [[-0.5, 1.5]], "friction": [0.25], "armature": [0.125], "damping": [2]},
    "one sided": {"type": "prismatic", "limits": [[None, 1.5]]},
    "two": {"type": "cylindrical", "limits": [None, [-0.25, None]], "friction": [0, 3],
            "motor": {"mode": "speed", "target": [table(0, 5), -2], "max_force": [10, 0]}},
    "free wheel": {"type": "revolute", "motor": {"mode": "speed", "target": 3}},
    "servo": {"type": "universal", "motor": {"mode": "position", "target": [1, table(0, 1)], "stiffness": [5, 6],
                                             "damping": [0.5, table(1, 0)], "max_force": [7, table(8, 0)]}},
    "drive": {"type": "screw", "pitch": 0.1, "motor": {"mode": "force", "value": table(0, 4)}},
    "plane": {"type": "planar", "limits": [[-1, 1], [-2, 2], [-math.pi, 0.5]], "friction": [1, 2, 3]},
    "ball": {"type": "spherical", "limits": [[-1, 1], None, [None, 2]], "friction": [1, 2, 3]},
}  # fmt: skip


@pytest.mark.parametrize("name", list(JOINTS))
def test_a_joint_comes_back_as_it_was(name: str, tmp_path: Path, capfd) -> None:
    entry = {"name": name, "parent": "a", "child": "b", "position": [2, 0, 0]} | JOINTS[name]
    path = write(tmp_path / "given.json", joints=[entry])
    import_file(path, FRAMES)
    assert "Left out" not in reports(capfd)
    first, second = there_and_back(tmp_path, FRAMES)
    (given,), (found,) = (read["joints"] for read in (_load(path), first))
    for key in ("friction", "armature", "damping", "pitch"):
        assert_same(given[key], found[key], key)
    assert (given["limits"] is None) == (found["limits"] is None)
    for pair, other in zip(given["limits"] or (), found["limits"] or (), strict=True):
        assert_same(pair, other, "limits")
    if given["motor"]:
        assert given["motor"]["mode"] == found["motor"]["mode"]
        for key in ("value", "target", "stiffness", "damping", "max_force"):
            value = given["motor"][key]
            value = value if value is None or isinstance(value, tuple) else (value,)
            same(value, found["motor"][key], key)
    assert_same(first["joints"], second["joints"])


def test_an_action_comes_back_with_all_that_it_sets(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json",
        forces=[{"name": "motor", "type": "motor"} | FORCES["motor"]],
        actions=[{"time": 0.5, "target": "motor", "set": {"enabled": False, "torque": [0, 0, 9]}}],
    )
    import_file(path, FRAMES)
    (action,) = export(tmp_path / "b.json")["actions"]
    assert (action["time"], action["set"]) == (pytest.approx(0.5), {"enabled": False, "torque": [0, 0, 9]})
