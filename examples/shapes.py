# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple solids as points and faces, each face with the name of its paint, and the object that is made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .paints import material

SHARP = math.radians(40.0)  # edges with a larger angle than this stay sharp when the surface is shaded


class Shape(NamedTuple):
    """points: (n, 3) in metres; faces: indices of their corners; paints: a name from `paints.PAINTS` for each face."""

    points: np.ndarray
    faces: list[tuple[int, ...]]
    paints: list[str]


def joined(*shapes: Shape) -> Shape:
    """All shapes as one."""
    faces: list[tuple[int, ...]] = []
    offset = 0
    for shape in shapes:
        faces += [tuple(index + offset for index in face) for face in shape.faces]
        offset += len(shape.points)
    points = np.concatenate([shape.points for shape in shapes])
    return Shape(points, faces, [paint for shape in shapes for paint in shape.paints])


def moved(shape: Shape, matrix: Matrix | Sequence[float]) -> Shape:
    """The shape moved by a matrix, or by a vector."""
    matrix = np.array(matrix if isinstance(matrix, Matrix) else Matrix.Translation(matrix))
    return shape._replace(points=shape.points @ matrix[:3, :3].T + matrix[:3, 3])


def on_both_sides(shape: Shape) -> Shape:
    """The shape and its mirror image across the plane y = 0."""
    image = Shape(shape.points * (1.0, -1.0, 1.0), [face[::-1] for face in shape.faces], shape.paints)
    return joined(shape, image)


def along(start: Sequence[float], end: Sequence[float]) -> Matrix:
    """The frame at `start` whose X axis points to `end`, Y as level as possible."""
    direction = Vector(end) - Vector(start)
    return Matrix.Translation(start) @ direction.to_track_quat("X", "Z").to_matrix().to_4x4()


def grid(points: np.ndarray, paint: str, closed: bool = True) -> Shape:
    """A surface through rows of points (r, c, 3); `closed` joins the last column to the first."""
    rows, columns, _ = points.shape
    faces = [
        (i * columns + j, i * columns + (j + 1) % columns, (i + 1) * columns + (j + 1) % columns, (i + 1) * columns + j)
        for i in range(rows - 1)
        for j in range(columns if closed else columns - 1)
    ]
    return Shape(points.reshape(-1, 3), faces, [paint] * len(faces))


def lathe(profile: Sequence[tuple[float, float]], paints: str | Sequence[str], segments: int = 32) -> Shape:
    """A profile of (radius, height) from bottom to top, turned about Z, with lids at both ends: a closed solid.

    `paints` may name one paint for each ring between two points of the profile; the lids take the first and the last.
    """
    angles = np.arange(segments) * 2.0 * math.pi / segments
    points = np.array([[(r * math.cos(a), r * math.sin(a), z) for a in angles] for r, z in profile])
    names = [paints] * (len(profile) - 1) if isinstance(paints, str) else list(paints)
    rings = grid(points, names[0])
    top = (len(profile) - 1) * segments
    lids = [tuple(range(segments))[::-1], tuple(range(top, top + segments))]
    painted = [name for name in names for _ in range(segments)] + [names[0], names[-1]]
    return Shape(rings.points, rings.faces + lids, painted)


def rod(start: Sequence[float], end: Sequence[float], radius: float, paint: str, segments: int = 12) -> Shape:
    """A straight rod between two points."""
    length = (Vector(end) - Vector(start)).length
    upright = lathe([(radius, 0.0), (radius, length)], paint, segments)
    return moved(upright, along(start, end) @ Matrix.Rotation(math.pi / 2.0, 4, "Y"))


