# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties become constraints: nails, kept orientations, ties and rods between two points, and beads on curves."""

import math
from collections.abc import Callable
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.assembly.curve import BeadCurve, CamProfile
from ...solver.mechanism import Curve, Distance, Nail, Orientation, PointToPoint, Table
from ...solver.mechanism.constraints import Span
from ...solver.mechanism.value_rules import Place
from ..animation.animated import has_moving_transform, moves_by_itself
from ..geometry import poses
from ..geometry.bead_curve import OF_CAMS, directions_up, nearest_factor, points_through
from ..geometry.curve_length import CurveError, CurveLength
from ..owner import Owner
from ..parts.bodies import body_under
from .open_ties import NEAR, closeness
from .paths import read_path
from .reading import Reading
from .sampling import Probe
from .track import turned_by

FINGERPRINT = np.linspace(0.0, 1.0, 17)  # shares of a curve's length at which it is watched for moving


def read_nail(reading: Reading, owner: bpy.types.Object) -> None:
    """A nail holds a point of a body in the world, or on another body."""
    body = reading.held_body(owner)
    if body:
        point = reading.poses[owner].position
        reading.mechanism.constraints.append(
            Nail(name=owner.name_full, body=body, point=point, to=held_to(reading, owner), **reading.catching(owner))
        )


def read_orientation(reading: Reading, owner: bpy.types.Object) -> None:
    """A body keeps its orientation, wherever it goes."""
    body = reading.held_body(owner)
    if body:
        reading.mechanism.constraints.append(
            Orientation(name=owner.name_full, body=body, to=held_to(reading, owner), **reading.catching(owner))
        )


def held_to(reading: Reading, owner: bpy.types.Object) -> str | None:
    """The name of the body to which a constraint holds its own; None: the world."""
    other = owner.ves.body_b
    if other is not None and other == owner.ves.body_a:
        reading.error(owner, f"holds {other.name} to itself: choose another body, or none for the world")
        return None
    return None if other is None else reading.end(owner, other)


def read_point_to_point(reading: Reading, owner: bpy.types.Object) -> None:
    """A point of a body stays where one of another body, or of the world, is."""
    ends = _two_ends(reading, owner)
    if ends is None:
        return
    gap = float(np.linalg.norm(ends.point_a - ends.point_b))
    if gap <= ends.close:
        ends = ends._replace(point_b=ends.point_a)  # what is left is rounding
    elif not reading.starts_elsewhere:
        reading.leave_open(owner, f"its two points are {gap:.2g} m apart")
    body_a, body_b, point_a, point_b, _ = ends
    reading.mechanism.constraints.append(
        PointToPoint(
            name=owner.name_full,
            body_a=body_a,
            body_b=body_b,
            point_a=point_a,
            point_b=point_b,
            **reading.catching(owner),
        )
    )


def read_distance(reading: Reading, owner: bpy.types.Object) -> None:
    """A rod without mass from a point of a body to one of another body, or of the world."""
    ends = _two_ends(reading, owner)
    if ends is None:
        return
    settings = owner.ves
    present = float(np.linalg.norm(ends.point_a - ends.point_b))
    if present <= ends.close:
        reading.error(
            owner, "its two ends are at the same place: choose as its Other Side an object where the second end is"
        )
        return
    length = present
    if settings.use_distance and abs(present - settings.distance) > ends.close:
        length = settings.distance
        if not reading.starts_elsewhere and not (settings.slack and present < length):
            reading.leave_open(owner, f"its two ends are {present:.3g} m apart, but its length is {length:.3g} m")
    body_a, body_b, point_a, point_b, _ = ends
    rod = Distance(
        name=owner.name_full,
        body_a=body_a,
        body_b=body_b,
        point_a=point_a,
        point_b=point_b,
        distance=length if settings.use_distance else None,
        slack=settings.slack,
        **reading.catching(owner),
    )
    reading.mechanism.constraints.append(rod)
    watch_length(reading, owner, rod, "distance")


def watch_length(reading: Reading, owner: bpy.types.Object, span: Span, key: str) -> None:
    """The length of a rod or rope becomes a table, if that is its own and animated; it begins with what was read."""
    if span.given_length is None:
        return
    off = span.given_length - owner.ves.distance  # what of the way to its ends is rounding

    def use(values: list[float | Table]) -> None:
        (value,) = values
        if isinstance(value, Table):
            setattr(span, key, Table(value.times, tuple(length + off for length in value.values)))

    reading.over_time(owner, lambda settings: [settings.distance], use, ("distance",))


