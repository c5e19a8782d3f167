# SPDX-License-Identifier: GPL-3.0-or-later
"""State of the bake beside its button: after a bake, after each kind of change, and after the change back."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from virtual_erector_set.scene.bake import bake as baking
from virtual_erector_set.scene.bake import state as baking_state
from virtual_erector_set.scene.bake.state import BAKED, NOT_BAKED, OUT_OF_DATE, STOPPED, compare_now, state_of

from tests.blender.linkages import chain
from tests.blender.making import animate, box, empty


def state() -> tuple[str, str]:
    """Compared at once; in a window a timer does."""
    compare_now(bpy.context.scene)
    return state_of(bpy.context.scene)


def baked_chain() -> list[bpy.types.Object]:
    rods = chain(3, frames=8)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    return rods


def test_nothing_is_baked_at_first_nor_after_clear_bake() -> None:
    chain(2, frames=8)
    assert state() == (NOT_BAKED, "Not baked")
    bpy.ops.ves.bake()
    assert state() == (BAKED, "Baked, frames 1 to 8")
    bpy.ops.ves.clear_bake()
    assert state() == (NOT_BAKED, "Not baked")


def test_it_is_the_same_at_all_frames_and_baked_again() -> None:
    baked_chain()
    for frame in (5, 8, 1):
        bpy.context.scene.frame_set(frame)
        assert state().kind == BAKED
    bpy.ops.ves.bake()
    assert state().kind == BAKED


def set_mass() -> Callable[[], None]:
    settings = bpy.data.objects["rod 1"].ves
    material = settings.material
    settings.density = 1234.0
    return lambda: setattr(settings, "material", material)


def move_joint() -> Callable[[], None]:
    bpy.data.objects["joint 0"].location.z += 0.1
    return lambda: setattr(bpy.data.objects["joint 0"].location, "z", 0.0)


def move_baked_body() -> Callable[[], None]:
    rod = bpy.data.objects["rod 2"]
    x = rod.location.x
    rod.location.x += 1.0
    bpy.context.view_layer.update()
    return lambda: (setattr(rod.location, "x", x), bpy.context.view_layer.update())


def bend_mesh() -> Callable[[], None]:
    vertex = bpy.data.objects["rod 0"].data.vertices[0]
    vertex.co.z += 0.5
    return lambda: setattr(vertex.co, "z", -0.05)


def change_gravity() -> Callable[[], None]:
    bpy.context.scene.gravity[2] = -1.0
    return lambda: setattr(bpy.context.scene, "gravity", (0.0, 0.0, -9.81))


def more_frames() -> Callable[[], None]:
    bpy.context.scene.frame_end = 9
    return lambda: setattr(bpy.context.scene, "frame_end", 8)


def contact_on() -> Callable[[], None]:
    bpy.context.scene.ves.use_contact = True
    return lambda: setattr(bpy.context.scene.ves, "use_contact", False)


def key_a_setting() -> Callable[[], None]:
    joint = bpy.data.objects["joint 1"]
    joint.ves.keyframe_insert("motor_value", frame=3)
    return lambda: joint.animation_data_clear()


def new_body() -> Callable[[], None]:
    added = box("Ball", (0, 0, 5))
    added.ves.role = "BODY"
    return lambda: bpy.data.objects.remove(added)


def switch_off() -> Callable[[], None]:
    bpy.data.objects["joint 2"].ves.enabled = False
    return lambda: setattr(bpy.data.objects["joint 2"].ves, "enabled", True)


def hang_on_parent() -> Callable[[], None]:
    carrier, joint = empty("Carrier"), bpy.data.objects["joint 0"]
    joint.parent = carrier
    return lambda: (setattr(joint, "parent", None), bpy.data.objects.remove(carrier))


CHANGES = {
    set_mass: "rod 1: settings", move_joint: "joint 0 was moved", move_baked_body: "rod 2 was moved",
    bend_mesh: "rod 0: shape", change_gravity: "Gravity", more_frames: "Frames", contact_on: "Contact",
    key_a_setting: "joint 1: animation", new_body: "Ball is new", switch_off: "joint 2: settings",
    hang_on_parent: "joint 0 was moved",
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_is_named_and_the_change_back_is_none(change: Callable) -> None:
    baked_chain()
    undo = change()
    kind, text = state()
    assert kind == OUT_OF_DATE
    assert text.startswith(f"Out of date: {CHANGES[change]}")
    undo()
    assert state() == (BAKED, "Baked, frames 1 to 8")


def test_a_baked_body_that_was_moved_stays_moved_at_the_next_frame() -> None:
    baked_chain()
    move_baked_body()
    bpy.context.scene.frame_set(3)
    assert state().text == "Out of date: rod 2 was moved"


def test_keys_of_what_is_keyed_count_and_its_present_place_does_not() -> None:
    rods = chain(2, frames=8)
    rods[0].ves.motion = "KEYED"
    bpy.data.objects.remove(bpy.data.objects["joint 0"])
    animate(rods[0])
    bpy.ops.ves.bake()
    bpy.context.scene.frame_set(6)
    assert state().kind == BAKED
    rods[0].location.y = 1.0
    rods[0].keyframe_insert("location", frame=20)
    assert state().text == "Out of date: rod 0: animation"


def test_a_bake_that_is_cleared_while_it_is_compared_is_none() -> None:
    """The comparison goes on at the next tick of its timer."""
    baked_chain()
    comparing = baking_state._comparing(bpy.context.scene)
    next(comparing)
    bpy.ops.ves.clear_bake()
    assert list(comparing) == [None, None, None, None, None]
    assert state() == (NOT_BAKED, "Not baked")


def test_many_changes_are_counted() -> None:
    baked_chain()
    for joint in ("joint 0", "joint 1", "joint 2"):
        bpy.data.objects[joint].location.z += 0.1
    assert state().text.endswith("; 1 more")


def test_settings_of_contact_count_only_while_it_is_on() -> None:
    rods = baked_chain()
    rods[0].ves.contact_friction = 0.9
    bpy.context.scene.ves.ground_friction = 0.1
    assert state().kind == BAKED


def test_one_body_cleared_by_itself_is_said() -> None:
    rods = baked_chain()
    for rod in rods:
        rod.select_set(rod == rods[1])
    bpy.ops.ves.clear_bake(selected_only=True)
    assert state_of(bpy.context.scene).text == "Out of date: rod 1: its keys"


def test_a_duplicate_of_a_baked_body_is_new() -> None:
    rods = baked_chain()
    copy = rods[0].copy()
    bpy.context.scene.collection.objects.link(copy)
    assert state().text == "Out of date: rod 0.001 is new"


def test_a_bake_that_stopped_says_where_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    chain(2, frames=8)
    solve = baking.solve

    def stopped(reading):
        solved = yield from solve(reading)
        return solved._replace(failure="It stopped at frame 5.5: it ran away")

    monkeypatch.setattr(baking, "solve", stopped)
    bpy.ops.ves.bake()
    assert state() == (STOPPED, "Baked, frames 1 to 8. It stopped at frame 5.5: it ran away")


def test_it_is_saved_with_the_file_and_undone_with_the_bake(tmp_path) -> None:
    baked_chain()
    file = str(tmp_path / "chain.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.open_mainfile(filepath=file)
    assert state() == (BAKED, "Baked, frames 1 to 8")
    bpy.data.objects["joint 1"].location.z += 0.1
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.open_mainfile(filepath=file)
    assert state().text == "Out of date: joint 1 was moved"


def test_undo_takes_the_state_back_with_the_bake() -> None:
    chain(2, frames=8)
    bpy.ops.ed.undo_push(message="built")
    bpy.ops.ves.bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    assert state().kind == NOT_BAKED
    bpy.ops.ed.redo()
    assert state().kind == BAKED


def test_after_a_clean_bake_no_older_finding_is_left() -> None:
    rods = chain(2, frames=8)
    rods[0].ves.collide = False
    finding = bpy.context.scene.ves.findings.add()
    finding.text = "from before"
    bpy.ops.ves.bake()
    assert [each.text for each in bpy.context.scene.ves.findings] == []
