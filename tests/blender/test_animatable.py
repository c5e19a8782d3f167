# SPDX-License-Identifier: GPL-3.0-or-later
"""All settings: one that takes keys is obeyed in what is simulated, and one that takes none is named if it has some."""

from __future__ import annotations

import json
from collections.abc import Iterator

import bpy
import pytest
from virtual_erector_set.scene.animation.keys_of_mechanism import _channelbag
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.properties.force_types import FORCES
from virtual_erector_set.scene.properties.groups import CLASSES, VES_PG_object, VES_PG_scene
from virtual_erector_set.scene.read.fingerprint import settings_of_role
from virtual_erector_set.scene.read.scene import read_over_time

from tests.blender.linkages import baked_result, body, joint, part
from tests.blender.making import curve_object

OF_LIVE = {"drive_angle", "drive_travel"}
"""What leads a live linkage, which is no simulation (`test_live`)."""
MODES_OF_JOINTS = "motor_mode", "motor_mode_x", "motor_mode_y", "motor_mode_z", "motor_mode_turn_x", "motor_mode_turn_z"
MODES = ("FORCE", "SPEED", "POSITION", "KEYED")


def animatable(group: type) -> list[str]:
    return sorted(each.identifier for each in group.bl_rna.properties if each.is_animatable and not each.is_readonly)


def mechanism() -> str:
    """The mechanism of the scene, as a file."""
    return json.dumps(run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism.to_dict())


def key_by_hand(owner: bpy.types.Object | bpy.types.Scene, name: str) -> None:
    """Another value at frame 7 than at frame 1, of a number, a switch or a choice."""
    settings, prop = owner.ves, owner.ves.bl_rna.properties[name]
    before = getattr(settings, name)
    is_array = getattr(prop, "is_array", False)
    first = list(before) if is_array else before
    if prop.type == "BOOLEAN":
        after = [not value for value in first] if is_array else not first
    elif prop.type == "ENUM":
        after = next(each.identifier for each in prop.enum_items if each.identifier != first)
    else:
        after = [0.75 * x + 0.1 for x in first] if is_array else 0.75 * first + 0.1
    for frame, value in ((1, first), (7, after)):
        setattr(settings, name, value)
        owner.keyframe_insert(f"ves.{name}", frame=frame)
    setattr(settings, name, first)


def forget_keys(owner: bpy.types.Object | bpy.types.Scene) -> None:
    owner.animation_data_clear()
    bpy.context.scene.frame_set(1)


