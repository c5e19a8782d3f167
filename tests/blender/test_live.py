# SPDX-License-Identifier: GPL-3.0-or-later
"""Live linkages in Blender: closed in every frame, the same bits in any order, and keys that show the same."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Quaternion
from virtual_erector_set.panels.joint import VES_PT_joint_drive
from virtual_erector_set.scene.live import live as live_of
from virtual_erector_set.scene.live import writing
from virtual_erector_set.scene.live.live import moved_by
from virtual_erector_set.scene.live.stored import stored_in

from tests.blender.linkages import body, joint
from tests.blender.making import select
from tests.blender.playing import Driver
from tests.blender.test_panels import draw
from tests.truths.planar_linkages import freudenstein

LENGTHS, START = (1.0, 3.5, 2.5, 4.0), 0.7  # crank, coupler, rocker, ground (m); rad of the crank where it is placed
SINGLE = 2e-6  # m: single precision at these lengths


def four_bar(motion: str = "DYNAMIC") -> dict[str, bpy.types.Object]:
    """Crank, coupler and rocker in the XY plane, as rods whose origins are their middles."""
    a, _, c, d = LENGTHS
    rocker = freudenstein(LENGTHS, START, 1)
    A, D = np.zeros(2), np.array([d, 0.0])
    B, C = a * turned(START), D + c * turned(rocker)
    made = {}
    for name, p, q in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        rod = body(name, (*(0.5 * (p + q)), 0.0), (np.linalg.norm(q - p), 0.1, 0.1))
        rod.rotation_euler.z = np.arctan2(*(q - p)[::-1])
        made[name] = rod
    made["crank"].ves.motion = motion
    bpy.context.view_layer.update()
    if motion == "DYNAMIC":
        made["A"] = joint("A", (*A, 0.0), None, made["crank"], "REVOLUTE")
    made["B"] = joint("B", (*B, 0.0), made["crank"], made["coupler"], "REVOLUTE")
    made["C"] = joint("C", (*C, 0.0), made["coupler"], made["rocker"], "REVOLUTE")
    made["D"] = joint("D", (*D, 0.0), None, made["rocker"], "REVOLUTE")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 48
    scene.frame_set(1)
    return made


def turned(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def make_live(chosen=()) -> None:
    select(*chosen)
    assert bpy.ops.ves.make_live() == {"FINISHED"}


def driven(turns: float = 2.0) -> dict[str, bpy.types.Object]:
    """A live four-bar whose crank makes so many turns from frame 1 to 48."""
    made = four_bar()
    made["A"].ves.is_drive = True
    for frame, angle in ((1, 0.0), (48, 2.0 * np.pi * turns)):
        made["A"].ves.drive_angle = angle
        made["A"].keyframe_insert("ves.drive_angle", frame=frame)
    bpy.context.scene.frame_set(1)
    make_live()
    return made


def end_of(rod: bpy.types.Object, side: float = 1.0) -> np.ndarray:
    """(2,) m: where an end of a rod is, as it is evaluated."""
    half = 0.5 * side * LENGTHS[("crank", "coupler", "rocker").index(rod.name)]
    matrix = np.array(rod.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    return (matrix @ (half, 0.0, 0.0, 1.0))[:2]


def is_closed(made: dict[str, bpy.types.Object]) -> bool:
    gaps = (
        end_of(made["crank"]) - end_of(made["coupler"], -1.0),
        end_of(made["coupler"]) - end_of(made["rocker"]),
        end_of(made["rocker"], -1.0) - (LENGTHS[3], 0.0),
    )
    return all(np.abs(gap).max() < SINGLE for gap in gaps)


def bits() -> bytes:
    """All that places the live bodies."""
    bodies = [ob for ob in bpy.context.scene.objects if ob.ves.is_live]
    return b"".join(
        np.array([*ob.location, *ob.rotation_euler, *ob.rotation_quaternion], np.float32).tobytes() for ob in bodies
    )


def test_each_frame_is_that_of_freudenstein() -> None:
    made = driven()
    for frame in (1, 2, 10, 25, 48):
        bpy.context.scene.frame_set(frame)
        crank = START + made["A"].evaluated_get(bpy.context.evaluated_depsgraph_get()).ves.drive_angle
        expected = np.array([LENGTHS[3], 0.0]) + LENGTHS[2] * turned(freudenstein(LENGTHS, crank, 1))
        assert np.abs(end_of(made["rocker"]) - expected).max() < 3.0 * SINGLE
        assert is_closed(made)


def test_frames_in_any_order_give_the_same_bits() -> None:
    driven()
    scene = bpy.context.scene
    frames = [1.0 + 0.5 * k for k in range(95)]
    played = {}
    for frame in frames:
        scene.frame_set(int(frame), subframe=frame % 1.0)
        played[frame] = bits()
    assert len(set(played.values())) > 90
    for frame in np.random.default_rng(1).permutation(frames):
        scene.frame_set(int(frame), subframe=float(frame % 1.0))
        assert bits() == played[frame]


def test_frames_on_both_sides_of_a_start_between_frames_give_the_same_bits() -> None:
    """Two drives against each other: where they stop depends on the whole way."""
    bpy.ops.ves.add_example(kind="DRAWING")
    scene = bpy.context.scene
    keys = {
        "Hinge Table Large Gear": ((4, -0.27), (19, 0.75), (24, 6.5)),
        "Hinge Small Gear Arm": ((8, 0.006), (11, 0.0), (30, 6.5)),
    }
    for name, values in keys.items():
        scene.objects[name].ves.is_drive = True
        for frame, angle in values:
            scene.objects[name].ves.drive_angle = angle
            scene.objects[name].keyframe_insert("ves.drive_angle", frame=frame)
    scene.frame_set(7, subframe=0.25)
    make_live()
    scene.frame_set(19)
    straight = bits()
    for frame in (6, 7, 19):
        scene.frame_set(frame)
    assert bits() == straight
    live_of.forget()
    for frame in (7, 19):
        scene.frame_set(frame)
    assert bits() == straight


def test_a_file_that_is_opened_in_the_middle_shows_the_same_bits(tmp_path) -> None:
    driven()
    scene = bpy.context.scene
    scene.frame_set(31)
    shown = bits()
    scene.frame_set(17)
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.scene.frame_set(31)
    assert bits() == shown


def test_a_render_shows_the_same_bits_with_motion_blur_too() -> None:
    driven()
    scene = bpy.context.scene
    scene.frame_set(31)
    shown = bits()
    scene.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 1, "CPU"
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.use_motion_blur = True
    rendered = []
    bpy.app.handlers.render_post.append(lambda *_: rendered.append(bits()))
    try:
        scene.frame_set(5)
        scene.frame_start = scene.frame_end = 31
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.render_post.pop()
    assert len(rendered) == 1
    scene.frame_set(31)
    assert bits() == shown


def test_a_drive_that_is_set_by_hand_leads_at_once() -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    make_live()
    for angle in (0.4, 2.0, -3.0, 0.0):
        made["A"].ves.drive_angle = angle
        bpy.context.view_layer.update()
        expected = np.array([LENGTHS[3], 0.0]) + LENGTHS[2] * turned(freudenstein(LENGTHS, START + angle, 1))
        assert np.abs(end_of(made["rocker"]) - expected).max() < 3.0 * SINGLE
        assert is_closed(made)


def test_a_keyed_body_leads() -> None:
    made = four_bar("KEYED")
    make_live()
    crank = made["crank"]
    for angle in (1.5, 3.0, START):
        crank.location = (*(0.5 * turned(angle)), 0.0)
        crank.rotation_euler.z = angle
        bpy.context.view_layer.update()
        expected = np.array([LENGTHS[3], 0.0]) + LENGTHS[2] * turned(freudenstein(LENGTHS, angle, 1))
        assert np.abs(end_of(made["rocker"]) - expected).max() < 5.0 * SINGLE


def test_a_parented_body_of_another_rotation_mode_follows_too() -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    parent = bpy.data.objects.new("carrier", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler = (1.0, 2.0, 3.0), (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    made["rocker"].parent = parent
    made["rocker"].matrix_parent_inverse = parent.matrix_world.inverted()
    made["coupler"].rotation_mode = "QUATERNION"
    made["coupler"].rotation_quaternion = made["coupler"].rotation_euler.to_quaternion()
    bpy.context.view_layer.update()
    make_live()
    made["A"].ves.drive_angle = 1.0
    bpy.context.view_layer.update()
    assert is_closed(made)


def test_end_live_puts_everything_back() -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    before = [tuple(made[name].matrix_world.copy()) for name in ("crank", "coupler", "rocker")]
    make_live()
    made["A"].ves.drive_angle = 2.0
    bpy.context.view_layer.update()
    assert bpy.ops.ves.end_live() == {"FINISHED"}
    assert [tuple(made[name].matrix_world) for name in ("crank", "coupler", "rocker")] == before
    assert not any(ob.ves.is_live for ob in bpy.context.scene.objects)
    assert not bpy.ops.ves.end_live.poll()


def test_keys_show_what_was_live() -> None:
    made = driven()
    scene, rods = bpy.context.scene, ("crank", "coupler", "rocker")
    shown = {}
    for frame in range(1, 49):
        scene.frame_set(frame)
        shown[frame] = [np.array(made[name].matrix_world) for name in rods]
    assert bpy.ops.ves.live_to_keys() == {"FINISHED"}
    assert not scene.ves.live_linkages
    for frame, matrices in shown.items():
        scene.frame_set(frame)
        for name, matrix in zip(rods, matrices, strict=True):
            np.testing.assert_allclose(np.array(made[name].matrix_world), matrix, atol=SINGLE)


def test_live_bake_and_play_show_the_same_where_the_crank_is_keyed() -> None:
    """One crank, keyed as a drive and as a motor: no force counts, so all three are kinematics."""
    made, scene, rods = driven(), bpy.context.scene, ("crank", "coupler", "rocker")

    def shown() -> list[np.ndarray]:
        return [np.array(made[name].matrix_world) for name in rods]

    live = {}
    for frame in range(1, 49):
        scene.frame_set(frame)
        live[frame] = shown()
    scene.frame_set(1)
    assert bpy.ops.ves.end_live() == {"FINISHED"}
    crank = made["A"].ves
    crank.motor_mode = "KEYED"
    for frame, angle in ((1, 0.0), (48, 4.0 * np.pi)):
        crank.motor_target[0] = angle
        crank.keyframe_insert("motor_target", index=0, frame=frame)
    scene.frame_set(1)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    baked = {}
    for frame in live:
        scene.frame_set(frame)
        baked[frame] = shown()
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}
    driver, played = Driver(), {}
    for frame in range(2, 48):
        driver.go_on(1)
        played[frame] = shown()
    driver.end()
    for other in (baked, played):
        for frame, matrices in other.items():
            np.testing.assert_allclose(matrices, live[frame], atol=2e-5, err_msg=str(frame))


def test_undo_takes_live_back_and_redo_brings_it_again() -> None:
    made = four_bar()
    made["A"].ves.is_drive = True
    bpy.ops.ed.undo_push(message="before")
    select()
    bpy.ops.ves.make_live("EXEC_DEFAULT", True)
    bpy.data.objects["A"].ves.drive_angle = 1.0
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="driven")
    moved = bits()
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert not bpy.context.scene.ves.live_linkages
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    bpy.context.view_layer.update()
    assert bits() == moved


def test_the_panel_of_a_drive_says_what_it_moves() -> None:
    made = four_bar()
    scene = bpy.context.scene
    made["A"].ves.is_drive = True
    make_live()
    assert moved_by(scene, made["A"]) == ["crank", "coupler", "rocker"]
    assert moved_by(scene, made["B"]) == []
    select(made["A"])
    labels = " ".join(text for kind, text in draw(VES_PT_joint_drive) if kind == "label")
    assert "Moves crank, coupler, rocker" in labels
    for damaged in ("[", "[]", f'{{"{made["A"].name}": 1}}'):
        scene.ves.live_moves = damaged
        assert moved_by(scene, made["A"]) == []
    bpy.ops.ves.end_live()
    assert scene.ves.live_moves == ""


def test_what_is_stored_and_damaged_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Handles of drives ask at each redraw."""
    made, scene, asked = four_bar(), bpy.context.scene, []
    made["A"].ves.is_drive = True
    make_live()
    live_of.forget()
    scene.ves.live_linkages = "{"
    monkeypatch.setattr(live_of, "stored_in", lambda of: asked.append(stored_in(of)))
    assert [live_of.live_in(scene) for _ in range(3)] == [None] * 3
    assert asked == [None]
    live_of.forget()
    assert live_of.live_in(scene) is None
    assert len(asked) == 2