def slab(low: Sequence[float], high: Sequence[float], paint: str) -> Shape:
    """A block between two corners."""
    corners = np.array([low, high], dtype=float)
    points = np.array([(corners[i, 0], corners[j, 1], corners[k, 2]) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Shape(points, faces, [paint] * 6)


def chain_link(pitch: float, half_width: float, wire: float, paint: str) -> Shape:
    """An oval ring of round wire in the XY plane that holds its neighbours at the origin and at X = pitch.

    There the insides of its ends are; `half_width` is that of the wire's middle line and `wire` its radius.
    """
    bend = np.linspace(0.5 * math.pi, 1.5 * math.pi, 17)
    left = np.stack([half_width - wire + half_width * np.cos(bend), half_width * np.sin(bend)], axis=1)
    middle = np.concatenate([left, np.array([pitch, 0.0]) - left])
    outwards = np.concatenate([np.stack([np.cos(bend), np.sin(bend)], axis=1) * sign for sign in (1.0, -1.0)])
    around = np.arange(16) * 2.0 * math.pi / 16
    rows = [
        np.column_stack([m + wire * np.cos(around)[:, None] * out, wire * np.sin(around)])
        for m, out in zip(middle, outwards, strict=True)
    ]
    tube = grid(np.stack([*rows, rows[0]]), paint)
    return welded(tube)


def welded(shape: Shape) -> Shape:
    """The shape with one point wherever several lie within 0.1 µm: what was put together is one closed surface."""
    _, first, index = np.unique(np.round(shape.points, 7) + 0.0, axis=0, return_index=True, return_inverse=True)
    index = index.ravel()
    return Shape(shape.points[first], [tuple(int(index[i]) for i in face) for face in shape.faces], shape.paints)


def superellipsoid(radii: Sequence[float], paint: str, power: float = 2.0, segments: int = 48) -> Shape:
    """|x/a|^p + |y/b|^p + |z/c|^p = 1: an ellipsoid for p = 2, ever more like a box for larger powers."""
    up = np.linspace(-math.pi / 2.0, math.pi / 2.0, segments // 2 + 1)[1:-1, None]
    around = (np.arange(segments) * 2.0 * math.pi / segments)[None, :]
    direction = np.stack([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up) + 0.0 * around], axis=2)
    direction /= np.sum(np.abs(direction) ** power, axis=2, keepdims=True) ** (1.0 / power)
    shell = grid(direction * np.asarray(radii), paint)
    last = len(shell.points) - segments
    caps = [tuple(range(segments))[::-1], tuple(range(last, last + segments))]
    return Shape(shell.points, shell.faces + caps, shell.paints + [paint, paint])


def perforated_strip(holes: int, pitch: float, thickness: float, paint: str) -> Shape:
    """A flat strip with round holes and round ends, as a construction set has them; the holes are along X from 0.

    Each hole is a cell of its own: a ring between the hole and a square, or a half circle at the strip's ends.
    """
    cells = (_cell(pitch, thickness, paint, i == 0, i == holes - 1) for i in range(holes))
    return welded(joined(*(moved(cell, (i * pitch, 0.0, 0.0)) for i, cell in enumerate(cells))))


def _cell(pitch: float, thickness: float, paint: str, is_first: bool, is_last: bool) -> Shape:
    half, hole = 0.5 * pitch, 0.27 * pitch
    angles = np.arange(24) * 2.0 * math.pi / 24
    unit = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    square = unit / np.max(np.abs(unit), axis=1, keepdims=True)
    is_round = (is_first & (unit[:, 0] < -1e-9)) | (is_last & (unit[:, 0] > 1e-9))
    outer = half * np.where(is_round[:, None], unit, square)
    inner = hole * unit
    top, bottom = np.full((24, 1), 0.5 * thickness), np.full((24, 1), -0.5 * thickness)
    rings = [
        np.hstack(pair) for pair in ((inner, bottom), (outer, bottom), (outer, top), (inner, top), (inner, bottom))
    ]
    shape = grid(np.stack(rings), paint)
    # Between neighbouring cells there is no wall.
    between = (~is_round) & (np.abs(outer[:, 0]) > half - 1e-9)
    inside = {24 + j for j in np.flatnonzero(between)} | {48 + j for j in np.flatnonzero(between)}
    faces = [face for face in shape.faces if not set(face) <= inside]
    return Shape(shape.points, faces, [paint] * len(faces))


def make_object(name: str, shape: Shape, smooth: bool = True) -> bpy.types.Object:
    """A mesh object of the shape in the scene's collection, with a material for each paint."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(shape.points.tolist(), [], shape.faces)
    slots = sorted(set(shape.paints))
    for paint in slots:
        mesh.materials.append(material(paint))
    mesh.polygons.foreach_set("material_index", [slots.index(paint) for paint in shape.paints])
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(mesh.polygons))
    mesh.set_sharp_from_angle(angle=SHARP)
    mesh.update()
    ob = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(ob)
    return ob
