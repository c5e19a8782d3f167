# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of shapes that a hand drags in the view: the places to take hold of, and the shape that comes of a drag.

A ball is taken by its radius, a box by its sides, each of which leaves the opposite one where it is, capsules and
cylinders by their ends and their radius, all by their middle. What has no sizes of its own, a hull, a mesh or a
compound, is taken by its margin.
"""

from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...solver.mechanism.bodies import Box, Capsule, Cylinder, Shape, Sphere
from ..geometry import poses
from ..geometry.given_sizes import NAMES, give_sizes
from ..geometry.poses import Pose
from ..geometry.shape_fitting import SHORTEST
from ..geometry.shape_mesh import look_of
from ..geometry.shape_recognition import placed
from ..owner import Owner
from ..read.shapes import ShapeError, shapes_of
from .mirror import are_twins, reflection_of

LEAST = 1e-3
"""Of what a size was when it was taken: no drag leaves less."""


class Place(NamedTuple):
    """A place of a shape to take hold of: its name, place (m) and direction in the body frame; None moves anywhere."""

    name: str
    place: np.ndarray
    along: np.ndarray | None


class Sized(NamedTuple):
    """A body and the shape that it has without its margin; None of what has a margin alone."""

    body: bpy.types.Object
    shape: Shape | None
    margin: float
    pose: Pose
    grips: tuple[Place, ...]

    def in_world(self, point: np.ndarray) -> Vector:
        """A place of the body frame."""
        return Vector(self.turn @ point + self.pose.position)

    @property
    def turn(self) -> np.ndarray:
        """(3, 3) from the body frame to the world."""
        return poses.rotations(self.pose.orientation)


def sized(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Sized | None:
    """The grips of a body where it is now; None of one without a shape, of which Check says why."""
    pose = poses.split(Owner(body).world(depsgraph))
    try:
        shapes = shapes_of(body, depsgraph, pose, {}, margin=0.0)
    except ShapeError:
        return None
    margin = body.ves.contact_margin
    if len(shapes) == 1 and type(shapes[0]) in NAMES:
        return Sized(body, shapes[0], margin, pose, grips_of(shapes[0], margin))
    points = np.concatenate([look_of(shape).points for shape in shapes])
    top = np.append(0.5 * (points.min(axis=0) + points.max(axis=0))[:2], points[:, 2].max() + margin)
    return Sized(body, None, margin, pose, (Place("MARGIN", top, np.array((0.0, 0.0, 1.0))),))


def has_shape(body: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """True if its margin leaves something of its shape."""
    try:
        return bool(shapes_of(body, depsgraph, poses.split(Owner(body).world(depsgraph)), {}))
    except ShapeError:
        return False


def grips_of(shape: Shape, margin: float = 0.0) -> tuple[Place, ...]:
    """Places on the surface of a shape with its margin, and its middle."""
    axes, middle = poses.rotations(np.array(shape.orientation)), np.array(shape.position)
    match shape:
        case Box():
            sides = [(sign, k) for k in range(3) for sign in "+-"]
            reach = [(sign + str(k), float(sign + "1") * axes[:, k], shape.half_size[k]) for sign, k in sides]
        case Sphere():
            reach = [(f"R{k}", axes[:, k], shape.radius) for k in range(3)]
        case _:
            half = shape.half_length + (shape.radius if isinstance(shape, Capsule) else 0.0)
            reach = [("+2", axes[:, 2], half), ("-2", -axes[:, 2], half)]
            reach += [(f"R{k}", axes[:, k], shape.radius) for k in range(2)]
    ends = [Place(name, middle + (far + margin) * along, along) for name, along, far in reach]
    return (*ends, Place("MIDDLE", middle, None))


def size_of(shape: Shape, grip: str) -> float:
    """m: the radius, side or length that a grip changes."""
    if grip.startswith("R"):
        return shape.radius
    if isinstance(shape, Box):
        return 2.0 * shape.half_size[int(grip[1])]
    return 2.0 * (shape.half_length + (shape.radius if isinstance(shape, Capsule) else 0.0))


def resized(shape: Shape, grip: str, by: float) -> Shape:
    """The shape whose grip was dragged so far outwards (m)."""
    size = size_of(shape, grip)
    size, by = max(size + by, LEAST * size), max(by, (LEAST - 1.0) * size)
    if grip.startswith("R"):
        return _thick(shape, size)
    k, side = int(grip[1]), 1.0 if grip[0] == "+" else -1.0
    if isinstance(shape, Capsule):  # round ends stay as thick as they are
        by = max(by, 2.0 * (SHORTEST * shape.radius - shape.half_length))
    along = side * poses.rotations(np.array(shape.orientation))[:, k]
    middle = tuple((np.array(shape.position) + 0.5 * by * along).tolist())
    if isinstance(shape, Box):
        halves = [0.5 * size if i == k else half for i, half in enumerate(shape.half_size)]
        return replace(shape, half_size=tuple(halves), position=middle)
    return replace(shape, half_length=shape.half_length + 0.5 * by, position=middle)


def moved(shape: Shape, way: np.ndarray) -> Shape:
    """The shape elsewhere: `way` (3,) in the body frame."""
    return replace(shape, position=tuple((np.array(shape.position) + way).tolist()))


def _thick(shape: Sphere | Cylinder | Capsule, radius: float) -> Shape:
    """Of that radius; a capsule stays as long as it is, if it can."""
    if isinstance(shape, Capsule):
        whole = shape.half_length + shape.radius
        return replace(shape, radius=radius, half_length=max(whole - radius, SHORTEST * radius))
    return replace(shape, radius=radius)


def twin_body(body: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """The body of the other side, by its name."""
    owner = Owner(body)
    bodies = (ob for ob in scene.objects if ob.ves.role == "BODY" and ob != body)
    return next((ob for ob in bodies if are_twins(owner, Owner(ob))), None)


def mirrored_shape(shape: Shape, body: bpy.types.Object, twin: bpy.types.Object) -> Shape:
    """The mirror image of a body's shape, in the frame of its twin: of bones as they are at rest, whatever the pose."""
    mirror, here, there = reflection_of(Owner(body)), _frame(body), _frame(twin)
    across, turn, other = poses.rotation_part(-mirror[:3, :3]), here[:3, :3], there[:3, :3]
    middle = here[:3, :3] @ np.array(shape.position) + here[:3, 3]
    middle = mirror[:3, :3] @ middle + mirror[:3, 3]
    axes = other.T @ -across @ turn @ poses.rotations(np.array(shape.orientation)) @ np.diag((-1.0, 1.0, 1.0))
    place = placed(other.T @ (middle - there[:3, 3]), axes.T, float(np.abs(middle).max()))
    return replace(shape, **place)


def _frame(body: bpy.types.Object) -> np.ndarray:
    """(4, 4) rigid, at rest."""
    frame = Owner(body).at_rest
    frame[:3, :3] = poses.rotation_part(frame[:3, :3])
    return frame


def set_shape(body: bpy.types.Object, shape: Shape, scene: bpy.types.Scene) -> None:
    """Give a body a shape by its sizes, and with *X Mirror* the body of the other side its mirror image."""
    give_sizes(body.ves, shape)
    twin = twin_body(body, scene) if scene.ves.pose_mirror else None
    if twin is not None:
        give_sizes(twin.ves, mirrored_shape(shape, body, twin))


def set_margin(body: bpy.types.Object, margin: float, scene: bpy.types.Scene) -> None:
    """The same of a margin (m)."""
    twin = twin_body(body, scene) if scene.ves.pose_mirror else None
    for each in (body, twin) if twin is not None else (body,):
        each.ves.contact_margin = margin
