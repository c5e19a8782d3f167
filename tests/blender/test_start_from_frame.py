# SPDX-License-Identifier: GPL-3.0-or-later
"""Start from This Frame: what is baked from there is what the first bake would have done."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.state import state_of
from virtual_erector_set.scene.properties.scene import frame_range
from virtual_erector_set.scene.quantities.recorded import record_of

from tests.blender.linkages import body, car_with_cans, chain, joint, part, scene_state, world_matrices
from tests.blender.playing import force

FIRST, MIDDLE, LAST = 1, 17, 33


def swinging_chain() -> None:
    """A whip: whatever it is made from grows, single precision's rounding too."""
    rods = chain(3)
    rods[2].ves.linear_velocity = (0.0, 2.0, 1.0)
    rods[2].ves.angular_velocity = (3.0, 0.0, 1.0)


def four_bar() -> None:
    ground = body("ground", (1.5, 0, -0.2), (3, 0.2, 0.1), "FIXED")
    crank = body("crank", (0, 0, 0.5), (0.1, 0.1, 1.0))
    coupler = body("coupler", (1.0, 0, 1.0), (2.0, 0.1, 0.1))
    rocker = body("rocker", (2.0, 0, 0.25), (0.1, 0.1, 1.5))
    pins = [
        joint("a", (0, 0, 0), ground, crank, "REVOLUTE"),
        joint("b", (0, 0, 1), crank, coupler, "REVOLUTE"),
        joint("c", (2, 0, 1), coupler, rocker, "REVOLUTE"),
        joint("d", (2, 0, -0.5), ground, rocker, "REVOLUTE"),
    ]
    for pin in pins:
        pin.rotation_euler.x = 0.5 * math.pi
    crank.ves.angular_velocity = (0, 2, 0)


def sprung_hinges() -> None:
    """A spring, a damper and limits that are met, whole turns, and a servo that is keyed."""
    rod = body("rod", (0.5, 0, 0), (0.9, 0.1, 0.1))
    hinge = joint("hinge", (0, 0, 0), None, rod, "REVOLUTE")
    hinge.rotation_euler.x = 0.5 * math.pi
    hinge.ves.stiffness[0], hinge.ves.rest[0], hinge.ves.damping[0] = 80.0, -0.4, 0.3
    hinge.ves.use_upper_limit[0], hinge.ves.upper_limit[0], hinge.ves.bounciness[0] = True, 0.6, 0.5
    wheel = body("wheel", (3, 0, 0), (0.5, 0.5, 0.1))
    axle = joint("axle", (3, 0, 0), None, wheel, "REVOLUTE")
    axle.ves.use_speeds, axle.ves.speeds[0] = True, 21.0
    axle.ves.stiffness[0] = 2.0
    arm = body("arm", (6.5, 0, 0), (0.9, 0.1, 0.1))
    servo = joint("servo", (6, 0, 0), None, arm, "REVOLUTE")
    servo.ves.motor_mode = "POSITION"
    servo.ves.motor_stiffness[0], servo.ves.motor_damping[0] = 400.0, 40.0
    for frame, angle in ((1, 0.0), (33, 2.0)):
        servo.ves.motor_target[0] = angle
        servo.keyframe_insert("ves.motor_target", index=0, frame=frame)


def other_joints() -> None:
    """With a spring in every coordinate."""
    for i, kind in enumerate(("PRISMATIC", "CYLINDRICAL", "UNIVERSAL", "PLANAR", "SCREW")):
        block = body(f"block {kind}", (3.0 * i + 0.4, 0.2, 0.1), (0.8, 0.5, 0.3))
        tie = joint(f"{kind}", (3.0 * i, 0, 0), None, block, kind)
        tie.rotation_euler = (0.3, 0.2, 0.1)
        tie.ves.stiffness, tie.ves.damping = (400.0, 500.0, 600.0), (3.0, 2.0, 1.0)
        tie.ves.rest, tie.ves.rest_travel = (0.3, -0.2, 0.4), (0.1, -0.05, 0.0)
        tie.ves.pitch = 0.2


