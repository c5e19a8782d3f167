# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground and the shapes as lines in the 3D View; where Blender can draw without a window, also the picture."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import gpu
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector
from virtual_erector_set.scene import overlay

from tests.blender.linkages import body
from tests.blender.making import select
from tests.blender.shapes import ball, shaped
from tests.blender.test_read_contact import hammer

WIDTH, HEIGHT = 200, 150


def view(position=(0.0, -10.0, 10.0), tilt=np.pi / 4, distance=14.0, perspective="PERSP") -> SimpleNamespace:
    """Looks at the origin."""
    matrix = Matrix.Translation(position) @ Euler((tilt, 0.0, 0.0)).to_matrix().to_4x4()
    return SimpleNamespace(
        view_matrix=matrix.inverted(),
        view_location=Vector((0.2, 0.1, 0.0)),
        view_distance=distance,
        view_perspective=perspective,
    )


@pytest.mark.parametrize(("distance", "spacing"), [(14.0, 1.0), (0.14, 0.01), (100.0, 10.0), (29.0, 1.0)])
def test_the_grid_is_as_fine_as_suits_the_distance(distance: float, spacing: float) -> None:
    middle, found = overlay.grid_place(0.0, view(distance=distance))
    assert found == pytest.approx(spacing)
    assert tuple(middle) == pytest.approx((round(0.2 / spacing) * spacing, round(0.1 / spacing) * spacing))


def test_through_a_camera_the_grid_is_where_that_looks() -> None:
    seen = view((40.0, -10.0, 10.0), perspective="CAMERA")
    middle, spacing = overlay.grid_place(0.0, seen)
    assert spacing == 1.0
    assert tuple(middle) == pytest.approx((40.0, 0.0), abs=spacing)


def test_the_lines_of_the_grid_are_at_its_height() -> None:
    ends = np.array(overlay.grid_lines(Vector((3.0, 4.0)), 0.5, -2.0))
    assert (ends[:, 2] == -2.0).all()
    np.testing.assert_allclose(ends.mean(axis=0), (3, 4, -2))
    assert np.ptp(ends[:, 0]) == pytest.approx(2 * overlay.CELLS * 0.5)


def test_the_lines_of_a_body_lie_on_its_mesh() -> None:
    ob = shaped("a", ball())
    ob.scale, ob.rotation_euler = (2, 2, 2), (0.3, 0.4, 0.5)
    bpy.context.view_layer.update()
    lines = overlay.shape_lines(ob, bpy.context.evaluated_depsgraph_get())
    np.testing.assert_allclose(np.linalg.norm(lines, axis=2), 2.0, rtol=1e-5)


def test_what_can_not_be_a_shape_has_no_lines() -> None:
    ob = shaped("a", ball())
    ob.ves.contact_shape = "MESH"
    assert len(overlay.shape_lines(ob, bpy.context.evaluated_depsgraph_get())) == 0


def test_only_bodies_that_collide_are_shown() -> None:
    a, b = body("a"), body("b")
    bpy.context.scene.ves.show_shapes = "ALL"
    b.ves.collide = False
    assert overlay.shown_bodies(bpy.context) == [a]
    bpy.context.scene.ves.show_shapes = "SELECTED"
    assert overlay.shown_bodies(bpy.context) == []
    a.select_set(True)
    assert overlay.shown_bodies(bpy.context) == [a]


def test_a_line_joins_the_two_sides_of_a_loose_tie() -> None:
    a, b = shaped("a", ball()), shaped("b", ball(), (5, 0, 0))
    select(a, b)
    bpy.ops.ves.add_point_to_point(location="LOOSE")
    bpy.context.view_layer.update()
    ends = np.array(overlay.loose_lines(bpy.context.scene))
    tie = bpy.context.scene.objects["Tie a-b"]
    start, end = (np.array(mark.matrix_world.translation) for mark in (tie, tie.ves.anchor_b))
    assert ends[0] == pytest.approx(start, abs=1e-5)
    assert ends[-1] == pytest.approx(start + (1 - 1 / overlay.DASHES) * (end - start), abs=1e-5)
    bpy.context.active_object.hide_set(True)
    assert overlay.loose_lines(bpy.context.scene) == []
    bpy.data.objects.remove(bpy.context.scene.objects["Tie a-b"])
    assert overlay.loose_lines(bpy.context.scene) == []


