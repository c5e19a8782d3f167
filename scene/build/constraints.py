# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of a mechanism become Empties, and what they follow or slide along becomes an object of its own."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ...solver.mechanism import (
    Constraint,
    Coupling,
    Curve,
    Distance,
    Gear,
    Generic,
    Keys,
    Nail,
    Orientation,
    Path,
    PointToPoint,
    Pulley,
    Rack,
    Rope,
)
from ...solver.mechanism.constraints import TRAVELS, TURNS, FrameConstraint, PointPair
from ...solver.mechanism.table import Number
from ...solver.model.closures import curve_pieces
from ..animation.keys_of_mechanism import key_motion, put_numbers
from ..geometry import poses
from ..geometry.bead_curve import tilts_of
from ..owner import Owner
from ..parts.empties import add_mark
from ..properties.roles import FRAMES, backlash_of
from .builder import Builder

UNTURNED = (1.0, 0.0, 0.0, 0.0)
ALONG_Y = np.array([1.0, 0.0, 0.0, -1.0]) / np.sqrt(2.0)
"""From a frame whose x axis is along a curve to that of its Empty, whose Y axis is."""


def build_constraint(builder: Builder, constraint: Constraint) -> None:
    """Make the Empty of a constraint, and what it needs."""
    role, display, build = ROLES[type(constraint)]
    turn, is_one_frame = UNTURNED, False
    if isinstance(constraint, Coupling):
        ends, point = (None, None), tuple(builder.joints[constraint.joint_a].matrix_world.translation)
    elif isinstance(constraint, FrameConstraint):
        held_to, (point, turn) = constraint.sides
        other, body = (builder.objects.get(name) for name in constraint.held_bodies)
        ends, is_one_frame = (body, other), role in FRAMES and held_to == (point, turn)
    elif isinstance(constraint, Rope):
        ends, point = tuple(builder.objects.get(constraint.bodies[k]) for k in (0, -1)), constraint.points[0]
    elif isinstance(constraint, (PointPair, Pulley)):
        ends, point = tuple(map(builder.objects.get, (constraint.body_a, constraint.body_b))), constraint.point_a
    else:
        body, other = (builder.objects.get(name) for name in (constraint.body, getattr(constraint, "to", None)))
        ends, point = (body, other), getattr(constraint, "point", tuple(body.location))
        if isinstance(constraint, Curve) and constraint.align is not None:
            turn = tuple(poses.product(np.array(constraint.orientation), ALONG_Y))
        elif isinstance(constraint, Curve) and constraint.axis is not None:
            turn = tuple(poses.quaternions(_with_axis(constraint.axis)))
    empty = builder.empty(constraint.name, role, point, turn, ends, is_one_frame)
    empty.empty_display_type = display
    empty.ves.enabled = constraint.enabled
    empty.ves.catch_time, empty.ves.catch_within = constraint.tau or 0.0, constraint.within or 0.0
    empty.ves.catch_force = constraint.force or 0.0
    build(builder, empty, constraint)


def _with_axis(axis: tuple[float, float, float]) -> np.ndarray:
    """Axes (3, 3) of which the third is along a direction."""
    z = np.array(axis, dtype=np.float64) / np.linalg.norm(axis)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _nothing_more(_builder: Builder, _empty: bpy.types.Object, _constraint: Nail | Orientation) -> None:
    """A body and a place are all there is."""


def _point_to_point(_builder: Builder, empty: bpy.types.Object, tie: PointToPoint) -> None:
    empty.ves.to_world = tie.body_b is None
    if tie.point_a != tie.point_b:
        empty.ves.anchor_b = add_mark(empty, Matrix.Translation(tie.point_b), empty.ves.body_b)


def _generic(builder: Builder, empty: bpy.types.Object, part: Generic) -> None:
    """Its other side becomes a mark where it is another, or the Empty that leads it."""
    settings = empty.ves
    settings.lock_travel, settings.lock_turn = ([name in part.locked for name in names] for names in (TRAVELS, TURNS))
    held_to, held = part.sides
    if part.guide is not None:
        settings.path_object, settings.path_keep_offset = _leader(builder, empty, part.guide), False
    elif held_to != held:
        matrix = Matrix(poses.join(np.array(held_to[0]), np.array(held_to[1]), np.eye(3)).tolist())
        settings.anchor_b = add_mark(empty, matrix, settings.body_b)


