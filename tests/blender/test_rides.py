# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints by which surfaces ride on each other: made with the operator, read, checked, snapped together and baked."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set.scene.build.scene import build
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.geometry.nurbs import patches_of
from virtual_erector_set.scene.geometry.poses import rotations
from virtual_erector_set.scene.read.reading import Reading
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.solver import assemble
from virtual_erector_set.solver.mechanism import (
    Body,
    Joint,
    Mechanism,
    SmoothCylinder,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothSubdivision,
    SmoothTorus,
)
from virtual_erector_set.solver.model import surface_joints as compiled_rides

from tests.blender.linkages import baked_result, joint, scene_state, world_matrices
from tests.blender.making import box, select
from tests.blender.playing import Driver

FRAMES = 13


@pytest.fixture(autouse=True)
def half_a_second() -> None:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES


def ball(name: str, position, radius: float = 0.2) -> bpy.types.Object:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=radius, location=position)
    bpy.context.active_object.name = name
    return bpy.context.active_object


def half_pipe(radius: float = 1.0, length: float = 4.0) -> bpy.types.Object:
    """A NURBS channel along Y: a cubic one with 7 points across, of about a half circle, its bottom on the origin."""
    bpy.ops.surface.primitive_nurbs_surface_surface_add()
    pipe = bpy.context.active_object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.select_all(action="SELECT")
    bpy.ops.curve.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    pipe.location = (0, 0, 0)
    spline = pipe.data.splines[0]
    across, along = spline.point_count_u, spline.point_count_v
    for k, point in enumerate(spline.points):
        angle = np.pi * ((k % across) / (across - 1) - 0.5)
        y = length * ((k // across) / (along - 1) - 0.5)
        point.co = (1.1 * radius * np.sin(angle), y, radius * (1.0 - 1.1 * np.cos(angle)), 1.0)
    spline.order_u = spline.order_v = 4
    spline.use_endpoint_u = spline.use_endpoint_v = True
    bpy.context.view_layer.update()
    return pipe


def read() -> Reading:
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def the_joint() -> Joint:
    (joint,) = read().mechanism.joints
    return joint


def ride(*objects: bpy.types.Object) -> bpy.types.Object:
    select(*objects)
    assert bpy.ops.ves.add_joint(type="CONTACT") == {"FINISHED"}
    return bpy.context.active_object


def fixed(ob: bpy.types.Object) -> bpy.types.Object:
    select(ob)
    bpy.ops.ves.add_body(motion="FIXED")
    return ob


def test_a_ball_on_a_dome_is_recognised_and_leaves_it() -> None:
    out = Vector((np.sin(0.6), 0.0, np.cos(0.6)))
    dome, marble = fixed(ball("Dome", (0, 0, 0), 1.0)), ball("Marble", 1.2 * out)
    empty = ride(dome, marble)
    assert empty.name == "Rides On Dome-Marble"
    assert empty.ves.ride_rolling
    joint = the_joint()
    assert (joint.type, joint.parent, joint.child, joint.rolling) == ("contact", "Dome", "Marble", True)
    assert isinstance(joint.surface_parent, SmoothSphere)
    assert joint.surface_parent.radius == pytest.approx(1.0, rel=1e-5)
    assert joint.surface_child.radius == pytest.approx(0.2, rel=1e-5)
    assert np.linalg.norm(joint.position) == pytest.approx(1.0, abs=0.01)
    bpy.context.scene.frame_end = 25
    result = baked_result()
    assert result.failure == ""
    far = np.linalg.norm(world_matrices(marble, range(1, 26))[:, :3, 3], axis=1)
    assert far[:12] == pytest.approx(np.full(12, 1.2), abs=1e-4)
    assert far[-1] > 1.3, "it has come off by then"


def test_a_ball_in_a_nurbs_half_pipe_is_snapped_to_it_and_rolls_down_into_it() -> None:
    pipe, marble = half_pipe(), ball("Marble", (0.55, 0.3, 0.5))
    empty = ride(marble, pipe)
    assert empty.ves.ride_object_a == pipe
    assert empty.ves.to_world
    assert pipe.ves.role == "NONE"
    reading = read()
    (finding,) = reading.open
    assert "apart by" in finding.text or "overlap by" in finding.text
    assert "use Snap Together" in finding.text
    bpy.ops.ves.snap_together()
    assert not read().open
    assert read().mechanism.joints[0].surface_parent.type == "patches"
    start = marble.matrix_world.translation.copy()
    assert (start - Vector((0.55, 0.3, 0.5))).length < 0.3
    result = baked_result()
    assert result.failure == ""
    path = world_matrices(marble, range(1, FRAMES + 1))[:, :3, 3]
    assert path[-1, 0] < path[0, 0] - 0.1, "down to the middle"
    assert path[:, 1] == pytest.approx(np.full(FRAMES, 0.3), abs=1e-3)
    speeds = np.gradient(path[:, 2])
    assert (speeds[1:-1] < 0.0).any()


def test_a_surface_turns_to_the_side_of_the_other_body_and_may_be_turned_round() -> None:
    pipe, marble = half_pipe(), ball("Marble", (0.0, 0.0, 0.2))
    empty = ride(marble, pipe)
    above = the_joint().surface_parent.inside
    marble.location.z = -0.3
    empty.ves.body_b.update_tag()
    bpy.context.view_layer.update()
    assert the_joint().surface_parent.inside != above
    empty.ves.ride_inside_a = True
    assert the_joint().surface_parent.inside == above


def test_meshes_stand_for_planes_cylinders_and_rings() -> None:
    bpy.ops.mesh.primitive_plane_add(size=2.0)
    floor = fixed(bpy.context.active_object)
    empty = ride(floor, ball("Marble", (0, 0, 0.2)))
    plane = the_joint().surface_parent
    assert isinstance(plane, SmoothPlane)
    assert plane.half_size == pytest.approx((1.0, 1.0))
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=0.5, depth=3.0, location=(0.7, 0, 0))
    empty.ves.ride_object_a = bpy.context.active_object
    assert isinstance(the_joint().surface_parent, SmoothCylinder)
    bpy.ops.mesh.primitive_torus_add(
        major_radius=1.0, minor_radius=0.25, major_segments=64, minor_segments=32, location=(1.0, 0, -0.3)
    )
    empty.ves.ride_object_a, empty.ves.ride_kind_a = bpy.context.active_object, "TORUS"
    ring = the_joint().surface_parent
    assert (ring.ring_radius, ring.tube_radius) == pytest.approx((1.0, 0.25), rel=1e-3)


def test_a_scaled_ball_is_an_ellipsoid_if_asked_and_surfaces_go_with_their_bodies() -> None:
    floor = fixed(box("Floor", (0, 0, -0.5), (4, 4, 1)))
    egg = ball("Egg", (1.0, 0.0, 0.5), 0.5)
    egg.scale, egg.rotation_euler = (0.6, 0.6, 1.0), (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    empty = ride(floor, egg)
    empty.ves.ride_kind_a, empty.ves.ride_kind_b = "PLANE", "ELLIPSOID"
    joint = the_joint()
    assert joint.surface_child.half_axes == pytest.approx((0.3, 0.3, 0.5), rel=1e-2)
    assert joint.surface_child.position == pytest.approx((0, 0, 0), abs=1e-6)
    assert joint.surface_parent.position == pytest.approx((0, 0, 0.5), abs=1e-6)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda e: setattr(e.ves, "ride_object_a", box("Crate")), "Crate is neither a ball nor a cylinder nor flat"),
        (lambda e: setattr(e.ves, "ride_object_a", None), "rides on nothing: choose a Parent Surface, or a parent"),
        (lambda e: raise_order(e.ves.ride_object_a, 11), "has order 11: set Order U and V to 10 or less"),
        (
            lambda e: setattr(e.ves.ride_object_a.data.splines[0], "order_u", 2),
            "has a crease, since Order U is 2: set it to 3 or more, to 4 for smooth accelerations",
        ),
        (
            lambda e: setattr(e.ves.ride_object_a.data.splines[0], "use_bezier_u", True),
            "has a crease, since Bezier U is on and handles are not in line",
        ),
        (lambda e: setattr(e.ves.ride_object_a.data.splines[0].points[8], "co", (0, 0, 0, 0)), "weights that are not"),
        (
            lambda e: setattr(e.ves.ride_object_a.data.splines[0], "use_cyclic_u", True),
            "is Cyclic and has Endpoint or Bezier on",
        ),
    ],
)
def test_what_cannot_be_ridden_on_is_named(spoil, words) -> None:
    pipe = half_pipe()
    empty = ride(ball("Marble", (0.0, 0.0, 0.2)), pipe)
    spoil(empty)
    bpy.context.view_layer.update()
    with pytest.raises(Exception, match=words):
        read()


