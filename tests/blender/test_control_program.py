# SPDX-License-Identifier: GPL-3.0-or-later
"""Control programs: who allows them, what they do to motors, what is said of wrong ones, the replay, and bakes."""

from __future__ import annotations

import math
import re
import sys

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.program import is_allowed
from virtual_erector_set.scene.bake.state import compare_now, state_of
from virtual_erector_set.scene.findings import SceneError

from tests.blender.linkages import body, joint
from tests.blender.playing import Driver

TARGET, STIFFNESS, DAMPING = 0.6, 30.0, 3.0
PD = f"""\
def control(time, state):
    hinge = state.joints["hinge"]
    return {{"hinge": {STIFFNESS} * ({TARGET} - hinge.position) - {DAMPING} * hinge.speed}}
"""


def wheel(mode: str = "FORCE") -> bpy.types.Object:
    """A box of 2 kg on an upright hinge with a motor, which gravity leaves alone."""
    box = body("wheel", (0, 0, 0), (1, 0.4, 0.2))
    box.ves.mass_source, box.ves.mass = "GIVEN", 2.0
    hinge = joint("hinge", (0, 0, 0), None, box, "REVOLUTE")
    hinge.ves.motor_mode = mode
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 48
    return box


def program(source: str, allowed: bool = True) -> bpy.types.Text:
    text = bpy.data.texts.new("Control")
    text.write(source)
    bpy.context.scene.ves.control_program = text
    if allowed:
        assert bpy.ops.ves.allow_program() == {"FINISHED"}
    return text


def angles(ob: bpy.types.Object, frames: int) -> np.ndarray:
    scene, found = bpy.context.scene, []
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        found.append(math.atan2(ob.matrix_world[1][0], ob.matrix_world[0][0]))
    return np.array(found)


def state_of_bake() -> str:
    compare_now(bpy.context.scene)
    return state_of(bpy.context.scene).text


def test_it_does_not_run_until_somebody_has_allowed_it(tmp_path) -> None:
    mark = tmp_path / "ran"
    wheel()
    program(f"open({str(mark)!r}, 'w')\n{PD}", allowed=False)
    with pytest.raises(SceneError, match=r"may not run yet.*Allow Program"):
        Driver()
    with pytest.raises(RuntimeError, match="may not run yet"):
        bpy.ops.ves.play(frames=2)
    assert not mark.exists()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    assert bpy.ops.ves.allow_program() == {"FINISHED"}
    assert not bpy.ops.ves.allow_program.poll()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert bpy.context.scene.ves.control_program.as_string().endswith(PD)
    with pytest.raises(SceneError, match="may not run yet"):
        Driver()
    assert not mark.exists()


def test_the_preferences_that_run_scripts_of_files_allow_it_too(tmp_path) -> None:
    wheel()
    text, preferences = program(PD, allowed=False), bpy.context.preferences
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    by_itself = not bpy.app.autoexec_fail  # Blender's own, of the file that was opened last
    preferences.filepaths.use_scripts_auto_execute = True
    try:
        assert is_allowed(text) == by_itself
        excluded = preferences.autoexec_paths.new()
        excluded.path = str(tmp_path)
        assert not is_allowed(text)
        preferences.autoexec_paths.remove(excluded)
        assert is_allowed(text) == by_itself
    finally:
        preferences.filepaths.use_scripts_auto_execute = False
    assert not is_allowed(text)


def test_a_pd_loop_leads_the_joint_as_its_equations_say_and_replays_without_the_program() -> None:
    """I a'' = u, u held over each frame: the same loop in closed form, step by step."""
    box = wheel()
    program(PD)
    assert bpy.ops.ves.play(frames=47) == {"FINISHED"}
    run = angles(box, 48)
    inertia, step = 2.0 * (1.0**2 + 0.4**2) / 12.0, 1.0 / 24.0
    angle, speed, expected = 0.0, 0.0, []
    for _ in range(48):
        expected.append(angle)
        push = (STIFFNESS * (TARGET - angle) - DAMPING * speed) / inertia
        angle, speed = angle + speed * step + 0.5 * push * step * step, speed + push * step
    assert run == pytest.approx(expected, abs=1e-4)
    scene = bpy.context.scene
    assert len(scene.ves.recorded_actions) == 47
    bpy.data.texts.remove(scene.ves.control_program)
    bpy.ops.ves.clear_bake()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert (angles(box, 48) == run).all(), "to the bit"