def everything() -> list[bpy.types.Object]:
    """A part of each kind, with all that it can have."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.ves.use_contact = 1, 10, True
    first, other = body("first", (0, 0, 3)), body("other", (3, 0, 3))
    follower = body("follower", (6, 0, 3))
    follower.ves.follows, follower.ves.use_follow_max_force = True, True
    heavy = body("heavy", (9, 0, 3))
    heavy.ves.mass_source = "GIVEN"
    hinge, slider = (
        joint("hinge", (0, 0, 3), None, first, "REVOLUTE"),
        joint("slider", (3, 0, 3), None, other, "PRISMATIC"),
    )
    hinge_b = joint("second hinge", (9, 0, 3), None, heavy, "REVOLUTE")
    free = body("free", (12, 0, 3))
    generic = joint("generic", (12, 0, 3), None, free, "GENERIC")
    generic.ves.lock_travel, generic.ves.lock_turn = (False, False, True), (True, True, False)
    other_generic = joint("other generic", (15, 0, 3), None, body("block", (15, 0, 3)), "GENERIC")
    other_generic.ves.lock_travel, other_generic.ves.lock_turn = (True, True, False), (False, False, True)
    for each in (hinge, slider, generic, other_generic):
        for name in ("use_lower_limit", "use_upper_limit"):
            setattr(each.ves, name, (True,) * 3)
        each.ves.motor_stiffness = (1.0,) * 3
        each.ves.use_motor_max_force, each.ves.use_motor_max_axes = True, (True,) * 6
        each.ves.motor_max_force = (5.0,) * 3
    generic.ves.use_lower_limit_travel = generic.ves.use_upper_limit_travel = (True,) * 3
    generic.ves.motor_stiffness_travel = generic.ves.motor_max_force_travel = (5.0,) * 3
    gear, rack = part("gear", "GEAR"), part("rack", "RACK")
    gear.ves.joint_a, gear.ves.joint_b = hinge, hinge_b
    rack.ves.joint_a, rack.ves.joint_b = hinge, slider
    gear.ves.backlash = rack.ves.backlash_travel = 0.05
    loose = body("loose", (0, 5, 0)), body("lower", (3, 5, 0))
    rod = part("rod", "DISTANCE", (0, 5, 0))
    rod.ves.body_a, rod.ves.to_world, rod.ves.use_distance = loose[0], True, True
    mark = part("mark", "NONE", (0, 5, 1))
    rod.ves.anchor_b = mark
    rope = part("rope", "PULLEY", (0, 5, 0))
    rope.ves.body_a, rope.ves.body_b, rope.ves.anchor_b = *loose, part("end", "NONE", (3, 5, 0))
    rope.ves.wheel_a, rope.ves.wheel_b = part("wheel", "NONE", (0, 5, 2)), part("other wheel", "NONE", (3, 5, 2))
    path = part("path", "PATH", (0, 9, 0))
    path.ves.body_a, path.ves.path_curve = body("led", (0, 9, 0)), curve_object("way", [(0, 9, 0), (4, 9, 0)])
    made = [first, follower, heavy, hinge, slider, generic, other_generic, gear, rack, rod, rope, path]
    for kind in FORCES:
        force = part(kind, "FORCE", (9, 1, 3))
        force.ves.force_type, force.ves.body_a, force.ves.to_world, force.ves.point_b = kind, heavy, True, (9, 1, 8)
        force.ves.use_rest_length = force.ves.use_max_force = force.ves.use_slope = True
        if kind == "BALANCE":
            force.ves.balance_feet.add().body = other
            force.ves.use_balance_max_torque = force.ves.use_balance_steps = force.ves.use_balance_loads = True
            force.ves.use_balance_weights = True
        if kind == "REACH":
            force.ves.reach_target, force.ves.use_reach_max_force = part("hand's target", "NONE"), True
        if kind == "STEERING":
            force.ves.body_b, force.ves.use_arm_max_torque = other, True
        made.append(force)
    bpy.context.view_layer.update()
    return made


def ways(owner: bpy.types.Object) -> Iterator[None]:
    """Settings of a part by which others of it count."""
    yield
    settings = owner.ves
    if settings.role == "JOINT":
        for mode in MODES:
            for name in MODES_OF_JOINTS:
                setattr(settings, name, mode)
            yield
        for name in MODES_OF_JOINTS:
            setattr(settings, name, "NONE")
    if settings.role == "FORCE" and settings.force_type == "DRAG":
        settings.drag_measure = "COEFFICIENT"
        yield
        settings.drag_measure = "AREA"
    if settings.role == "FORCE" and settings.force_type == "BALANCE":
        for settings.use_balance_directions in (False, True):
            yield
    if settings.role == "FORCE" and settings.force_type == "STEERING":
        settings.way = "HEADING"
        yield
        settings.way = "UPRIGHT"


def acts(owner: bpy.types.Object | bpy.types.Scene, name: str) -> bool:
    """True if keys of a setting change what is simulated, or are refused by its name."""
    for _ in ways(owner) if isinstance(owner, bpy.types.Object) else (None,):
        try:
            before = mechanism()
        except SceneError:
            continue
        key_by_hand(owner, name)
        try:
            after = mechanism()
        except SceneError as error:
            after = str(error) if owner.ves.bl_rna.properties[name].name in str(error) else before
        forget_keys(owner)
        if after != before:
            return True
    return False


def test_each_setting_of_an_object_that_takes_keys_is_obeyed():
    parts = everything()
    idle = []
    for name in animatable(VES_PG_object):
        if name in OF_LIVE:
            continue
        if not any(acts(owner, name) for owner in parts if counts_for(owner, name)):
            idle.append(name)
    assert not idle


def counts_for(owner: bpy.types.Object, name: str) -> bool:
    """True if the role of a part has the setting at all."""
    role = owner.ves.role
    if name in ("contact_friction", "contact_static_friction", "contact_restitution", "collide"):
        return role == "BODY"
    return name in settings_of_role(role)


def test_each_setting_of_the_scene_that_takes_keys_is_obeyed():
    everything()
    assert [name for name in animatable(VES_PG_scene) if not acts(bpy.context.scene, name)] == []
    assert len(animatable(VES_PG_scene)) == 6


def test_no_row_of_a_list_takes_keys():
    lists = [each for each in CLASSES if each not in (VES_PG_object, VES_PG_scene)]
    assert {each.__name__: animatable(each) for each in lists if animatable(each)} == {}


@pytest.mark.parametrize("name", ["contact_margin", "joint_type", "catch_time", "linear_velocity"])
def test_keys_that_a_script_makes_on_a_setting_that_takes_none_are_named(name):
    cube = body("cube", (0, 0, 3))
    bpy.context.scene.frame_end = 5
    curve = _channelbag(cube).fcurves.new(f"ves.{name}", index=0)
    curve.keyframe_points.insert(1, 0.0)
    curve.keyframe_points.insert(4, 1.0)
    label = cube.ves.bl_rna.properties[name].name
    assert f"has keys on {label}, which cannot change in time and stays: delete them" in [
        str(finding.text) for finding in baked_result().warnings
    ]