def test_what_stops_is_named_and_the_last_closed_pose_stays() -> None:
    made = four_bar()
    made["D"].ves.is_drive = True  # the rocker cannot go round
    make_live()
    made["D"].ves.drive_angle = 2.5
    bpy.context.view_layer.update()
    assert "dead centre" in bpy.context.scene.ves.live_status
    assert is_closed(made)
    made["D"].ves.drive_angle = 0.1
    bpy.context.view_layer.update()
    assert bpy.context.scene.ves.live_status == ""
    assert is_closed(made)


@pytest.mark.parametrize("hindrance", ["constraint", "keys"])
def test_what_would_win_over_live_is_refused_by_name(hindrance: str) -> None:
    made = four_bar()
    if hindrance == "constraint":
        made["rocker"].constraints.new("LIMIT_LOCATION")
    else:
        made["rocker"].keyframe_insert("location", frame=1)
    select()
    with pytest.raises(RuntimeError, match="rocker"):
        bpy.ops.ves.make_live()
    assert not bpy.context.scene.ves.live_linkages


def test_drives_missing_and_too_many_are_told() -> None:
    made = four_bar()
    select()
    bpy.ops.ves.make_live()
    assert "1 more to drive" in bpy.context.scene.ves.live_mobility
    for name in "AD":
        made[name].select_set(True)
    assert bpy.ops.ves.set_drive() == {"FINISHED"}
    assert "driven by 2 joints" in bpy.context.scene.ves.live_mobility
    select(made["D"])
    bpy.ops.ves.set_drive(clear=True)
    assert bpy.context.scene.ves.live_mobility == "1 linkage of 3 moving bodies: 1 freedom, driven by 1 joint"


