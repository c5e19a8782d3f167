# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrains of supports and tyres: meshes that stand still, read as height fields, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...solver.mechanism import Terrain
from ..animation.animated import moves_by_itself
from ..geometry.rounding import round_number
from ..properties.joint import ANGLE, coordinate_kinds
from .height_field import MOST, HeightField, counts_of, height_field, height_of
from .placement import outline

FINEST = 0.15  # of a tyre's radius: a grid that its rim follows
FAR_OFF = 0.05  # m: between the smooth ground and the mesh, that is worth a word


def terrain_of(reading: Any, owner: bpy.types.Object) -> tuple[str | None, HeightField | None]:
    """The name of a force's terrain, which is added to the mechanism where it is met first, and its heights.

    `reading`: the Reading so far.
    """
    settings = owner.ves
    ground = settings.terrain
    if ground is None:
        return None, None
    key = ground, round(settings.terrain_spacing, 6)
    if key not in reading.grounds:
        reading.grounds[key] = _read_terrain(reading, owner, *key)
    name, field = reading.grounds[key]
    if field is not None:
        x, y, _ = reading.poses[owner].position
        if height_of(field, float(x), float(y)) is None:
            reading.warn(owner, f"starts beyond the edge of {ground.name}, where the ground goes on level across it")
    return name, field


def _read_terrain(
    reading: Any, owner: bpy.types.Object, ground: bpy.types.Object, spacing: float
) -> tuple[str | None, HeightField | None]:
    if ground == owner.ves.body_a or _is_moved(ground):
        reading.error(owner, f"stands on {ground.name}, which moves: a terrain must stand still")
        return None, None
    shape = outline(ground, reading.depsgraph)
    if len(shape.points) < 3:
        reading.error(owner, f"stands on {ground.name}, which has no faces: choose another Terrain")
        return None, None
    columns, rows = counts_of(shape, spacing)
    if columns * rows > MOST:
        reading.error(owner, f"looks at {ground.name} in {columns} by {rows} points: make its Grid wider")
        return None, None
    field = height_field(shape, spacing)
    if field is None:
        reading.error(owner, f"stands on {ground.name}, which has no faces seen from above: choose another Terrain")
        return None, None
    if field.holes:
        share = 100.0 * field.holes / field.heights.size
        reading.warn(ground, f"has holes seen from above ({share:.2g} %): there the ground is that beside them")
    if field.off > FAR_OFF:
        x, y = field.place
        reading.warn(
            ground,
            f"is steeper than its grid shows: its smooth ground is off by up to {field.off:.2g} m, at {x:.4g}, {y:.4g}."
            f" Make the Grid of {owner.name} finer, or let the step be",
        )
    taken = {terrain.name for terrain in reading.mechanism.terrains}
    name = ground.name_full if ground.name_full not in taken else f"{ground.name_full} {spacing:g} m"
    heights = np.round(field.heights, 7)
    origin, steps = (*field.origin, 0.0), field.spacing
    reading.mechanism.terrains.append(Terrain(name=name, heights=heights.tolist(), origin=origin, spacing=steps))
    return name, field


def _is_moved(ground: bpy.types.Object) -> bool:
    """True for a body that is simulated or keyed, and what moves by itself."""
    return (ground.ves.role == "BODY" and ground.ves.motion != "FIXED") or moves_by_itself(ground)


def warn_of_wheel(reading: Any, owner: bpy.types.Object, field: HeightField | None) -> None:
    """Say so if a tyre's ground is finer than its rim, or joints hold its body and none lets it turn."""
    least = FINEST * owner.ves.tyre_radius
    if field is not None and min(field.spacing) < least:
        text = f"has a rim whose points are farther apart than those of {owner.ves.terrain.name}, and misses its edges"
        reading.warn(owner, f"{text}: set its Grid to {round_number(least)} m or more")
    body = owner.ves.body_a
    joints = [
        ob.ves for ob in reading.scene.objects if ob.ves.role == "JOINT" and body in (ob.ves.body_a, ob.ves.body_b)
    ]
    if joints and not any(ANGLE in coordinate_kinds(settings) for settings in joints):
        reading.warn(owner, f"is on {body.name}, which cannot turn, so it only slides: give the wheel a Hinge")
