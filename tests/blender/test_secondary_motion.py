# SPDX-License-Identifier: GPL-3.0-or-later
"""Secondary Motion: chosen bones swing after the animation of the rest."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from virtual_erector_set.scene.animation.rig_settings import held_settings, hold_settings
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.scene.rig.secondary import slowness

from tests.blender import rigs
from tests.blender.making import select, with_role

TAIL = [f"tail.{i}" for i in range(5)]


def select_bones(rig: bpy.types.Object, names: list[str]) -> None:
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if bpy.app.version >= (5, 0) else bone.bone).select = bone.name in names


def swing(rig: bpy.types.Object, names: list[str], **options) -> dict[str, bpy.types.Object]:
    """All bodies of the rig by their bones, once some of these swing."""
    select_bones(rig, names)
    assert bpy.ops.ves.secondary_motion(**options) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    return {ob.parent_bone: ob for ob in with_role("BODY")}


def wagging(frames: int = 60) -> bpy.types.Object:
    """A dog that swings its hips from side to side."""
    rig = rigs.make_rig("Dog", rigs.dog())
    bpy.context.scene.frame_end = frames
    hips = rig.pose.bones["hips"]
    hips.rotation_mode = "XYZ"
    for frame in range(1, frames + 1):
        hips.rotation_euler.z = 0.15 * (1.0 - math.cos(0.35 * (frame - 1)))
        hips.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    return rig


def test_a_tail_swings_on_a_body_that_is_keyed() -> None:
    rig = wagging()
    before = rigs.described(rig)
    bodies = swing(rig, TAIL, softness=0.5)
    assert {name for name, ob in bodies.items() if ob.ves.motion == "DYNAMIC"} == set(TAIL)
    assert all(ob.ves.motion == "KEYED" for name, ob in bodies.items() if name not in TAIL)
    joints = {joint.ves.body_b.parent_bone: joint.ves.body_a.parent_bone for joint in with_role("JOINT")}
    assert joints == {"tail.0": "hips"} | {f"tail.{i}": f"tail.{i - 1}" for i in range(1, 5)}
    for name in TAIL:
        assert bodies[name].ves.follow_frequency == pytest.approx(math.sqrt(5.0) * slowness(5), rel=1e-6)
    assert bpy.context.scene.ves.use_contact
    assert rigs.described(rig) == before, "nothing of the rig itself"
    animated = rigs.poses(rig)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    baked = rigs.poses(rig)
    names = [bone.name for bone in rig.pose.bones]
    others = [i for i, name in enumerate(names) if name not in TAIL]
    assert np.abs(baked[:, others] - animated[:, others]).max() < 1e-5, "the rest keeps its animation"
    tip = names.index("tail.4")
    assert np.abs(baked[20:, tip, :3, 3] - animated[20:, tip, :3, 3]).max() > 0.015, "the tip comes late"


@pytest.mark.parametrize("droop", [0.0, 1.0])
def test_a_tail_at_rest_sags_only_if_it_is_to_droop(droop: float) -> None:
    rig = rigs.make_rig("Dog", rigs.dog())
    bpy.context.scene.frame_end = 40
    swing(rig, TAIL, softness=0.5, damping_ratio=1.0, droop=droop)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    tip = rigs.poses(rig)[:, [bone.name for bone in rig.pose.bones].index("tail.4"), 2, 3]
    assert (tip[0] - tip[-1] > 0.03) if droop else (np.abs(tip - tip[0]).max() < 1e-4)


def test_a_chain_of_any_length_swings_as_often_as_its_softness_says() -> None:
    """A tail that a jerk of the hips has set going, hardly damped."""
    rig, scene = rigs.make_rig("Dog", rigs.dog()), bpy.context.scene
    scene.frame_end = 120
    hips = rig.pose.bones["hips"]
    hips.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (7, 0.1)):
        hips.rotation_euler.z = angle
        hips.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    scene.gravity = (0.0, 0.0, 0.0)
    swing(rig, TAIL, softness=0.5, damping_ratio=0.02, use_contact=False)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    pose = rigs.poses(rig)[10:]
    names = [bone.name for bone in rig.pose.bones]
    tip = np.linalg.inv(pose[:, names.index("hips")]) @ pose[:, names.index("tail.2")]
    way = tip[:, :3, 3] - tip[:, :3, 3].mean(axis=0)
    way = way[:, np.argmax(np.ptp(way, axis=0))]
    crossings = np.flatnonzero(np.diff(np.sign(way)))
    crossings = crossings + way[crossings] / (way[crossings] - way[crossings + 1])
    period = 2.0 * np.diff(crossings).mean() / 24.0
    assert period == pytest.approx(1.0 / math.sqrt(5.0), rel=0.05)


def test_without_contact_there_are_bodies_only_where_it_hangs() -> None:
    bodies = swing(wagging(), ["tail.2", "tail.3", "tail.4"], use_contact=False)
    assert set(bodies) == {"tail.1", "tail.2", "tail.3", "tail.4"}
    assert not bpy.context.scene.ves.use_contact


def test_pressed_again_it_changes_what_swings_and_adds_what_does_not_yet() -> None:
    rig = wagging()
    first = swing(rig, ["tail.3", "tail.4"], softness=1.0)
    again = swing(rig, TAIL, softness=0.0, damping_ratio=0.9, droop=0.25)
    assert all(again[name] == ob for name, ob in first.items())
    for name in TAIL:
        settings = again[name].ves
        assert (settings.motion, settings.follow_frequency) == ("DYNAMIC", pytest.approx(10.0 * slowness(5)))
        assert (settings.follow_damping_ratio, settings.follow_feed_forward) == pytest.approx((0.9, 0.75))
    assert len(with_role("JOINT")) == 5


def test_where_one_rig_is_refused_nothing_is_made_of_the_other() -> None:
    first, second = wagging(), rigs.make_rig("Small", rigs.dog(), 2.0)
    second.scale.x *= -1.0
    bpy.context.view_layer.update()
    select(first, second)
    bpy.ops.object.mode_set(mode="POSE")
    for rig in (first, second):
        for bone in rig.pose.bones:
            (bone if bpy.app.version >= (5, 0) else bone.bone).select = bone.name in TAIL
    with pytest.raises(RuntimeError, match="Small: has a scale that is zero or negative"):
        bpy.ops.ves.secondary_motion()
    assert not with_role("BODY")


def test_of_a_ragdoll_it_lets_the_tail_follow_and_leaves_the_rest() -> None:
    rig = wagging()
    select(rig)
    bpy.ops.ves.ragdoll()
    hinges = {ob.name: tuple(ob.ves.stiffness) for ob in with_role("JOINT") if ob.ves.joint_type == "REVOLUTE"}
    assert hinges
    rig["grip"] = 0.0
    hold_settings(rig, {'["grip"]': 1.0})
    bodies = swing(rig, [*TAIL, "lower front.L"])
    assert held_settings(rig) == {'["grip"]': 1.0}
    assert {ob.name: tuple(ob.ves.stiffness) for ob in with_role("JOINT") if ob.name in hinges} == hinges
    assert {name for name, ob in bodies.items() if ob.ves.follows} == {*TAIL, "lower front.L"}
    assert all(ob.ves.motion == "DYNAMIC" for ob in bodies.values())


def test_undo_takes_it_away() -> None:
    rig = wagging()
    select_bones(rig, TAIL)
    before = rigs.described(rig)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.ves.secondary_motion("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    assert not with_role("BODY")
    assert rigs.described(bpy.data.objects["Dog"]) == before


def test_what_cannot_swing_is_said() -> None:
    rig = wagging()
    select_bones(rig, ["hips"])
    with pytest.raises(RuntimeError, match="has nothing above the selected bones"):
        bpy.ops.ves.secondary_motion()
    select_bones(rig, [])
    assert not bpy.ops.ves.secondary_motion.poll()
    select_bones(rig, TAIL)
    bpy.ops.ves.secondary_motion(use_contact=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.ves.bake() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="POSE")
    assert not bpy.ops.ves.secondary_motion.poll(), "the bake has to be cleared first"


def test_a_bone_swings_as_a_pendulum_that_is_shaken_does() -> None:
    """Against SciPy: a level bone on one that is pushed sideways, so that gravity has no part in it."""
    rig = rigs.make_rig("Rig", rigs.row())
    scene, push = bpy.context.scene, 0.05
    scene.frame_end, scene.render.fps = 49, 24
    root = rig.pose.bones["B0"]
    for frame in range(1, 50):
        root.location.z = push * (1.0 - math.cos(8.0 * (frame - 1) / 24.0))
        root.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    bodies = swing(rig, ["B3"], softness=0.5, use_contact=False)
    settings = bodies["B3"].ves
    read = read_mechanism(scene, bpy.context.evaluated_depsgraph_get()).mechanism.bodies
    body = next(each for each in read if each.name == bodies["B3"].name)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    baked = rigs.poses(rig)
    bones = [bone.name for bone in rig.pose.bones]
    shown = baked[:, bones.index("B3"), :3, 1]
    place = baked[:, bones.index("B3"), :3, 3]
    side = np.array((0.0, 1.0, 0.0)) if np.ptp(place[:, 1]) > 0.05 else np.array((0.0, 0.0, 1.0))
    angle = np.arcsin(shown @ side)
    way = place @ side
    assert np.ptp(way) == pytest.approx(2.0 * push, rel=0.05)
    assert np.ptp(angle) > 0.1
    ratio, w = settings.follow_damping_ratio, 2.0 * math.pi * settings.follow_frequency
    middle = float(np.linalg.norm(body.center_of_mass))
    gyration = float(np.sort(np.ravel(np.diag(body.inertia) if np.ndim(body.inertia) == 2 else body.inertia))[-1])
    gyration = gyration / body.mass + middle**2

    def rates(t, state):
        q, u = state
        pull = 8.0**2 * push * math.cos(8.0 * t) * math.copysign(1.0, way[3] - way[0])
        return u, -w * w * q - 2.0 * ratio * w * u - middle / gyration * pull * math.cos(q)

    true = solve_ivp(rates, (0.0, 2.0), (0.0, 0.0), t_eval=np.arange(49) / 24.0, rtol=1e-8).y[0]
    assert np.abs(angle - true).max() < 0.02 * np.abs(true).max()