def test_another_drive_in_the_middle_begins_where_the_linkage_was_placed() -> None:
    made = four_bar("KEYED")
    crank = made["crank"]
    for frame, angle in ((1, START), (48, START + 4.0)):
        crank.location, crank.rotation_euler.z = (*(0.5 * turned(angle)), 0.0), angle
        crank.keyframe_insert("location", frame=frame)
        crank.keyframe_insert("rotation_euler", frame=frame)
    scene = bpy.context.scene
    scene.frame_set(1)
    make_live()
    scene.frame_set(20)
    shown = bits()
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    assert scene.frame_current == 20
    assert bits() == shown


def test_a_removed_body_or_joint_takes_nothing_along() -> None:
    """Without the coupler the crank is driven on; without its hinge it goes back to where it was placed."""
    made, scene = driven(), bpy.context.scene
    placed = end_of(made["crank"])
    scene.frame_set(20)
    driven_to = end_of(made["crank"])
    assert np.abs(driven_to - placed).max() > 0.1
    scene.frame_set(1)
    bpy.data.objects.remove(made["coupler"])
    scene.frame_set(20)
    assert np.abs(end_of(made["crank"]) - driven_to).max() < SINGLE
    bpy.data.objects.remove(made["A"])
    scene.frame_set(21)
    assert np.abs(end_of(made["crank"]) - placed).max() < SINGLE
    assert np.abs(end_of(made["rocker"], -1.0) - (LENGTHS[3], 0.0)).max() < SINGLE


def test_what_is_written_before_a_frame_is_evaluated_is_not_written_again(monkeypatch) -> None:
    """A second write would let Blender evaluate the scene twice."""
    driven()
    scene, wrote = bpy.context.scene, []
    write = writing.Writer.write
    monkeypatch.setattr(writing.Writer, "write", lambda *args: (wrote.append(scene.frame_current), write(*args)))
    for frame in (7, 8, 30, 3):
        scene.frame_set(frame)
    assert wrote == [7, 8, 30, 3]


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "ZXY", "YZX"])
def test_canonical_values_are_the_rotation_whatever_the_mode(mode: str) -> None:
    turns = np.random.default_rng(3).standard_normal((40, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    for values, turn in zip(writing.canonical(turns, mode), turns, strict=True):
        if mode == "QUATERNION":
            found = Quaternion(values)
        elif mode == "AXIS_ANGLE":
            found = Quaternion(values[1:], values[0])
        else:
            found = Euler(values, mode).to_quaternion()
            assert np.abs(values).max() <= np.pi + 1e-6
        assert abs(abs(found.dot(Quaternion(turn))) - 1.0) < 1e-6
        np.testing.assert_array_equal(writing.canonical(-turn[None], mode)[0], values)
