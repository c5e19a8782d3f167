# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and constraints that are switched on while their ends are apart: how they are read, played and kept."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.read.scene import read_mechanism

from tests.blender.exchanging import export, import_file
from tests.blender.linkages import body, joint, part
from tests.blender.playing import Driver, button


def read():
    return read_mechanism(bpy.context.scene, bpy.context.view_layer.depsgraph)


def hook(owner: bpy.types.Object, place=(0, 0, 0.8), **settings) -> bpy.types.Object:
    """A tie from a body's origin to a place in the world."""
    tie = part("hook", "POINT_TO_POINT", owner.location)
    tie.ves.body_a, tie.ves.to_world, tie.ves.anchor_b = owner, True, part("place", "NONE", place)
    for name, value in settings.items():
        setattr(tie.ves, name, value)
    return tie


def test_times_and_distances_are_read_where_they_mean_something():
    arm, hand = body("arm"), body("hand", (2, 0, 0))
    hook(arm, catch_time=0.25, catch_within=0.5, catch_force=12.0)
    hinge = joint("hinge", (1, 0, 0), arm, hand, "REVOLUTE")
    hinge.ves.catch_time, hinge.ves.catch_force = 0.125, 3.0
    nail = part("nail", "NAIL", (2, 0, 0))
    nail.ves.body_a, nail.ves.body_b, nail.ves.catch_time, nail.ves.catch_within = hand, arm, 0.5, 1.0
    keeper = part("keeper", "ORIENTATION", (2, 0, 0))
    keeper.ves.body_a = hand
    reading = read()
    parts = (*reading.mechanism.constraints, *reading.mechanism.joints)
    assert {each.name: (each.tau, each.within, each.force) for each in parts} == {
        "hook": (0.25, 0.5, 12.0),
        "hinge": (0.125, None, 3.0),
        "nail": (0.5, None, None),
        "keeper": (None, None, None),
    }
    assert {each.name: each.to for each in reading.mechanism.constraints if each.type in ("nail", "orientation")} == {
        "nail": "arm",
        "keeper": None,
    }
    assert reading.open == []


def test_what_is_apart_at_the_start_and_does_not_say_how_is_still_open():
    hook(body("arm"))
    assert [finding.object.name for finding in read().open] == ["hook"]


def test_catching_there_and_back_again(tmp_path):
    arm, hand = body("arm"), body("hand", (2, 0, 0))
    hook(arm, catch_time=0.25, catch_within=0.5, catch_force=12.0)
    joint("hinge", (1, 0, 0), arm, hand, "REVOLUTE").ves.catch_time = 0.125
    nail = part("nail", "NAIL", (2, 0, 0))
    nail.ves.body_a, nail.ves.body_b = hand, arm
    first = export(tmp_path / "first.json")
    import_file(tmp_path / "first.json", 24)
    second = export(tmp_path / "second.json")
    for one, other in ((first, second), (second, first)):
        for key in ("joints", "constraints"):
            told = {part["name"]: {k: part.get(k) for k in ("tau", "within", "force", "to")} for part in one[key]}
            assert told == {
                part["name"]: {k: part.get(k) for k in ("tau", "within", "force", "to")} for part in other[key]
            }
    assert first["constraints"][-1]["tau"] == 0.25
    assert first["constraints"][-1]["force"] == 12.0


def test_fields_of_catching_stand_in_a_panel_of_their_own():
    """Closed at first, and only where something draws its ends together."""
    kinds = bpy.types.VES_PT_joint_catch, bpy.types.VES_PT_constraint_catch
    assert all("DEFAULT_CLOSED" in each.bl_options for each in kinds)
    arm, hand = body("arm"), body("hand", (2, 0, 0))
    hinge, tie = joint("hinge", (1, 0, 0), arm, hand, "FIXED"), hook(arm)
    path = part("path", "PATH", (0, 0, 0))
    shown = {}
    for each in (arm, hinge, tie, path):
        bpy.context.view_layer.objects.active = each
        shown[each.name] = [kind.poll(bpy.context) for kind in kinds]
    assert shown == {"arm": [False] * 2, "hinge": [True, False], "hook": [False, True], "path": [False] * 2}
    hinge.ves.joint_type = "SCREW"
    bpy.context.view_layer.objects.active = hinge
    assert not kinds[0].poll(bpy.context)


def test_a_joint_is_toggled_in_play_and_nothing_jumps():
    """Off for four frames and on again: recorded, and drawn together."""
    bob = body("bob", (1, 0, 0), (0.2, 0.2, 0.2))
    hinge = joint("hinge", (0, 0, 0), None, bob, "REVOLUTE")
    hinge.rotation_euler.x = -0.5 * np.pi
    hinge.ves.catch_time = 0.05
    bpy.context.view_layer.update()
    button("Hinge", hinge)
    run = Driver()
    places = []
    for frame in range(30):
        if frame in (6, 10):
            run.play.press("Hinge")
        run.go_on()
        places.append(np.array(bob.matrix_world.translation))
    assert [(target, settings) for _, target, settings in run.done] == [
        ("hinge", {"enabled": False}),
        ("hinge", {"enabled": True}),
    ]
    run.end()
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps.max() < 0.35
    off = np.linalg.norm(places, axis=1) - 1.0
    assert np.abs(off[11:13]).max() > 1e-3
    assert off[-1] == pytest.approx(0.0, abs=2e-4)