def read_bead(reading: Reading, owner: bpy.types.Object) -> None:
    """A point of a body slides along a curve that stands still, or goes with another body."""
    body = reading.held_body(owner)
    if not body:
        return
    settings = owner.ves
    curve_object, carrier = settings.path_curve, settings.body_b
    if curve_object is None:
        reading.error(owner, "has no curve to slide along: choose one")
        return
    if carrier is not None and carrier == settings.body_a:
        text = f"slides along a curve that goes with {carrier.name} itself: choose another body in Curve Goes With"
        reading.error(owner, text)
        return
    to = None if carrier is None else reading.end(owner, carrier)
    if carrier is not None and to is None:
        return
    try:
        curve = CurveLength.of_object(curve_object, reading.depsgraph)
    except CurveError as error:
        reading.error(owner, f"slides along {curve_object.name}, which {error}")
        return
    if not (_stands_still(reading, owner, curve_object) if carrier is None else _goes_with(reading, owner)):
        return
    if curve.has_corners:
        reading.warn(
            owner, f"slides along {curve_object.name}, whose corners get rounded: smooth them, or use a Bezier curve"
        )
    _read_along(reading, owner, Curve(name=owner.name_full, body=body, point=(0, 0, 0), points=(), to=to), curve)


def _read_along(reading: Reading, owner: bpy.types.Object, part: Curve, curve: CurveLength) -> None:
    wire, pose = owner.ves.path_curve, reading.poses[owner]
    matrix = np.array(wire.evaluated_get(reading.depsgraph).matrix_world, dtype=np.float64)
    place = pose.position
    factor = nearest_factor(curve, matrix, place)
    if owner.ves.one_sided != "NONE":
        points, _, _ = points_through(curve, matrix, factor, OF_CAMS)
        part.point, part.points, part.closed = place, points, curve.is_closed
        _read_cam(reading, owner, part)
        return
    points, bead, factors = points_through(curve, matrix, factor)
    gap = float(np.linalg.norm(place - points[bead]))
    apart = []
    if gap <= closeness(place, owner.ves.body_a):
        place = points[bead]  # what is left is rounding
    else:
        apart.append(f"is {gap:.2g} m away from its curve")
    part.point, part.points, part.closed = place, points, curve.is_closed
    if owner.ves.curve_align != "NONE":
        part.align = owner.ves.curve_align.lower()
        if part.align == "up":
            part.up = directions_up(curve, matrix, factors, wire.data.twist_mode == "MINIMUM")
        angle = _turn_along(part, pose.orientation)
        if angle > NEAR:
            apart.append(f"is turned by {math.degrees(angle):.2g}° from its curve")
    if apart and not reading.starts_elsewhere:
        reading.leave_open(owner, " and ".join(apart))
    reading.mechanism.constraints.append(part)


def _read_cam(reading: Reading, owner: bpy.types.Object, cam: Curve) -> None:
    """The side of its profile that pushes, and the roller, which is put on it where only rounding is between them."""
    settings, is_outside = owner.ves, owner.ves.one_sided == "OUTSIDE"
    cam.radius, cam.restitution = settings.roller_radius, settings.cam_bounciness
    if cam.closed:
        cam.one_sided = "outside" if is_outside else "inside"
    else:
        cam.one_sided = "left" if is_outside else "right"
        cam.axis = tuple(poses.rotations(np.array(reading.poses[owner].orientation))[:, 2])
    problems = []
    for law in (Curve.check_points, Curve.check_profile):
        law(cam, Place(problems, "its curve"))
    if problems:
        reading.error(owner, problems[0])
        return
    profile = CamProfile(cam)
    gap, _, n = profile.gap((np.array(cam.point) - profile.origin) @ profile.axes)
    if abs(gap) <= closeness(np.array(cam.point), settings.body_a):
        cam.point = np.array(cam.point) - gap * (profile.axes @ n)
    reading.mechanism.constraints.append(cam)


def _turn_along(part: Curve, orientation: np.ndarray) -> float:
    """Give a bead's frame the axes of its Empty: x along Y, either way along the curve; returns by how much (rad) it is
    turned away. What is only rounding is taken away.
    """
    x, y, z = poses.rotations(np.array(orientation)).T
    curve = BeadCurve(part)
    wanted = curve.frame(curve.parameter_near(np.array(part.point)))
    way = 1.0 if y @ wanted[:, 0] >= 0.0 else -1.0
    axes = np.stack([way * y, -way * x, z], axis=1)
    if part.align == "up":
        turn = poses.rotation_vector(wanted @ axes.T)
    else:
        across = np.cross(axes[:, 0], wanted[:, 0])
        sine = float(np.linalg.norm(across))
        turn = math.atan2(sine, float(axes[:, 0] @ wanted[:, 0])) * across / max(sine, 1e-300)
    angle = float(np.linalg.norm(turn))
    part.orientation = poses.quaternions(axes)
    if angle <= NEAR:
        part.orientation = poses.product(turned_by(turn), np.array(part.orientation))
    return angle


