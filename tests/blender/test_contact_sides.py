# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes are touched from the side that their faces look to; who starts on the other is told of."""

from __future__ import annotations

import bpy
import pytest
from virtual_erector_set.scene.parts.ignored_pairs import ignore

from tests.blender.linkages import body, joint
from tests.blender.shapes import ball, reading, shaped

SHEET = ([(-3, -3, 0), (3, -3, 0), (3, 3, 0), (-3, 3, 0), (0, 0, 0)], [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])


def warnings() -> list[str]:
    return [str(finding) for finding in reading().warnings]


def sheet(motion: str = "FIXED", turned_over: bool = False, height: float = 1.0) -> bpy.types.Object:
    corners, faces = SHEET
    return shaped("floor", (corners, [face[::-1] if turned_over else face for face in faces]), (0, 0, height), motion)


def bake(frames: int = 30) -> None:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    assert bpy.ops.ves.bake() == {"FINISHED"}
    bpy.context.scene.frame_set(frames)


@pytest.mark.parametrize("motion", ["FIXED", "KEYED"])
def test_a_floor_that_was_turned_over_is_told_of(motion: str) -> None:
    floor, falling = sheet(motion), shaped("ball", ball(radius=0.3), (0.5, 0.2, 2.0))
    assert warnings() == []
    floor.data.flip_normals()
    (warning,) = warnings()
    assert warning.startswith("ball: starts behind the faces of floor that are below it")
    assert "Normals > Flip" in warning
    floor.rotation_euler.y = 3.14159
    assert warnings() == [], "turned over twice"
    falling.location.z = 0.5
    assert warnings() == [], "what is below a bridge does not fall through it"


def test_the_warning_is_true() -> None:
    falls, stays = shaped("falls", ball(radius=0.3), (0, 1, 2.0)), shaped("stays", ball(radius=0.3), (0, -1, 2.0))
    bpy.context.scene.ves.use_ground = False
    floor = sheet()
    floor.data.flip_normals()
    ignore(floor, stays)
    level = body("level", (0, -1, 0.9), (4, 1.9, 0.2), "FIXED")
    ignore(level, falls)
    assert [warning.split(":")[0] for warning in warnings()] == ["falls"], "what ignores the mesh needs none"
    bake()
    assert falls.matrix_world.translation.z < 0.0
    assert stays.matrix_world.translation.z == pytest.approx(1.3, abs=0.4)


def test_a_cube_as_a_room_has_to_look_inwards() -> None:
    room = body("room", (0, 0, 3), (8, 8, 5.9), "FIXED")
    room.ves.contact_shape = "MESH"
    shaped("ball", ball(radius=0.3), (0.5, 0.2, 2.0))
    assert "ball: starts behind the faces of room" in warnings()[0]
    room.data.flip_normals()
    assert warnings() == []


def test_ground_joints_and_weightlessness_let_it_be() -> None:
    sheet(turned_over=True)
    falling = shaped("ball", ball(radius=0.3), (0.5, 0.2, 2.0))
    scene = bpy.context.scene
    scene.ves.ground_height = 1.2
    assert warnings() == [], "the ground comes first"
    scene.ves.use_ground = False
    assert len(warnings()) == 1
    scene.use_gravity = False
    assert warnings() == []
    scene.use_gravity = True
    joint("hinge", (0, 0, 1), None, falling)
    assert warnings() == []


def test_faces_that_look_to_different_sides_are_told_of() -> None:
    corners, faces = SHEET
    floor = shaped("floor", (corners, [faces[0], faces[1][::-1], *faces[2:]]), (0, 0, 1), "FIXED")
    shaped("ball", ball(radius=0.3), (0, 2, 2.0))
    (warning,) = warnings()
    assert warning.startswith("floor: has faces that look to different sides")
    assert "Recalculate Outside" in warning
    floor.ves.collide = False
    assert warnings() == []


def test_three_faces_at_an_edge_have_no_sides_to_agree_on() -> None:
    corners = [(0, 0, 0), (2, 0, 0), (1, 2, 0), (1, -2, 0), (1, 0, 2)]
    shaped("fin", (corners, [(0, 1, 2), (1, 0, 3), (0, 1, 4)]), (9, 0, 1), "FIXED")
    assert warnings() == []
