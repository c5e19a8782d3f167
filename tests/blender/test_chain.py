# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains through bodies, from neighbour to neighbour."""

from __future__ import annotations

import random

import bpy
import pytest
from mathutils import Vector

from tests.blender.making import animate, box, curve_object, select, with_role


def links() -> list[tuple[str, str]]:
    return [(joint.ves.body_a.name, joint.ves.body_b.name) for joint in with_role("JOINT")]


def test_cans_on_a_string_are_joined_in_their_order_whatever_their_names() -> None:
    places = list(range(8))
    random.Random(3).shuffle(places)
    cans = {place: box(f"Can {i}", (0.25 * place, 0, 0), (0.2, 0.1, 0.1)) for i, place in enumerate(places)}
    select(cans[0], *(cans[k] for k in range(7, 0, -1)))
    assert bpy.ops.ves.chain(type="SPHERICAL") == {"FINISHED"}
    assert set(links()) == {(cans[k].name, cans[k + 1].name) for k in range(7)}
    bpy.context.view_layer.update()
    for joint in with_role("JOINT"):
        middle = 0.5 * (joint.ves.body_a.location + joint.ves.body_b.location)
        assert (joint.matrix_world.translation - middle).length < 1e-6
    assert all(can.ves.motion == "DYNAMIC" for can in cans.values())


def test_a_long_body_is_near_where_its_surface_is() -> None:
    """The middle of the rod is far away, its end is near."""
    car = box("Car", (0, 0, 0))
    rod = box("Rod", (3.6, 0, 0), (6, 0.1, 0.1))
    can = box("Can", (7, 0, 0), (0.5, 0.5, 0.5))
    stone = box("Stone", (0, 2.5, 0))
    select(car, rod, can)
    bpy.ops.ves.chain()
    assert links() == [("Car", "Rod"), ("Rod", "Can")]
    assert stone.ves.role == "NONE"


def test_links_that_touch_go_by_their_middles() -> None:
    pieces = [box(f"Piece {k}", (k, 0, 0)) for k in range(5)]
    select(pieces[0], *pieces[:0:-1])
    bpy.ops.ves.chain()
    assert links() == [(f"Piece {k}", f"Piece {k + 1}") for k in range(4)]


@pytest.mark.parametrize("how", ["keyframes", "path", "parent"])
def test_an_animated_leader_becomes_keyed(how: str) -> None:
    car, can = box("Car"), box("Can", (2, 0, 0))
    if how == "keyframes":
        animate(car)
    elif how == "path":
        car.constraints.new("FOLLOW_PATH").target = curve_object("Road", [(0, 0, 0), (9, 0, 0)])
    else:
        rig = box("Rig", (0, 0, 5))
        animate(rig)
        car.parent = rig
    select(car, can)
    bpy.ops.ves.chain()
    assert (car.ves.motion, can.ves.motion) == ("KEYED", "DYNAMIC")


def test_a_leader_that_is_a_body_keeps_its_motion() -> None:
    car, can = box("Car"), box("Can", (2, 0, 0))
    animate(car)
    select(car)
    bpy.ops.ves.add_body(motion="FIXED")
    select(car, can)
    bpy.ops.ves.chain()
    assert car.ves.motion == "FIXED"


def test_hinges_at_origins() -> None:
    select(box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0)))
    bpy.ops.ves.chain(type="REVOLUTE", at="ORIGIN", axis="Y")
    bpy.context.view_layer.update()
    for joint in with_role("JOINT"):
        assert joint.ves.joint_type == "REVOLUTE"
        assert (joint.matrix_world.translation - joint.ves.body_b.location).length < 1e-6
        assert (joint.matrix_world.to_3x3().col[2] - Vector((0, 1, 0))).length < 1e-6


def test_one_body_is_no_chain() -> None:
    select(box("A"))
    assert not bpy.ops.ves.chain.poll()
    with pytest.raises(RuntimeError, match="two or more mesh objects"):
        bpy.ops.ves.chain()
