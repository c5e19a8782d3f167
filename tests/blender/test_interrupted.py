# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does while a bake is under way in a window: undo, save, open, remove what it goes by."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.operators import modal
from virtual_erector_set.operators.bake import VES_OT_bake
from virtual_erector_set.operators.modal import InSteps
from virtual_erector_set.operators.pose import VES_OT_pose
from virtual_erector_set.scene.animation.kept import is_baked
from virtual_erector_set.scene.bake.bake import bake
from virtual_erector_set.scene.pose.keys import PoseKeys
from virtual_erector_set.scene.quantities.recorded import record_of

from tests.blender.linkages import car_with_cans, chain, keys_of, part
from tests.blender.windowless import Window, assert_tidy, not_in_background, send, stand_in, start

READING, LOOKING = "Reading the animation", "Looking at the result"


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setattr(modal, "BUDGET", 0.0)  # a step at each tick
    with not_in_background(monkeypatch) as window:
        yield window


def bake_until(text: str, window: Window) -> InSteps:
    operator = start(stand_in(VES_OT_bake), window)
    while not bpy.context.scene.ves.status.startswith(text):
        assert send(operator, window, "TIMER") == {"PASS_THROUGH"}
    return operator


def go_on(operator: InSteps, window: Window) -> set[str]:
    while (answer := send(operator, window, "TIMER")) == {"PASS_THROUGH"}:
        pass
    return answer


def keys_of_all() -> list:
    return [keys_of(ob) for ob in bpy.context.scene.objects if is_baked(ob)]


def baked_car() -> None:
    """Baked, and since then another gravity."""
    car_with_cans(2, 8)
    bpy.ops.ves.bake()
    bpy.context.scene.gravity.x = 3.0


@pytest.mark.parametrize("text", [READING, "Simulating", LOOKING])
@pytest.mark.parametrize("way", ["undo", "redo"])
def test_undo_ends_a_bake_before_it(window, text, way):
    """Undo frees actions and view layers, with which the bake would go on."""
    bpy.ops.ed.undo_push(message="Nothing")
    baked_car()
    bpy.ops.ed.undo_push(message="Baked")
    bpy.context.scene.gravity.y = 1.0
    bpy.ops.ed.undo_push(message="Gravity")
    if way == "redo":
        bpy.ops.ed.undo()
    before = keys_of_all()
    window.__init__()
    operator = bake_until(text, window)
    getattr(bpy.ops.ed, way)()
    assert_tidy(window)
    known = {action.as_pointer() for action in bpy.data.actions}
    assert all(ob.animation_data.action.as_pointer() in known for ob in bpy.data.objects if ob.animation_data)
    assert len(bpy.data.actions) == 3
    assert keys_of_all() == before
    assert send(operator, window, "TIMER") == {"CANCELLED"}
    assert operator.reports == [("WARNING", "Bake was cancelled: something was undone or redone meanwhile")]


@pytest.mark.parametrize("text", [READING, LOOKING])
def test_a_file_saved_in_the_midst_of_a_bake_has_the_old_bake(window, text, tmp_path):
    baked_car()
    bpy.context.scene.frame_set(5)
    before = keys_of_all()
    operator = bake_until(text, window)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert_tidy(window)
    assert go_on(operator, window) == {"CANCELLED"}
    assert "the file was saved" in operator.reports[-1][1]
    bpy.ops.wm.open_mainfile(filepath=path)
    assert keys_of_all() == before
    assert len(before) == 2
    assert bpy.context.scene.frame_current == 5


def test_a_bake_that_only_computes_goes_on_when_the_file_is_saved(window, tmp_path):
    baked_car()
    before = keys_of_all()
    operator = bake_until("Simulating", window)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert go_on(operator, window) == {"FINISHED"}
    assert keys_of_all() != before
    bpy.ops.wm.open_mainfile(filepath=path)
    assert keys_of_all() == before