def raise_order(surface: bpy.types.Object, order: int) -> None:
    """Of a half-pipe, with as many points as that needs."""
    select(surface)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.select_all(action="SELECT")
    bpy.ops.curve.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    surface.data.splines[0].order_u = order


def middle_of(surface: SmoothPatches) -> np.ndarray:
    return np.mean(np.reshape(surface.points, (-1, 3)), axis=0) + surface.position


def test_of_several_splines_the_one_nearest_to_the_empty_is_ridden_on() -> None:
    """Two half-pipes side by side in one object, of which a marble lies in the second."""
    first, second = half_pipe(), half_pipe()
    second.location.x = 3.0
    select(first, second)
    bpy.ops.object.join()
    pipes = bpy.context.active_object
    assert len(pipes.data.splines) == 2
    empty = ride(ball("Marble", (3.0, 0.2, 0.2)), pipes)
    assert middle_of(the_joint().surface_parent)[0] == pytest.approx(3.0, abs=0.01)
    empty.location.x = 0.0
    bpy.context.view_layer.update()
    assert middle_of(the_joint().surface_parent)[0] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("order", [4, 5, 6])
def test_patches_are_blenders_own_surface(order) -> None:
    """Corners of the mesh that Blender makes of a NURBS surface lie on the patches."""
    from scipy.optimize import minimize
    from virtual_erector_set.solver.model.surface_joints import surface_arrays
    from virtual_erector_set.solver.surfaces.surface import point_of

    pipe = half_pipe()
    spline, rng = pipe.data.splines[0], np.random.default_rng(0)
    for point in spline.points:
        point.co = (*(np.array(point.co[:3]) + 0.1 * rng.normal(size=3)), 1.0 + 0.5 * rng.random())
    spline.order_u = order
    for flags in ((True, False, False), (False, False, False), (False, False, True), (False, True, False)):
        spline.use_endpoint_u, spline.use_cyclic_u, spline.use_bezier_u = flags
        bpy.context.view_layer.update()
        (found,) = patches_of(pipe, np.eye(3))
        assert found.degree == (order - 1, 3)
        surface = SmoothPatches(
            points=found.points.tolist(), weights=found.weights.tolist(), closed=found.closed, degree=found.degree
        )
        (record,), patches = surface_arrays([(surface, (np.zeros(3), np.eye(3)))])
        evaluated = pipe.evaluated_get(bpy.context.evaluated_depsgraph_get())
        corners = np.array([vertex.co[:] for vertex in evaluated.to_mesh().vertices])
        grid = [(u, v) for u in np.linspace(0, record.counts[0], 25) for v in np.linspace(0, record.counts[1], 25)]
        points = np.array([point_of(record, patches, 0, u, v)[0] for u, v in grid])
        for corner in corners[rng.choice(len(corners), 6)]:
            start = grid[int(np.argmin(np.linalg.norm(points - corner, axis=1)))]

            def far(q, corner=corner, record=record, patches=patches):
                return float(np.sum((np.array(point_of(record, patches, 0, *q)[0]) - corner) ** 2))

            best = minimize(far, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-16})
            assert np.sqrt(best.fun) < 2e-6


