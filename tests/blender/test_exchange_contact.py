# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact out of a scene into a file, into an empty scene and out again."""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.geometry.shape_mesh import lines_of, look_of
from virtual_erector_set.scene.parts.ignored_pairs import ignore, ignored_with
from virtual_erector_set.solver.mechanism import Box, Capsule, Cylinder, Hull, Mesh, Sphere

from tests.blender.exchanging import assert_same, export, import_file, there_and_back
from tests.blender.linkages import body
from tests.blender.shapes import ball, capsule, cylinder, shaped
from tests.blender.test_read_contact import hammer, terrain

SHAPES = [
    Box(half_size=(1, 2, 3)),
    Sphere(radius=0.5),
    Capsule(radius=0.5, half_length=2),
    Cylinder(radius=2, half_length=0.25),
    Hull(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))),
    Mesh(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), triangles=((0, 1, 2), (0, 3, 1))),
]


@pytest.mark.parametrize("kind", ["BOX", "SPHERE", "CAPSULE", "CYLINDER", "HULL", "AUTOMATIC", "COMPOUND"])
def test_a_dynamic_body_comes_back_with_its_shape_and_its_inertia(tmp_path, kind) -> None:
    ob = hammer()
    ob.rotation_euler, ob.scale = (0.3, 0.4, 0.5), (1.5, 1.5, 1.5)
    ob.ves.contact_shape, ob.ves.material = kind, "BRASS"
    first, second = there_and_back(tmp_path, 12)
    assert first["bodies"][0]["shape"] is not None
    assert_same(first, second)


def test_a_scene_with_contact_there_and_back_again(tmp_path) -> None:
    """Every kind of shape and surface, exported, imported into an empty file and exported again."""
    terrain("hill")
    car = terrain("car", "KEYED")
    for frame, x in ((1, 0.0), (6, 2.0), (12, 5.0)):
        car.location = (x, 0, 20)
        car.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_end = 12
    for i, geometry in enumerate((ball(), capsule(), cylinder(), cylinder(6), cylinder(top=0.3))):
        ob = shaped(f"thing {i}", geometry, (4 * i, 9, 5))
        ob.rotation_euler, ob.ves.material = (0.5 * i, 0.3, 0.1), ("STEEL", "ICE", "CORK", "RUBBER", "GLASS")[i]
        ob.ves.mass_source, ob.ves.mass = "GIVEN", 2.0
    ignore(bpy.data.objects["thing 0"], bpy.data.objects["thing 3"])
    bpy.data.objects["thing 1"].ves.contact_layers = [False, True] + [False] * 18
    body("ghost", (0, -9, 5)).ves.collide = False
    body("post", (0, -20, 5), (1, 2, 9), "FIXED")
    settings = bpy.context.scene.ves
    settings.ground_height, settings.ground_friction, settings.ground_restitution = -0.5, 0.25, 0.5
    first, second = there_and_back(tmp_path, 12)
    kinds = {body["name"]: body["shape"] for body in first["bodies"]}
    assert kinds["ghost"] is None
    assert first["contact"]["ground"]["height"] == -0.5
    assert len(first["contact"]["ignore"]) == 8, "seven by layers"
    second["bodies"].sort(key=lambda item: item["name"])
    first["bodies"].sort(key=lambda item: item["name"])
    for one in (first, second):
        one["contact"]["ignore"] = sorted(sorted(pair) for pair in one["contact"]["ignore"])
    assert_same(first, second)


def file_of(tmp_path, *bodies: dict, contact: dict | None = None):
    path = tmp_path / "made.json"
    found = {"format": "ves-mechanism", "version": 1, "bodies": list(bodies)}
    path.write_text(json.dumps(found | ({} if contact is None else {"contact": contact})))
    return path


def dynamic(name: str, **more: object) -> dict:
    return {"name": name, "mass": 2.0, "inertia": [0.2, 0.3, 0.4], "center_of_mass": [0.1, 0, 0], **more}


def test_a_file_with_contact_becomes_settings(tmp_path) -> None:
    path = file_of(
        tmp_path,
        dynamic("can", shape={"type": "cylinder", "radius": 0.3, "half_length": 0.6, "position": [0, 0, 1]},
                material={"friction": 0.25, "restitution": 0.125, "softness": 0.0625}),
        dynamic("dumbbell", shape=[{"type": "sphere", "radius": 1, "position": [x, 0, 0]} for x in (-3, 3)]),
        dynamic("ghost"),
        contact={"ground": {"height": 1.5, "friction": 0.5, "restitution": 0.75, "softness": 0.25},
                 "ignore": [["can", "dumbbell"]]},
    )  # fmt: skip
    import_file(path)
    settings, can, dumbbell = bpy.context.scene.ves, bpy.data.objects["can"], bpy.data.objects["dumbbell"]
    assert (settings.use_contact, settings.use_ground, settings.ground_height) == (True, True, 1.5)
    assert (settings.ground_friction, settings.ground_restitution) == (0.5, 0.75)
    assert (can.ves.contact_shape, dumbbell.ves.contact_shape) == ("CYLINDER", "COMPOUND")
    assert (can.ves.contact_softness, settings.ground_softness) == (0.0625, 0.25)
    assert (can.ves.contact_friction, can.ves.contact_restitution) == (0.25, 0.125)
    assert (can.ves.use_inertia, tuple(can.ves.inertia_moments)) == (True, pytest.approx((0.2, 0.3, 0.4)))
    assert not bpy.data.objects["ghost"].ves.collide
    assert not bpy.data.objects["ghost"].ves.use_inertia, "a box can have it"
    assert ignored_with(can, [dumbbell]) == [dumbbell]
    np.testing.assert_allclose(can.dimensions, (0.6, 0.6, 1.2), atol=1e-6)
    again = export(tmp_path / "again.json")
    assert again["bodies"][0]["shape"]["half_length"] == pytest.approx(0.6)
    assert len(again["bodies"][1]["shape"]) == 2
    np.testing.assert_allclose(again["bodies"][0]["inertia"], np.diag((0.2, 0.3, 0.4)), atol=1e-7)


def test_a_file_without_contact_leaves_the_switch_alone(tmp_path) -> None:
    import_file(file_of(tmp_path, dynamic("a")))
    assert not bpy.context.scene.ves.use_contact
    assert bpy.data.objects["a"].ves.collide


def test_contact_that_is_off_in_the_file_is_off_in_the_scene(tmp_path) -> None:
    import_file(file_of(tmp_path, dynamic("a", shape={"type": "sphere", "radius": 1}), contact={"enabled": False}))
    settings = bpy.context.scene.ves
    assert (settings.use_contact, settings.use_ground) == (False, False)
    assert bpy.data.objects["a"].ves.contact_shape == "SPHERE"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.type)
def test_what_shapes_look_like(shape) -> None:
    placed = type(shape)(**(vars(shape) | {"position": (1, 2, 3), "orientation": (0.6, 0.8, 0, 0)}))
    points = {"mesh": look_of(placed).points, "lines": lines_of(placed).reshape(-1, 3)}
    for found in points.values():
        assert found.shape[1] == 3
        low, high = found.min(axis=0), found.max(axis=0)
        np.testing.assert_allclose((low, high), (points["mesh"].min(axis=0), points["mesh"].max(axis=0)), atol=0.02)
    faces = look_of(placed).faces
    assert max(map(max, faces)) < len(points["mesh"])
    if shape.type != "mesh":
        assert sorted({i for face in faces for i in face}) == list(range(len(points["mesh"])))