def _leader(builder: Builder, empty: bpy.types.Object, keys: Keys) -> bpy.types.Object:
    """An Empty with the keys of what leads a constraint."""
    leader = bpy.data.objects.new(f"{empty.name} Leader", None)
    builder.collection.objects.link(leader)
    leader.rotation_mode = "QUATERNION"
    leader.empty_display_size = empty.empty_display_size
    leader.location, leader.rotation_quaternion = keys.positions[0], keys.orientations[0]
    key_motion(leader, keys, builder.scene)
    return leader


def _distance(builder: Builder, empty: bpy.types.Object, rod: Distance) -> None:
    settings = empty.ves
    settings.to_world = rod.body_b is None
    settings.anchor_b = add_mark(empty, Matrix.Translation(rod.point_b), settings.body_b)
    present = float(np.linalg.norm(np.subtract(rod.point_a, rod.point_b)))
    settings.slack = rod.slack
    _put_length(builder, empty, rod.distance, present)


def _put_length(builder: Builder, empty: bpy.types.Object, length: Number | None, present: float) -> None:
    """The length of a rod or rope: its own, keyed if that is a table, or the present one (m)."""
    empty.ves.use_distance = length is not None
    put_numbers(empty, "distance", [present if length is None else length], builder.scene, is_smooth=True)


def _coupling(builder: Builder, empty: bpy.types.Object, coupling: Gear | Rack) -> None:
    settings = empty.ves
    settings.joint_a, settings.joint_b = (builder.joints[name] for name in (coupling.joint_a, coupling.joint_b))
    if isinstance(coupling, Gear):
        settings.gear_ratio = coupling.ratio
    else:
        settings.pinion_radius = coupling.radius
    setattr(settings, backlash_of(settings), coupling.backlash)
    settings.tooth_bounciness = coupling.restitution


def _pulley(builder: Builder, empty: bpy.types.Object, rope: Pulley) -> None:
    """Its wheels become plain Empties."""
    settings = empty.ves
    settings.anchor_b = add_mark(empty, Matrix.Translation(rope.point_b), settings.body_b)
    wheels = []
    for place, name in ((rope.wheel_a, rope.wheel_body_a), (rope.wheel_b, rope.wheel_body_b)):
        wheels.append(add_mark(empty, Matrix.Translation(place), builder.objects[name] if name else None))
        wheels[-1].name = f"{empty.name} Wheel"
    settings.wheel_a, settings.wheel_b = wheels
    settings.rope_ratio, settings.slack = rope.ratio, rope.slack
    _put_length(builder, empty, rope.length, rope.drawn_length)


def _rope(builder: Builder, empty: bpy.types.Object, rope: Rope) -> None:
    """Its wheels become plain Empties."""
    settings = empty.ves
    settings.to_world = None in (rope.bodies[0], rope.bodies[-1])
    settings.anchor_b = add_mark(empty, Matrix.Translation(rope.points[-1]), settings.body_b)
    for k, (place, name) in enumerate(zip(rope.points[1:-1], rope.bodies[1:-1], strict=True), start=1):
        mark = add_mark(empty, Matrix.Translation(place), builder.objects[name] if name else None)
        mark.name = f"{empty.name} Wheel"
        entry = settings.rope_points.add()
        entry.object = mark
        entry.friction = rope.friction[k] if rope.friction else 0.0
        entry.turns = rope.turns[k] if rope.turns else 0.0
    hinges = [builder.joints[name] for name in rope.drums]
    at_last = rope.winds_at_last([hinge.matrix_world.translation for hinge in hinges])
    for hinge, radius, is_last in zip(hinges, rope.radii, at_last, strict=True):
        end = "b" if settings.drum_b is None and (is_last or settings.drum_a is not None) else "a"
        setattr(settings, f"drum_{end}", hinge)
        setattr(settings, f"drum_radius_{end}", radius)
    settings.slack = rope.slack
    _put_length(builder, empty, rope.length, rope.drawn_length)


