# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of a Play, as a list that is edited and baked: the replay is the same run."""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.quantities.recorded import record_of
from virtual_erector_set.scene.read.recorded_actions import described, drag_length
from virtual_erector_set.scene.read.scene import read_over_time
from virtual_erector_set.solver import Mechanism, simulate

from tests.blender.linkages import baked_result, chain, keys_of, part
from tests.blender.playing import FRAME, Driver, button, force
from tests.blender.versions import oldest_and_newest


def entries():
    return bpy.context.scene.ves.recorded_actions


def mechanism() -> Mechanism:
    """As Bake reads it."""
    return run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism


def assert_same(one: Mechanism, other: Mechanism) -> None:
    """Equal as files, to the rounding of times; what happens at the same time to different parts has no order."""

    def compare(a, b, where: str) -> None:
        if isinstance(a, dict):
            assert a.keys() == b.keys(), where
            for key in a:
                compare(a[key], b[key], f"{where}.{key}")
        elif isinstance(a, list):
            assert len(a) == len(b), where
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                compare(x, y, f"{where}[{i}]")
        elif isinstance(a, float):
            assert a == pytest.approx(b, rel=1e-14, abs=1e-14), where
        else:
            assert a == b, where

    both = one.to_dict(), other.to_dict()
    for each in both:
        each.get("actions", []).sort(key=lambda action: (round(action["time"], 9), action["target"]))
    compare(*both, "mechanism")


@pytest.fixture
def rods() -> list[bpy.types.Object]:
    """A chain with a jet, a nail that is off, and buttons for both and for a joint."""
    made = chain(3, 49)
    jet = force("jet", "MOTOR", made[2], force=(0, 0, 400))
    nail = part("nail", "NAIL", (1, 0, 0))
    nail.ves.body_a, nail.ves.enabled = made[1], False
    button("Engine", jet)
    button("Turn", jet, "STEER", "HOLD", angle=0.7, axis="BODY_X")
    button("Nail", nail)
    button("Cut", bpy.data.objects["joint 2"], "RELEASE")
    bpy.context.scene.frame_start = 11
    bpy.context.scene.frame_end = 59
    return made


def practice(rods: list[bpy.types.Object], keep: str = "MOTION", frames: int = 48) -> Mechanism:
    """Everything that a person can do, one after the other; returns what was played."""
    driver = Driver()
    play = driver.play
    driver.go_on(5)
    play.press("Engine")
    driver.go_on(4)
    assert play.grab(rods[1], rods[1].matrix_world.translation)
    for i in range(6):
        play.drag((1.5 + 0.1 * i, 0.05 * i * i, 0.123456789 * i))
        driver.go_on(1)
    play.press("Turn", is_held=True)
    play.press("Engine")
    driver.go_on(3)
    play.release("Turn")
    play.let_go()
    driver.go_on(2)
    play.press("Cut")
    driver.go_on(frames - 20)
    assert play.message == ""
    played = play._run.mechanism
    driver.keep(keep)
    return played


def test_what_was_done_is_listed_with_its_frames(rods):
    practice(rods)
    found = [(entry.frame, described(entry).split(" for ")[0]) for entry in entries()]
    assert found == [
        (16.0, "jet: off"),
        (20.0, "rod 1: dragged"),
        (26.0, "jet: steer"),
        (26.0, "jet: on"),
        (29.0, "jet: steer"),
        (31.0, "joint 2: off"),
    ]
    assert drag_length(entries()[1]) == 9.0
    assert bpy.context.scene.ves.play_status == ""


def test_bake_reads_the_same_mechanism_as_was_played(rods):
    played = practice(rods)
    assert_same(mechanism(), played)


def test_the_replay_is_the_same_run(rods):
    """Of the mechanism that Bake reads, and of the keys that it writes."""
    played = practice(rods)
    kept = [keys_of(rod) for rod in rods]
    live = simulate(played, 48 * FRAME, 24.0, relative=1e-6)
    replay = simulate(mechanism(), 48 * FRAME, 24.0, relative=1e-6)
    assert np.abs(live.position - replay.position).max() < 1e-9
    assert np.abs(live.orientation - replay.orientation).max() < 1e-9
    bpy.ops.ves.clear_bake()
    baked_result()
    for rod, keys in zip(rods, kept, strict=True):
        for channel, values in keys_of(rod).items():
            one, other = (np.frombuffer(text, np.float32) for text in (values, keys[channel]))
            np.testing.assert_allclose(one, other, atol=1e-6)


def test_inspect_knows_the_kept_run_and_its_replay(rods):
    """The jet pushes only while it was on, in both; the springs of hands are left out."""
    practice(rods)
    scene, jet = bpy.context.scene, bpy.data.objects["jet"]
    live = record_of(jet, scene)["force"]
    assert np.flatnonzero(np.linalg.norm(live, axis=1) < 1.0).tolist() == [*range(6, 16)]
    bpy.ops.ves.bake()
    np.testing.assert_allclose(record_of(jet, scene)["force"], live, atol=1e-5)


def test_the_live_run_is_what_was_kept(rods):
    """Frame by frame, the recording of the run against a simulation of its mechanism from the start."""
    driver = Driver()
    play = driver.play
    driver.go_on(3)
    play.press("Engine")
    play.grab(rods[2], rods[2].matrix_world.translation)
    for i in range(10):
        play.drag((2.5, 0.1 * i, 0.2 * i))
        driver.go_on(1)
    play.let_go()
    driver.go_on(10)
    live, played = play._run.recording(), play._run.mechanism
    driver.end()
    replay = simulate(played, live.times[-1], 24.0, relative=1e-6)
    assert len(live.times) == 24
    assert np.abs(live.position - replay.position).max() < 1e-9
    assert np.abs(live.orientation - replay.orientation).max() < 1e-9


