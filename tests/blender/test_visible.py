# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs, rubbers, rods and ropes that can be seen: their shapes end where their ends are, and follow them."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from scipy import optimize
from virtual_erector_set.scene.visible.visible import shape_of

from tests.blender.linkages import baked_result, body
from tests.blender.making import box, select, with_role

ROUNDING = 2e-5  # m: single precision, through a matrix and back


def spring(kind: str = "SPRING") -> bpy.types.Object:
    """From a cube at (2, 0, 3) up to a point of the world, (2, 0, 5)."""
    cube = body("cube", (2.0, 0.0, 3.0))
    cube.scale = (0.2, 0.2, 0.2)
    select(cube)
    bpy.context.scene.cursor.location = (2.0, 0.0, 5.0)
    bpy.ops.ves.add_force(type=kind)
    return bpy.context.active_object


def rope(apart: float = 2.0) -> bpy.types.Object:
    """Over two wheels at z = 4."""
    select(box("left", (0.0, 0.0, 1.0)), box("right", (apart, 0.0, 1.0)))
    bpy.context.scene.cursor.location = (0.0, 0.0, 4.0)
    assert bpy.ops.ves.add_pulley() == {"FINISHED"}
    return bpy.context.active_object


def set_number(part: bpy.types.Object, name: str, value: object) -> None:
    """As the panel does: a script must say by itself that a driver's source has changed."""
    setattr(part.ves, name, value)
    part.update_tag()


def points(part: bpy.types.Object) -> np.ndarray:
    """The vertices (N, 3) in the world, of what shows a part now."""
    shape = shape_of(part)
    bpy.context.view_layer.update()
    evaluated = shape.evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = np.empty(3 * len(evaluated.data.vertices), np.float32)
    evaluated.data.vertices.foreach_get("co", found)
    matrix = np.array(evaluated.matrix_world)
    return found.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def ends(part: bpy.types.Object) -> tuple[Vector, Vector]:
    """Its two ends."""
    settings = part.ves
    matrix = settings.body_b.matrix_world if settings.body_b else None
    end = Vector(settings.point_b)
    return part.matrix_world.translation, matrix @ end if matrix else end


def reach(part: bpy.types.Object) -> tuple[float, float]:
    """Lengths before the first end, and beyond the second, to which its shape reaches along the line between them."""
    start, end = (np.array(place) for place in ends(part))
    way = (end - start) / np.linalg.norm(end - start)
    along = (points(part) - start) @ way
    return float(along.min()), float(along.max() - np.linalg.norm(end - start))


@pytest.mark.parametrize("shape", ["COIL", "STRAP", "BAR"])
def test_a_shape_goes_from_one_end_to_the_other(shape: str) -> None:
    part = spring()
    assert bpy.ops.ves.make_visible(shape=shape, radius=0.15, thickness=0.02, width=0.1) == {"FINISHED"}
    assert bpy.context.active_object == part, "it stays selected, so that it can be adjusted"
    assert reach(part) == pytest.approx((0.0, 0.0), abs=ROUNDING)
    sideways = np.hypot(*(points(part) - (2.0, 0.0, 0.0))[:, :2].T).max()
    expected = {"COIL": 0.16, "STRAP": math.hypot(0.05, 0.01), "BAR": 0.01}[shape]
    assert sideways == pytest.approx(expected, rel=0.02)


def test_a_coil_has_its_turns() -> None:
    part = spring()
    bpy.ops.ves.make_visible(turns=7.0, radius=0.15, thickness=0.02)
    rings = points(part).reshape(-1, 12, 3).mean(axis=1)  # the wire's middle
    angle = np.unwrap(np.arctan2(rings[:, 1], rings[:, 0] - 2.0))
    away = np.hypot(rings[:, 1], rings[:, 0] - 2.0)
    full = np.nonzero(away > 0.01)[0]
    assert abs(angle[full[-1]] - angle[full[0]]) / (2.0 * math.pi) == pytest.approx(7.0, abs=0.3)


