# SPDX-License-Identifier: GPL-3.0-or-later
"""Tyres and terrains in a scene: made by one button, read, told what is wrong with, baked, exported and opened."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.parts.height_field import height_field, height_of
from virtual_erector_set.scene.parts.placement import outline
from virtual_erector_set.scene.read.scene import read_mechanism

from tests.blender.linkages import baked_result, world_matrices

RADIUS, WIDTH = 0.3, 0.2


def ground(height, size: float = 20.0, cells: int = 80, name: str = "Hills") -> bpy.types.Object:
    """A grid of that size around the origin, of that height over x and y."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=size)
    ob = bpy.context.object
    ob.name = name
    for vertex in ob.data.vertices:
        vertex.co.z = height(vertex.co.x, vertex.co.y)
    return ob


def wheel(x: float = 0.0, y: float = 0.0, z: float = RADIUS) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=64, radius=RADIUS, depth=WIDTH, location=(x, y, z), rotation=(math.pi / 2.0, 0, 0)
    )
    return bpy.context.object


def add_tyres(*objects: bpy.types.Object) -> list[bpy.types.Object]:
    """Select them, the last one active, and press Tyre."""
    for ob in bpy.context.selected_objects:
        ob.select_set(False)
    for ob in objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]
    assert bpy.ops.ves.add_force(type="TYRE") == {"FINISHED"}
    return list(bpy.context.selected_objects)


def read() -> tuple:
    """The mechanism, and the words of all warnings."""
    bpy.context.view_layer.update()
    reading = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    return reading.mechanism, "\n".join(str(each) for each in reading.warnings)


def test_a_height_field_is_the_mesh_from_above() -> None:
    hills = ground(lambda x, y: 0.3 * math.sin(x) + 0.1 * y)
    field = height_field(outline(hills, bpy.context.evaluated_depsgraph_get()), 0.25)
    assert field.heights.shape == (81, 81)
    assert field.holes == 0
    assert field.off < 0.01
    assert height_of(field, 2.0, -1.0) == pytest.approx(0.3 * math.sin(2.0) - 0.1, abs=1e-3)
    assert height_of(field, 11.0, 0.0) is None


def test_one_button_makes_the_tyres_of_all_wheels() -> None:
    hills = ground(lambda x, y: 0.0)
    wheels = [wheel(x, y) for x in (-1.0, 1.0) for y in (-0.5, 0.5)]
    for ob in wheels:
        ob.ves.role = "BODY"
    tyres = add_tyres(*wheels, hills)
    assert len(tyres) == 4
    assert hills.ves.role == "NONE"
    for tyre in tyres:
        assert tyre.ves.terrain == hills
        assert tyre.ves.tyre_radius == pytest.approx(RADIUS, rel=1e-3)
        assert tyre.ves.tyre_width == pytest.approx(WIDTH, rel=1e-3)
        assert abs(tyre.matrix_world.col[1][1]) == pytest.approx(1.0)  # the axle
        assert tyre.empty_display_size == pytest.approx(RADIUS, rel=1e-3)
    mechanism, _ = read()
    assert [terrain.name for terrain in mechanism.terrains] == ["Hills"]
    assert {force.terrain for force in mechanism.forces} == {"Hills"}
    tyres[0].ves.tyre_radius = 0.4
    assert tyres[0].empty_display_size == pytest.approx(0.4)


def test_what_is_wrong_with_a_terrain_is_said() -> None:
    hills = ground(lambda x, y: 0.5 * (x > 0.0), size=4.0)
    faces = [polygon.index for polygon in hills.data.polygons if polygon.center.length < 0.4]
    bpy.context.view_layer.objects.active = hills
    rolling = wheel(x=-9.0)
    rolling.ves.role = "BODY"
    (tyre,) = add_tyres(rolling, hills)
    words = read()[1]
    assert "beyond the edge of Hills" in words
    assert "Hills" in words
    assert "steeper than its grid" in words
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(hills.data)
    mesh.faces.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=[mesh.faces[k] for k in faces], context="FACES")
    mesh.to_mesh(hills.data)
    mesh.free()
    assert "holes" in read()[1]
    hills.keyframe_insert("location", frame=1)
    hills.location.z = 1.0
    hills.keyframe_insert("location", frame=20)
    with pytest.raises(SceneError, match="a terrain must stand still"):
        read()
    hills.animation_data_clear()
    tyre.ves.terrain_spacing = 1e-3
    with pytest.raises(SceneError, match="make its Grid wider"):
        read()


def test_a_wheel_that_cannot_turn_is_named() -> None:
    rolling, post = wheel(), wheel(z=2.0)
    for ob in (rolling, post):
        ob.ves.role = "BODY"
    (tyre,) = add_tyres(rolling)
    bpy.ops.object.select_all(action="DESELECT")
    rolling.select_set(True)
    post.select_set(True)
    bpy.context.view_layer.objects.active = post
    bpy.ops.ves.add_joint(type="PRISMATIC")
    assert "cannot turn" in read()[1]
    bpy.context.active_object.ves.joint_type = "REVOLUTE"
    assert "cannot turn" not in read()[1]
    assert tyre.name


def test_a_wheel_rolls_down_a_hill_and_the_file_comes_back(tmp_path) -> None:
    """It goes as far as the formula says, and so does what the exported file becomes in an empty scene."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 25, 24
    angle = 0.15
    hills = ground(lambda x, y: -math.tan(angle) * x, cells=8)
    rolling = wheel(z=RADIUS / math.cos(angle))
    rolling.ves.role = "BODY"
    rolling.ves.mass_source, rolling.ves.mass = "GIVEN", 20.0
    (tyre,) = add_tyres(rolling, hills)
    tyre.ves.rolling_resistance = 0.0
    tyre.ves.terrain_spacing = 2.5
    tyre.ves.tyre_damping = 2000.0
    result = baked_result()
    assert result.failure == ""
    places = world_matrices(rolling, range(1, 26))[:, :3, 3]
    way = np.linalg.norm(places[-1] - places[0])
    assert way == pytest.approx(0.5 * 9.81 * math.sin(angle) / 1.5, rel=0.02)  # a cylinder's spin is half its mass
    path = str(tmp_path / "rolling.json")
    assert bpy.ops.ves.export_mechanism(filepath=path) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.ves.import_mechanism(filepath=path) == {"FINISHED"}
    again = next(ob for ob in bpy.context.scene.objects if ob.ves.force_type == "TYRE")
    assert again.ves.terrain is not None
    assert again.ves.tyre_radius == pytest.approx(RADIUS, rel=1e-3)
    mechanism, _ = read()
    np.testing.assert_allclose(mechanism.terrains[0].heights[0][0], math.tan(angle) * 10.0, atol=1e-4)