def test_actions_alone_are_kept_without_keyframes(rods):
    practice(rods, "ACTIONS")
    assert len(entries()) == 6
    assert not any(rod.ves.is_baked for rod in rods)


def test_without_actions_the_list_stays(rods):
    practice(rods)
    driver = Driver()
    driver.go_on(3)
    driver.keep()
    assert len(entries()) == 6


def test_play_begins_without_the_recorded_actions(rods):
    practice(rods, "ACTIONS")
    driver = Driver()
    assert driver.play._run.mechanism.actions == []
    assert len(driver.play._run.mechanism.forces) == 1
    driver.end()


def test_moved_by_two_frames(rods):
    """A drag goes as a whole, the way of the hand with it."""
    practice(rods, "ACTIONS")
    before = mechanism()
    assert bpy.ops.ves.move_recorded_action(frames=2.0, whole_list=True) == {"FINISHED"}
    after = mechanism()
    assert [action.time for action in after.actions] == pytest.approx([a.time + 2 * FRAME for a in before.actions])
    bpy.context.scene.ves.active_recorded_action = 1
    bpy.ops.ves.move_recorded_action(frames=-2.5)
    assert entries()[1].frame == 19.5
    times = {action.time for action in mechanism().actions if action.target not in {"jet", "joint 2", "nail"}}
    assert min(times) == pytest.approx(8.5 * FRAME)


def test_switched_off_removed_and_not_used(rods):
    practice(rods, "ACTIONS")
    entries()[1].enabled = False
    assert {action.target for action in mechanism().actions} == {"jet", "joint 2"}
    assert len(mechanism().forces) == 1
    bpy.context.scene.ves.active_recorded_action = 5
    assert bpy.ops.ves.remove_recorded_action() == {"FINISHED"}
    assert {action.target for action in mechanism().actions} == {"jet"}
    bpy.context.scene.ves.use_recorded_actions = False
    assert mechanism().actions == []
    assert bpy.ops.ves.remove_recorded_action(whole_list=True) == {"FINISHED"}
    assert not bpy.ops.ves.remove_recorded_action.poll()


def test_names_may_change_meanwhile(rods):
    practice(rods, "ACTIONS")
    rods[1].name, bpy.data.objects["jet"].name = "middle", "rocket"
    found = mechanism()
    assert found.problems() == []
    assert {action.target for action in found.actions} >= {"rocket", "joint 2"}
    assert "middle" in {force.body_a for force in found.forces if force.type == "spring"}


def test_settings_are_edited_as_text(rods):
    practice(rods, "ACTIONS")
    entries()[0].settings = '{"force": [0, 0, 7]}'
    assert mechanism().actions[0].set == {"force": [0, 0, 7]}
    assert described(entries()[0]) == "jet: Force 0, 0, 7 N"


@pytest.mark.parametrize(
    ("text", "words"),
    [("off", "settings that can't be read"), ("[1]", "settings that can't be read"), ('{"mass": 3}', "cannot be set")],
)
def test_wrong_settings_are_named_by_check_and_bake(rods, text, words):
    practice(rods, "ACTIONS")
    entries()[0].settings = text
    bpy.ops.ves.check()
    finding = bpy.context.scene.ves.findings[0]
    assert finding.severity == "ERROR"
    assert words in finding.text
    with pytest.raises(SceneError, match=words):
        baked_result()


def test_a_deleted_target_is_named(rods):
    practice(rods, "ACTIONS")
    bpy.data.objects.remove(bpy.data.objects["jet"])
    with pytest.raises(SceneError, match="target of recorded action 1 was deleted"):
        mechanism()


def test_what_is_before_the_first_frame_is_left_out_with_a_word(rods):
    practice(rods, "ACTIONS")
    bpy.context.scene.frame_start = 18
    reading = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer))
    assert [str(finding) for finding in reading.warnings] == [
        "jet: recorded action 1 is left out: it is before the first frame (18)"
    ]


@oldest_and_newest
def test_actions_go_through_a_file_both_ways(rods, tmp_path):
    practice(rods, "ACTIONS")
    path = tmp_path / "practice.json"
    assert bpy.ops.ves.export_mechanism(filepath=str(path)) == {"FINISHED"}
    written = json.loads(path.read_text())["actions"]
    assert len(written) == len(mechanism().actions)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.frame_end = 49
    assert bpy.ops.ves.import_mechanism(filepath=str(path)) == {"FINISHED"}
    assert len(entries()) == len(written)
    assert entries()[0].target == bpy.data.objects["jet"]
    again = mechanism().to_dict()["actions"]
    for one, other in zip(written, again, strict=True):
        assert (one["target"], one["set"].keys()) == (other["target"], other["set"].keys())
        assert one["time"] == pytest.approx(other["time"], abs=1e-6)


@pytest.mark.parametrize(
    ("work", "times"), [("Writing keyframes", 1), ("Writing keyframes", 3), ("Computing forces", 1), ("Looking at", 2)]
)
def test_cancelling_while_a_run_is_written_keeps_nothing_of_it(rods, work, times):
    """Neither keyframes nor actions."""
    driver = Driver()
    driver.play.press("Engine")
    driver.go_on(3)
    driver.play.keep("MOTION")
    seen = 0
    while seen < times:
        seen += next(driver.steps).text.startswith(work)
    driver.end()
    assert len(entries()) == 0
    assert not any(rod.ves.is_baked or rod.animation_data for rod in rods)
    assert len(bpy.data.actions) == 0