def test_it_sees_bodies_and_gives_targets() -> None:
    box = wheel("POSITION")
    motor = bpy.data.objects["hinge"].ves
    motor.motor_stiffness[0], motor.motor_damping[0] = 30.0, 4.0
    program(
        "def control(time, state):\n"
        "    body = state.bodies['wheel']\n"
        "    assert len(body.position) == 3 and len(body.orientation) == 4\n"
        "    assert len(body.velocity) == 3 and len(body.angular_velocity) == 3\n"
        "    return {'hinge': 0.5} if time < 0.5 else None\n"
    )
    assert bpy.ops.ves.play(frames=47) == {"FINISHED"}
    assert angles(box, 48)[-1] == pytest.approx(0.5, abs=0.01)
    assert len(bpy.context.scene.ves.recorded_actions) == 1, "only what is new"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def control(time, state):\n    return {'hinge': 1.0 / 0.0}\n", "line 2: ZeroDivisionError"),
        ("def control(time, state):\n    x = 1\n    while True:\n        x += 1\n", r"line [34]: it was stopped"),
        ("def control(time, state):\n    return {'hinge': float('nan')}\n", "line 2: the value for hinge is no finite"),
        ("def control(time, state):\n    return {'axle': 1.0}\n", "line 2: axle is no joint of the run"),
        ("def control(time, state):\n    return {'hinge': 'fast'}\n", "line 2: the value for hinge is no number"),
        ("def control(time, state):\n    return 3.0\n", "line 2: control returns float"),
        ("def control(time, state:\n", "line 1: "),
        ("x = 1\n", r"has no function control\(time, state\)"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3"),
        ("def control(time):\n    return {}\n", "TypeError"),
    ],
)
def test_a_wrong_program_is_named_with_its_line_and_pauses_the_run_which_goes_on_when_it_is_mended(
    source: str, said: str
) -> None:
    wheel()
    text = program(source)
    before = sys.gettrace()
    driver = Driver()
    driver.go_on(3)
    assert driver.play.is_paused
    assert re.search(f"^Program Control.*{said}", driver.play.message), driver.play.message
    assert driver.play._run.frame == 0, "nothing was lost, and nothing done"
    assert sys.gettrace() is before
    text.clear()
    text.write(PD)
    driver.play.toggle_pause()
    driver.go_on(4)
    assert driver.play._run.frame >= 3
    assert not driver.play.is_paused
    driver.end()


def test_one_that_goes_wrong_on_the_way_ends_a_script_s_run_which_keeps_what_was_done() -> None:
    wheel()
    program("def control(time, state):\n    return {'hinge': 1.0 if time < 0.4 else 1.0 / 0.0}\n")
    bpy.ops.ves.play(frames=30)
    assert "line 2: ZeroDivisionError" in bpy.context.scene.ves.play_status
    assert bpy.context.scene.ves.recorded_actions


def test_a_first_program_is_made_for_the_active_joint_and_runs() -> None:
    box = wheel()
    bpy.context.view_layer.objects.active = bpy.data.objects["hinge"]
    assert bpy.ops.ves.new_program() == {"FINISHED"}
    assert bpy.ops.ves.play(frames=47) == {"FINISHED"}
    assert angles(box, 48)[-1] == pytest.approx(1.0, abs=0.05)


