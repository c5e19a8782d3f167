# SPDX-License-Identifier: GPL-3.0-or-later
"""What is keyed and obeyed: joints that are keyed exactly, springs of joints, lengths of rods, gravity of the scene."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from virtual_erector_set.panels.joint import VES_PT_joint_start
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.read.fingerprint import of_scene
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time
from virtual_erector_set.solver.mechanism import Mechanism, Table
from virtual_erector_set.solver.mechanism.keyed_motion import sample_led

from tests.blender.exchanging import assert_same, there_and_back
from tests.blender.inspecting import frames, shown_by, swinging_bar, values
from tests.blender.linkages import body, joint, part, world_matrices
from tests.blender.making import select

G = 9.81


def read() -> Mechanism:
    return run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism


def key(owner: bpy.types.Object, name: str, *keys: tuple[float, float]) -> None:
    """Keys (frame, value) of the first number of a setting."""
    for frame, value in keys:
        setting = getattr(owner.ves, name)
        if hasattr(setting, "__len__"):
            setting[0] = value
        else:
            setattr(owner.ves, name, value)
        owner.ves.keyframe_insert(name, index=0 if hasattr(setting, "__len__") else -1, frame=frame)
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)


def keyed_bar() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A level bar that is keyed to swing; its angle begins at 0.2."""
    bar, hinge = swinging_bar()
    hinge.ves.motor_mode = "KEYED"
    key(hinge, "motor_target", (1, 0.2), (9, 0.9), (16, -0.4), (24, 0.3))
    return bar, hinge


def angles(bar: bpy.types.Object, at: list[float]) -> np.ndarray:
    """rad: by which the bar is turned about Y."""
    matrices = world_matrices(bar, at)
    return np.arctan2(-matrices[:, 2, 0], matrices[:, 0, 0])


def test_a_baked_bar_has_the_angle_that_is_keyed():
    bar, hinge = keyed_bar()
    curve = hinge.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    at = [float(frame) for frame in range(1, 25)]
    np.testing.assert_allclose(angles(bar, at), [curve.evaluate(frame) for frame in at], atol=1e-6)
    between = [frame + 0.5 for frame in range(1, 24)]
    np.testing.assert_allclose(angles(bar, between), [curve.evaluate(frame) for frame in between], atol=2e-4)


def test_inspect_shows_the_torque_that_it_takes():
    """m (l² + h²) / 12 + m l² / 4 of the bar, its weight at half of its length, and the damper."""
    _, hinge = keyed_bar()
    table = read().joints[0].motor.target[0]
    bpy.ops.ves.bake()
    q, rate, second = sample_led(table, np.arange(24) / 24.0)
    found = values(hinge)
    np.testing.assert_allclose(np.radians(found["Angle"][:, 0]), q, atol=1e-6)
    np.testing.assert_allclose(np.radians(found["Angle Speed"][:, 0]), rate, atol=1e-5)
    inertia = 3.0 * ((1.0 + 0.01) / 12.0 + 0.25)
    torque = inertia * second - 3.0 * G * 0.5 * np.cos(q)
    np.testing.assert_allclose(found["Drive Torque"][:, 0], torque, rtol=1e-5, atol=1e-4)


def test_start_is_where_it_is_keyed_and_the_panel_says_so():
    bar, hinge = keyed_bar()
    hinge.ves.coordinates[0] = 1.0  # of another mode
    assert read().joints[0].start_coordinates == pytest.approx((0.2,))
    select(hinge)
    assert "Where its motor is keyed" in shown_by(VES_PT_joint_start)
    assert bar


def test_a_ball_is_refused_by_name():
    bar, hinge = keyed_bar()
    hinge.ves.joint_type = "SPHERICAL"
    with pytest.raises(SceneError, match="hinge: is a Ball, which has no angle that could be keyed exactly"):
        read()
    assert bar


def test_keys_past_a_limit_are_refused_by_name():
    _, hinge = keyed_bar()
    hinge.ves.use_upper_limit[0], hinge.ves.upper_limit[0] = True, 0.5
    with pytest.raises(RuntimeError, match=r"hinge: motor\.mode leads past a limit"):
        bpy.ops.ves.bake()


