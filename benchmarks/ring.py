# SPDX-License-Identifier: GPL-3.0-or-later
"""A necklace cut open at one joint, as engines want it that know trees and add the loop as a constraint."""

from typing import NamedTuple

import numpy as np

from solver.mechanism import Mechanism
from solver.model.poses import rotation_matrices


class Bead(NamedTuple):
    """A body of the tree and the joint to its inner body; the joint's frame has the body's axes."""

    number: int  # in the mechanism's list
    inner: int | None  # number of the inner bead; None: the root
    free: bool  # it floats: no joint to the inner body or the world
    place: np.ndarray  # (3,) of the joint in the world; of the body where it floats
    turn: np.ndarray  # (3, 3) of the body
    centre: np.ndarray  # (3,) of mass
    spin: np.ndarray  # (3,) angular velocity over the inner body's, the body's axes
    speed: np.ndarray  # (3,) of the place, world axes


class Ring(NamedTuple):
    """Beads from the root outward, and the joint that is missing."""

    beads: list[Bead]
    ends: tuple[int, int]  # numbers of the two beads that the missing joint connects
    gap: np.ndarray  # (3,) where


def opened(mechanism: Mechanism, longer: int | None = None) -> Ring:
    """A necklace with its first bead as the root; its longer arm has `longer` beads (None: all, there is one arm)."""
    bodies = mechanism.bodies
    joints = [joint for joint in mechanism.joints if joint.parent is not None]
    hooks = [joint for joint in mechanism.joints if joint.parent is None]
    count = len(bodies)
    longer = count - 1 if longer is None else longer
    turns = rotation_matrices([body.orientation for body in bodies])
    spins = np.array([body.angular_velocity for body in bodies])

    def bead(number: int, inner: int | None, place) -> Bead:
        spin = spins[number] - (spins[inner] if inner is not None else 0.0)
        return Bead(
            number, inner, inner is None and not hooks, np.array(place), turns[number],
            np.array(bodies[number].position), turns[number].T @ spin, np.array(bodies[number].linear_velocity),
        )  # fmt: skip

    root = bead(0, None, hooks[0].position if hooks else bodies[0].position)
    one = [bead(i, i - 1, joints[i - 1].position) for i in range(1, longer + 1)]
    other = [bead(i, (i + 1) % count, joints[i].position) for i in range(count - 1, longer, -1)]
    return Ring([root, *one, *other], (longer, (longer + 1) % count), np.array(joints[longer].position))