def test_shapes_go_where_their_bodies_are() -> None:
    """Scaled, mirrored and turned, of all bodies at once and for each motion."""
    a, b, c = (shaped(name, ball()) for name in "abc")
    a.location, a.scale, a.rotation_euler = (1, 2, 3), (2, 2, 2), (0.3, 0.4, 0.5)
    b.location, b.scale = (4, 0, 0), (-1, 1, 1)
    c.ves.motion = "FIXED"
    bpy.context.view_layer.update()
    for _ in range(2):  # with what is kept, too
        depsgraph = bpy.context.evaluated_depsgraph_get()
        seen = overlay.look_at(depsgraph)
        found = overlay.BodyLines([a, b, c], depsgraph, seen).in_world(seen)
        assert set(found) == {"DYNAMIC", "FIXED"}
        first, second = np.split(found["DYNAMIC"], 2)
        np.testing.assert_allclose(np.linalg.norm(first - np.array(a.location), axis=1), 2.0, rtol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(second - np.array(b.location), axis=1), 1.0, rtol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(found["FIXED"] - np.array(c.location), axis=1), 1.0, rtol=1e-5)
        a.location.x += 5.0
        bpy.context.view_layer.update()


def test_of_a_view_in_which_nothing_changes_nothing_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each redraw took 0.1 ms for each body."""
    stones = [shaped(f"stone {i}", ball()) for i in range(3)]
    asked: list[int] = []
    monkeypatch.setattr(overlay, "shape_batches", lambda lines, _seen: asked.append(lines) or [])
    monkeypatch.setattr(overlay, "_draw_batches", lambda batches: None)
    scene, layer = bpy.context.scene, bpy.context.view_layer
    scene.ves.use_ground, scene.ves.show_shapes = False, "ALL"
    space = SimpleNamespace(as_pointer=lambda: 1, local_view=None)
    context = SimpleNamespace(
        scene=scene,
        space_data=space,
        view_layer=layer,
        visible_objects=stones,
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )

    def redraw() -> int:
        overlay.draw_shown_shapes(context)
        return len(asked)

    layer.update()
    assert [redraw(), redraw(), redraw()] == [1, 1, 1]
    stones[0].location.x = 1.0
    layer.update()
    assert [redraw(), redraw()] == [2, 2]
    scene.frame_set(7)
    assert [redraw(), redraw()] == [3, 3]
    space.local_view = space
    assert redraw() == 4


def test_at_another_frame_bodies_are_only_asked_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scrub over 2,000 bodies took 28 ms a frame; but what is scaled or hidden is asked again."""
    stones, asked = [shaped(f"stone {i}", ball()) for i in range(3)], []
    stones[0].location.x, stones[2].ves.motion = 5.0, "FIXED"
    stones[0].keyframe_insert("location", frame=1)
    stones[0].location.x = 8.0
    stones[0].keyframe_insert("location", frame=2)
    lines_of, scene = overlay._lines_of, bpy.context.scene
    monkeypatch.setattr(overlay, "_lines_of", lambda *given: asked.append(given[0]) or lines_of(*given))
    monkeypatch.setattr(overlay, "_draw_batches", lambda batches: None)
    shown: list[dict[str, np.ndarray]] = []
    monkeypatch.setattr(overlay, "shape_batches", lambda lines, seen: shown.append(lines.in_world(seen)) or [])
    scene.ves.show_shapes = "ALL"
    context = SimpleNamespace(
        scene=scene,
        space_data=SimpleNamespace(as_pointer=lambda: 1, local_view=None),
        view_layer=bpy.context.view_layer,
        visible_objects=stones,
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )

    def places(frame: int) -> list[float]:
        """Middles along X of the two dynamic stones, or of the one that is shown."""
        scene.frame_set(frame)
        context.visible_objects = [stone for stone in stones if not stone.hide_viewport]
        overlay.draw_shown_shapes(context)
        ends = shown[-1]["DYNAMIC"]
        count = sum(stone.ves.motion == "DYNAMIC" for stone in context.visible_objects)
        return [float(np.round(0.5 * (part.min(0) + part.max(0))[0], 3)) for part in np.split(ends, count)]

    assert (places(1), len(asked)) == ([5.0, 0.0], 3)
    assert (places(2), len(asked)) == ([8.0, 0.0], 3)
    for frame, size in ((2, 1.0), (3, 2.0)):
        stones[1].scale = [size] * 3
        stones[1].keyframe_insert("scale", frame=frame)
    bpy.context.view_layer.update()
    assert (places(2), places(3), len(asked)) == ([8.0, 0.0], [8.0, 0.0], 9)
    ends = np.split(shown[-1]["DYNAMIC"], 2)[1]
    assert np.ptp(ends, axis=0) == pytest.approx(4.0, rel=1e-5)
    for frame, hidden in ((3, False), (4, True)):
        stones[0].hide_viewport = hidden
        stones[0].keyframe_insert("hide_viewport", frame=frame)
    bpy.context.view_layer.update()
    assert (places(3), places(4)) == ([8.0, 0.0], [0.0])