def test_snap_together_moves_the_zero_and_the_keys_along():
    """The bar, torn off its hinge, is put where it is keyed now; the same motion is baked as before."""
    bar, hinge = keyed_bar()
    bpy.ops.ves.bake()
    before = angles(bar, list(range(1, 25)))
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    mark = part("mark", "NONE", (0, 0, 0))
    bar.location.z += 0.3
    mark.location.z += 0.3
    mark.parent, mark.matrix_parent_inverse = bar, bar.matrix_world.inverted()
    hinge.ves.anchor_b = mark
    bpy.context.view_layer.update()
    assert bpy.ops.ves.snap_together(mode="INSTANT") == {"FINISHED"}
    assert hinge.ves.motor_target[0] == pytest.approx(0.0, abs=1e-5)
    bpy.ops.ves.bake()
    np.testing.assert_allclose(angles(bar, list(range(1, 25))), before, atol=1e-5)


def test_springs_and_friction_of_a_joint_may_be_keyed():
    _, hinge = swinging_bar()
    for name in ("stiffness", "damping", "friction", "rest"):
        key(hinge, name, (1, 1.0), (24, 3.0))
    (found,) = read().joints
    for name in ("stiffness", "damping", "friction", "rest"):
        (table,) = getattr(found, name)
        assert isinstance(table, Table)
        assert (table.values[0], table.values[-1]) == (1.0, 3.0)
    assert bpy.ops.ves.bake() == {"FINISHED"}


def hanging_rod(length: float = 2.0) -> tuple[bpy.types.Object, bpy.types.Object]:
    block = body("block", (0, 0, 0), (0.2, 0.2, 0.2))
    rod = part("rod", "DISTANCE", (0, 0, 0))
    rod.ves.body_a, rod.ves.to_world = block, True
    rod.ves.anchor_b = part("hook", "NONE", (0, 0, length))
    rod.ves.use_distance, rod.ves.distance = True, length
    frames()
    return block, rod


def test_a_rod_is_as_long_as_it_is_keyed():
    block, rod = hanging_rod()
    key(rod, "distance", (1, 2.0), (12, 1.2), (24, 1.6))
    curve = rod.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    height = world_matrices(block, range(1, 25))[:, 2, 3]
    np.testing.assert_allclose(2.0 - height, [curve.evaluate(frame) for frame in range(1, 25)], atol=2e-6)


def test_keyed_gravity_of_the_scene_is_obeyed_and_watched():
    stone = body("stone", (0, 0, 0))
    frames(1, 48)
    scene = bpy.context.scene
    for frame, pull in ((1, 0.0), (13, 0.0), (14, -G)):
        scene.gravity[2] = pull
        scene.keyframe_insert("gravity", index=2, frame=frame)
    for curve in scene.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    scene.frame_set(1)
    before = of_scene(scene)
    scene.frame_set(30)
    assert of_scene(scene) == before, "the keys count, and not the present value"
    assert bpy.ops.ves.bake() == {"FINISHED"}
    height = world_matrices(stone, [1, 12, 48])[:, 2, 3]
    ramp, rest = 1 / 24.0, 34 / 24.0  # s: gravity grows evenly, then it is all there
    speed, fallen = -0.5 * G * ramp, -G * ramp**2 / 6.0
    np.testing.assert_allclose(height, [0.0, 0.0, fallen + speed * rest - 0.5 * G * rest**2], atol=1e-5)
    scene.keyframe_insert("gravity", index=2, frame=20)
    assert of_scene(scene) != before


def test_keyed_things_there_and_back_again(tmp_path: Path):
    _, hinge = keyed_bar()
    key(hinge, "stiffness", (1, 1.0), (24, 3.0))
    block, rod = hanging_rod()
    key(rod, "distance", (1, 2.0), (24, 1.6))
    scene = bpy.context.scene
    for frame, pull in ((1, 0.0), (24, -G)):
        scene.gravity[2] = pull
        scene.keyframe_insert("gravity", index=2, frame=frame)
    first, second = there_and_back(tmp_path, frame_end=24)
    assert first["joints"][0]["motor"]["mode"] == "keyed"
    assert isinstance(first["gravity"][2], dict)
    assert_same(first, second)
    assert block


def test_a_driver_that_reads_what_is_simulated_is_refused_by_name():
    bar, hinge = swinging_bar()
    driver = hinge.driver_add("ves.damping", 0).driver
    variable = driver.variables.new()
    variable.type, variable.targets[0].id, variable.targets[0].transform_type = "TRANSFORMS", bar, "LOC_Z"
    driver.expression = variable.name
    for look in (read, lambda: read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())):
        with pytest.raises(
            SceneError, match="hinge: has a driver on damping that reads bar, which the simulation moves"
        ):
            look()
    bar.ves.motion = "KEYED"
    mover = joint("mover", (3, 0, 0), None, body("other", (3.5, 0, 0)), "REVOLUTE")
    hinge.ves.enabled = False
    mover.ves.damping[0] = 1.0
    read()
