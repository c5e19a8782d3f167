# SPDX-License-Identifier: GPL-3.0-or-later
"""A rider who steers, in a scene: made by one button, read, told what is wrong with, keyed, exported and opened."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.read.scene import read_mechanism

from tests.blender.making import box, empty, reports, select

TILT = 0.3  # rad: the steering axis leans back
RADIUS, WHEELBASE = 0.35, 1.1


def bicycle(heading: float = 0.0) -> bpy.types.Object:
    """Frame, fork and two wheels, upright on z = 0, going that way; presses Steering and returns the Empty."""
    made = {
        "Frame": box("Frame", (0.5, 0.0, 0.9), (0.8, 0.1, 0.6)),
        "Fork": box("Fork", (0.95, 0.0, 0.7), (0.1, 0.1, 0.8)),
        "Rear": box("Rear", (0.0, 0.0, RADIUS), (0.7, 0.05, 0.7)),
        "Front": box("Front", (WHEELBASE, 0.0, RADIUS), (0.7, 0.05, 0.7)),
    }
    select(*made.values())
    bpy.ops.ves.add_body()
    for a, b, place in (
        ("Frame", "Fork", (0.9, 0.0, 1.0)),
        ("Frame", "Rear", (0.0, 0.0, RADIUS)),
        ("Fork", "Front", (WHEELBASE, 0.0, RADIUS)),
    ):
        bpy.context.scene.cursor.location = place
        select(made[a], made[b])
        bpy.ops.ves.add_joint(type="REVOLUTE", location="CURSOR", axis="Z" if b == "Fork" else "Y")
        if b == "Fork":
            bpy.context.active_object.rotation_euler.y = -TILT
    if heading:
        turn = empty("Turn")
        bpy.context.view_layer.update()
        for ob in made.values():
            ob.parent = turn
        turn.rotation_euler.z = heading
    select(made["Frame"], made["Fork"])
    assert bpy.ops.ves.add_force(type="STEERING") == {"FINISHED"}
    return bpy.context.active_object


def read() -> tuple:
    """The mechanism's steering, and the words of all warnings."""
    bpy.context.view_layer.update()
    reading = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    (force,) = (each for each in reading.mechanism.forces if each.type == "steering")
    return force, "\n".join(map(str, reading.warnings))


@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_one_button_measures_the_bicycle(heading: float) -> None:
    rider = bicycle(heading)
    bpy.context.view_layer.update()
    axes = np.array(rider.matrix_world)[:3, :3]
    ahead = np.array([math.cos(heading), math.sin(heading), 0.0])
    assert axes[:, 2] == pytest.approx([*(-math.sin(TILT) * ahead[:2]), math.cos(TILT)], abs=1e-6)
    assert axes[:, 1] == pytest.approx(np.cross([0.0, 0.0, 1.0], ahead), abs=1e-6)
    assert np.array(rider.matrix_world)[2, 3] == pytest.approx(1.0)
    settings = rider.ves
    assert (settings.body_a.name, settings.body_b.name) == ("Frame", "Fork")
    assert settings.wheelbase == pytest.approx(WHEELBASE, rel=0.02)
    assert 0.35 < settings.center_height < 0.9
    mass = sum(bpy.data.objects[name].ves.density * v for name, v in (("Frame", 0.048), ("Fork", 0.008)))
    mass += sum(bpy.data.objects[name].ves.density * 0.0245 for name in ("Rear", "Front"))
    assert settings.arm_stiffness == pytest.approx(0.1 * mass * 9.81 * WHEELBASE, rel=0.1)
    force, _ = read()
    assert (force.body, force.fork) == ("Frame", "Fork")
    assert force.orientation == pytest.approx(tuple(rider.matrix_world.to_quaternion()), abs=1e-6)
    assert (force.heading, force.target, force.max_torque) == (None, None, None)


def test_without_a_fork_the_button_and_check_say_so(capfd: pytest.CaptureFixture) -> None:
    select(box("Frame"))
    bpy.ops.ves.add_body()
    assert bpy.ops.ves.add_force(type="STEERING") == {"FINISHED"}
    assert "has no fork on a joint yet" in reports(capfd)
    with pytest.raises(SceneError, match="has no fork: choose the body that it turns"):
        read()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: setattr(s, "body_b", None), "has no fork"),
        (lambda s: setattr(s, "body_b", s.body_a), "turns Frame in itself"),
        (lambda s: setattr(s, "way", "TARGET"), "has no target"),
    ],
)
def test_what_is_missing_is_named(change, words: str) -> None:
    change(bicycle().ves)
    with pytest.raises(SceneError, match=words):
        read()


def test_a_target_on_a_body_that_moves_is_refused() -> None:
    rider = bicycle()
    rider.ves.way, rider.ves.ride_target = "TARGET", bpy.data.objects["Front"]
    with pytest.raises(SceneError, match="follows Front"):
        read()


def exported(path: Path):
    from virtual_erector_set.solver import Mechanism

    assert bpy.ops.ves.export_mechanism(filepath=str(path)) == {"FINISHED"}
    (force,) = (each for each in Mechanism.load(path).forces if each.type == "steering")
    return force


def test_keys_of_its_numbers_and_of_its_target_become_tables_and_come_back(tmp_path: Path) -> None:
    rider, lead = bicycle(), empty("Lead")
    bpy.context.scene.frame_end = 25
    rider.ves.way, rider.ves.use_arm_max_torque = "HEADING", True
    for frame, angle in ((1, 0.0), (25, 0.8)):
        rider.ves.heading = angle
        rider.keyframe_insert("ves.heading", frame=frame)
    force = exported(tmp_path / "heading.json")
    assert force.heading.values[-1] == pytest.approx(0.8)
    assert force.max_torque == pytest.approx(rider.ves.arm_max_torque)
    rider.ves.way, rider.ves.ride_target = "TARGET", lead
    for frame, x in ((1, 3.0), (25, 7.0)):
        lead.location = x, 1.0, 0.0
        lead.keyframe_insert("location", frame=frame)
    force = exported(tmp_path / "target.json")
    assert force.heading is None
    assert force.target[0].values[:: len(force.target[0].values) - 1] == pytest.approx((3.0, 7.0))
    assert force.target[1:] == pytest.approx((1.0, 0.0))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert bpy.ops.ves.import_mechanism(filepath=str(tmp_path / "target.json")) == {"FINISHED"}
    again = exported(tmp_path / "again.json")
    for name in ("frequency", "stiffness", "damping", "wheelbase", "center_height", "max_torque", "max_lean"):
        assert getattr(again, name) == pytest.approx(getattr(force, name), rel=1e-6), name
    assert again.orientation == pytest.approx(force.orientation, abs=1e-6)
    assert again.target[0].values[-1] == pytest.approx(7.0)
