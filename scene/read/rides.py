# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints by which surfaces ride on each other: from objects to smooth surfaces, and whether these touch."""

import bpy
import numpy as np

from ...solver.assembly.surface_joints import has_in_front, nearest_of, nearest_touch
from ...solver.mechanism import (
    Joint,
    Smooth,
    SmoothCylinder,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothSubdivision,
    SmoothTorus,
)
from ...solver.mechanism.bodies import Cylinder, Sphere
from ..animation.animated import has_moving_transform
from ..geometry import poses
from ..geometry.cages import cage_of, subdivision_modifier
from ..geometry.convex import convex
from ..geometry.mass_properties import WITH_MESH, NoVolumeError, mesh_arrays
from ..geometry.nurbs import Patches, SurfaceError, patches_of
from ..geometry.shape_recognition import recognise
from ..owner import Owner
from .open_ties import closeness
from .reading import Reading

_FLAT = 1e-6  # of the size: a mesh without thickness
_CHOOSE = "choose its Shape in the panel Joint, or take a NURBS or a subdivision surface"
_OWN_FORM = SmoothPatches | SmoothSubdivision


def read_ride(reading: Reading, owner: bpy.types.Object, ends: tuple[str | None, str]) -> None:
    """Add an Empty of joint type CONTACT to the mechanism, or say what is wrong with it."""
    settings, pose = owner.ves, reading.poses[owner]
    bodies = _bodies_of(settings)
    surfaces = [_surface(reading, owner, side, body) for side, body in zip("ab", bodies, strict=True)]
    if None in surfaces:
        return
    joint = Joint(
        name=owner.name_full,
        type="contact",
        parent=ends[0],
        child=ends[1],
        position=pose.position,
        surface_parent=surfaces[0],
        surface_child=surfaces[1],
        rolling=settings.ride_rolling,
    )
    if all(isinstance(surface, SmoothPlane) for surface in surfaces):
        reading.error(owner, f"has two planes, which do not touch in a single point: {_CHOOSE}")
        return
    for k, body in enumerate(bodies):
        _turn_to(surfaces[k], surfaces[1 - k], _pose_of(reading, body), _pose_of(reading, bodies[1 - k]))
    reading.mechanism.joints.append(joint)
    _look_for_gap(reading, owner, joint, bodies)


def _bodies_of(settings: bpy.types.PropertyGroup) -> tuple[bpy.types.Object | None, bpy.types.Object]:
    """(parent or None for the world, child)."""
    if settings.body_a is not None and settings.body_b is not None:
        return settings.body_a, settings.body_b
    return None, settings.body_a or settings.body_b


def _pose_of(reading: Reading, body: bpy.types.Object | None) -> tuple[np.ndarray, np.ndarray]:
    """(position, axes (3, 3)) of a body's frame, or of the world's."""
    if body is None:
        return np.zeros(3), np.eye(3)
    pose = reading.poses[body]
    return pose.position, poses.rotations(pose.orientation)


def _surface(reading: Reading, owner: bpy.types.Object, side: str, body: bpy.types.Object | None) -> Smooth | None:
    """One of the surfaces in its body's frame; None after saying what is wrong."""
    settings = owner.ves
    ob, kind = getattr(settings, f"ride_object_{side}") or body, getattr(settings, f"ride_kind_{side}")
    whose = "Parent" if side == "a" else "Child"
    if ob is None:
        reading.error(owner, f"rides on nothing: choose a {whose} Surface, or a parent")
        return None
    evaluated = ob.evaluated_get(reading.depsgraph)
    if reading.scene.objects.get(ob.name) != ob or not evaluated.is_evaluated:
        reading.error(owner, f"its {whose} Surface, {ob.name}, is disabled or not in this scene any more")
        return None
    if ob.type not in WITH_MESH:
        reading.error(owner, f"{ob.name} has no surface: choose another object as {whose} Surface")
        return None
    _warn_if_left_behind(reading, owner, ob, body, whose)
    near = reading.poses[owner].position
    try:
        surface = _smooth(ob, evaluated, kind, np.array(evaluated.matrix_world, dtype=np.float64), near)
    except SurfaceError as error:
        reading.error(owner, f"{ob.name} {error}")
        return None
    surface.inside = getattr(settings, f"ride_inside_{side}")
    position, axes = _pose_of(reading, body)
    turn = axes.T @ poses.rotations(np.array(surface.orientation))
    surface.position = axes.T @ (np.array(surface.position) - position)
    surface.orientation = poses.quaternions(turn)
    return surface


def _warn_if_left_behind(reading, owner, ob: bpy.types.Object, body: bpy.types.Object | None, whose: str) -> None:
    surface = Owner(ob)
    if body is None:
        if any(has_moving_transform(each.object) for each in (surface, *surface.carriers())):
            reading.warn(owner, f"its {whose} Surface, {ob.name}, is animated, but taken as it stands at the start")
    elif not surface.goes_along_with(Owner(body)):
        reading.warn(owner, f"its {whose} Surface, {ob.name}, does not go along with {body.name}: make that its parent")


