# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's notes on a motion are said in an animator's measures, and only if they matter."""

from __future__ import annotations

import math

import bpy
import pytest
from virtual_erector_set.scene.bake.solver_notes import findings_of
from virtual_erector_set.scene.findings import Finding, of_solver
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.solver.mechanism.messages import Message

from tests.blender.linkages import baked_result, body, joint, part


def gap_said(gap: str) -> list[str]:
    """Words on a nail in a bar of 2 m that misses by so much."""
    bar = body("bar", size=(2, 0.1, 0.1))
    joint("hinge", (-1, 0, 0), None, bar)
    part("nail", "NAIL", (1, 0, 0)).ves.body_a = bar
    reading = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    note = Message("not-met", ("constraint", "nail"), frame=4, gap=gap)
    found = findings_of([note], reading, None)
    assert {finding.object.name for finding in found} <= {"nail"}
    return [finding.text for finding in found]


@pytest.mark.parametrize("gap", ["5.5e-05 m", "0.00019 m", "9e-05 rad"])
def test_a_gap_that_nobody_sees_is_not_said(gap: str) -> None:
    assert gap_said(gap) == []


@pytest.mark.parametrize(
    ("gap", "said"),
    [("0.1 m", "0.1 m, 5 % of the size of bar"), ("8.6 m", "8.6 m, 430 % of the size of bar"), ("0.5 rad", "28.6°")],
)
def test_a_gap_is_said_by_its_share_of_the_size(gap: str, said: str) -> None:
    assert gap_said(gap) == [f"could not be met from frame 5 on; largest gap {said}"]


def test_a_limit_that_was_passed_is_said_in_degrees() -> None:
    joint("hinge", (0, 0, 0), None, body("bar", size=(2, 0.1, 0.1)))
    reading = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    (found,) = findings_of([Message("past-limit", ("joint", "hinge"), frame=4, gap="0.5 rad")], reading, None)
    assert found.object.name == "hinge"
    assert found.text.startswith("goes past its limit by up to 28.6°, from frame 5 on")


def test_a_servo_at_its_maximum_is_said_after_a_bake_in_degrees() -> None:
    hinge = joint("hinge", (-1, 0, 0), None, body("bar", size=(2, 0.1, 0.1)), "REVOLUTE")
    hinge.rotation_euler.x = 0.5 * math.pi
    hinge.ves.motor_mode = "POSITION"
    hinge.ves.motor_stiffness, hinge.ves.motor_damping = (2000.0,) * 3, (60.0,) * 3
    hinge.ves.use_motor_max_force, hinge.ves.motor_max_force = True, (1.0,) * 3
    (said,) = [str(finding) for finding in baked_result().warnings]
    assert said.startswith("hinge: its motor gives its maximum of 1 N m from frame 2 on, in ")
    assert "°" in said
    assert "Limit Force" in said


def test_a_sentence_that_names_its_parts_is_not_headed_by_the_first() -> None:
    bar = body("bar", (0, 0, 0), (2, 0.5, 0.5))
    assert str(Finding(bar, "joint 'bar', joint 'foo' lie stretched")) == "joint 'bar', joint 'foo' lie stretched"
    assert str(Finding(bar, "leaks")) == "bar: leaks"


def test_a_velocity_that_does_not_fit_names_its_body_once_with_the_numbers() -> None:
    bob = body("Bob", (0, 0, -1), (0.2, 0.2, 0.2))
    hinge = joint("hinge", (0, 0, 0), None, bob, "REVOLUTE")
    hinge.rotation_euler.x = -1.5707963267948966  # Z becomes Y
    bob.ves.linear_velocity = (0.0, 3.0, 0.0)
    bpy.context.scene.frame_end = 4
    (finding,) = baked_result().warnings
    assert finding.object == bob
    assert str(finding) == "Bob: starts with a velocity of (0, 0, 0) m/s instead of (0, 3, 0), to fit the joints"


def test_the_numbers_are_those_of_the_motion() -> None:
    """Without a spin a bob on an arm cannot go sideways: it takes what of both is nearest, by its inertia."""
    bob = body("Bob", (0, 0, -1), (0.2, 0.2, 0.2))
    hinge = joint("hinge", (0, 0, 0), None, bob, "REVOLUTE")
    hinge.rotation_euler.x = -1.5707963267948966
    bob.ves.linear_velocity = (3.0, 0.0, 0.0)
    bpy.context.scene.frame_end = 4
    (finding,) = baked_result().warnings
    own = 0.2**2 / 6.0  # of the cube about its middle, by mass
    spin = 3.0 / (1.0 + own)  # that keeps the moment of momentum about the hinge
    assert f"velocity of ({spin:.3g}, 0, 0) m/s instead of (3, 0, 0)" in finding.text
    assert f"spin of (0, {-spin * 57.29577951:.3g}, 0) °/s instead of (0, 0, 0)" in finding.text


@pytest.mark.parametrize(("code", "is_fact"), [("redundant", True), ("lined-up", True), ("off-line", False)])
def test_what_is_as_it_should_be_is_a_fact(code: str, is_fact: bool) -> None:
    values = dict.fromkeys(("more", "count", "angle", "distance", "effect", "allowed"), "x")
    found = of_solver(Message(code, ("joint", "a"), **values), bpy.context.scene)
    assert found.is_fact is is_fact


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (Message("ride-ends", ("joint", "a"), time="0.5", how="it leaves"), "ends at frame 23: it leaves"),
        (Message("path-corner", time=0.0123, angle=90, gap=1), "At frame 11.3 it turns"),
        (Message("open-later", ("joint", "a"), gap="1 m apart", when="2 s"), "are 1 m apart at frame 59"),
        (Message("open-at-start", ("joint", "a"), gap="1 m apart", when="the start"), "1 m apart at the start"),
        (Message("too-stiff", ("joint", "a"), time="1e-09", evaluations=7), "acts within 1e-09 s"),
    ],
)
def test_moments_are_frames_and_durations_are_not(message: Message, said: str) -> None:
    assert bpy.context.scene.render.fps == 24
    assert said.lower() in of_solver(message, bpy.context.scene, 11).text.lower()
