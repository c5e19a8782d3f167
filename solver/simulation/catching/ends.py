# SPDX-License-Identifier: GPL-3.0-or-later
"""Places and velocities of points of bodies, at present and as drawn."""

import numpy as np

from ...mechanism import Mechanism
from ...model.closures import Anchor
from ...model.poses import body_pose, rotation_matrices
from ..recording import Recording


def present_frame(mechanism: Mechanism, name: str | None, point, position, orientation) -> Anchor:
    """The place of a body's point (m, world at zero coordinates), and the turn of its axes (3, 3).

    position (B, 3), orientation (B, 4): of all bodies at present.
    """
    point = np.array(point, float)
    if name is None:
        return point, np.eye(3)
    number = next(i for i, body in enumerate(mechanism.bodies) if body.name == name)
    start, unturned = body_pose(mechanism.bodies[number])
    turn = rotation_matrices(orientation[number])[0] @ rotation_matrices(np.array(unturned))[0].T
    return position[number] + turn @ (point - np.array(start)), turn


def seen_from(mechanism: Mechanism, name: str | None, frame: Anchor, position, orientation) -> Anchor:
    """A frame in the present world as it stands on a body, in the world at zero coordinates."""
    origin, turn = present_frame(mechanism, name, (0.0, 0.0, 0.0), position, orientation)
    return turn.T @ (frame[0] - origin), turn.T @ frame[1]


def moving_ends(mechanism: Mechanism, ends, now: Recording) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Places (m) and velocities (m/s) of bodies' points at a single frame."""
    places, velocities = [], []
    for name, point in ends:
        place, velocity = present_frame(mechanism, name, point, now.position[0], now.orientation[0])[0], np.zeros(3)
        if name is not None:
            k = list(now.body_names).index(name)
            arm = place - now.position[0, k]
            velocity = now.linear_velocity[0, k] + np.cross(now.angular_velocity[0, k], arm)
        places.append(place)
        velocities.append(velocity)
    return places, velocities