def test_a_file_comes_back_as_it_was() -> None:
    """Surfaces of all kinds, exported, imported and read again, are the same; on bodies and on the world."""
    surfaces = [
        SmoothPlane(position=(0, 0, -0.5), half_size=(3.0, 2.0)),
        SmoothSphere(radius=0.7, position=(0.1, 0.2, 0.3)),
        SmoothEllipsoid(half_axes=(0.7, 0.5, 0.9), orientation=(0.6, 0.8, 0.0, 0.0)),
        SmoothTorus(ring_radius=1.0, tube_radius=0.25),
        SmoothCylinder(radius=0.3, half_length=2.0, orientation=(0.6, 0.0, 0.8, 0.0)),
        patches(),
        SmoothSubdivision(
            points=[(0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, -1, 0)],
            faces=[(0, 1, 2), (0, 2, 3), (0, 3, 1), (3, 2, 1)],
            creases=[(1, 2), (1, 3)],
            keep_corners=False,
        ),
        SmoothSubdivision(
            points=[(0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, -1, 0)],
            faces=[(0, 1, 2), (0, 2, 3), (0, 3, 1), (3, 2, 1)],
            creases=[(1, 2, 0.7), (1, 3, 3.6)],
            corners=[(0, 2.5)],
        ),
    ]
    turned = (np.cos(0.4), 0.0, np.sin(0.4), 0.0)
    stand = Body(name="stand", motion="fixed", position=(0.5, 0.4, -0.3), orientation=turned)
    for surface in surfaces:
        egg = Body(name="egg", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.7, 0.2, 2.0))
        ride = Joint(
            name="ride", type="contact", parent="stand", child="egg", position=(0.7, 0.2, 1.0),
            surface_parent=surface, surface_child=SmoothSphere(radius=0.2),
        )  # fmt: skip
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        build(bpy.context, assemble(Mechanism(bodies=[stand, egg], joints=[ride])))
        bpy.context.view_layer.update()
        back = the_joint()
        assert (back.type, back.rolling, back.parent, back.child) == ("contact", False, "stand", "egg")
        before, after = surface.to_dict(), back.surface_parent.to_dict()
        assert after.pop("type") == before.pop("type")
        kept = {name: before[name] for name in before if name not in ("position", "orientation", "closed")}
        for name, value in kept.items():
            assert np.array(after[name]) == pytest.approx(np.array(value), abs=2e-6), name
        assert np.array(back.surface_parent.position) == pytest.approx(np.array(surface.position), abs=2e-6)
        found, given = (rotations(np.array(each.orientation)) for each in (back.surface_parent, surface))
        assert found == pytest.approx(given, abs=2e-6)
        assert back.surface_child.radius == pytest.approx(0.2, rel=1e-6)


