# SPDX-License-Identifier: GPL-3.0-or-later
"""What falls for ever, because contact is off and nothing holds it, is said with what to press."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set import panels

from tests.blender.linkages import baked_result, body, chain, joint, part
from tests.blender.making import animate, reports, select
from tests.blender.test_check import findings
from tests.blender.test_panels import draw

CONTACT, HOLD = "ves.turn_contact_on", "ves.hold"


def door() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A door on a hinge in its frame, which is the larger one; nothing holds the frame."""
    door = body("door", (0.5, 0, 1), (0.9, 0.05, 2))
    frame = body("frame", (0.5, 0, 1.1), (1.2, 0.1, 2.2))
    joint("hinge", (0, 0, 1), door, frame, "REVOLUTE")
    return door, frame


def cures() -> list[tuple[str, str, str | None]]:
    """(severity, cure, name of the culprit) of each finding."""
    found = bpy.context.scene.ves.findings
    return [(each.severity, each.cure, each.culprit and each.culprit.name) for each in found]


def falls() -> list[str]:
    """The cures that Check proposes now."""
    bpy.ops.ves.check()
    return [each.cure for each in bpy.context.scene.ves.findings if each.cure]


def test_a_linkage_that_nothing_holds_is_named_and_held_by_a_click() -> None:
    _, frame = door()
    said = findings()
    assert cures() == [("WARNING", HOLD, "frame"), ("INFO", CONTACT, None)], said
    assert "falls for ever, and with it door" in said[0][2]
    assert "frame" in said[1][2]
    assert frame.ves.motion == "DYNAMIC", "nothing is done silently"
    assert bpy.ops.ves.hold(body="frame") == {"FINISHED"}
    assert frame.ves.motion == "FIXED"
    assert cures() == [], "the list is renewed"


def test_contact_is_turned_on_by_a_click() -> None:
    body("stone", (0, 0, 5))
    assert findings()[0][0] == "INFO"
    assert cures() == [("INFO", CONTACT, None)]
    assert bpy.ops.ves.turn_contact_on() == {"FINISHED"}
    assert bpy.context.scene.ves.use_contact
    assert cures() == []


def test_the_button_stands_among_the_findings_after_a_bake_too(capfd: pytest.CaptureFixture) -> None:
    _, frame = door()
    bpy.context.scene.frame_end = 4
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert cures() == [("WARNING", HOLD, "frame"), ("INFO", CONTACT, None)]
    assert "falls for ever" in reports(capfd)
    assert ("operator", HOLD) in draw(panels.findings.VES_PT_findings)
    before = frame.matrix_world.translation.copy()
    bpy.ops.ves.hold(body="frame")
    bpy.context.scene.frame_set(4)
    assert not frame.ves.is_baked
    assert (frame.matrix_world.translation - before).length == 0.0, "it does not go on falling by its old bake"


def nailed() -> None:
    part("nail", "NAIL", (0, 0, 2)).ves.body_a = bpy.data.objects["door"]


def hinged_to_the_world() -> None:
    joint("post", (0, 0, 2), None, bpy.data.objects["frame"], "REVOLUTE")


def led_by_a_keyed_body() -> None:
    car = body("car", (0, 0, 5), motion="KEYED")
    animate(car)
    joint("hook", (0, 0, 3), car, bpy.data.objects["frame"])


def hung_on_a_spring() -> None:
    select(bpy.data.objects["frame"])
    bpy.context.scene.cursor.location = (0, 0, 5)
    bpy.ops.ves.add_force(type="SPRING")


def on_supports() -> None:
    select(bpy.data.objects["frame"])
    bpy.ops.ves.add_force(type="SUPPORT")


def driven() -> None:
    select(bpy.data.objects["frame"])
    bpy.ops.ves.add_force(type="MOTOR")
    bpy.context.active_object.ves.force = (0, 0, 500)


def without_gravity() -> None:
    bpy.context.scene.use_gravity = False


def all_by_a_gravity_of_their_own() -> None:
    for name in ("door", "frame"):
        select(bpy.data.objects[name])
        bpy.ops.ves.add_force(type="GRAVITY")
        bpy.context.active_object.ves.acceleration = (0, 0, 0.1)


@pytest.mark.parametrize(
    "hold",
    [nailed, hinged_to_the_world, led_by_a_keyed_body, hung_on_a_spring, on_supports, driven, without_gravity,
     all_by_a_gravity_of_their_own],
)  # fmt: skip
def test_what_is_held_or_has_no_weight_is_not_named(hold) -> None:
    door()
    assert falls()
    hold()
    bpy.context.view_layer.update()
    assert falls() == []


def keeping_its_orientation() -> None:
    part("keeper", "ORIENTATION").ves.body_a = bpy.data.objects["door"]


def turning_about_one_axis_alone() -> None:
    parallel = part("parallel", "GENERIC").ves
    parallel.body_a, parallel.lock_travel, parallel.lock_turn = (
        bpy.data.objects["door"],
        (False,) * 3,
        (True, True, False),
    )


def slowed_down() -> None:
    for kind in ("DAMPING", "DRAG", "BRAKE"):
        select(bpy.data.objects["door"])
        bpy.ops.ves.add_force(type=kind)


def one_that_floats() -> None:
    select(bpy.data.objects["door"])
    bpy.ops.ves.add_force(type="GRAVITY")
    bpy.context.active_object.ves.acceleration = (0, 0, 0)


@pytest.mark.parametrize("slow", [keeping_its_orientation, turning_about_one_axis_alone, slowed_down, one_that_floats])
def test_what_only_slows_the_fall_does_not_hold(slow) -> None:
    door()
    slow()
    assert falls() == [HOLD, CONTACT]


def test_of_many_linkages_few_lines() -> None:
    for i in range(9):
        links = [body(f"link {i} {k}", (3 * i, 0, k), (0.1, 0.1, 0.9)) for k in range(2)]
        joint(f"ball {i}", (3 * i, 0, 0.5), *links)
    assert falls() == [HOLD] * 5 + [CONTACT]
    assert "and 5 more" in bpy.context.scene.ves.findings[5].text


def test_the_one_that_hangs_on_another_is_not_proposed() -> None:
    """Fixed, it would hang on a body that moves; the next largest one carries it."""
    door_, frame = door()
    frame.parent = door_
    bpy.context.view_layer.update()
    findings()
    assert cures()[0] == ("WARNING", HOLD, "door")


def test_a_held_chain_bakes_without_advice() -> None:
    chain(frames=3)
    assert baked_result().advice == []


def test_who_holds_an_animated_body_keys_it() -> None:
    _, frame = door()
    animate(frame)
    assert bpy.ops.ves.hold(body="frame") == {"FINISHED"}
    assert frame.ves.motion == "KEYED"


@pytest.mark.parametrize("name", ["nobody", "hinge"])
def test_only_bodies_are_held(name: str) -> None:
    door()
    assert bpy.ops.ves.hold(body=name) == {"CANCELLED"}
