# SPDX-License-Identifier: GPL-3.0-or-later
"""A course to drive along: a smooth line through bends, the speed along it, and an object that follows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np


class Bend(NamedTuple):
    """A bend of `angle` rad (left is positive) between two distances along the course, with gentle entry and exit."""

    start: float
    end: float
    angle: float


class Course(NamedTuple):
    """Points of a level line from the origin along X: distance (n,), position (n, 2), heading (n,)."""

    distance: np.ndarray
    position: np.ndarray
    heading: np.ndarray

    def at(self, distance: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position (..., 2) and heading there; before its start and after its end the line goes on straight."""
        inside = np.clip(distance, self.distance[0], self.distance[-1])
        place = np.stack([np.interp(inside, self.distance, self.position[:, i]) for i in range(2)], axis=-1)
        heading = np.interp(inside, self.distance, self.heading)
        beyond = np.asarray(distance - inside)[..., None]
        return place + beyond * np.stack([np.cos(heading), np.sin(heading)], axis=-1), heading


def lay_out(length: float, bends: Sequence[Bend], spacing: float = 0.05) -> Course:
    """The course of that length. Curvature rises and falls as sin^2 over the first and last third of each bend."""
    distance = np.linspace(0.0, length, 1 + round(length / spacing))
    curvature = np.zeros_like(distance)
    for bend in bends:
        part = np.clip((distance - bend.start) / (bend.end - bend.start), 0.0, 1.0)
        ramp = np.sin(0.5 * np.pi * np.clip(3.0 * np.minimum(part, 1.0 - part), 0.0, 1.0)) ** 2
        curvature += bend.angle * ramp / (spacing * ramp.sum())
    step = np.diff(distance)
    heading = np.concatenate([[0.0], np.cumsum(0.5 * (curvature[1:] + curvature[:-1]) * step)])
    middle = 0.5 * (heading[1:] + heading[:-1])
    moves = step[:, None] * np.stack([np.cos(middle), np.sin(middle)], axis=1)
    return Course(distance, np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)]), heading)


def make_curve(name: str, course: Course, points: int) -> bpy.types.Object:
    """A Bezier curve along the course, with control points at even distances and handles along it."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    data.resolution_u = 24
    data.use_path = True
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(points - 1)
    distances = np.linspace(course.distance[0], course.distance[-1], points)
    places, headings = course.at(distances)
    third = (distances[1] - distances[0]) / 3.0
    for point, place, heading in zip(spline.bezier_points, places, headings, strict=True):
        reach = third * np.array([np.cos(heading), np.sin(heading), 0.0])
        place = np.append(place, 0.0)
        point.handle_left_type = point.handle_right_type = "FREE"  # or Blender moves them while they are being set
        point.co, point.handle_left, point.handle_right = place, place - reach, place + reach
        point.handle_left_type = point.handle_right_type = "ALIGNED"
    ob = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(ob)
    return ob


class Drive(NamedTuple):
    """Frames of a drive: even acceleration from `start` to `fast`, even speed to `brake`, even braking to `stop`."""

    start: float
    fast: float
    brake: float
    stop: float

    def keys(self, length: float) -> list[tuple[float, float]]:
        """The four keys (frame, distance) of that speed over the length."""
        speeding, steady, braking = self.fast - self.start, self.brake - self.fast, self.stop - self.brake
        speed = length / (0.5 * speeding + steady + 0.5 * braking)
        first = 0.5 * speed * speeding
        return [(self.start, 0.0), (self.fast, first), (self.brake, first + speed * steady), (self.stop, length)]


def animate_drive(
    owner: bpy.types.Object, path: str, index: int, drive: Drive, scale: float, course_length: float
) -> None:
    """Animate a property that is `scale` times the distance driven: four keys and their handles say it exactly.

    Between two keys the curve is a cubic whose handles, a third of the way off, hold its slope: with even acceleration
    that cubic is a parabola.
    """
    keys = drive.keys(course_length)
    speed = (keys[2][1] - keys[1][1]) / (keys[2][0] - keys[1][0])
    for frame, _ in keys:
        owner.keyframe_insert(path, index=index, frame=frame)
    animation = owner.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    points = bag.fcurves.find(path, index=max(index, 0)).keyframe_points
    for i, (frame, distance) in enumerate(keys):
        slope = speed if i in {1, 2} else 0.0
        before = (frame - keys[max(i - 1, 0)][0]) / 3.0 or 1.0
        after = (keys[min(i + 1, 3)][0] - frame) / 3.0 or 1.0
        point = points[i]
        point.interpolation = "BEZIER"
        point.handle_left_type = point.handle_right_type = "FREE"
        point.co = frame, scale * distance
        point.handle_left = frame - before, scale * (distance - slope * before)
        point.handle_right = frame + after, scale * (distance + slope * after)


def follow(owner: bpy.types.Object, curve: bpy.types.Object, drive: Drive, course_length: float) -> None:
    """A Follow Path constraint whose X axis points ahead, and the keyframes of the drive."""
    constraint = owner.constraints.new("FOLLOW_PATH")
    constraint.target = curve
    constraint.use_fixed_location = True
    constraint.use_curve_follow = True
    constraint.forward_axis, constraint.up_axis = "FORWARD_X", "UP_Z"
    path = f'constraints["{constraint.name}"].offset_factor'
    animate_drive(owner, path, -1, drive, 1.0 / course_length, course_length)