def test_a_bake_runs_the_program_as_play_does_to_the_bit_and_knows_when_it_has_changed(tmp_path) -> None:
    box, scene = wheel(), bpy.context.scene
    text = program(PD)
    bpy.ops.ves.play(frames=47)
    run = angles(box, 48)
    bpy.ops.ves.clear_bake()
    scene.ves.recorded_actions.clear()
    bpy.ops.ves.bake()
    assert np.ptp(angles(box, 48)) == 0.0, "without a motor that does anything"
    scene.ves.use_program_in_bake = True
    assert "Program" in state_of_bake()
    bpy.ops.ves.bake()
    assert (angles(box, 48) == run).all(), "to the bit"
    assert not scene.ves.recorded_actions
    assert state_of_bake() == "Baked, frames 1 to 48"
    text.write("\n# another line\n")
    assert "Program" in state_of_bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    with pytest.raises(RuntimeError, match="may not run yet"):
        bpy.ops.ves.bake()


def test_what_is_recorded_is_done_in_a_bake_with_a_program_too() -> None:
    """A motor that an action turns off at frame 24 gets its value again only from a program that wants another one."""
    box, scene = wheel(), bpy.context.scene
    program(PD)
    scene.ves.use_program_in_bake = True
    bpy.ops.ves.play(frames=47)
    run = angles(box, 48)
    bpy.ops.ves.clear_bake()
    assert len(scene.ves.recorded_actions) == 47
    bpy.ops.ves.bake()
    assert (angles(box, 48) == run).all(), "the program has nothing to add to what it did"


def test_a_bake_keeps_what_was_done_before_a_program_went_wrong_or_never_ended() -> None:
    for wrong, said in (("1.0 / 0.0", "line 2: ZeroDivisionError"), ("[0 for _ in iter(int, 1)]", "more than 1 s")):
        box, scene = wheel(), bpy.context.scene
        program(f"def control(time, state):\n    return {{'hinge': 1.0 if time < 0.4 else {wrong}}}\n")
        scene.ves.use_program_in_bake = True
        before = sys.gettrace()
        bpy.ops.ves.bake()
        assert sys.gettrace() is before
        assert re.search(f"frames 1 to 11. It stopped at frame 11: Program Control.*{said}", state_of_bake())
        assert angles(box, 11)[-1] > 0.01
        bpy.ops.wm.read_homefile(use_empty=True)


def test_the_motors_of_a_generic_joint_are_a_list() -> None:
    """It holds a box that slides up and down and spins; between the two is an axis without a motor."""
    box = wheel()
    hinge = bpy.data.objects["hinge"].ves
    hinge.joint_type, hinge.lock_travel, hinge.lock_turn = "GENERIC", (True, True, False), (True, False, False)
    hinge.motor_mode_z = hinge.motor_mode_turn_z = "FORCE"
    hinge.stiffness[1] = 1000.0
    lift = "200.0 * (0.3 - j.position[0]) - 40.0 * j.speed[0] + 2.0 * 9.81"
    turn = f"{STIFFNESS} * ({TARGET} - j.position[2]) - {DAMPING} * j.speed[2]"
    text = program(
        f"def control(time, state):\n    j = state.joints['hinge']\n    return {{'hinge': [{lift}, None, {turn}]}}\n"
    )
    bpy.ops.ves.play(frames=47)
    run = angles(box, 48)
    assert abs(run[-1] - TARGET) < 0.05
    assert abs(box.matrix_world.translation.z - 0.3) < 0.05
    bpy.ops.ves.clear_bake()
    bpy.context.scene.ves.control_program = None
    bpy.ops.ves.bake()
    assert (angles(box, 48) == run).all(), "the replay needs no program"
    bpy.context.scene.ves.control_program = text
    for wrong, said in (("3.0", "its value is a list of 3"), ("[1.0, 2.0, 3.0]", "must have None")):
        text.clear()
        text.write(f"def control(time, state):\n    return {{'hinge': {wrong}}}\n")
        driver = Driver()
        driver.go_on(3)
        assert driver.play.is_paused
        assert said in driver.play.message
        driver.end()