def ties_and_forces() -> None:
    """A rod, a rope, a nail, springs as long as they are drawn, gears, a brake that turns along."""
    left = body("left", (-1, 0, 0), (0.3, 0.3, 0.3))
    right = body("right", (1, 0, 0.4), (0.4, 0.4, 0.4))
    right.ves.linear_velocity = (0, 1.0, 0)
    rod = part("rod", "DISTANCE", (-1, 0, 0.15))
    rod.ves.body_a, rod.ves.body_b = left, right
    rod.ves.anchor_b = end = part("rod end", "NONE", (0.8, 0, 0.4))
    end.parent, end.matrix_parent_inverse = right, right.matrix_world.inverted()
    nail = part("nail", "NAIL", (-1, 0, 0.15))
    nail.ves.body_a = left
    spring = part("spring", "FORCE", (1.1, 0, 0.4))
    spring.ves.force_type, spring.ves.body_a, spring.ves.body_b = "SPRING", right, left
    spring.ves.spring_stiffness, spring.ves.spring_damping = 60.0, 1.0
    swing = body("swing", (5, 0, 0), (0.2, 0.2, 0.2))
    tied = force("tied", "SPRING", swing, to_world=True, point_b=(5, 0, 1), spring_stiffness=300.0)
    tied.location.z += 0.05
    wheels = [body(f"wheel {i}", (8 + i, 0, 0), (0.5, 0.5, 0.2)) for i in range(2)]
    axles = [joint(f"axle {i}", (8 + i, 0, 0), None, wheel, "REVOLUTE") for i, wheel in enumerate(wheels)]
    gear = part("gear", "GEAR")
    gear.ves.joint_a, gear.ves.joint_b, gear.ves.gear_ratio = *axles, -0.5
    axles[0].ves.motor_mode, axles[0].ves.motor_value = "FORCE", (20.0, 0, 0)
    jet = force("jet", "MOTOR", wheels[1], force=(4.0, 0, 0))
    jet.location = (9.2, 0, 0)


def things_that_touch() -> None:
    scene = bpy.context.scene
    scene.ves.use_contact = True
    for i in range(2):
        block = body(f"block {i}", (0, 2.0 * i, 0.25 + 0.4 * i), (0.5, 0.5, 0.5))
        block.ves.linear_velocity = (2.0, 0, 0)
        block.ves.contact_restitution = 0.5


def dragged_cans() -> None:
    car_with_cans(2, LAST)


SCENES = [swinging_chain, four_bar, sprung_hinges, other_joints, ties_and_forces, things_that_touch, dragged_cans]
GROWN = {"swinging_chain": 1e-5, "dragged_cans": 1e-5}
"""How far single precision's rounding grows until the end, where that is more; and of a keyed body's speed where its
keys begin."""


def bodies() -> list[bpy.types.Object]:
    return [ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY" and ob.ves.motion == "DYNAMIC"]


def motion(first: int) -> dict[str, np.ndarray]:
    return {ob.name: world_matrices(ob, range(first, LAST + 1)) for ob in bodies()}


def earlier_frames() -> dict[str, np.ndarray]:
    frames = [1, 1.5, *range(2, MIDDLE), MIDDLE - 0.5]
    return {ob.name: world_matrices(ob, frames) for ob in bodies()}


def joint_numbers(first: int) -> dict[str, np.ndarray]:
    scene, found = bpy.context.scene, {}
    for ob in scene.objects:
        record = record_of(ob, scene) if ob.ves.role == "JOINT" else None
        if record is not None:
            found[ob.name] = record["coordinates"][first - record.first :]
    return found


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_what_is_baked_from_there_is_what_went_on(make):
    scene = bpy.context.scene
    make()
    scene.frame_start, scene.frame_end, scene.ves.accuracy = FIRST, LAST, "PRECISE"
    bpy.context.view_layer.update()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    wanted, numbers, before = motion(MIDDLE), joint_numbers(MIDDLE), earlier_frames()
    scene.frame_set(MIDDLE)
    assert bpy.ops.ves.start_from_frame() == {"FINISHED"}
    assert (scene.ves.frame_source, scene.ves.frame_start, scene.ves.frame_end) == ("CUSTOM", MIDDLE, LAST)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    tolerance = GROWN.get(make.__name__, 1e-6)
    for name, matrices in motion(MIDDLE).items():
        size = max(1.0, np.abs(wanted[name]).max())
        np.testing.assert_allclose(matrices, wanted[name], atol=tolerance * size, err_msg=name)
    for name, values in joint_numbers(MIDDLE).items():
        np.testing.assert_allclose(values, numbers[name], atol=2.0 * tolerance, err_msg=name)
    for name, matrices in earlier_frames().items():
        np.testing.assert_allclose(matrices[:-1], before[name][:-1], atol=1e-7, err_msg=name)
        np.testing.assert_allclose(matrices[-1], before[name][-1], atol=1e-4, err_msg=name)  # within the last one
    assert state_of(scene).text == f"Baked, frames {FIRST} to {LAST}"
    found = [finding.text for finding in scene.ves.findings]
    assert [text for text in found if "redundant" not in text] == []


@pytest.mark.parametrize("frame", [1, 33])
def test_it_may_be_the_first_frame_or_the_last_one(frame):
    """After the last one the range is as long as it was."""
    scene = bpy.context.scene
    rods = chain(2, LAST)
    bpy.ops.ves.bake()
    wanted = {rod.name: world_matrices(rod, [frame])[0] for rod in rods}
    scene.frame_set(frame)
    assert bpy.ops.ves.start_from_frame() == {"FINISHED"}
    assert frame_range(scene) == ((1, 33) if frame == 1 else (33, 65))
    bpy.ops.ves.bake()
    for rod in rods:
        np.testing.assert_allclose(world_matrices(rod, [frame])[0], wanted[rod.name], atol=1e-6)


def test_the_bake_stays_until_the_next_one_and_undo_brings_back_the_start():
    rods = chain(2, LAST)
    bpy.ops.ves.bake()
    before = world_matrices(rods[1], range(1, 34))
    bpy.context.scene.frame_set(MIDDLE)
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ves.start_from_frame()
    np.testing.assert_array_equal(world_matrices(rods[1], range(1, 34)), before)
    bpy.ops.ves.clear_bake()
    np.testing.assert_allclose(rods[1].matrix_world, before[MIDDLE - 1], atol=1e-6)
    bpy.ops.ed.undo_push(message="cleared")
    bpy.ops.ed.undo()
    rod = bpy.context.scene.objects["rod 1"]
    assert rod.ves.is_baked
    assert tuple(rod.ves.linear_velocity) == (0, 0, 0)
    bpy.ops.ves.clear_bake()
    np.testing.assert_array_equal(rod.matrix_world.translation, (1.5, 0, 0))


def between_frames() -> None:
    bpy.context.scene.frame_set(5, subframe=0.5)


def outside() -> None:
    bpy.context.scene.frame_set(50)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda: bpy.ops.ves.clear_bake(), "nothing is baked yet"),
        (
            lambda: setattr(bpy.context.scene.objects["rod 0"].ves, "density", 700.0),
            "rod 0: settings: bake again first",
        ),
        (between_frames, "frame 5.5 is between two frames"),
        (outside, "frame 50 is outside the bake: go to one of 1 to 24"),
    ],
)
def test_what_can_not_be_a_start_is_refused_and_nothing_changes(spoil, said, capfd):
    rods = chain(2)
    bpy.ops.ves.bake()
    spoil()
    before = scene_state()
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.ves.start_from_frame()
    assert scene_state() == before
    assert not any(rods[0].ves.linear_velocity)