def patches() -> SmoothPatches:
    """Two by one patches, rational, of degree 3 along u and 4 along v."""
    rng = np.random.default_rng(2)
    grid = np.array([[(0.5 * i - 1.5, 0.8 * j - 1.2, 0.05 * rng.normal()) for j in range(5)] for i in range(7)])
    weights = 1.0 + 0.2 * rng.random((7, 5))
    weights[4] = 2.0 * weights[3] - weights[2]  # the two join smoothly
    grid[4] = ((2.0 * weights[3] * grid[3].T - weights[2] * grid[2].T) / weights[4]).T
    return SmoothPatches(points=grid.tolist(), weights=weights.tolist(), degree=(3, 4))


def test_what_rides_and_what_touches_go_together() -> None:
    """A marble rolls down into a half-pipe, where it hits one that hangs in its way, and both swing on."""
    pipe, scene = half_pipe(), bpy.context.scene
    marble, bob = ball("Marble", (-0.55, 0.0, 0.5)), ball("Bob", (0.4, 0.0, 0.26))
    ride(marble, pipe)
    bpy.ops.ves.snap_together()
    select(bob)
    bpy.ops.ves.add_body()
    marble.ves.contact_friction = bob.ves.contact_friction = 0.0  # which would lift what rolls against it
    hang_up = joint("Thread", (0.4, 0.0, 2.0), None, bob)
    scene.ves.use_contact, scene.ves.use_ground, scene.frame_end = True, False, 25
    result = baked_result()
    assert result.failure == ""
    assert "integrator: impulse" in result.notes
    assert not [note for note in result.notes if " ends at " in note], "a blow from above does not lift it off"
    frames = range(1, 26)
    path, swing = (world_matrices(ob, frames)[:, :3, 3] for ob in (marble, bob))
    assert swing[0] == pytest.approx((0.4, 0.0, 0.26), abs=1e-6)
    assert swing[-1, 0] > 0.5, "it is knocked away"
    assert np.linalg.norm(swing - hang_up.location, axis=1) == pytest.approx(np.full(25, 1.74), abs=1e-4)
    assert np.linalg.norm(path - swing, axis=1).min() > 0.4 - 1e-3


def test_what_cannot_start_stays_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball that is less curved than the bowl in which it lies, as if the check before had let it pass by a hair."""
    monkeypatch.setattr(compiled_rides, "_LEAST_CURVATURE", -1e9)
    bowl, marble = fixed(ball("Bowl", (0, 0, 0), 0.5)), ball("Marble", (0.0, 0.0, 0.3), 0.8)
    ride(bowl, marble).ves.ride_inside_a = True
    free = ball("Free", (3.0, 0.0, 1.0))
    select(free)
    bpy.ops.ves.add_body()
    before = scene_state()
    with pytest.raises(SceneError, match=r"It cannot start at frame 1: surfaces .* more than one point at 'Marble'"):
        Driver()
    assert scene_state() == before
    assert marble.matrix_world.translation == Vector((0.0, 0.0, 0.3))
    assert free.matrix_world.translation == Vector((3.0, 0.0, 1.0))
    with pytest.raises(RuntimeError, match="more than one point at 'Marble'"):
        bpy.ops.ves.bake()
    assert scene_state() == before
