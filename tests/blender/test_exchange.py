# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanism files out of a scene and into one."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from virtual_erector_set import solver
from virtual_erector_set.scene.parts.feet import set_feet
from virtual_erector_set.scene.properties import force_types

from tests.blender.exchanging import assert_same, export, there_and_back
from tests.blender.linkages import body, car_with_cans, chain, joint, part, world_matrices
from tests.blender.making import reports

FORCE_TYPES = [item[0] for item in force_types.FORCE_TYPES]
REFERENCE = Path(__file__).resolve().parents[1] / "reference"


def test_the_exported_file_moves_as_the_bake_does(tmp_path):
    car, cans = car_with_cans(2, 24)
    path = tmp_path / "car.json"
    export(path)
    recording = solver.simulate(solver.Mechanism.load(path), 23 / 24, 24.0)
    bpy.ops.ves.bake()
    for can in cans:
        i = list(recording.body_names).index(can.name)
        shown = world_matrices(can, range(1, 25))[:, :3, 3]
        np.testing.assert_allclose(shown, recording.position[:, i], atol=1e-5)
    assert car.animation_data.action.name == "carAction"


def test_export_changes_nothing_in_the_scene(tmp_path):
    chain(2)
    bpy.ops.ves.bake()
    bpy.context.scene.frame_set(9)
    action = bpy.data.objects["rod 0"].animation_data.action
    export(tmp_path / "chain.json")
    assert bpy.context.scene.frame_current == 9
    assert bpy.data.objects["rod 0"].animation_data.action == action


def test_there_and_back_again_is_the_same_mechanism(tmp_path):
    """Every kind of thing that a scene can hold, exported, imported into an empty file and exported again."""
    car_with_cans(2, 12)
    for i, kind in enumerate(["REVOLUTE", "PRISMATIC", "SCREW", "CYLINDRICAL", "UNIVERSAL", "PLANAR", "FIXED"]):
        arm = body(f"arm {kind}", (i, 5, 1), (0.3, 0.5, 0.8))
        arm.rotation_euler = (0.3 * i, 0.1, 0.2)
        arm.ves.angular_velocity = (0.1, 0.2, 0.3)
        hinge = part(f"joint {kind}", "JOINT", (i, 5, 0))
        hinge.rotation_euler = (0.2, 0.3 * i, 0.1)
        settings = hinge.ves
        settings.joint_type, settings.body_b, settings.to_world = kind, arm, True
        settings.pitch, settings.stiffness, settings.damping = 0.25, (1, 2, 3), (0.1, 0.2, 0.3)
        settings.rest, settings.rest_travel = (0.5, 0.25, 0.125), (0.05, 0.06, 0.07)
        settings.friction, settings.armature = (0.4, 0.5, 0.6), (0.7, 0.8, 0.9)
        settings.bounciness = (0.25, 0.5, 0.75)
        settings.use_lower_limit, settings.use_upper_limit = (True, False, True), (i % 2 == 0, True, False)
        settings.lower_limit, settings.lower_limit_travel = (-1, -2, -3), (-4, -5, -6)
        settings.motor_mode = ("NONE", "FORCE", "POSITION", "SPEED")[i % 4]
        settings.motor_value, settings.motor_stiffness, settings.motor_max_force = (1, 2, 3), (4, 5, 6), (40, 50, 60)
        settings.motor_speed, settings.motor_speed_travel = (7, 8, 9), (0.7, 0.8, 0.9)
        settings.use_motor_max_force = i % 3 > 0
    slider = bpy.data.objects["joint SCREW"].ves
    for frame, angle in ((1, 0.0), (12, 1.0)):
        slider.motor_target[0] = angle
        slider.keyframe_insert("motor_target", index=0, frame=frame)
    for kind in FORCE_TYPES:
        force = part(f"force {kind}", "FORCE", (0, 5, 1))
        force.ves.force_type, force.ves.body_a, force.ves.to_world = kind, bpy.data.objects["arm REVOLUTE"], True
        force.ves.force = (1, 2, 3)
    knee = part("knee", "JOINT", (0, 5, -0.5))
    knee.ves.body_a, knee.ves.body_b = bpy.data.objects["arm REVOLUTE"], body("foot", (0, 5, -1), (0.3, 0.5, 0.1))
    set_feet(bpy.data.objects["force BALANCE"].ves, [knee.ves.body_b])
    bpy.data.objects["force STEERING"].ves.body_b = knee.ves.body_b
    bpy.data.objects["force REACH"].ves.reach_target = part("hand's target", "NONE", (1, 5, 1))
    first, second = there_and_back(tmp_path, frame_end=12)
    for mechanism in (first, second):
        for key in ("bodies", "joints", "forces"):
            mechanism[key].sort(key=lambda item: item["name"])
    assert_same(first, second)