def test_it_follows_the_bake_at_every_frame_and_wherever_the_shape_itself_is() -> None:
    part = spring()
    part.ves.spring_stiffness = 20.0
    bpy.ops.ves.make_visible()
    shape_of(part).location, shape_of(part).rotation_euler = (1.0, -2.0, 0.5), (0.3, 0.2, 0.1)
    baked_result(frames=(1, 12))
    scene = bpy.context.scene
    lengths = []
    for frame in range(1, 13):
        scene.frame_set(frame)
        assert reach(part) == pytest.approx((0.0, 0.0), abs=ROUNDING)
        start, end = ends(part)
        lengths.append((end - start).length)
    assert max(lengths) > min(lengths) + 0.1, "it swings"


def test_it_follows_another_second_body_and_another_place_on_it() -> None:
    part = spring()
    bpy.ops.ves.make_visible()
    other = body("other", (5.0, 1.0, 2.0))
    part.ves.body_b, part.ves.point_b = other, (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    assert ends(part)[1] == other.matrix_world @ Vector((0.1, 0.2, 0.3))
    assert reach(part) == pytest.approx((0.0, 0.0), abs=ROUNDING)


def test_a_slack_strap_sags_and_is_as_long_as_its_rest_length() -> None:
    part = spring("RUBBER")
    set_number(part, "point_b", (4.0, 0.0, 3.0))
    bpy.ops.ves.make_visible(width=0.001, thickness=0.001)
    part.ves.use_rest_length = True
    set_number(part, "rest_length", 2.6)
    middle = points(part).reshape(-1, 4, 3).mean(axis=1)
    assert np.linalg.norm(np.diff(middle, axis=0), axis=1).sum() == pytest.approx(2.6, rel=0.01)
    assert middle[:, 2].min() < 2.5
    set_number(part, "rest_length", 1.5)
    middle = points(part).reshape(-1, 4, 3).mean(axis=1)
    assert middle[:, 2] == pytest.approx(3.0, abs=ROUNDING)


@pytest.mark.parametrize("apart", [2.0, 0.9])
def test_a_rope_touches_its_wheels_and_ends_at_its_bodies(apart: float) -> None:
    part = rope(apart)
    bpy.ops.ves.make_visible(radius=0.2, thickness=0.02, show_wheels=False)
    found = points(part)
    assert found[:, 2].min() == pytest.approx(1.5, abs=ROUNDING), "at the tops of the bodies"
    assert found[:, 2].max() == pytest.approx(4.01, abs=1e-3), "it runs from wheel to wheel"
    centre = np.array([0.2, 0.0, 3.8])
    away = np.linalg.norm((found - centre)[:, [0, 2]], axis=1)
    assert away.min() == pytest.approx(0.19, abs=0.001), "and round them in an arc"
    bpy.ops.ves.make_visible(radius=0.2, thickness=0.02)
    with_wheels = points(part)

    def near(places: np.ndarray) -> int:
        return np.count_nonzero(np.linalg.norm((places - centre)[:, [0, 2]], axis=1) < 0.2 + 0.017)

    assert near(with_wheels) - near(found) == (len(with_wheels) - len(found)) / 2 > 100


def test_a_rope_over_one_wheel_shows_one() -> None:
    part = rope()
    bpy.ops.ves.make_visible(radius=0.2, thickness=0.02)
    two = len(points(part))
    part.ves.wheel_b = part.ves.wheel_a
    assert len(points(part)) < 0.7 * two
    assert points(part)[:, 2].max() < 4.05


def test_it_is_replaced_kept_apart_from_bodies_and_removed() -> None:
    part = spring()
    bpy.ops.ves.make_visible()
    first = shape_of(part).name
    paint = bpy.data.materials.new("Mine")
    modifier = shape_of(part).modifiers["Erector Set"]
    item = next(i for i in modifier.node_group.interface.items_tree if i.name == "Material")
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, item.identifier).value = paint
    else:
        modifier[item.identifier] = paint
    bpy.ops.ves.make_visible(shape="BAR")
    assert first not in {ob.name for ob in bpy.data.objects if ob != shape_of(part)}
    assert shape_of(part).evaluated_get(bpy.context.evaluated_depsgraph_get()).data.materials[0].name == "Mine"
    select(shape_of(part), *with_role("BODY"))
    bpy.ops.ves.add_body()
    assert len(with_role("BODY")) == 1
    select(part)
    assert bpy.ops.ves.remove_visible() == {"FINISHED"}
    assert shape_of(part) is None
    assert not [ob for ob in bpy.data.objects if ob.type == "MESH" and ob.ves.role != "BODY"]
    assert not bpy.ops.ves.remove_visible.poll()