def _path(builder: Builder, empty: bpy.types.Object, path: Path) -> None:
    """The keys become those of an Empty that the point follows."""
    settings = empty.ves
    settings.path_object, settings.path_keep_offset = _leader(builder, empty, path.guide), False
    settings.path_orientation = path.orientations is not None


def _bead(builder: Builder, empty: bpy.types.Object, bead: Curve) -> None:
    """Each cubic piece of the spline is a Bezier segment, so that the curve is the same; that of a cam is flat."""
    points = np.array(bead.points, dtype=np.float64)
    if bead.one_sided is not None:
        origin, axes, flat = bead.profile
        points = origin + flat @ axes.T
    starts, powers, end = curve_pieces(points, bead.closed)
    thirds = np.diff(np.append(starts, end))[:, None] / 3.0
    c0, c1, c2, c3 = np.moveaxis(powers[:, :4, :3], 1, 0)
    step = 3.0 * thirds
    ends, arriving = c0 + step * (c1 + step * (c2 + step * c3)), c1 + step * (2.0 * c2 + step * 3.0 * c3)
    right, left = c0 + thirds * c1, ends - thirds * arriving
    data = bpy.data.curves.new(f"{bead.name} Wire", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.use_cyclic_u = bead.closed
    if bead.closed:
        places, left = c0, np.roll(left, 1, axis=0)
    else:
        places = np.vstack([c0, ends[-1:]])
        right = np.vstack([right, ends[-1:] + thirds[-1] * arriving[-1]])
        left = np.vstack([c0[:1] - thirds[0] * c1[:1], left])
    knots = spline.bezier_points
    knots.add(len(places) - 1)
    for name, values in (("co", places), ("handle_left", left), ("handle_right", right)):
        knots.foreach_set(name, values.astype(np.float32).ravel())
    for knot in knots:
        knot.handle_left_type = knot.handle_right_type = "FREE"
    wire = bpy.data.objects.new(data.name, data)
    builder.collection.objects.link(wire)
    if bead.to is not None:
        Owner(builder.objects[bead.to]).hang(wire, Matrix())
    settings = empty.ves
    settings.path_curve, settings.curve_align = wire, "NONE" if bead.align is None else bead.align.upper()
    if bead.one_sided is not None:
        settings.one_sided = "OUTSIDE" if bead.one_sided in ("outside", "left") else "INSIDE"
        settings.roller_radius, settings.cam_bounciness = bead.radius, bead.restitution
    if bead.align == "up":
        data.twist_mode = "Z_UP"
        _, ups, _ = curve_pieces(np.array(bead.points, dtype=np.float64), bead.closed, bead.up)
        along, up = c1, ups[:, 0, 3:6]
        if not bead.closed:
            last = ups[-1, 0] + step[-1] * (ups[-1, 1] + step[-1] * (ups[-1, 2] + step[-1] * ups[-1, 3]))
            along, up = np.vstack([c1, arriving[-1:]]), np.vstack([up, last[3:6]])
        knots.foreach_set("tilt", tilts_of(along / np.linalg.norm(along, axis=1, keepdims=True), up))


ROLES = {
    Nail: ("NAIL", "CONE", _nothing_more),
    Orientation: ("ORIENTATION", "ARROWS", _nothing_more),
    Generic: ("GENERIC", "ARROWS", _generic),
    PointToPoint: ("POINT_TO_POINT", "PLAIN_AXES", _point_to_point),
    Distance: ("DISTANCE", "PLAIN_AXES", _distance),
    Path: ("PATH", "SPHERE", _path),
    Curve: ("BEAD", "CIRCLE", _bead),
    Gear: ("GEAR", "CIRCLE", _coupling),
    Rack: ("RACK", "CIRCLE", _coupling),
    Pulley: ("PULLEY", "PLAIN_AXES", _pulley),
    Rope: ("ROPE", "PLAIN_AXES", _rope),
}
"""Of each type: the role of its Empty, how that is displayed, and what else is to be done."""
