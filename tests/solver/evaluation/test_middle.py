# SPDX-License-Identifier: GPL-3.0-or-later
"""The force inside a bar: closed forms, and the weld of a bar that is made of two halves."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.evaluation.middle import Middle
from solver.mechanism import Body, Distance, Joint, JointMotor, Motor, Nail, Rubber, Spring, Table
from solver.simulation.inspection import inspect, inspect_middles

MASS, LENGTH, WIDTH = 2.0, 1.2, 0.1
HOOK, END = (0.3, 0.0, 0.0), (LENGTH, 0.0, 0.05)
ABOUT_Y = (0.7071067811865476, -0.7071067811865476, 0.0, 0.0)
FINE = {"relative": 1e-10, "absolute": 1e-10}


def bar(name: str = "bar", x: float = 0.5 * LENGTH, share: float = 1.0, **more) -> Body:
    """A box along X, or a share of it, whose middle is there."""
    mass, length = share * MASS, share * LENGTH
    across = mass * (length**2 + WIDTH**2) / 12.0
    inertia = (mass * WIDTH**2 / 6.0, across, across)
    return Body(name, mass=mass, inertia=inertia, position=(x, 0.0, 0.0), **more)


def middle(mechanism: Mechanism, duration: float = 0.2, name: str = "bar") -> tuple[Middle, object]:
    recording = simulate(mechanism, duration, **FINE)
    return inspect_middles(mechanism, recording, inspect(mechanism, recording))[name], recording


def test_a_bar_that_hangs_bears_half_its_weight():
    upright = bar(orientation=(0.7071067811865476, 0.0, 0.7071067811865476, 0.0))
    upright.position = (0.0, 0.0, -0.5 * LENGTH)
    hinge = Joint("hinge", "revolute", None, "bar", position=(0.0, 0.0, 0.0), orientation=ABOUT_Y)
    found, _ = middle(Mechanism(bodies=[upright], joints=[hinge]))
    assert found.tension == pytest.approx(0.5 * MASS * 9.81, rel=1e-9)
    assert found.shear == pytest.approx(0.0, abs=1e-9)
    assert found.bending == pytest.approx(0.0, abs=1e-9)


def test_a_bar_that_is_held_at_one_end():
    weld = Joint("weld", "fixed", None, "bar", position=(0.0, 0.0, 0.0))
    found, _ = middle(Mechanism(bodies=[bar()], joints=[weld]))
    assert found.tension == pytest.approx(0.0, abs=1e-9)
    assert found.shear == pytest.approx(0.5 * MASS * 9.81, rel=1e-9)
    assert found.bending == pytest.approx(0.5 * MASS * 9.81 * 0.25 * LENGTH, rel=1e-9)


def test_a_bar_that_is_whirled():
    spin = 7.0
    hinge = Joint("hinge", "revolute", None, "bar", position=(0.0, 0.0, 0.0), motor=JointMotor("speed", target=spin))
    whirled = bar(linear_velocity=(0.0, spin * 0.5 * LENGTH, 0.0), angular_velocity=(0.0, 0.0, spin))
    found, _ = middle(Mechanism(gravity=(0, 0, 0), bodies=[whirled], joints=[hinge]))
    assert found.tension == pytest.approx(3.0 / 8.0 * MASS * spin**2 * LENGTH, rel=1e-6)


def test_a_rod_of_a_truss_is_pressed_by_what_it_bears():
    """Two bars lean on each other. Of each one's weight half stands on its foot, and half leans on the other's top."""
    half = np.radians(30.0)
    end = LENGTH * np.array([np.sin(half), 0.0, np.cos(half)])
    turns = [0.5 * (np.pi / 2.0 - half), 0.5 * (half - np.pi / 2.0)]
    bodies = [bar(name) for name in ("left", "right")]
    for body, sign, turn in zip(bodies, (1.0, -1.0), turns, strict=True):
        body.position = tuple(0.5 * end * (sign, 1.0, 1.0) - np.array([sign * end[0], 0.0, 0.0]))
        body.orientation = (np.cos(turn), 0.0, -np.sin(turn), 0.0)
    feet = [Joint(b.name, "revolute", None, b.name, position=(-s * end[0], 0.0, 0.0), orientation=ABOUT_Y)
            for b, s in zip(bodies, (1.0, -1.0), strict=True)]  # fmt: skip
    top = Joint("top", "revolute", "left", "right", position=(0.0, 0.0, end[2]), orientation=ABOUT_Y)
    found, _ = middle(Mechanism(bodies=bodies, joints=[*feet, top]), name="left")
    thrust = 0.5 * MASS * 9.81 * np.tan(half)  # sideways, at the top
    assert found.tension == pytest.approx(-thrust * np.sin(half) - 0.5 * MASS * 9.81 * np.cos(half), rel=1e-6)


def loaded(joined: list[Joint], bodies: list[Body], at_start: str, beyond: str) -> Mechanism:
    """Springs, a rod, a jet and a damped hinge on a bar, or on its two halves, and a ball that swings on it."""
    at = (1.0, 0.5, 0.3)
    return Mechanism(
        bodies=[*bodies, Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=at)],
        joints=[
            Joint("hinge", "spherical", None, at_start, position=(0.0, 0.0, 0.0), damping=(0.3, 0.3, 0.3)),
            *joined,
        ],
        constraints=[
            Distance("rod", body_a=beyond, point_a=(0.9, 0.0, 0.0), body_b="ball", point_b=at),
        ],
        forces=[
            Spring("spring", body_a=at_start, point_a=HOOK, point_b=(0, 1, 1), stiffness=40.0, rest_length=0.5),
            Rubber("rubber", body_a="ball", point_a=at, body_b=beyond, point_b=END, stiffness=30.0, rest_length=0.1),
            Motor("jet", body=beyond, point=(1.1, 0.0, 0.0), force=(0.0, 3.0, 8.0), torque=(0.5, 0.0, 0.2)),
        ],
    )  # fmt: skip


def test_it_is_what_a_weld_of_two_halves_transmits():
    """The same bar, cut through by hand."""
    whole = loaded([], [bar()], "bar", "bar")
    found, recording = middle(whole, 1.0)
    weld = Joint("weld", "fixed", "near", "far", position=(0.5 * LENGTH, 0.0, 0.0))
    halves = [bar("near", 0.25 * LENGTH, 0.5), bar("far", 0.75 * LENGTH, 0.5)]
    cut = simulate(loaded([weld], halves, "near", "far"), 1.0, **FINE)
    assert cut.position[:, 2] == pytest.approx(recording.position[:, 1], abs=1e-7), "the ball moves alike"
    wrench = cut.joint_force[:, 1]
    turn = recording.orientation[:, 0]
    w, v = turn[:, :1], turn[:, 1:]
    axis = (
        np.array([[1.0, 0.0, 0.0]])
        + 2.0 * w * np.cross(v, [1.0, 0.0, 0.0])
        + 2.0 * np.cross(v, np.cross(v, [1.0, 0.0, 0.0]))
    )
    along, about = (np.einsum("fi,fi->f", part, axis) for part in (wrench[:, :3], wrench[:, 3:]))
    assert found.tension == pytest.approx(-along, abs=1e-5)
    assert found.shear == pytest.approx(np.linalg.norm(wrench[:, :3] - along[:, None] * axis, axis=1), abs=1e-5)
    assert found.torsion == pytest.approx(about, abs=1e-5)
    assert found.bending == pytest.approx(np.linalg.norm(wrench[:, 3:] - about[:, None] * axis, axis=1), abs=1e-5)
    assert np.ptp(found.tension) > 1.0


def test_what_is_no_bar_or_has_loads_of_no_known_place_has_none():
    cube = Body("cube", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3.0, 0.0, 0.0))
    steered = bar("steered", 5.0)
    point = (Table((0.0, 1.0), (5.0, 5.2)), 0.0, 0.0)
    jet = Motor("jet", body="steered", point=point, force=(0.0, 0.0, 1.0))
    mechanism = Mechanism(
        bodies=[bar(), cube, steered], constraints=[Nail("nail", body="bar", point=(0.0, 0.0, 0.0))], forces=[jet]
    )
    recording = simulate(mechanism, 0.1)
    assert list(inspect_middles(mechanism, recording, inspect(mechanism, recording))) == ["bar"]
