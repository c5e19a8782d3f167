# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and numbers of ours that a file holds damaged: each is dropped by its name when it is opened; the rest works.

`storms.damages` tries whatever there is; here are those that once failed, and what is said about them.
"""

from __future__ import annotations

import json

import bpy
import pytest
from virtual_erector_set.scene.animation.kept import REST
from virtual_erector_set.scene.bake import state
from virtual_erector_set.scene.play.action_buttons import add_button
from virtual_erector_set.scene.quantities.recorded import KEY

from tests.blender.storms.damages import make_file, storm
from tests.blender.test_panels import draw_all
from tests.blender.versions import oldest_and_newest


@pytest.fixture
def everything(tmp_path):
    """The file with one of everything, open."""
    path = tmp_path / "everything.blend"
    make_file(path)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return path


def opened_again(path) -> list[str]:
    """The findings after the file was saved and opened."""
    bpy.context.scene.ves.findings.clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return [finding.text for finding in bpy.context.scene.ves.findings]


def store(group: bpy.types.PropertyGroup, name: str, value: object) -> None:
    """As it stands in the file."""
    stored = group.bl_system_properties_get() if hasattr(group, "bl_system_properties_get") else group
    stored[name] = value


def before_play(text: str):
    def damage() -> None:
        bpy.context.scene.ves.before_play = "[3, 0.0]"
        bpy.data.objects["rod 0.001"].ves.before_play = text

    return damage


def frame_before_play(text: str):
    def damage() -> None:
        bpy.context.scene.ves.before_play = text

    return damage


def drag(text: str):
    def damage() -> None:
        next(entry for entry in bpy.context.scene.ves.recorded_actions if entry.drag).drag = text

    return damage


def pose(text: str):
    def damage() -> None:
        bpy.data.objects["rod 0.001"].ves.before_pose = text

    return damage


def points(text: str):
    def damage() -> None:
        bpy.data.objects["rod 0"].ves.link_points = text

    return damage


def unknown_item() -> None:
    store(bpy.data.objects["joint 1"].ves, "joint_type", 99)


def unknown_item_of_a_button() -> None:
    store(bpy.context.scene.ves.action_buttons[1], "change", 99)


def no_number() -> None:
    bpy.data.objects["rod 1"].ves.density = float("nan")


def too_large() -> None:
    store(bpy.context.scene.ves, "samples_per_frame", 1_000_000)


def no_state() -> None:
    bpy.context.scene.ves[state.KEY]["fingerprint"] = "{"


def no_start() -> None:
    bpy.data.objects["rod 1"].animation_data.action[REST]["transform"] = "x"


def no_record() -> None:
    bpy.data.objects["joint 1"].ves[KEY] = "[]"


def half_a_record() -> None:
    del bpy.data.objects["joint 1"].ves[KEY]["values"]["speeds"]


def fewer_frames() -> None:
    bpy.data.objects["rod 1"].animation_data.action[KEY]["frames"] = 1


WAY = {"spring": {"point_a": [0, 0, 0], "point_b": [0, 0, 0]}, "way": [[0, 1, 2]], "frames": 3}
DAMAGES = {
    "before a play: no text": (before_play("{"), "rod 0.001: the file is damaged: its place from before a Play"),
    "before a play: a number": (before_play("5"), "rod 0.001: the file is damaged: its place from before a Play"),
    "frame before a play": (frame_before_play("[]"), "The file is damaged: the frame from before a Play"),
    "drag: no text": (drag("x"), "a drag of rod 1, is dropped"),
    "drag: another": (drag(json.dumps(WAY)), "a drag of rod 1, is dropped"),
    "pose: no text": (pose('{"location": '), "rod 0.001: the file is damaged: its place from before a Pose"),
    "pose: a list": (pose("[1, 2]"), "rod 0.001: the file is damaged: its place from before a Pose"),
    "points of a bar: no list": (points('{"enabled": 3}'), "rod 0: the file is damaged: the points of its bar"),
    "points of a bar: one": (points("[[0, 1, 2]]"), "rod 0: the file is damaged: the points of its bar"),
    "points of a bar: half a pin": (points("[[0, 1, 2], [0, 1, 2, 3]]"), "rod 0: the file is damaged: the points of"),
    "unknown item": (unknown_item, "joint 1: the file is damaged: Type is its default again"),
    "unknown item of a button": (unknown_item_of_a_button, "Action Buttons 2 Does is its default again"),
    "no number": (no_number, "rod 1: the file is damaged: Density is its default again"),
    "too large": (too_large, "Samples per Frame is its default again"),
    "state of the bake": (no_state, "what the bake was made of is not known any more"),
    "start before the bake": (no_start, "rod 1: the file is damaged: where it was before the bake is not wholly known"),
    "record": (no_record, "joint 1: the file is damaged: what Inspect knew of it is dropped"),
    "half a record": (half_a_record, "joint 1: the file is damaged: what Inspect knew of it is dropped"),
    "record of fewer frames": (
        fewer_frames,
        "The file is damaged: what Inspect knew of the bake rod 1 Bake is dropped",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_damaged_is_dropped_by_name_and_the_rest_works(everything, name):
    damage, said = DAMAGES[name]
    damage()
    (text,) = opened_again(everything)
    assert said in text
    assert opened_again(everything) == []
    draw_all()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}


def test_of_a_file_that_is_whole_nothing_is_said(everything):
    before = [(entry.drag, entry.settings) for entry in bpy.context.scene.ves.recorded_actions]
    assert opened_again(everything) == []
    assert [(entry.drag, entry.settings) for entry in bpy.context.scene.ves.recorded_actions] == before
    assert bpy.data.objects["rod 0.001"].ves.before_pose


def test_of_an_action_without_its_slot_another_is_made(everything):
    """The body's own action, which a bake puts aside."""
    own = bpy.data.objects["rod 0"].ves.kept_action
    own.slots.remove(own.slots[0])
    assert opened_again(everything) == []
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert len(bpy.data.objects["rod 0"].animation_data.action.slots) == 1


def test_what_is_appended_is_mended_too(everything, tmp_path):
    no_number()
    path = tmp_path / "parts.blend"
    bpy.data.libraries.write(str(path), {bpy.data.objects["rod 1"]})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.append(directory=f"{path}/Object/", filename="rod 1")
    (finding,) = bpy.context.scene.ves.findings
    assert "rod 1: the file is damaged: Density" in finding.text


def test_an_action_button_with_the_largest_number_has_others_beside_it():
    buttons = bpy.context.scene.ves.action_buttons
    add_button(bpy.context.scene, "first", None, "ENABLED", "TOGGLE").id = 2**31 - 1
    add_button(bpy.context.scene, "second", None, "ENABLED", "TOGGLE")
    assert len({button.id for button in buttons}) == 2


@oldest_and_newest
def test_a_small_storm_of_damages():
    """`python -m tests.blender.storms.damages` makes more of them."""
    assert storm(count=300, seed=7, tell=lambda _text: None) == []