def test_keys_constraints_and_parents_do_not_hold_the_new_start_back():
    """A body with keys of its own gets one, a constraint is muted, and says so, and a parent carries as before."""
    scene = bpy.context.scene
    rods = chain(3, LAST)
    rods[0].keyframe_insert("location", frame=1)
    rods[1].constraints.new("LIMIT_LOCATION").use_min_z = True
    rods[2].parent = rods[1]
    rods[2].matrix_parent_inverse = rods[1].matrix_world.inverted()
    rods[2].rotation_mode = "QUATERNION"
    bpy.ops.ves.bake()
    wanted = [world_matrices(rod, [MIDDLE, LAST]) for rod in rods]
    scene.frame_set(MIDDLE)
    bpy.ops.ves.start_from_frame()
    assert [finding.text for finding in scene.ves.findings] == [
        "rod 1: its constraints (Limit Location) are muted: they would win over the new start"
    ]
    bpy.ops.ves.bake()
    for rod, matrices in zip(rods, wanted, strict=True):
        np.testing.assert_allclose(world_matrices(rod, [MIDDLE, LAST]), matrices, atol=1e-5)
    bpy.ops.ves.clear_bake()
    scene.frame_set(MIDDLE)
    np.testing.assert_allclose([rod.matrix_world for rod in rods], [each[0] for each in wanted], atol=1e-5)


def test_plots_tables_and_impacts_run_through():
    """What a bake that goes on has recorded begins where the first one did."""
    scene = bpy.context.scene
    things_that_touch()
    scene.frame_start, scene.frame_end = FIRST, LAST
    bpy.ops.ves.bake()
    block, times = scene.objects["block 1"], list(scene.ves["ves_recorded"]["values"]["impact_time"])
    speed = record_of(block, scene)["velocity"]
    assert len(times) > 1
    scene.frame_set(MIDDLE)
    bpy.ops.ves.start_from_frame()
    bpy.ops.ves.bake()
    record = record_of(block, scene)
    assert (record.first, record.frames) == (FIRST, LAST)
    np.testing.assert_allclose(record["velocity"], speed, atol=1e-4)
    again = list(scene.ves["ves_recorded"]["values"]["impact_time"])
    np.testing.assert_allclose(again[: len(times)], times, atol=1e-3)
    assert set(scene.ves["ves_recorded"]["values"]["impact_objects"].values()) <= {block, scene.objects["block 0"]}
