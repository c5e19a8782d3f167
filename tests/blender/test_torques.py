# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Torques: an animated arm against the textbook, what is kept and plotted, motors that make the motion again."""

from __future__ import annotations

import csv

import bpy
import numpy as np
import pytest
from virtual_erector_set.panels.torques import VES_PT_torques
from virtual_erector_set.scene.drives.find import find_torques
from virtual_erector_set.scene.quantities.needed import KEY, peaks_of
from virtual_erector_set.scene.quantities.plots import PREFIX, plotted

from tests.blender.inspecting import frames, shown_by, values
from tests.blender.linkages import body, joint
from tests.blender.making import select
from tests.blender.test_panels import draw
from tests.truths import arms

LAST = 48
G = 9.81


def weighed(name: str, position, size, mass: float) -> bpy.types.Object:
    ob = body(name, position, size, "KEYED")
    ob.ves.mass_source, ob.ves.mass = "GIVEN", mass
    return ob


def hinge(name: str, x: float, parent, child) -> bpy.types.Object:
    made = joint(name, (x, 0, 0), parent, child, "REVOLUTE")
    made.rotation_euler.x = -0.5 * np.pi  # Z becomes Y
    return made


def angles(frame: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of both hinges, which turn downwards, their speeds and accelerations, (F, 2); at rest at the first frame."""
    t = (frame - 1.0) / 24.0
    w = np.pi * np.array([1.0, 1.5])
    a = np.array([0.4, -0.3])
    t = t[:, None]
    return a * (1.0 - np.cos(w * t)), a * w * np.sin(w * t), a * w**2 * np.cos(w * t)


def animated_arm() -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Two boxes of 0.6 and 0.5 m that turn about Y, animated by keys on both, the second one on its own."""
    frames(1, LAST)
    upper = weighed("upper", (0.3, 0, 0), (0.6, 0.1, 0.1), 2.0)
    lower = weighed("lower", (0.85, 0, 0), (0.5, 0.08, 0.08), 1.2)
    joints = [hinge("shoulder", 0.0, None, upper), hinge("elbow", 0.6, upper, lower)]
    fine = np.arange(1.0, LAST + 0.01, 0.5)
    q, _, _ = angles(fine)
    first, second = q[:, 0], q[:, 0] + q[:, 1]
    elbow = 0.6 * np.column_stack([np.cos(first), 0.0 * first, -np.sin(first)])
    for ob, angle, middle in (
        (upper, first, 0.5 * elbow),
        (lower, second, elbow + 0.25 * np.column_stack([np.cos(second), 0.0 * second, -np.sin(second)])),
    ):
        for frame, turn, place in zip(fine, angle, middle, strict=True):
            ob.location, ob.rotation_euler = place, (0.0, turn, 0.0)
            ob.keyframe_insert("location", frame=frame)
            ob.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    return [upper, lower], joints


def moment(mass: float, long: float, thick: float) -> float:
    return mass * (long**2 + thick**2) / 12.0


ARM = arms.Arm(0.6, 0.3, 0.25, 2.0, 1.2, moment(2.0, 0.6, 0.1), moment(1.2, 0.5, 0.08))


def textbook() -> np.ndarray:
    return -arms.torques(ARM, *(-each for each in angles(np.arange(1.0, LAST + 1.0))))


def found_torques(joints) -> np.ndarray:
    return np.hstack([values(each)["Needed Torque"] for each in joints])


def test_an_animated_arm_needs_the_torques_of_the_textbook():
    _, joints = animated_arm()
    assert bpy.ops.ves.find_torques() == {"FINISHED"}
    closed = textbook()
    off = np.abs(found_torques(joints) - closed)
    assert off[3:-3].max() < 2e-3 * np.abs(closed).max()  # poses of Blender are single precision
    speeds = angles(np.arange(1.0, LAST + 1.0))[1]
    power = np.hstack([values(each)["Needed Power"] for each in joints])
    assert np.abs(power - closed * speeds)[3:-3].max() < 4e-3 * np.abs(closed * speeds).max()
    (peak,) = peaks_of(joints[0])
    assert abs(peak.effort) == pytest.approx(np.abs(closed[:, 0]).max(), rel=2e-3)
    assert "Found torques of 2 joints, frames 1 to 48" in bpy.context.scene.ves.status
    assert len(bpy.context.scene.ves.findings) == 0


def test_motors_that_are_set_make_the_motion_again():
    bodies, joints = animated_arm()
    bpy.ops.ves.find_torques()
    assert bpy.ops.ves.set_motors() == {"FINISHED"}
    assert [ob.ves.motion for ob in bodies] == ["DYNAMIC", "DYNAMIC"]
    assert [each.ves.motor_mode for each in joints] == ["FORCE", "FORCE"]
    told = []
    for frame in (12, 24, 36, LAST):
        bpy.context.scene.frame_set(frame)
        told.append([np.array(ob.matrix_world) for ob in bodies])
    assert bpy.ops.ves.bake() == {"FINISHED"}
    for frame, poses in zip((12, 24, 36, LAST), told, strict=True):
        bpy.context.scene.frame_set(frame)
        for ob, pose in zip(bodies, poses, strict=True):
            assert np.abs(np.array(ob.matrix_world) - pose).max() < 1e-3, frame
    # a second press replaces the keys
    before = len(joints[0].animation_data.action.layers[0].strips[0].channelbags[0].fcurves)
    assert bpy.ops.ves.set_motors() == {"FINISHED"}
    assert len(joints[0].animation_data.action.layers[0].strips[0].channelbags[0].fcurves) == before


def test_only_motors_are_drives_and_what_is_unmet_is_named():
    _, joints = animated_arm()
    joints[0].ves.motor_mode = "FORCE"
    bpy.ops.ves.find_torques()
    assert "Needed Torque" not in values(joints[1])
    closed = textbook()
    unmet = values(joints[1])["Unmet Torque"][:, 0]
    assert np.abs(unmet - closed[:, 1])[3:-3].max() < 2e-3 * np.abs(closed).max()
    (finding,) = bpy.context.scene.ves.findings
    k = 1 + int(np.argmax(np.abs(unmet)))
    assert "elbow: its angle has no drive" in finding.text
    assert f"at frame {k}" in finding.text


def test_the_baked_motion_is_taken_as_shown():
    """A pendulum that swings freely, baked: its hinge needs nothing."""
    frames(1, 24)
    bar = body("bar", (0.5, 0, 0), (1, 0.1, 0.1))
    pivot = hinge("hinge", 0.0, None, bar)
    bpy.ops.ves.bake()
    bpy.context.scene.ves.torque_motion = "SHOWN"
    assert bpy.ops.ves.find_torques() == {"FINISHED"}
    found = values(pivot)
    weight = 0.5 * G * bar.ves.density * 0.01
    assert np.abs(found["Needed Torque"])[3:-3].max() < 0.02 * weight
    assert {"Drive Torque", "Needed Torque", "Needed Power"} <= set(found)  # both are shown, of the same frames


def test_they_are_plotted_and_go_again():
    _, joints = animated_arm()
    bpy.ops.ves.find_torques()
    select(joints[0])
    assert bpy.ops.ves.plot(quantity="Needed Torque") == {"FINISHED"}
    (name,) = plotted(joints[0])
    assert name == f"{PREFIX}Needed Torque (N m)"
    bpy.context.scene.frame_set(20)
    needed = values(joints[0])["Needed Torque"][19, 0]
    assert joints[0][name] == pytest.approx(needed, rel=1e-5)
    assert bpy.ops.ves.clear_torques() == {"FINISHED"}
    assert plotted(joints[0]) == []
    assert not any(KEY in ob.ves for ob in bpy.context.scene.objects)


def test_the_panel_lists_peaks_and_the_table_has_them(tmp_path):
    _, joints = animated_arm()
    assert ("operator", "ves.find_torques") in draw(VES_PT_torques)
    bpy.ops.ves.find_torques()
    labels = shown_by(VES_PT_torques)
    (peak,) = peaks_of(joints[0])
    assert labels[0] == "Frames 1 to 48, when they were found"
    assert labels[1:4] == ["shoulder", f"{peak.effort:.3g} N m", f"{max(peak.power, peak.braking):.3g} W"]
    path = tmp_path / "torques.csv"
    assert bpy.ops.ves.export_torques(filepath=str(path)) == {"FINISHED"}
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert [row[0] for row in rows] == ["elbow", "shoulder"]
    assert header[3] == "Largest"
    assert float(rows[1][3]) == pytest.approx(peak.effort)
    bpy.ops.ves.show_peak(joint="shoulder", frame=round(peak.frame))
    assert bpy.context.scene.frame_current == round(peak.frame)
    assert bpy.context.active_object == joints[0]


def test_a_body_that_hangs_on_nothing_says_what_carries_it():
    frames(1, 24)
    crate = weighed("crate", (0, 0, 0), (1, 1, 1), 5.0)
    lid = weighed("lid", (0, 0, 1), (1, 1, 0.1), 1.0)
    hinge("hinge", 0.0, crate, lid)
    for ob in (crate, lid):
        ob.keyframe_insert("location", frame=1)
        ob.location.x += 1.0
        ob.keyframe_insert("location", frame=24)
    bpy.ops.ves.find_torques()
    unmet = values(crate)["Unmet Force"]
    assert np.allclose(unmet[:, 2], 6.0 * G, rtol=1e-4)
    (finding,) = bpy.context.scene.ves.findings
    assert "crate: hangs on nothing" in finding.text


def test_what_cannot_be_taken_is_said():
    frames(1, 24)
    weighed("block", (0, 0, 0), (1, 1, 1), 2.0).keyframe_insert("location", frame=1)
    with pytest.raises(RuntimeError, match="there is no joint that could be driven"):
        bpy.ops.ves.find_torques()
    animated_arm()
    bpy.context.scene.ves.torque_drives = "SELECTED"
    select()
    with pytest.raises(RuntimeError, match="no joint that can move is selected"):
        bpy.ops.ves.find_torques()
    assert not bpy.ops.ves.set_motors.poll()


def test_a_damaged_record_is_dropped_and_said():
    from virtual_erector_set.scene.mending.mending import mend_all

    _, joints = animated_arm()
    bpy.ops.ves.find_torques()
    joints[0].ves[KEY]["frames"] = 7
    found = [str(each) for each in mend_all()]
    assert any("shoulder: the file is damaged: what Find Torques has found" in each for each in found)
    assert KEY not in joints[0].ves
    assert KEY in joints[1].ves


def test_what_only_falls_asks_for_keys():
    frames(1, 24)
    hinge("hinge", 0.0, None, body("bar", (0.5, 0, 0), (1, 0.1, 0.1)))
    with pytest.raises(RuntimeError, match="nothing is keyed that weighs something"):
        bpy.ops.ves.find_torques()


def between(name: str, start, end, motion: str) -> bpy.types.Object:
    """A bar in the plane of X and Z from one point to another one."""
    way = np.array(end, float) - np.array(start, float)
    ob = body(name, 0.5 * (np.array(start) + end), (np.linalg.norm(way), 0.1, 0.1), motion)
    ob.rotation_euler.y = -np.arctan2(way[2], way[0])
    return ob


def test_the_crank_of_a_loop_needs_what_inspect_tells_of_one_that_is_keyed_exactly():
    """Drawn in single precision, with all but the crank left to physics."""
    frames(1, LAST)
    crank = between("crank", (0, 0, 0), (0.3, 0, 0), "KEYED")
    coupler, rocker = (
        between("coupler", (0.3, 0, 0), (0.9, 0, 0.5), "DYNAMIC"),
        between("rocker", (0.8, 0, 0), (0.9, 0, 0.5), "DYNAMIC"),
    )
    pivot = hinge("pivot", 0.0, None, crank)
    hinge("pin", 0.3, crank, coupler)
    hinge("end", 0.9, coupler, rocker).location.z = 0.5
    hinge("ground", 0.8, None, rocker)
    turn = np.pi * (1.0 - np.cos(np.pi * np.arange(2 * LAST - 1) / (2.0 * LAST - 2.0)))
    for k, angle in enumerate(turn):
        frame = 1.0 + 0.5 * k
        crank.location, crank.rotation_euler = (0.15 * np.cos(angle), 0.0, -0.15 * np.sin(angle)), (0.0, angle, 0.0)
        crank.keyframe_insert("location", frame=frame)
        crank.keyframe_insert("rotation_euler", frame=frame)
        pivot.ves.motor_target[0] = angle
        pivot.keyframe_insert("ves.motor_target", index=0, frame=frame)
    pivot.ves.motor_mode = "KEYED"
    bpy.context.scene.frame_set(1)
    assert bpy.ops.ves.find_torques() == {"FINISHED"}
    needed = values(pivot)["Needed Torque"]
    assert not any("share" in finding.text for finding in bpy.context.scene.ves.findings)
    crank.ves.motion = "DYNAMIC"
    crank.animation_data_clear()
    crank.location, crank.rotation_euler = (0.15, 0.0, 0.0), (0.0, 0.0, 0.0)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    exact = values(pivot)["Drive Torque"]
    assert np.abs(needed - exact)[3:-3].max() < 5e-3 * np.abs(exact).max() > 0.1


def test_a_live_linkage_is_keyed_first():
    """It moves by its drives alone, and would be taken for one that stands still."""
    bpy.ops.ves.add_example(kind="PISTON")
    frames(1, 24)
    scene = bpy.context.scene
    (drive,) = (ob for ob in scene.objects if ob.ves.is_drive)
    for frame, angle in ((1, 0.0), (24, 2.0)):
        drive.ves.drive_angle = angle
        drive.keyframe_insert("ves.drive_angle", frame=frame)
    scene.frame_set(1)
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    scene.ves.torque_motion, scene.ves.torque_drives = "SHOWN", "SELECTED"
    select(drive)
    with pytest.raises(RuntimeError, match="is live, so that no keys have its motion"):
        bpy.ops.ves.find_torques()
    assert bpy.ops.ves.live_to_keys() == {"FINISHED"}
    select(drive)
    assert bpy.ops.ves.find_torques() == {"FINISHED"}
    assert np.abs(values(drive)["Needed Power"]).max() > 0.1


def test_a_search_that_is_ended_half_way_changes_nothing():
    animated_arm()
    scene = bpy.context.scene
    scene.frame_set(7)
    steps = find_torques(scene, bpy.context.view_layer)
    seen = [next(steps).fraction for _ in range(60)]
    steps.close()
    assert 0.0 < seen[-1] < 1.0
    assert seen == sorted(seen)
    assert scene.frame_current == 7
    assert not any(KEY in ob.ves for ob in scene.objects)