@pytest.fixture
def canvas():
    """Something to draw on."""
    if not hasattr(gpu, "init"):
        pytest.skip("this Blender can't draw without a window")
    gpu.init()
    screen = gpu.types.GPUOffScreen(WIDTH, HEIGHT)
    yield screen
    screen.free()


def picture(screen, seen: SimpleNamespace, draw) -> np.ndarray:
    """Which pixels (HEIGHT, WIDTH) are not black any more."""
    near, far, focus = 0.1, 100.0, 2.0
    projection = Matrix(
        (
            (focus, 0, 0, 0),
            (0, focus * WIDTH / HEIGHT, 0, 0),
            (0, 0, (far + near) / (near - far), 2 * far * near / (near - far)),
            (0, 0, -1, 0),
        )
    )
    with screen.bind():
        buffer = gpu.state.active_framebuffer_get()
        buffer.clear(color=(0, 0, 0, 1), depth=1.0)
        with gpu.matrix.push_pop():
            gpu.matrix.load_matrix(seen.view_matrix)
            gpu.matrix.load_projection_matrix(projection)
            draw()
        pixels = np.array(buffer.read_color(0, 0, WIDTH, HEIGHT, 4, 0, "FLOAT").to_list())
    return pixels.reshape(HEIGHT, WIDTH, 4)[..., :3].sum(axis=2) > 0.05


def test_the_ground_is_drawn_up_to_the_horizon(canvas) -> None:
    seen = view()
    drawn = picture(canvas, seen, lambda: overlay.draw_ground(0.0, seen))
    assert drawn[: HEIGHT // 2].mean() > 0.1
    above = picture(canvas, seen, lambda: overlay.draw_ground(20.0, seen))
    assert not above.any(), "it is behind the view"


def test_shapes_are_drawn_where_the_bodies_are(canvas) -> None:
    a, h = shaped("a", ball(), (0, 0, 0)), hammer()
    h.ves.contact_shape, h.location = "COMPOUND", (3, 0, 0)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()

    def columns() -> np.ndarray:
        return np.flatnonzero(picture(canvas, view(), lambda: overlay.draw_shapes([a], depsgraph)).any(axis=0))

    found = columns()
    assert (found.min() + found.max()) / 2 == pytest.approx(WIDTH / 2, abs=2)
    assert np.ptp(found) == pytest.approx(2 * WIDTH / np.sqrt(200), rel=0.05)
    a.location.x = 2.0
    a.data.transform(Matrix.Scale(0.5, 4))
    a.data.update()
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    moved = columns()
    assert (moved.min() + moved.max()) / 2 == pytest.approx(WIDTH / 2 * (1 + 4 / np.sqrt(200)), abs=2)
    assert np.ptp(moved) == pytest.approx(0.5 * np.ptp(found), abs=2), "its mesh has changed"
    both = picture(canvas, view(), lambda: overlay.draw_shapes([a, h], depsgraph))
    assert both.sum() > 0