def test_another_file_ends_a_bake_and_its_timer(window, tmp_path):
    chain(2)
    path = str(tmp_path / "other.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bake_until("Simulating", window)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert window.timers == []
    assert not modal.under_way()


@pytest.mark.parametrize("text", [READING, "Simulating", LOOKING])
def test_a_bake_ends_when_its_view_layer_is_removed(window, text):
    baked_car()
    scene, before = bpy.context.scene, keys_of_all()
    shown = bpy.context.view_layer
    window.context.view_layer = scene.view_layers.new("other")
    bpy.context.window.view_layer = shown
    operator = bake_until(text, window)
    scene.view_layers.remove(scene.view_layers["other"])
    assert go_on(operator, window) == {"CANCELLED"}
    assert "view layer was removed" in operator.reports[-1][1]
    assert keys_of_all() == before
    assert scene.frame_current == 1
    assert_tidy(window)


@pytest.mark.parametrize("text", [READING, LOOKING])
def test_a_pose_ends_when_its_view_layer_is_removed(window, text):
    rods, scene = chain(2), bpy.context.scene
    shown = bpy.context.view_layer
    window.context.view_layer = scene.view_layers.new("other")
    bpy.context.window.view_layer = shown
    operator = start(stand_in(VES_OT_pose, body="", point=(0, 0, 0), target=(0, 0, 0)), window)
    while text == LOOKING and not operator.session.is_running:
        send(operator, window, "TIMER")
    scene.view_layers.remove(scene.view_layers["other"])
    assert send(operator, window, "MOUSEMOVE", mouse_x=3, mouse_y=3) == {"CANCELLED"}
    assert tuple(rods[1].location) == (1.5, 0.0, 0.0)
    assert_tidy(window)


def test_a_joint_removed_at_the_last_moment_is_not_in_the_record(window):
    """It is looked at already, and nothing of the bake needs it any more."""
    baked_car()
    before = keys_of_all()
    operator = bake_until(LOOKING, window)
    bpy.data.objects.remove(bpy.data.objects["wire 1"])
    assert go_on(operator, window) == {"FINISHED"}
    assert keys_of_all() != before
    assert record_of(bpy.data.objects["wire 0"], bpy.context.scene) is not None
    assert bpy.context.scene.ves.status.startswith("Baked 2 bodies")


@pytest.mark.parametrize("text", [READING, LOOKING])
@pytest.mark.parametrize("what", ["body", "action", "animation"])
def test_what_is_removed_meanwhile_takes_nothing_else_along(window, text, what):
    baked_car()
    can, other = bpy.data.objects["can 0"], bpy.data.objects["can 1"]
    keys, kept = keys_of(other), can.animation_data.action
    operator = bake_until(text, window)
    if what == "body":
        bpy.data.objects.remove(can)
    elif what == "action":
        bpy.data.actions.remove(kept)
    else:
        can.animation_data_clear()
    answer = go_on(operator, window)
    assert answer in ({"FINISHED"}, {"CANCELLED"})
    assert is_baked(other)
    assert (keys_of(other) == keys) == (answer == {"CANCELLED"})
    assert_tidy(window)


def test_a_baked_action_without_slots_hinders_no_bake():
    """It is the body's own animation then that is read, and afterwards nothing has changed."""
    cans = car_with_cans(2, 8)[1]
    bpy.ops.ves.bake()
    action = cans[0].animation_data.action
    action.slots.remove(action.slots[0])
    bpy.data.objects["wire 0"].ves.body_b = None
    with pytest.raises(RuntimeError, match="wire 0: has only one end"):
        bpy.ops.ves.bake()
    assert cans[0].animation_data.action == action
    assert is_baked(cans[1])
    bpy.data.objects["wire 0"].ves.body_b = cans[0]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert all(map(is_baked, cans))
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}


@pytest.mark.parametrize("what", ["curve", "action", "slot", "object"])
def test_keys_of_a_pose_are_taken_back_as_far_as_they_are_there(what):
    first, other = chain(2)
    other.keyframe_insert("location", frame=1)
    keys = PoseKeys()
    keys.key({ob: {"location": (0, 0, 0), "rotation_euler": (0, 0, 0)} for ob in (first, other)}, 5.0)
    action = first.animation_data.action
    bag = action.layers[0].strips[0].channelbags[0]
    if what == "curve":
        for curve in list(bag.fcurves):
            bag.fcurves.remove(curve)
    elif what == "action":
        bpy.data.actions.remove(action)
    elif what == "slot":
        action.slots.remove(action.slots[0])
    else:
        bpy.data.objects.remove(first)
    keys.undo()
    (left,) = bpy.data.actions
    assert [curve.data_path for curve in left.layers[0].strips[0].channelbags[0].fcurves] == ["location"] * 3


def test_a_bake_closed_while_read_puts_the_bake_back_beside_what_was_removed():
    cans = car_with_cans(2, 8)[1]
    bpy.ops.ves.bake()
    keys, steps = keys_of(cans[1]), bake(bpy.context.scene, bpy.context.view_layer)
    while next(steps).text != READING:
        pass
    bpy.data.objects.remove(cans[0])
    part("bystander", "NONE")
    steps.close()
    assert keys_of(cans[1]) == keys


def test_a_linked_bake_is_not_cleared(tmp_path):
    """It would be back when the file is opened again."""
    chain(2, 6)
    bpy.ops.ves.bake()
    path = str(tmp_path / "linked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (source, wanted):
        wanted.scenes = source.scenes
    bpy.context.window.scene = wanted.scenes[0]
    rods = [ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY"]
    with pytest.raises(RuntimeError, match="make a library override first: rod 0, rod 1"):
        bpy.ops.ves.clear_bake()
    assert all(map(is_baked, rods))