def test_constraints_there_and_back_again(tmp_path):
    arm, hand = body("arm", (0, 0, 0), (1, 0.2, 0.2)), body("hand", (2, 0, 0), (1, 0.2, 0.2))
    leader = part("leader", "NONE", (2, 1, 0))
    leader.rotation_mode = "QUATERNION"
    for frame, z, turn in ((1, 0.0, (1, 0, 0, 0)), (12, 2.0, (0.8, 0.6, 0, 0))):
        leader.location.z, leader.rotation_quaternion = z, turn
        leader.keyframe_insert("location", frame=frame)
        leader.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_end = 12
    wires = [spiral("open wire", False), spiral("ring", True)]
    for role, place in (("NAIL", (0.5, 0, 0)), ("ORIENTATION", (0, 0, 0)), ("PATH", (2, 1, 0))):
        part(role, role, place).ves.body_a = hand if role == "PATH" else arm
    path = bpy.data.objects["PATH"].ves
    path.path_object, path.path_orientation = leader, True
    for wire in wires:
        bead = part(f"bead on {wire.name}", "BEAD", wire.matrix_world @ wire.data.splines[0].bezier_points[1].co)
        bead.ves.body_a, bead.ves.path_curve = arm, wire
    for role, other in (("POINT_TO_POINT", hand), ("DISTANCE", hand), ("DISTANCE", None)):
        tie = part(f"{role} {other}", role, (1, 0, 0))
        tie.ves.body_a, tie.ves.body_b, tie.ves.to_world = arm, other, other is None
        if role == "DISTANCE":
            tie.ves.anchor_b = part("end", "NONE", (1, 0, 1))
            tie.ves.use_distance = other is None
    wheel_on_hand = part("wheel on hand", "NONE", (2, 0, 3))
    wheel_on_hand.parent, wheel_on_hand.matrix_parent_inverse = hand, hand.matrix_world.inverted()
    for place, kind in enumerate(("REVOLUTE", "PRISMATIC", "SCREW")):
        turned = body(f"wheel {kind}", (place, 3, 0), (0.2, 0.2, 0.2))
        joint(f"axle {kind}", (place, 3, 0), None, turned, kind)
    for role, other in (("GEAR", "SCREW"), ("RACK", "PRISMATIC")):
        coupling = part(role, role).ves
        coupling.joint_a, coupling.joint_b = bpy.data.objects["axle REVOLUTE"], bpy.data.objects[f"axle {other}"]
        coupling.gear_ratio, coupling.pinion_radius = -0.375, 0.0625
        coupling.backlash, coupling.backlash_travel, coupling.tooth_bounciness = 0.125, 0.03125, 0.25
    rope = part("PULLEY", "PULLEY", (0, 0, 0)).ves
    rope.body_a, rope.body_b, rope.rope_ratio, rope.anchor_b = arm, turned, 2.0, part("rope end", "NONE", (2, 3, 0))
    rope.wheel_a, rope.wheel_b = wheel_on_hand, part("wheel in the world", "NONE", (2, 3, 2))
    winch = part("ROPE", "ROPE", (0, 0, 0)).ves
    winch.body_a, winch.to_world, winch.anchor_b = arm, True, part("winch end", "NONE", (0, 4, 2))
    winch.rope_points.add().object, winch.rope_points.add().object = part("eye", "NONE", (0, 4, 4)), wheel_on_hand
    winch.rope_points[1].friction, winch.rope_points[1].turns = 0.25, 1.5
    winch.drum_b, winch.drum_radius_b = bpy.data.objects["axle REVOLUTE"], -0.125
    first, second = there_and_back(tmp_path, frame_end=12)
    assert len(first["constraints"]) == 12
    first, second = (sorted(one["constraints"], key=lambda item: item["name"]) for one in (first, second))
    for one, other in zip(first, second, strict=True):
        if "closed" in one:
            apart = distance_to_polyline(np.array(one.pop("points")), np.array(other.pop("points")), one["closed"])
            assert apart < 1e-4, "of a wire 14 m long, of which a polyline cuts the bends"
        assert_same(one, other, one["name"])