def test_check_tells_a_shape_whose_spring_was_deleted() -> None:
    part = spring()
    bpy.ops.ves.make_visible()
    bpy.ops.ves.check()
    assert not [finding.text for finding in bpy.context.scene.ves.findings if "shows" in finding.text]
    select(part)
    bpy.ops.object.delete()
    bpy.ops.ves.check()
    (said,) = [finding.text for finding in bpy.context.scene.ves.findings if "shows" in finding.text]
    assert "which is not in this scene any more: delete it as well" in said


def test_a_file_that_is_saved_and_opened_still_shows_it(tmp_path) -> None:
    part = spring()
    bpy.ops.ves.make_visible()
    name, before = part.name, points(part)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert points(bpy.data.objects[name]) == pytest.approx(before, abs=ROUNDING)
    set_number(bpy.data.objects[name], "point_b", (2.0, 1.0, 3.5))
    assert reach(bpy.data.objects[name]) == pytest.approx((0.0, 0.0), abs=ROUNDING)


def test_parts_without_length_are_told_and_bodies_are_not_asked() -> None:
    part = spring()
    part.ves.point_b = part.matrix_world.translation
    select(part)
    assert bpy.ops.ves.make_visible() == {"CANCELLED"}
    select(*with_role("BODY"))
    assert not bpy.ops.ves.make_visible.poll()


def cord(length: float = 2.6) -> bpy.types.Object:
    """A Distance with slack between two level points 2 m apart."""
    select(box("left", (0.0, 0.0, 3.0)), box("right", (2.0, 0.0, 3.0)))
    assert bpy.ops.ves.add_distance() == {"FINISHED"}
    part = bpy.context.active_object
    part.matrix_world.translation, part.ves.anchor_b.matrix_world.translation = (0.0, 0.0, 3.0), (2.0, 0.0, 3.0)
    part.ves.slack = part.ves.use_distance = True
    set_number(part, "distance", length)
    return part


def test_a_distance_with_slack_is_a_cord_that_sags_as_its_length_says() -> None:
    part = cord()
    bpy.ops.ves.make_visible(thickness=0.001)
    assert shape_of(part).modifiers[0].node_group.name == "Erector Set Cord"
    middle = points(part).reshape(32, -1, 3).mean(axis=1)
    assert np.linalg.norm(np.diff(middle, axis=0), axis=1).sum() == pytest.approx(2.6, rel=1e-3)
    half = optimize.brentq(lambda u: math.sinh(u) / u - 1.3, 0.1, 5.0)
    assert 3.0 - middle[:, 2].min() == pytest.approx((math.cosh(half) - 1.0) / half, abs=2e-3), "a catenary"
    set_number(part, "distance", 2.0)
    assert points(part)[:, 2] == pytest.approx(3.0, abs=2e-3), "it is straight where it is taut"
    part.ves.use_distance = False
    set_number(part, "distance", 4.0)
    assert points(part)[:, 2] == pytest.approx(3.0, abs=2e-3), "a length that does not count is not shown"


def test_a_rope_hangs_down_on_both_sides_by_what_it_is_too_long() -> None:
    part = rope()
    part.ves.slack = part.ves.use_distance = True
    sides = part.matrix_world.translation, part.ves.anchor_b.matrix_world.translation
    taut = sum(
        (wheel.matrix_world.translation - end).length
        for wheel, end in zip((part.ves.wheel_a, part.ves.wheel_b), sides, strict=True)
    )
    set_number(part, "distance", taut)
    bpy.ops.ves.make_visible(thickness=0.001, show_wheels=False)
    lowest = min(side.z for side in sides)
    assert points(part)[:, 2].min() == pytest.approx(lowest, abs=3e-3)
    set_number(part, "distance", taut + 1.0)
    hanging = points(part)
    for side in sides:
        below = hanging[np.hypot(*(hanging - side)[:, :2].T) < 0.05]
        assert below[:, 2].min() == pytest.approx(side.z - 0.25, abs=0.05), "half of half a metre"
