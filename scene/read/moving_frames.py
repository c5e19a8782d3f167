# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties of forces that move on their bodies: a wheel that steers, a jet that swivels, an end that is reeled in.

A force's frame is fixed to its body, unless keyframes, drivers or constraints move the Empty relative to the body. Then
its pose as the body sees it is sampled. The mechanism gives it in the initial configuration: where the Empty would be
if the body had stayed where it is at the first frame.
"""

from collections.abc import Callable

import bpy
import numpy as np

from ...solver.mechanism import Force
from ..animation.animated import moves_by_itself
from ..geometry import poses
from ..owner import Owner
from .reading import Reading, number_over_time
from .sampling import Probe

ROUNDING = 1e-6  # of the distance from the world's origin, and of a quaternion's components: Blender's single precision
SMALLEST = 1e-2  # m: coordinates below this are rounded as if they were as large


def watch_frame(reading: Reading, owner: bpy.types.Object, force: Force, point: str = "point") -> None:
    """Give the force's point, and orientation if it has one, as tables if the Empty moves on its body."""
    body = owner.ves.body_a
    if not moves_by_itself(owner, up_to=body):
        return
    frames = reading.sampled_frames

    def use(matrices: np.ndarray) -> None:
        position, orientation = seen_from_start(matrices[:, 0], matrices[:, 1])
        times = reading.times(frames)
        size = max(SMALLEST, float(np.abs(matrices[..., :3, 3]).max()))
        if (np.abs(position - position[0]) > ROUNDING * size).any():
            setattr(force, point, [number_over_time(times, column, ROUNDING * size) for column in position.T])
        if hasattr(force, "orientation") and (np.abs(orientation - orientation[0]) > ROUNDING).any():
            force.orientation = [number_over_time(times, column, ROUNDING) for column in orientation.T]

    reading.probes.append(Probe(frames, _both_matrices(owner, body), use))


def seen_from_start(bodies: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (T, 3) and continuous orientations (T, 4) of what moves on a body, had the body stayed at the start.

    Takes the world matrices (T, 4, 4) of both.
    """
    body, owner = poses.split(bodies), poses.split(owners)
    turn = poses.product(body.orientation[0], body.orientation * poses.CONJUGATE)
    position = body.position[0] + np.einsum("tij,tj->ti", poses.rotations(turn), owner.position - body.position)
    return position, poses.continuous(poses.product(turn, owner.orientation))


def _both_matrices(owner: bpy.types.Object, body: bpy.types.Object) -> Callable[[bpy.types.Depsgraph], np.ndarray]:
    both = Owner(body), Owner(owner)
    return lambda depsgraph: np.array([each.world(depsgraph) for each in both])
