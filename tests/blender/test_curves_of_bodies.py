# SPDX-License-Identifier: GPL-3.0-or-later
"""Beads on curves that go with another body, and bodies that turn along curves: from the button to the bake."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.build.scene import build
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.geometry.bead_curve import directions_up
from virtual_erector_set.scene.geometry.curve_length import CurveLength
from virtual_erector_set.scene.read.fingerprint import fingerprint
from virtual_erector_set.solver.assembly.curve import BeadCurve

from tests.blender.linkages import body, joint, world_matrices
from tests.blender.making import box, curve_object, select, with_role
from tests.blender.test_read_constraints import assert_refused, now, sampled


def hang(child: bpy.types.Object, parent: bpy.types.Object) -> None:
    """Parent, and keep the place."""
    bpy.context.view_layer.update()
    child.parent, child.matrix_parent_inverse = parent, parent.matrix_world.inverted()


def bezier_circle(name: str, radius: float = 1.0) -> bpy.types.Object:
    bpy.ops.curve.primitive_bezier_circle_add(radius=radius)
    ob = bpy.context.active_object
    ob.name = ob.data.name = name
    return ob


def bake(frames: int = 30) -> None:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    select()
    assert bpy.ops.ves.bake() == {"FINISHED"}


def yoke() -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """(crank on a hinge with a motor, slide along X, its slot along Y): a Scotch yoke whose pin is 1 m out."""
    crank, slide = body("Crank", (0, 0, 0), (2, 0.2, 0.1)), body("Slide", (1, 0, 0), (0.1, 3, 0.1))
    axle, guide = joint("Axle", (0, 0, 0), None, crank, "REVOLUTE"), joint("Guide", (1, 0, 0), None, slide, "PRISMATIC")
    guide.rotation_euler.y = math.pi / 2
    axle.ves.motor_mode, axle.ves.motor_speed[0] = "SPEED", math.pi
    slot = curve_object("Slot", [(1, -2, 0), (1, 2, 0)])
    hang(slot, slide)
    return crank, slide, slot


def add_bead(*objects: bpy.types.Object, **settings) -> bpy.types.Object:
    select(*objects)
    assert bpy.ops.ves.add_bead(**settings) == {"FINISHED"}
    return with_role("BEAD")[-1]


def test_the_button_finds_the_body_that_carries_the_curve() -> None:
    plate, pin = body("Plate", (0, 0, 0), (3, 3, 0.1)), box("Pin", (1, 0.2, 0))
    slot = curve_object("Slot", [(-1, 0, 0), (2, 0, 0)])
    hang(slot, plate)
    bead = add_bead(pin, plate, slot)
    assert (bead.ves.body_a, bead.ves.body_b, bead.ves.path_curve, bead.parent) == (pin, plate, slot, pin)
    (found,) = sampled()
    assert (found.type, found.body, found.to, found.align) == ("curve", "Pin", "Plate", None)


def test_a_pin_in_a_groove_is_baked_with_the_plate_that_carries_it() -> None:
    """Nothing but the pair: both move, the pin stays in the groove at every frame."""
    bpy.context.scene.gravity = (0, 0, 0)
    plate, pin = body("Plate", (0, 0, 0), (3, 3, 0.1)), body("Pin", (1, 0, 0), (0.2, 0.2, 0.2))
    groove = bezier_circle("Groove")
    hang(groove, plate)
    add_bead(pin, groove)
    plate.ves.angular_velocity = (0, 0, 1.0)
    pin.ves.linear_velocity = (0, 3.0, 0)
    bake()
    frames = range(1, 31)
    local = np.linalg.inv(world_matrices(plate, frames)) @ world_matrices(pin, frames)[:, :, 3:]
    assert np.abs(np.linalg.norm(local[:, :2, 0], axis=1) - 1.0).max() < 1e-3, "a Bezier circle is no circle"
    assert np.abs(local[:, 2, 0]).max() < 1e-5
    assert np.ptp(local[:, 1, 0]) > 0.5
    assert np.ptp(world_matrices(plate, frames)[:, 1, 3]) > 0.01, "the plate is pushed back"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda bead, slot, plate, pin: setattr(bead.ves, "body_b", pin), ["goes with Pin itself"]),
        (lambda bead, slot, plate, pin: setattr(bead.ves, "body_b", None), ["moves with Plate", "Curve Goes With"]),
        (lambda bead, slot, plate, pin: slot.keyframe_insert("location", frame=1), ["moves on Plate"]),
        (lambda bead, slot, plate, pin: setattr(plate.ves, "role", "NONE"), ["is connected to Plate, which is not"]),
        (lambda bead, slot, plate, pin: hang(slot, pin), ["moves, but not with Plate"]),
        (lambda bead, slot, plate, pin: setattr(pin, "location", (1, 0.5, 0)), ["away from its curve"]),
    ],
)
def test_what_cannot_be_is_said(change, words) -> None:
    plate, pin = body("Plate", (0, 0, 0), (3, 3, 0.1)), body("Pin", (1, 0, 0), (0.2, 0.2, 0.2))
    slot = curve_object("Slot", [(-1, 0, 0), (2, 0, 0)])
    hang(slot, plate)
    bead = add_bead(pin, slot)
    sampled()
    change(bead, slot, plate, pin)
    assert_refused("Bead Pin-Slot", *words)


def test_a_curve_that_hangs_on_nothing_is_taken_as_it_stands_with_a_warning() -> None:
    plate, pin = body("Plate", (0, 0, 0), (3, 3, 0.1)), body("Pin", (1, 0, 0), (0.2, 0.2, 0.2))
    bead = add_bead(pin, curve_object("Slot", [(-1, 0, 0), (2, 0, 0)]))
    bead.ves.body_b = plate
    (warning,) = now().warnings
    assert "does not go along with Plate" in str(warning)


def test_a_curve_that_bends_on_its_body_is_refused() -> None:
    plate, pin = body("Plate", (0, 0, 0), (3, 3, 0.1)), body("Pin", (1, 0, 0), (0.2, 0.2, 0.2))
    slot = curve_object("Slot", [(-1, 0, 0), (2, 0, 0)])
    hang(slot, plate)
    add_bead(pin, slot)
    slot.shape_key_add(name="Basis")
    slot.shape_key_add(name="Bent").data[1].co.z = 3.0
    key = slot.data.shape_keys.key_blocks["Bent"]
    for frame, value in ((1, 0.0), (20, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    bpy.context.scene.frame_set(1)
    assert_refused("bends on Plate")


def test_snap_together_moves_both_bodies_of_a_pin_and_its_slot() -> None:
    plate, pin = body("Plate", (0, 0, 0), (3, 3, 0.1)), body("Pin", (1, 0, 0), (0.2, 0.2, 0.2))
    slot = curve_object("Slot", [(-1, 0, 0), (2, 0, 0)])
    hang(slot, plate)
    bead = add_bead(pin, slot)
    pin.location = (1, 0.3, 0.4)
    bpy.context.view_layer.update()
    with pytest.raises(SceneError):
        sampled()
    select()
    assert bpy.ops.ves.snap_together() == {"FINISHED"}
    bpy.context.view_layer.update()
    local = plate.matrix_world.inverted() @ bead.matrix_world.translation
    assert math.hypot(local.y, local.z) < 1e-5
    assert plate.matrix_world.translation.length > 1e-3
    sampled()


def aligned(twist: str = "MINIMUM") -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """(car, rail, bead): a car that turns along a level ring."""
    rail = bezier_circle("Rail", 2.0)
    rail.data.twist_mode = twist
    car = body("Car", (2, 0, 0), (0.3, 0.8, 0.2))
    return car, rail, add_bead(car, rail, align="UP")


def test_a_car_turns_along_its_rail() -> None:
    bpy.context.scene.gravity = (0, 0, 0)
    car, rail, bead = aligned()
    car.ves.linear_velocity = (0, 3.0, 0)
    (found,) = sampled()
    assert (found.align, found.to) == ("up", None)
    bake()
    wire = BeadCurve(found)
    for matrix in world_matrices(bead, range(1, 31)):
        _, tangent, _ = wire.nearest(matrix[:3, 3])
        along = abs(matrix[:3, 1] @ tangent) / np.linalg.norm(tangent)
        assert along > 1.0 - 1e-6
        assert matrix[2, 2] > 1.0 - 1e-6, "it stays upright"
    turned = world_matrices(car, range(1, 31))
    assert np.ptp(np.unwrap(np.arctan2(turned[:, 1, 0], turned[:, 0, 0]))) > 1.0


def test_a_car_that_stands_across_its_rail_is_turned_by_snap_together() -> None:
    car, rail, bead = aligned()
    car.rotation_euler.z = 0.4
    assert_refused("is turned by 23° from its curve: use Snap Together")
    select()
    assert bpy.ops.ves.snap_together() == {"FINISHED"}
    sampled()


def test_tangent_alone_lets_it_roll() -> None:
    car, rail, bead = aligned()
    bead.ves.curve_align = "TANGENT"
    car.matrix_basis = car.matrix_basis @ Matrix.Rotation(0.5, 4, "Y")
    (found,) = sampled()
    assert found.align == "tangent"


@pytest.mark.parametrize("twist", ["Z_UP", "MINIMUM"])
@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_up_is_where_blenders_own_ribbon_goes(twist: str, tilt: float) -> None:
    """An extruded curve is a ribbon along its up direction."""
    rail = bezier_circle("Rail", 2.0)
    rail.data.splines[0].use_cyclic_u = False
    for k, point in enumerate(rail.data.splines[0].bezier_points):
        point.tilt = tilt * k
        point.co.z += 0.3 * k
        point.handle_left.z += 0.3 * k
        point.handle_right.z += 0.3 * k
    rail.data.twist_mode, rail.data.extrude, rail.data.resolution_u = twist, 0.1, 64
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = rail.evaluated_get(depsgraph).to_mesh()
    corners = np.array([vertex.co for vertex in mesh.vertices])
    lower, upper = corners[0::2], corners[1::2]
    middle, ribbon = 0.5 * (lower + upper), (upper - lower) / np.linalg.norm(upper - lower, axis=1, keepdims=True)
    curve = CurveLength.of_object(rail, depsgraph)
    factors = np.linspace(0.0, 1.0, 33)
    ups = directions_up(curve, np.eye(4), factors, twist == "MINIMUM")
    for place, up in zip(curve.points(factors), ups, strict=True):
        k = np.argmin(np.linalg.norm(middle - place, axis=1))
        assert abs(ribbon[k] @ up) > 0.995


@pytest.mark.parametrize("change", ["tilt", "twist", "align"])
def test_a_bake_knows_that_the_curve_twists_otherwise(change: str) -> None:
    """And not while nothing turns by it."""
    car, rail, bead = aligned()
    before = run_to_end(fingerprint(bpy.context.scene))
    if change == "tilt":
        rail.data.splines[0].bezier_points[1].tilt = 0.3
    elif change == "twist":
        rail.data.twist_mode = "Z_UP"
    else:
        bead.ves.curve_align = "TANGENT"
    after = run_to_end(fingerprint(bpy.context.scene))
    assert before != after
    bead.ves.curve_align = "NONE"
    free = run_to_end(fingerprint(bpy.context.scene))
    rail.data.twist_mode = "TANGENT"
    assert run_to_end(fingerprint(bpy.context.scene)) == free


def test_from_the_scene_to_a_file_and_back() -> None:
    bpy.context.scene.gravity = (0, 0, 0)
    plate = body("Plate", (0, 0, 0), (3, 3, 0.1))
    car, rail, bead = aligned("Z_UP")
    hang(rail, plate)
    bead.ves.body_b = plate
    for point in rail.data.splines[0].bezier_points:
        point.tilt = 0.2
    select()
    assert bpy.ops.ves.snap_together() == {"FINISHED"}
    (before,) = sampled()
    mechanism = now().mechanism
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    build(bpy.context, mechanism)
    bpy.context.view_layer.update()
    (after,) = sampled()
    assert (after.to, after.align, after.closed) == ("Plate", "up", True)
    first, second = BeadCurve(before), BeadCurve(after)
    for share in np.linspace(0.0, 1.0, 23):
        place = first.at(share * first._end)[0]
        near = second.parameter_near(place)
        assert np.linalg.norm(second.at(near)[0] - place) < 1e-5
        assert np.abs(second.frame(near) - first.frame(share * first._end)).max() < 1e-3


def test_scotch_yoke_in_blender() -> None:
    """The slide is where the pin's cosine says."""
    crank, slide, slot = yoke()
    select(crank, slot)
    bpy.context.scene.cursor.location = (1, 0, 0)
    bead = add_bead(crank, slot, point="CURSOR")
    assert (bead.matrix_world.translation - Vector((1, 0, 0))).length < 1e-6
    bake()
    angles = world_matrices(crank, range(1, 31))
    x = world_matrices(slide, range(1, 31))[:, 0, 3]
    assert np.abs(x - angles[:, 0, 0]).max() < 1e-4
    assert np.ptp(x) > 0.5
