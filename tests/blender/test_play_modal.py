# SPDX-License-Identifier: GPL-3.0-or-later
"""Play as an operator: events and ticks of a stand-in for a window. A run ends before anything could get lost."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.operators import modal
from virtual_erector_set.operators.modal import InSteps
from virtual_erector_set.operators.play import VES_OT_play

from tests.blender.linkages import body, chain, scene_state
from tests.blender.playing import button, force
from tests.blender.windowless import Window, assert_tidy, not_in_background, send, stand_in, start


@pytest.fixture
def window(monkeypatch):
    with not_in_background(monkeypatch) as window:
        yield window


def play(window: Window, frames: int = 4) -> InSteps:
    """Play, and wait until that many frames were shown."""
    operator = start(stand_in(VES_OT_play, frames=0), window)
    first = bpy.context.scene.frame_start
    while not (operator.session.is_running and operator.session.frame >= first + frames):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    return operator


def test_ticks_show_the_motion_and_esc_takes_it_back(window):
    rods = chain(3)
    bpy.context.scene.ves.play_status = "from before"
    before = scene_state()
    operator = play(window, 6)
    assert rods[2].location.z < -0.05
    assert "Esc: End" in window.status
    assert "real time" in bpy.context.scene.ves.play_status
    assert window.progress is None
    assert send(operator, window, "ESC") == {"RUNNING_MODAL"}
    assert send(operator, window, "TIMER") == {"CANCELLED"}
    assert scene_state() == before
    assert bpy.context.scene.ves.play_status == ""
    assert_tidy(window)


def test_enter_keeps(window):
    rods = chain(3)
    jet = force("jet", "MOTOR", rods[0])
    button("Engine", jet)
    operator = play(window)
    assert bpy.ops.ves.press_action_button(label="Engine") == {"FINISHED"}
    assert send(operator, window, "RET") == {"RUNNING_MODAL"}
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"FINISHED"}
    assert all(rod.ves.is_baked for rod in rods)
    assert bpy.context.scene.frame_current == 1
    (entry,) = bpy.context.scene.ves.recorded_actions
    assert (entry.target, entry.settings) == (jet, '{"enabled": false}')
    assert bpy.context.scene.ves.play_status.endswith("and 1 recorded action")
    assert_tidy(window)


@pytest.mark.parametrize(("key", "said"), [("S", "3 bodies start as at frame"), ("P", "3 bodies stand as at frame")])
def test_a_key_makes_the_moment_the_start_or_a_pose(window, key, said):
    rods = chain(3)
    operator = play(window)
    assert send(operator, window, key) == {"RUNNING_MODAL"}
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"FINISHED"}
    assert bpy.context.scene.ves.play_status.startswith(said)
    assert rods[2].location.z < 0.0
    assert any(rods[2].ves.linear_velocity) == (key == "S")
    assert not any(rod.ves.is_baked for rod in rods)
    assert_tidy(window)


def test_a_script_keeps_the_last_moment():
    rods = chain(2)
    assert bpy.ops.ves.play(frames=10, keep="START") == {"FINISHED"}
    assert (bpy.context.scene.frame_current, bpy.context.scene.ves.frame_start) == (11, 11)
    assert any(rods[1].ves.linear_velocity)


@pytest.mark.parametrize("command", ["PAUSE", "MOTION", "ACTIONS", "END"])
def test_the_panel_can_do_it_too(window, command):
    rods = chain(3)
    operator = play(window)
    assert bpy.ops.ves.play_command(command=command) == {"FINISHED"}
    if command == "PAUSE":
        frame = bpy.context.scene.frame_current
        send(operator, window, "TIMER")
        assert bpy.context.scene.frame_current == frame
        operator.cancel(window.context)
    else:
        while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
            pass
        assert answer == ({"CANCELLED"} if command == "END" else {"FINISHED"})
    assert all(rod.ves.is_baked == (command == "MOTION") for rod in rods)
    assert_tidy(window)


def test_nothing_else_starts_meanwhile(window):
    chain(3)
    operator = play(window, 1)
    for other in (bpy.ops.ves.play, bpy.ops.ves.bake, bpy.ops.ves.snap_together, bpy.ops.ves.export_mechanism):
        assert not other.poll()
    operator.cancel(window.context)
    assert bpy.ops.ves.play.poll()


def assert_ended(operator: InSteps, window: Window, before: tuple) -> None:
    assert scene_state() == before
    assert_tidy(window)
    assert send(operator, window, "TIMER") == {"CANCELLED"}


def test_a_file_is_saved_without_the_run(window, tmp_path):
    chain(3)
    before = scene_state()
    operator = play(window)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert_ended(operator, window, before)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert scene_state()[0] == before[0]
    assert [state[3] for state in scene_state()[3]] == [state[3] for state in before[3]]


def test_undo_takes_back_what_was_before_the_run(window):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Nothing")
    rods = chain(3)
    bpy.ops.ed.undo_push(message="Chain")
    rods[0].name = "renamed"
    bpy.ops.ed.undo_push(message="Rename")
    places = [tuple(rod.location) for rod in rods]
    operator = play(window)
    bpy.ops.ed.undo()
    assert not modal.under_way()
    assert [tuple(bpy.data.objects[f"rod {i}"].location) for i in range(3)] == places
    assert all(ob.ves.before_play == "" for ob in bpy.data.objects)
    assert send(operator, window, "TIMER") == {"CANCELLED"}


def test_an_undo_step_from_the_midst_of_a_run_is_put_right(window):
    """As when something was changed in a panel meanwhile."""
    bpy.ops.ed.undo_push(message="Nothing")
    rods = chain(3)
    rods[2].constraints.new("COPY_SCALE")
    bpy.ops.ed.undo_push(message="Chain")
    places = [tuple(rod.location) for rod in rods]
    operator = play(window, 8)
    bpy.context.scene.ves.play_grip = 3.0
    bpy.ops.ed.undo_push(message="Grip")
    send(operator, window, "ESC")
    assert send(operator, window, "TIMER") == {"CANCELLED"}
    bpy.context.scene.ves.accuracy = "DRAFT"
    bpy.ops.ed.undo_push(message="Accuracy")
    bpy.ops.ed.undo()
    assert bpy.context.scene.ves.play_grip == 3.0
    assert [tuple(bpy.data.objects[f"rod {i}"].location) for i in range(3)] == places
    assert not bpy.data.objects["rod 2"].constraints[0].mute
    assert bpy.context.scene.frame_current == 1


def test_opening_a_file_ends_the_run(window):
    chain(3)
    play(window)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not modal.under_way()
    assert (window.timers, window.status) == ([], None)


def test_a_removed_scene_leaves_its_bodies_as_they_were_in_another_one(window):
    rods = chain(3)
    rods[2].constraints.new("COPY_SCALE")
    places = [tuple(rod.location) for rod in rods]
    other = bpy.data.scenes.new("another shot")
    for rod in rods:
        other.collection.objects.link(rod)
    operator = play(window, 8)
    assert [tuple(rod.location) for rod in rods] != places
    bpy.data.scenes.remove(bpy.context.scene)
    assert send(operator, window, "TIMER") == {"CANCELLED"}
    assert [tuple(rod.location) for rod in rods] == places
    assert not rods[2].constraints[0].mute
    assert not any(rod.ves.before_play for rod in rods)
    assert_tidy(window)


def test_a_removed_body_leaves_the_run_with_a_word(window):
    rods = chain(3)
    operator = play(window)
    bpy.data.objects.remove(rods[1])
    for _ in range(20):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    assert "rod 1 is gone" in operator.session.message
    assert send(operator, window, "ESC") == {"RUNNING_MODAL"}
    while send(operator, window, "TIMER") == {"PASS_THROUGH"}:
        pass
    assert_tidy(window)
    assert tuple(rods[2].location) == (2.5, 0.0, 0.0)


def test_a_wrong_scene_is_reported(window):
    body("sheet").data.clear_geometry()
    operator = start(stand_in(VES_OT_play, frames=0), window)
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    assert answer == {"CANCELLED"}
    assert "sheet" in operator.reports[-1][1]
    assert_tidy(window)
