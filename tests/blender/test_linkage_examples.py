# SPDX-License-Identifier: GPL-3.0-or-later
"""Planar linkages of Add > Examples: each moves live as its closed form says, the whole range of its drive."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set.scene.examples import planar
from virtual_erector_set.scene.links.lengths import points_of
from virtual_erector_set.scene.links.plan import WORLD, Plan
from virtual_erector_set.solver.kinematics import Kinematics
from virtual_erector_set.solver.mechanism import Body, Joint, Mechanism

from tests.blender.making import select

EXACT = 1e-9


def mechanism_of(plan: Plan) -> tuple[Mechanism, list[str]]:
    """In double precision, each body's frame at the origin; names of the drives."""
    bodies = [Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in plan.names]
    hinge, joints, drives = (0.5**0.5, 0.5**0.5, 0.0, 0.0), [], []  # Z along -Y
    kinds = [(point, a, b, "revolute", hinge, (point, b) in plan.drives) for point, a, b in plan.hinges()]
    kinds += [(s.point, s.a, s.b, "prismatic", along_z(s.direction), s.drives) for s in plan.slides]
    for point, a, b, kind, turn, leads in kinds:
        name, parent = f"{kind} {point} {b}", None if a == WORLD else plan.names[a]
        place = tuple(plan.points[point].tolist())
        joints.append(Joint(name, kind, parent, plan.names[b], position=place, orientation=turn))
        if leads:
            drives.append(name)
    return Mechanism(bodies=bodies, joints=joints), drives


def along_z(direction) -> tuple[float, float, float, float]:
    """The turn from Z to a direction in the XZ plane."""
    angle = 0.5 * np.arctan2(direction[0], direction[2])
    return (float(np.cos(angle)), 0.0, float(np.sin(angle)), 0.0)


class Led:
    """A plan that is led in double precision."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.mechanism, self.drives = mechanism_of(plan)
        self.kinematics = Kinematics(self.mechanism, self.drives)

    def points(self, values) -> np.ndarray:
        """(P, 3): all points, which all links that have them must agree on."""
        led = self.kinematics.lead(values)
        assert led.reached == 1.0, led.notes
        found = np.full((len(self.plan.points), 3), np.nan)
        for position, q, of in zip(*self.kinematics.poses(), self.plan.links, strict=True):
            for point in of:
                place = position + rotated(q, self.plan.points[point])
                if not np.isnan(found[point, 0]):
                    assert np.abs(place - found[point]).max() < EXACT
                found[point] = place
        return found


def rotated(q, v) -> np.ndarray:
    t = 2.0 * np.cross(q[1:], v)
    return np.asarray(v) + q[0] * t + np.cross(q[1:], t)


@pytest.mark.parametrize("kind", planar.PLANS)
def test_each_plan_has_as_many_drives_as_freedoms(kind: str) -> None:
    led = Led(planar.PLANS[kind]())
    (mobility,) = led.kinematics.mobility()
    assert mobility.freedoms == len(led.drives)
    assert not mobility.notes


def test_peaucelliers_point_draws_a_straight_line() -> None:
    led = Led(planar.peaucellier())
    expected = (planar.ARM**2 - planar.SIDE**2) / (2.0 * planar.RADIUS)
    heights = []
    for angle in [*np.linspace(0.0, 0.9, 20), *np.linspace(0.9, -2.2, 60)]:
        point = led.points([angle])[5]
        assert abs(point[0] - expected) < EXACT
        heights.append(point[2])
    assert np.ptp(heights) > 4.5


def test_the_piston_goes_as_the_formula_says() -> None:
    led = Led(planar.piston())
    for turn in np.linspace(0.0, 7.0, 40):
        across = planar.CRANK * np.sin(0.9 + turn)
        expected = planar.CRANK * np.cos(0.9 + turn) + np.sqrt(planar.ROD**2 - across**2)
        assert led.points([turn])[2] == pytest.approx((expected, 0.0, 0.0), abs=EXACT)


def test_the_lift_is_as_high_as_pythagoras_says() -> None:
    led = Led(planar.scissor())
    width = 0.8 * planar.BAR
    top = len(led.plan.points) - 3
    for travel in np.linspace(0.0, -1.4, 30):
        height = planar.STAGES * np.sqrt(planar.BAR**2 - (width + travel) ** 2)
        assert led.points([travel])[top] == pytest.approx((0.0, 0.0, height), abs=EXACT)


def test_cylinders_of_the_excavator_are_as_long_as_they_are_told() -> None:
    led = Led(planar.excavator())
    pairs = [(9, 2), (3, 5), (6, 7)]
    first = led.plan.points
    rng = np.random.default_rng(2)
    for travels in rng.uniform(-0.15, 0.25, (40, 3)):
        found = led.points(travels)
        for (foot, end), travel in zip(pairs, travels, strict=True):
            length = np.linalg.norm(first[end] - first[foot]) + travel
            assert np.linalg.norm(found[end] - found[foot]) == pytest.approx(length, abs=EXACT)


def test_legs_of_the_strandbeest_step_one_after_another() -> None:
    led = Led(planar.strandbeest())
    feet = list(led.plan.free)
    heights = np.array([led.points([-angle])[feet, 2] for angle in np.linspace(0.0, 2.0 * np.pi, 49)])
    assert np.abs(heights[0] - heights[-1]).max() < EXACT
    lift = np.ptp(heights, axis=0)
    assert lift == pytest.approx(np.full(6, lift[0]), rel=0.02)
    on_the_ground = heights < heights.min() + 0.02 * (planar.UNIT * 100.0)
    assert on_the_ground.any(axis=1).all()  # at each moment at least one foot carries
    assert on_the_ground.mean() > 0.3


@pytest.mark.parametrize("kind", planar.PLANS)
def test_the_example_goes_live_and_closes_in_blender(kind: str) -> None:
    assert bpy.ops.ves.add_example(kind=kind, scale=2.0) == {"FINISHED"}
    scene = bpy.context.scene
    drives = [ob for ob in scene.objects if ob.ves.is_drive]
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    assert "more to drive" not in scene.ves.live_mobility
    for drive in drives:
        if drive.ves.joint_type == "REVOLUTE":
            drive.ves.drive_angle = 0.3
        else:
            drive.ves.drive_travel = -0.2
    bpy.context.view_layer.update()
    assert scene.ves.live_status == ""
    for joint in (ob for ob in scene.objects if ob.ves.joint_type == "REVOLUTE" and ob.ves.role == "JOINT"):
        bodies = [body for body in (joint.ves.body_a, joint.ves.body_b) if body is not None]
        places = [np.array(body.matrix_world @ corner) for body in bodies for corner in corners(body)]
        at = np.array(joint.matrix_world.translation)
        near = [np.linalg.norm(place - at) < 1e-5 for place in places]
        assert sum(near) == len(bodies), joint.name


def corners(body: bpy.types.Object):
    return [Vector(point) for point in points_of(body)]
