# SPDX-License-Identifier: GPL-3.0-or-later
"""Cams in Blender: made by the button of beads, read, checked, baked, built again from the file, and played."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.build.scene import build
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.solver.assembly.curve import CamProfile

from examples import cam_automaton
from tests.blender.linkages import body, joint
from tests.blender.making import box, curve_object, select, with_role
from tests.blender.test_curves_of_bodies import bake, bezier_circle, hang

ECCENTRIC, RADIUS, ROLLER = 0.2, 0.5, 0.1


def read():
    bpy.context.view_layer.update()
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def rim(cam: bpy.types.Object) -> bpy.types.Object:
    """A circle in the plane of X and Z, beside the shaft, that goes with the cam."""
    ring = bezier_circle("Rim", RADIUS)
    ring.rotation_euler.x = math.pi / 2.0
    ring.location = (ECCENTRIC, 0.0, 0.0)
    hang(ring, cam)
    return ring


def eccentric(speed: float = 2.0) -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """(cam on a hinge along Y with a motor, follower on a slider along Z, the bead's Empty)."""
    height = math.sqrt((RADIUS + ROLLER) ** 2 - ECCENTRIC**2)
    cam, follower = body("Cam", (0, 0, 0), (0.3, 0.1, 0.3)), body("Follower", (0, 0, height), (0.1, 0.1, 0.1))
    shaft, guide = joint("Shaft", (0, 0, 0), None, cam, "REVOLUTE"), joint("Guide", (0, 0, height), None, follower)
    guide.ves.joint_type = "PRISMATIC"
    shaft.rotation_euler.x = -math.pi / 2.0
    shaft.ves.motor_mode, shaft.ves.motor_speed[0] = "SPEED", speed
    select(follower, rim(cam))
    assert bpy.ops.ves.add_bead(one_sided="OUTSIDE") == {"FINISHED"}
    return cam, follower, with_role("BEAD")[-1]


def turned(cam: bpy.types.Object) -> float:
    x, _, z = cam.matrix_world.to_3x3().col[0]
    return math.atan2(z, x)


def lifted(angle: float) -> float:
    return ECCENTRIC * math.sin(angle) + math.sqrt((RADIUS + ROLLER) ** 2 - (ECCENTRIC * math.cos(angle)) ** 2)


def test_the_button_measures_the_roller_and_the_follower_is_lifted() -> None:
    cam, follower, bead = eccentric()
    assert bead.ves.roller_radius == pytest.approx(ROLLER, abs=1e-3)  # of Blender's circle, which is not quite round
    assert (bead.ves.one_sided, bead.ves.body_a, bead.ves.body_b) == ("OUTSIDE", follower, cam)
    bpy.ops.ves.check()
    assert not [finding.text for finding in bpy.context.scene.ves.findings]
    bake(40)
    scene = bpy.context.scene
    for frame in range(3, 41, 4):
        scene.frame_set(frame)
        assert follower.matrix_world.translation.z == pytest.approx(lifted(turned(cam)), abs=2e-3)


def test_a_fast_cam_throws_it_off() -> None:
    """By w^2 e (1 + e / L) more than g."""
    cam, follower, _ = eccentric(12.0)
    bake(40)
    gaps = []
    for frame in range(1, 41):
        bpy.context.scene.frame_set(frame)
        gaps.append(follower.matrix_world.translation.z - lifted(turned(cam)))
    assert max(gaps) > 0.1
    assert min(gaps) > -2e-3
    assert sum(gap < 2e-3 for gap in gaps) >= 2


def test_it_is_read_from_its_settings_and_built_again() -> None:
    _, _, bead = eccentric()
    bead.ves.cam_bounciness = 0.25
    (cam,) = read().mechanism.constraints
    assert (cam.one_sided, cam.closed, cam.axis) == ("outside", True, None)
    assert (cam.radius, cam.restitution) == pytest.approx((bead.ves.roller_radius, 0.25))
    mechanism = read().mechanism
    bpy.ops.wm.read_homefile(use_empty=True)
    build(bpy.context, mechanism)
    (again,) = read().mechanism.constraints
    assert (again.one_sided, again.to, again.body) == ("outside", "Cam", "Follower")
    assert (again.radius, again.restitution) == pytest.approx((cam.radius, 0.25))
    ways = np.linalg.norm(np.array(again.points) - (ECCENTRIC, 0.0, 0.0), axis=1)
    assert ways == pytest.approx(RADIUS, abs=1e-3)


def test_an_open_rim_has_a_left_and_a_right() -> None:
    """Seen against the Empty's Z axis, which the button puts across the plane of the rim."""
    block = box("Block", (0.0, 0.0, 0.3))
    ramp = curve_object("Ramp", [(-1, 0, 0), (0, 0, 0.1), (1, 0, 0.4)])
    select(block, ramp)
    bpy.ops.ves.add_bead(one_sided="OUTSIDE")
    (bead,) = with_role("BEAD")
    (cam,) = read().mechanism.constraints
    assert cam.one_sided == "left"
    assert abs(cam.axis[1]) == pytest.approx(1.0, abs=1e-5)
    bead.ves.one_sided = "INSIDE"
    assert read().mechanism.constraints[0].one_sided == "right"


def test_check_names_what_cannot_be() -> None:
    _, follower, bead = eccentric()
    bead.location.z -= 0.3
    bpy.ops.ves.check()
    assert any("inside the profile" in finding.text for finding in bpy.context.scene.ves.findings)
    bead.location.z += 0.3
    bpy.data.objects["Shaft"].ves.motor_mode = "NONE"
    bpy.context.scene.ves.integrator = "QUASI_STATIC"
    bpy.ops.ves.check()
    assert any("one side" in finding.text for finding in bpy.context.scene.ves.findings)


def test_settings_are_copied() -> None:
    _, _, bead = eccentric()
    bead.ves.cam_bounciness = 0.5
    other = bead.copy()
    bpy.context.scene.collection.objects.link(other)
    other.ves.one_sided, other.ves.cam_bounciness, other.ves.roller_radius = "NONE", 0.0, 0.0
    select(bead, other)
    bpy.context.view_layer.objects.active = bead
    bpy.ops.ves.copy_settings()
    assert (other.ves.one_sided, other.ves.cam_bounciness) == ("OUTSIDE", 0.5)


def test_the_automaton_drops_its_hammer_and_leads_its_fish() -> None:
    """While the crank is slow: off the nose of the snail, and never inside a cam."""
    cam_automaton.build(60)
    scene = bpy.context.scene
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    profiles = {each.body: (CamProfile(each), scene.objects[each.body]) for each in read().mechanism.constraints}
    shaft = scene.objects["Shaft"]
    at_first = shaft.matrix_world.inverted()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    gaps = {name: [] for name in profiles}
    for frame in range(1, 61):
        scene.frame_set(frame)
        back = (shaft.matrix_world @ at_first).inverted()
        for name, (profile, follower) in profiles.items():
            place = np.array(back @ follower.matrix_world.translation)
            gaps[name].append(profile.gap((place - profile.origin) @ profile.axes)[0])
    assert min(map(min, gaps.values())) > -1e-4
    assert max(gaps["Bird"]) < 1e-4
    assert max(gaps["Fish"]) < 1e-4
    assert max(gaps["Hammer"]) > 1e-3