def _smooth(
    ob: bpy.types.Object, evaluated: bpy.types.Object, kind: str, matrix: np.ndarray, near: np.ndarray
) -> Smooth:
    """The surface of an object, of several that which is the nearest to a place, in the world. Raises SurfaceError."""
    pose = poses.split(matrix)
    if ob.type == "SURFACE" and kind == "AUTOMATIC":
        return nearest_of([_nurbs(found, pose) for found in patches_of(ob, pose.residual)], near)
    if kind == "SUBDIVISION":
        return _placed(cage_of(ob, pose.residual), pose)
    points = _points(evaluated) @ pose.residual.T
    if len(points) == 0:
        raise SurfaceError("has no points: choose another object")
    if kind == "AUTOMATIC":
        found = _recognised(points)
        if found is None and subdivision_modifier(ob) is not None:
            found = cage_of(ob, pose.residual)
        if found is None:
            raise SurfaceError(f"is neither a ball nor a cylinder nor flat: {_CHOOSE}")
        return _placed(found, pose)
    low, high = points.min(axis=0), points.max(axis=0)
    return _placed(_boxed(kind, 0.5 * (low + high), 0.5 * (high - low)), pose)


def _nurbs(found: Patches, pose: poses.Pose) -> SmoothPatches:
    weights = None if np.ptp(found.weights) < 1e-6 * found.weights.max() else found.weights.tolist()
    return SmoothPatches(
        points=found.points.tolist(), weights=weights, closed=found.closed, degree=found.degree, position=pose.position,
        orientation=pose.orientation,
    )  # fmt: skip


def _points(evaluated: bpy.types.Object) -> np.ndarray:
    try:
        points, _ = mesh_arrays(evaluated.to_mesh())
        return points.astype(np.float64)
    finally:
        evaluated.to_mesh_clear()


def _recognised(points: np.ndarray) -> Smooth | None:
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    if half[2] < _FLAT * half.max():
        return SmoothPlane(position=middle, half_size=half[:2])
    try:
        shape = recognise(convex(points))
    except NoVolumeError:
        shape = None
    if isinstance(shape, Sphere):
        return SmoothSphere(position=shape.position, radius=shape.radius)
    if isinstance(shape, Cylinder):
        return SmoothCylinder(
            position=shape.position, orientation=shape.orientation, radius=shape.radius, half_length=shape.half_length
        )
    return None


def _boxed(kind: str, middle: np.ndarray, half: np.ndarray) -> Smooth:
    """A surface in a box about `middle` of half sizes `half`. Raises SurfaceError."""
    needed = half[:2] if kind == "PLANE" else half
    if not (needed > _FLAT * half.max()).all():
        raise SurfaceError(f"is too flat for the Shape that was chosen: {_CHOOSE}")
    if kind == "PLANE":
        return SmoothPlane(position=middle + (0.0, 0.0, half[2]), half_size=half[:2])
    if kind == "SPHERE":
        return SmoothSphere(position=middle, radius=half.max())
    if kind == "ELLIPSOID":
        return SmoothEllipsoid(position=middle, half_axes=half)
    if kind == "CYLINDER":
        return SmoothCylinder(position=middle, radius=0.5 * (half[0] + half[1]), half_length=half[2])
    ring = 0.5 * (half[0] + half[1]) - half[2]
    if not ring > half[2]:
        raise SurfaceError(f"is too high for a ring with a hole: {_CHOOSE}")
    return SmoothTorus(position=middle, ring_radius=ring, tube_radius=half[2])


def _placed(surface: Smooth, pose: poses.Pose) -> Smooth:
    """A surface given in an object's axes, in the world."""
    axes = poses.rotations(pose.orientation)
    surface.position = pose.position + axes @ np.array(surface.position)
    surface.orientation = poses.quaternions(axes @ poses.rotations(np.array(surface.orientation)))
    return surface


def _turn_to(surface: Smooth, other: Smooth, pose, other_pose) -> None:
    """A surface with a form of its own has its outer side where the other one's middle is; `inside`: on the back."""
    if isinstance(surface, _OWN_FORM) and not has_in_front(surface, pose, _middle(other, other_pose)):
        surface.inside = not surface.inside


def _middle(surface: Smooth, pose) -> np.ndarray:
    """The middle of a surface in the world."""
    position, axes = pose
    own = np.mean(np.reshape(surface.points, (-1, 3)), axis=0) if isinstance(surface, _OWN_FORM) else np.zeros(3)
    return position + axes @ (np.array(surface.position) + poses.rotations(np.array(surface.orientation)) @ own)


def _look_for_gap(reading: Reading, owner: bpy.types.Object, joint: Joint, bodies) -> None:
    """Note where the surfaces touch; say if they are apart, or do not face each other near the Empty."""
    touch = nearest_touch(joint, *(_pose_of(reading, body) for body in bodies))
    if touch is None:
        reading.error(owner, "finds no place near it where its surfaces face each other: move the Empty there")
        return
    if reading.is_on(owner):
        reading.touches[owner] = np.array(touch.point)
    if abs(touch.gap) > 0.5 * closeness(touch.point, bodies[1]):
        reading.leave_open(
            owner, f"its surfaces {'overlap by' if touch.gap < 0 else 'are apart by'} {abs(touch.gap):.2g} m"
        )
