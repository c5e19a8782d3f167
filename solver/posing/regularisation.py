# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that resist turning, so that pulled chains do not zigzag.

A step is explicit. A chain of n links of mass m and length l that is pulled along by a way d has a tension in it, and a
link that stands across is turned into line by it: multiplied with the square of the interval, its torque per angle is
n m d l. The moment of inertia of a link, m l^2 / 12, is nothing against that. So each step turns links far beyond the
line and the next one back, and a limit on turns leaves no more of the way than of the zigzag. Implicit steps (Baraff,
Witkin, Large Steps in Cloth Simulation, 1998) add that torque per angle to the inertia. Here it is added for good, in
parts of m l^2, so that what is pulled turns the wider around the less it turns anywhere.
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.bodies import Body
from ..model.poses import body_pose
from ..model.topology import Linkage
from ..rotation import matrix_of_quaternion
from ..spatial import add, rotate


def stiffened(mechanism: Mechanism, linkages: Sequence[Linkage], stiffness: float) -> list[Body]:
    """The bodies with stiffness sqrt(n) m l^2 added to their moments of inertia (kg m2).

    n: how many bodies the linkage has; m: the body's mass (kg); l: the way from its centre of mass to the farthest of
    its joints (m).
    """
    bodies, arms = list(mechanism.bodies), _arms(mechanism)
    for linkage in linkages:
        factor = stiffness * math.sqrt(linkage.whole)
        for number in linkage.bodies[: linkage.whole]:
            body = bodies[number]
            inertia = np.array(body.inertia, float)
            inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
            inertia = inertia + factor * body.mass * arms[number] ** 2 * np.eye(3)
            bodies[number] = dataclasses.replace(body, inertia=tuple(map(tuple, inertia.tolist())))
    return bodies


def _arms(mechanism: Mechanism) -> list[float]:
    """m: of each dynamic body, from its centre of mass to the farthest of its joints; 0 of others."""
    number = {body.name: k for k, body in enumerate(mechanism.bodies) if body.motion == "dynamic"}
    centers = {name: _center(mechanism.bodies[k]) for name, k in number.items()}
    arms = [0.0] * len(mechanism.bodies)
    for joint in mechanism.joints:
        for name in (joint.parent, joint.child):
            if name in number:
                arms[number[name]] = max(arms[number[name]], math.dist(joint.position, centers[name]))
    return arms


def _center(body: Body) -> tuple[float, float, float]:
    """The centre of mass in the world."""
    position, orientation = body_pose(body)
    return add(position, rotate(matrix_of_quaternion(orientation), body.center_of_mass))