def _goes_with(reading: Reading, owner: bpy.types.Object) -> bool:
    """True if a bead's curve may be taken as fixed on its body; says so if not."""
    curve, carrier = owner.ves.path_curve, owner.ves.body_b
    if not Owner(curve).goes_along_with(Owner(carrier)):
        reading.warn(
            owner, f"its curve, {curve.name}, does not go along with {carrier.name}: make that its parent (Ctrl P)"
        )
        if not body_under(curve) and not moves_by_itself(curve):
            return True
        reading.error(owner, f"slides along {curve.name}, which moves, but not with {carrier.name}: make it a child")
        return False
    if body_under(curve) != carrier or (curve != carrier and moves_by_itself(curve, carrier)):
        reading.error(owner, f"slides along {curve.name}, which moves on {carrier.name}: let it stand still there")
        return False

    def shape(depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        try:
            return CurveLength.of_object(curve, depsgraph).points(FINGERPRINT)
        except CurveError:
            return np.full((len(FINGERPRINT), 3), np.nan)

    _watch_shape(
        reading, owner, shape, f"slides along {curve.name}, which bends on {carrier.name}: let it keep its shape"
    )
    return True


def _stands_still(reading: Reading, owner: bpy.types.Object, curve: bpy.types.Object) -> bool:
    """True if a bead's curve may stay where it is; says so if not. What only sampling can tell is said after that."""
    text = f"slides along {curve.name}, which moves: a bead needs a curve that stands still, or use Follow Path"
    carried, body = Owner(curve), body_under(curve)
    ancestors = [curve, *(each.object for each in carried.carriers())]
    if body is not None and body != owner.ves.body_a and body.ves.motion != "FIXED":
        reading.error(owner, f"slides along {curve.name}, which moves with {body.name}: choose that in Curve Goes With")
        return False
    if carried.dynamic_ancestor() or any(map(has_moving_transform, ancestors)):
        reading.error(owner, text)
        return False

    def shape(depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        matrix = np.array(curve.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
        try:
            points = CurveLength.of_object(curve, depsgraph).points(FINGERPRINT)
        except CurveError:
            points = np.full((len(FINGERPRINT), 3), np.nan)
        return points @ matrix[:3, :3].T + matrix[:3, 3]

    _watch_shape(reading, owner, shape, text)
    return True


def _watch_shape(reading: Reading, owner: bpy.types.Object, shape: Callable, text: str) -> None:
    """Say the text if what `shape` gives for the curve is another at some frame."""
    curve = owner.ves.path_curve

    def use(shapes: np.ndarray) -> None:
        if not (shapes == shapes[0]).all():
            reading.error(owner, text)

    data = curve.data
    if moves_by_itself(curve, owner.ves.body_b) or curve.modifiers or data.animation_data or data.shape_keys:
        reading.probes.append(Probe(reading.whole_frames, shape, use))


class _Ends(NamedTuple):
    """Names of the bodies (b None: the world), their points (3,) in the world, and the gap in metres that is none."""

    body_a: str
    body_b: str | None
    point_a: np.ndarray
    point_b: np.ndarray
    close: float


def _two_ends(reading: Reading, owner: bpy.types.Object) -> _Ends | None:
    """The two ends of a tie or rod, or None after saying what is missing."""
    settings = owner.ves
    first, second = settings.body_a, settings.body_b
    if first is None:
        reading.error(owner, "holds nothing: choose its body")
        return None
    if second is None and not settings.to_world:
        reading.error(owner, f"has only one end, {first.name}: choose the other body, or turn on To World")
        return None
    if first == second:
        reading.error(owner, f"connects {first.name} to itself: choose another body")
        return None
    names = [reading.end(owner, body) for body in (first, second) if body is not None]
    mark = reading.other_side(owner, second)
    if None in names or mark is None:
        return None
    point = reading.poses[owner].position
    close = closeness(point, first, second)
    return _Ends(names[0], names[1] if len(names) == 2 else None, point, mark.position, close)


READERS = {
    "NAIL": read_nail,
    "ORIENTATION": read_orientation,
    "POINT_TO_POINT": read_point_to_point,
    "DISTANCE": read_distance,
    "PATH": read_path,
    "BEAD": read_bead,
}
"""Of each role: what reads its Empty; in the order in which the mechanism has them."""
