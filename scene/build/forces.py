# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of a mechanism become Empties; tables become keyframes of their settings."""

from __future__ import annotations

import bpy
from mathutils import Matrix, Quaternion, Vector

from ...solver.mechanism import Balance, Force, Reach, Rubber, Spring, Steering, Table
from ..animation.keys_of_mechanism import at_start, key_force_empty, put_numbers
from ..parts.feet import set_feet
from ..parts.tables import put_table
from ..properties.force_types import FORCES
from .builder import Builder

UNTURNED = (1.0, 0.0, 0.0, 0.0)


def build_force(builder: Builder, force: Force) -> None:
    """Make the Empty of a force."""
    if isinstance(force, Spring):
        empty = _spring(builder, force)
    elif isinstance(force, Steering):
        empty = _steering(builder, force)
    elif isinstance(force, Reach):
        empty = _on_body(builder, force)
        empty.ves.reach_target = _target(builder, force)
    else:
        empty = _balance(builder, force) if isinstance(force, Balance) else _on_body(builder, force)
    settings, row = empty.ves, FORCES[force.type.upper()]
    settings.force_type, settings.enabled = force.type.upper(), force.enabled
    has_lists = any(isinstance(getattr(force, key), tuple) for key in row.lists)
    for key, path in (row.values | (row.lists if has_lists else {})).items():
        value, kept = getattr(force, key), getattr(settings, path)
        if value is not None:
            count = 1 if isinstance(kept, float) else len(kept)  # one number may stand for all
            numbers = list(value) if isinstance(value, tuple) else [value] * count
            put_numbers(empty, path, numbers, builder.scene)
    if getattr(force, "terrain", None) is not None:
        settings.terrain, settings.terrain_spacing = _terrain(builder, force.terrain)
    row.choose(settings, force)
    for name, key in (("PULL", "pull"), ("DAMPER", "damper"), ("PUSH", "push")):
        put_table(settings, name, getattr(force, key, None))


def _terrain(builder: Builder, name: str) -> tuple[bpy.types.Object, float]:
    """The mesh of a terrain, made once, and the distance of its points."""
    terrain = next(each for each in builder.mechanism.terrains if each.name == name)
    if name not in builder.terrains:
        rows, columns = len(terrain.heights), len(terrain.heights[0])
        x, y, z = terrain.origin
        across, along = terrain.spacing
        points = [
            (x + across * i, y + along * j, z + height)
            for j, row in enumerate(terrain.heights)
            for i, height in enumerate(row)
        ]
        corners = (columns * j + i for j in range(rows - 1) for i in range(columns - 1))
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(points, [], [(k, k + 1, k + columns + 1, k + columns) for k in corners])
        builder.terrains[name] = bpy.data.objects.new(name, mesh)
        builder.collection.objects.link(builder.terrains[name])
    return builder.terrains[name], across


def _on_body(builder: Builder, force: Force) -> bpy.types.Object:
    """An Empty where the force acts, or in the middle of its body."""
    body = builder.objects[force.body]
    point, orientation = getattr(force, "point", tuple(body.location)), getattr(force, "orientation", UNTURNED)
    if point is None:  # of an expression: at the centre of mass
        part = next(each for each in builder.mechanism.bodies if each.name == force.body)
        point = tuple(body.matrix_world @ Vector(part.center_of_mass))
    turn = Quaternion(at_start(orientation)).normalized()
    empty = builder.empty(force.name, "FORCE", at_start(point), turn, (body, None))
    key_force_empty(empty, point, orientation, builder.scene)
    return empty


def _balance(builder: Builder, balance: Balance) -> bpy.types.Object:
    """An Empty where the body shall be: a target that is left out is where it is."""
    body = builder.objects[balance.body]
    start = body.matrix_world
    point = tuple(start.translation) if balance.position is None else balance.position
    orientation = tuple(start.to_quaternion()) if balance.orientation is None else balance.orientation
    turn = Quaternion(at_start(orientation)).normalized()
    empty = builder.empty(balance.name, "FORCE", at_start(point), turn, (body, None))
    key_force_empty(empty, point, orientation, builder.scene)
    set_feet(empty.ves, [builder.objects[name] for name in balance.feet])
    if balance.joint_max_torque:
        builder.left_out.append(f"the torques of single joints of '{balance.name}'")
    return empty


def _steering(builder: Builder, steering: Steering) -> bpy.types.Object:
    """An Empty in the middle of the frame, whose target is an Empty of its own."""
    frame, fork = builder.objects[steering.body], builder.objects[steering.fork]
    turn = Quaternion(at_start(steering.orientation)).normalized()
    empty = builder.empty(steering.name, "FORCE", frame.location, turn, (frame, fork))
    key_force_empty(empty, (), steering.orientation, builder.scene)
    if steering.target is not None:
        empty.ves.ride_target = _target(builder, steering)
    return empty


def _target(builder: Builder, force: Steering | Reach) -> bpy.types.Object:
    """An Empty to ride towards, or that a hand follows."""
    target = bpy.data.objects.new(f"{force.name} Target", None)
    builder.collection.objects.link(target)
    target.location = at_start(force.target)
    key_force_empty(target, force.target, (), builder.scene)
    return target


def _spring(builder: Builder, spring: Spring | Rubber) -> bpy.types.Object:
    """An arrow from one end to the other."""
    owner = builder.objects[spring.body_a]
    other = builder.objects[spring.body_b] if spring.body_b else None
    point_a, point_b = Vector(at_start(spring.point_a)), Vector(at_start(spring.point_b))
    along = point_b - point_a
    turn = tuple(along.to_track_quat("Z", "Y")) if along.length else UNTURNED
    empty = builder.empty(spring.name, "FORCE", point_a, turn, (owner, other))
    key_force_empty(empty, spring.point_a, (), builder.scene)
    if any(isinstance(number, Table) for number in spring.point_b):
        builder.left_out.append(f"the motion of the second end of '{spring.name}'")
    if along.length:
        empty.empty_display_size = along.length
    settings = empty.ves
    inverse = other.matrix_world.inverted() if other else Matrix.Identity(4)
    settings.point_b = inverse @ point_b
    settings.to_world = other is None
    settings.use_rest_length = spring.rest_length is not None
    return empty
