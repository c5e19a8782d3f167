# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact shapes of a body: the chosen shape, around its evaluated mesh, in the body frame.

The body frame is that of its mass: the object's origin, and its rotation without scale. So the points of a mesh count
as they are scaled. Mechanisms have many equal parts: a mesh that was met before is not looked at again.
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.mechanism.bodies import Shape
from ..geometry import poses
from ..geometry.given_sizes import given_shape, has_given_sizes
from ..geometry.mass_properties import WITH_MESH, NoVolumeError, loose_pieces, mesh_arrays
from ..geometry.poses import Pose
from ..geometry.shape_fitting import ShrunkAwayError, automatic, grown, in_settled_numbers, mesh, smallest, with_area
from ..owner import is_dynamic

MOST_PARTS = 200
"""Loose parts of a compound: with more, somebody has chosen it for gravel or leaves by mistake."""


class ShapeError(ValueError):
    """There is no such shape; the text says why and what to do, as the end of a sentence about the object."""


class ShapePart(NamedTuple):
    """A mesh in the body frame: points (N, 3), triangles (T, 3)."""

    points: np.ndarray
    triangles: np.ndarray


Known = dict[tuple, tuple[Shape, ...]]


def shapes_of(
    owner: bpy.types.Object, depsgraph: bpy.types.Depsgraph, pose: Pose, known: Known, margin: float | None = None
) -> tuple[Shape, ...]:
    """The shapes of a body, more than one if it is a compound.

    `pose` is that of its world matrix, `known` keeps shapes for the next call; `margin` (m) counts instead of its own.
    Raises ShapeError.
    """
    settings = owner.ves
    kind, margin = settings.contact_shape, settings.contact_margin if margin is None else margin
    if has_given_sizes(settings):
        given = given_shape(settings)
        if given is None:
            raise ShapeError("has a shape without a size: type it in Collide, or choose Size From Mesh")
        return (_grown(given, margin),)
    is_moved = is_dynamic(owner)
    if kind == "MESH" and is_moved:
        raise ShapeError("can't touch others as a Mesh, because it is dynamic: choose Convex Hull or Compound")
    meshes = list(_meshes(owner, depsgraph, pose, kind))
    key = (kind, margin, is_moved, *(content for content, _ in meshes))
    if key not in known:
        known[key] = _fitted([part for _, part in meshes], kind, margin, is_moved)
    return known[key]


def _fitted(parts: list[ShapePart], kind: str, margin: float, is_dynamic: bool) -> tuple[Shape, ...]:
    if kind == "COMPOUND":
        parts = [piece for part in parts for piece in _loose_parts(part)]
        if len(parts) > MOST_PARTS:
            raise ShapeError(f"has {len(parts)} loose parts, too many for a Compound: join or remove some")
    if not any(len(with_area(*part)) for part in parts):
        raise ShapeError("has no faces with an area that others could touch: give it some, or turn Collide off")
    try:
        fitted = [shape for part in parts for shape in _fit(part, kind, not is_dynamic, len(parts) > 1)]
    except NoVolumeError as error:
        remedy = "give it a thickness (a Solidify modifier)" + ("" if is_dynamic else ", or choose the shape Mesh")
        raise ShapeError(f"{error}: {remedy}, or turn Collide off") from error
    if not fitted:
        raise ShapeError("has only flat parts: give them a thickness (a Solidify modifier), or turn Collide off")
    return tuple(_grown(in_settled_numbers(shape), margin) for shape in fitted)


def _grown(shape: Shape, margin: float) -> Shape:
    try:
        return grown(shape, margin)
    except ShrunkAwayError as error:
        raise ShapeError(
            f"has a margin of {margin:.3g} m, which leaves nothing of its shape: make it larger"
        ) from error


def _fit(part: ShapePart, kind: str, may_be_mesh: bool, may_be_flat: bool) -> Iterator[Shape]:
    """The shape of one part; none if that is flat and stands beside others."""
    try:
        if len(part.triangles) == 0:
            raise NoVolumeError("has no faces")
        if kind == "MESH":
            yield mesh(*part)
        elif kind == "AUTOMATIC":
            yield automatic(*part, may_be_mesh)
        elif kind == "COMPOUND":
            yield automatic(*part, False)
        else:
            yield smallest(kind, part.points[np.unique(part.triangles)])
    except NoVolumeError:
        if not may_be_flat:
            raise


def _meshes(
    owner: bpy.types.Object, depsgraph: bpy.types.Depsgraph, pose: Pose, kind: str
) -> Iterator[tuple[bytes, ShapePart]]:
    """The meshes that make the shape, each with what tells it from others."""
    children = list(shape_children(owner)) if kind == "COMPOUND" else []
    if not children:
        yield _mesh_of(owner.evaluated_get(depsgraph), pose.residual, np.zeros(3))
        return
    to_body = poses.rotations(pose.orientation).T
    for child in children:
        evaluated = child.evaluated_get(depsgraph)
        matrix = np.array(evaluated.matrix_world, dtype=np.float64)
        yield _mesh_of(evaluated, to_body @ matrix[:3, :3], to_body @ (matrix[:3, 3] - pose.position))


def shape_children(owner: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The objects that make a compound of their parent: those with a mesh that are no bodies, nor hang on another."""
    for child in sorted(owner.children, key=lambda child: child.name):
        if child.ves.role == "BODY":
            continue
        if child.type in WITH_MESH and not child.hide_viewport:
            yield child
        yield from shape_children(child)


def _mesh_of(evaluated: bpy.types.Object, linear: np.ndarray, offset: np.ndarray) -> tuple[bytes, ShapePart]:
    if evaluated.type not in WITH_MESH:
        raise ShapeError("has no mesh that others could touch: give it one, or turn Collide off")
    try:
        points, triangles = mesh_arrays(evaluated.to_mesh())
    finally:
        evaluated.to_mesh_clear()
    size = np.abs(linear).max() or 1.0
    content = hashlib.sha256(points)
    content.update(triangles)
    content.update(np.round([*linear.ravel() / size, *offset / size], 6) + 0.0)
    content.update(np.round(np.log(size), 6))
    if np.linalg.det(linear) < 0.0:
        triangles = triangles[:, ::-1]
    return content.digest(), ShapePart(points.astype(np.float64) @ linear.T + offset, triangles.astype(np.int64))


def _loose_parts(part: ShapePart) -> list[ShapePart]:
    if len(part.triangles) == 0:
        return []
    return [ShapePart(part.points, piece) for piece in loose_pieces(part.triangles, len(part.points))]