def spiral(name: str, is_closed: bool) -> bpy.types.Object:
    """A Bezier curve whose bends are not in one plane."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(4)
    for i, knot in enumerate(spline.bezier_points):
        knot.co = (2 * np.cos(1.2 * i), 2 * np.sin(1.2 * i), 0.3 * i)
        knot.handle_left_type = knot.handle_right_type = "AUTO"
    spline.use_cyclic_u = is_closed
    wire = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(wire)
    bpy.context.view_layer.update()
    return wire


def distance_to_polyline(points: np.ndarray, corners: np.ndarray, is_closed: bool) -> float:
    """The largest distance from one of the points to the line through the corners."""
    a, b = (corners, np.roll(corners, -1, axis=0)) if is_closed else (corners[:-1], corners[1:])
    along = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
    share = np.einsum("pij,ij->pi", points[:, None] - a, along)
    share = np.clip(share, 0.0, np.linalg.norm(b - a, axis=1))
    return float(np.linalg.norm(a + share[..., None] * along - points[:, None], axis=2).min(axis=1).max())


@pytest.mark.parametrize(
    "name", ["chain_100", "keyed_base", "position_motor", "initial_coordinates", "four_bar", "three_bar_a"]
)
def test_a_reference_mechanism_imports_bakes_and_moves_as_the_reference(name):
    data = np.load(REFERENCE / f"{name}.npz")
    scene = bpy.context.scene
    frame_rate = 1.0 / (data["times"][1] - data["times"][0])
    frames = min(len(data["times"]), 25)
    scene.render.fps, scene.render.fps_base = round(frame_rate), round(frame_rate) / frame_rate
    scene.frame_start, scene.frame_end = 1, frames
    assert bpy.ops.ves.import_mechanism(filepath=str(REFERENCE / f"{name}.json")) == {"FINISHED"}
    bpy.ops.ves.bake()
    scene.frame_set(frames)
    for i, body_name in enumerate(data["body_names"]):
        shown = bpy.data.objects[str(body_name)].matrix_world.translation
        np.testing.assert_allclose(shown, data["position"][frames - 1, i], atol=2e-3, err_msg=str(body_name))


def test_what_a_scene_has_no_place_for_is_said(tmp_path, capfd):
    path = tmp_path / "spring.json"
    moved = {"times": [0, 1], "values": [0, 1]}
    path.write_text(
        json.dumps(
            {
                "format": "ves-mechanism",
                "version": 1,
                "bodies": [{"name": "b", "mass": 1, "inertia": [1, 1, 1]}],
                "forces": [
                    {
                        "name": "s",
                        "type": "spring",
                        "body_a": "b",
                        "point_a": [0, 0, 0],
                        "point_b": [moved, 0, 1],
                        "stiffness": 1,
                        "rest_length": 1,
                    }
                ],
                "constraints": [{"name": "pin", "type": "nail", "body": "b", "point": [0, 0, 1]}],
            }
        )
    )
    bpy.ops.ves.import_mechanism(filepath=str(path))
    assert "Left out, since a scene has no place for it yet: the motion of the second end of 's'" in reports(capfd)
    assert bpy.data.objects["pin"].ves.role == "NAIL"


def test_wrong_files_are_refused_and_leave_nothing(tmp_path):
    path = tmp_path / "wrong.json"
    path.write_text('{"format": "ves-mechanism", "version": 1, "bodies": [{"name": "b", "mass": -1}]}')
    with pytest.raises(RuntimeError, match="mass"):
        bpy.ops.ves.import_mechanism(filepath=str(path))
    with pytest.raises(RuntimeError):
        bpy.ops.ves.import_mechanism(filepath=str(tmp_path / "missing.json"))
    assert len(bpy.data.objects) == 0


def test_a_wrong_scene_is_not_exported(tmp_path):
    body("sheet").data.clear_geometry()
    with pytest.raises(RuntimeError, match="sheet"):
        bpy.ops.ves.export_mechanism(filepath=str(tmp_path / "out.json"))
    assert not (tmp_path / "out.json").exists()
