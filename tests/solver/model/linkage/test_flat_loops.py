# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the trees meet by themselves: which ones are left out, and that motion and reactions are those of all."""

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Joint, Keys, Sphere
from solver.model.arrays import LAGRANGE, PROPAGATION, RECURSIVE
from solver.model.linkage.compilation import compile_for_impulses, compile_linkage, compile_linkages
from solver.model.poses import rotation_matrices
from solver.model.topology import find_linkages

TILTED = np.array([0.9, 0.2, -0.3, 0.1]) / np.linalg.norm([0.9, 0.2, -0.3, 0.1])
POINTS = ((0.0, 0.0), (0.3, 0.9), (1.4, 1.1), (1.6, 0.0))
SPINNING = {"linear_velocity": (0.4, 0.1, 2.0), "angular_velocity": (0.7, -1.1, 0.5)}
BALL = Sphere(radius=0.05)
_Z_TO_X = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])


def times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two quaternions."""
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def ring(kinds: tuple[str, ...], turns: tuple[np.ndarray, ...] | None = None, **frame) -> Mechanism:
    """Four bars in a plane that is tilted in space, their joints at the corners, each turned in its plane's axes."""
    tilt = rotation_matrices(TILTED[None])[0]
    corners = [tilt @ (*point, 0.0) for point in POINTS]
    middles = [(corners[k] + corners[(k + 1) % 4]) / 2.0 for k in range(4)]
    bodies = [
        Body(
            f"bar {k}",
            mass=1.0 + 0.2 * k,
            inertia=(0.1, 0.12, 0.07),
            position=tuple(middles[k]),
            shape=Sphere(radius=0.05),
        )
        for k in range(4)
    ]
    w, v = (np.array(frame.get(key, (0.0, 0.0, 0.0))) for key in ("angular_velocity", "linear_velocity"))
    if frame:
        for body in bodies:
            body.angular_velocity = tuple(w)
            body.linear_velocity = tuple(v + np.cross(w, np.array(body.position) - bodies[3].position))
    else:
        bodies[3].motion = "fixed"
    joints = []
    for k, kind in enumerate(kinds):
        turn = TILTED if turns is None else times(TILTED, turns[k])
        joints.append(Joint(f"corner {k}", kind, f"bar {(k - 1) % 4}", f"bar {k}", tuple(corners[k]), tuple(turn)))
    return Mechanism(gravity=(0.3, -2.0, -9.81), bodies=bodies, joints=joints)


def implied(mechanism: Mechanism, method: int = RECURSIVE) -> list[int]:
    linkages = compile_linkages(mechanism, method)
    return [int(n) for each in linkages for n in each.model.closures.implied[: len(each.linkage.closing)]]


ABOUT_U = np.array([1.0, 0.0, 0.0, 0.0])
FLAT = {
    "hinges": ring(("revolute",) * 4),
    "floating": ring(("revolute",) * 4, **SPINNING),
    "slide": ring(("revolute",) * 3 + ("prismatic",), (ABOUT_U,) * 3 + (_Z_TO_X,)),
}


@pytest.mark.parametrize("name", FLAT)
def test_flat_loops_have_three_conditions_each_but_by_lagrange(name):
    for method in (RECURSIVE, PROPAGATION):
        (compiled,) = compile_linkages(FLAT[name], method)
        assert compiled.model.closing == 2, method
        assert implied(FLAT[name], method) == [3]
    (linkage,) = find_linkages(FLAT[name])
    assert compile_for_impulses(FLAT[name], linkage).model.closing == 2
    assert compile_linkage(FLAT[name], linkage, LAGRANGE).model.closing == 5
    assert implied(FLAT[name], LAGRANGE) == [0]


def test_other_loops_keep_their_rows():
    lean = times(ABOUT_U, np.array([np.cos(0.1), np.sin(0.1), 0.0, 0.0]))
    assert implied(ring(("revolute",) * 4, (ABOUT_U, ABOUT_U, lean, ABOUT_U))) == [0]
    assert implied(ring(("revolute", "spherical", "revolute", "revolute"))) == [0]
    assert implied(ring(("revolute", "cylindrical", "revolute", "revolute"))) == [0]


def keyed(mechanism: Mechanism, *numbers: int) -> Mechanism:
    """With these bars led along keys, all in the same way."""
    bodies = list(mechanism.bodies)
    for k in numbers:
        place, turn = bodies[k].position, (1.0, 0.0, 0.0, 0.0)
        keys = Keys(times=(0.0, 1.0), positions=(place, tuple(np.add(place, 0.1))), orientations=(turn, turn))
        bodies[k] = dataclasses.replace(bodies[k], motion="keyed", keys=keys)
    return dataclasses.replace(mechanism, bodies=bodies)


def test_keyed_bodies_are_pieces_of_their_own():
    assert implied(keyed(FLAT["hinges"], 3)) == [3]
    assert set(implied(keyed(FLAT["hinges"], 3, 1))) == {0}


@pytest.mark.parametrize("integrator", ["adams", "implicit", "impulse"])
@pytest.mark.parametrize("name", FLAT)
def test_motion_and_reactions_are_those_of_all_rows(name, integrator):
    """Against the method of Lagrange, which has them all; joints exert what is of least norm."""
    mechanism = FLAT[name]
    got = simulate(mechanism, 0.6, 25.0, integrator=integrator)
    expected = simulate(mechanism, 0.6, 25.0, method="lagrange")
    near = {"adams": 1e-7, "implicit": 1e-5, "impulse": 2e-3}[integrator]
    assert got.position == pytest.approx(expected.position, abs=near)
    assert got.orientation == pytest.approx(expected.orientation, abs=near)
    if integrator != "impulse":
        force = np.abs(expected.joint_force).max()
        assert got.joint_force == pytest.approx(expected.joint_force, abs=1e3 * near * force)
    assert [note.code for note in got.notes if note.code == "redundant"] == ["redundant"]
