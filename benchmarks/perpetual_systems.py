# SPDX-License-Identifier: GPL-3.0-or-later
"""Systems that keep their energy for ever: a free body, a double spherical pendulum, a chain with a loop (issue 6)."""

from typing import NamedTuple

import numpy as np

from solver.mechanism import Body, Joint, Mechanism, PointToPoint

_LINK, _RADIUS = 0.3, 0.5  # m: a link of the straight part, and the loop


class System(NamedTuple):
    """A mechanism, and the step at which it is integrated."""

    name: str
    mechanism: Mechanism
    interval: float  # s


def systems() -> list[System]:
    """The three that Wendlandt's simulations and the issue name. Steps are long: a tenth of a radian or so."""
    return [
        System("free rigid body", free_body(), 0.05),
        System("double spherical pendulum", double_pendulum(), 1 / 60),
        System("20-link chain with a loop", chain_with_loop(20), 1 / 480),
    ]


def free_body() -> Mechanism:
    """It tumbles near its unstable middle axis."""
    body = Body("body", mass=2.0, inertia=(1.0, 2.0, 2.5), angular_velocity=(0.3, 2.0, 0.4))
    return Mechanism(gravity=(0, 0, 0), bodies=[body])


def double_pendulum() -> Mechanism:
    """Two rods on ball joints, thrown out of the upright plane."""
    bodies = [
        Body(f"rod {k}", mass=1.0, inertia=(0.02, 0.08, 0.08), position=(0.5 + k, 0.0, 0.0), angular_velocity=w)
        for k, w in enumerate(((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)))
    ]
    bodies[1].linear_velocity, bodies[0].linear_velocity = (0.0, 1.5, 0.0), (0.0, 0.5, 0.0)
    joints = [
        Joint("hook", "spherical", None, "rod 0", (0.0, 0.0, 0.0)),
        Joint("elbow", "spherical", "rod 0", "rod 1", (1.0, 0.0, 0.0)),
    ]
    return Mechanism(bodies=bodies, joints=joints)


def chain_with_loop(links: int) -> Mechanism:
    """A chain on ball joints that hangs on the world, its last half bent into a loop, swinging out of its plane."""
    half = links // 2
    straight = [np.array([_LINK * k, 0.0, 0.0]) for k in range(half + 1)]
    turns = 2.0 * np.pi * np.arange(links - half + 1) / (links - half)
    center = straight[-1] + [_RADIUS, 0.0, 0.0]
    places = straight + [center - _RADIUS * np.array([np.cos(a), np.sin(a), 0.0]) for a in turns[1:]]
    bodies, joints = [], []
    for k in range(links):
        start, end = places[k], places[k + 1]
        bodies.append(Body(f"link {k}", mass=0.5, inertia=(0.004, 0.005, 0.006), position=0.5 * (start + end)))
        joints.append(Joint(f"joint {k}", "spherical", f"link {k - 1}" if k else None, f"link {k}", start))
    bodies[-2].linear_velocity = (0.2, 0.5, 1.0)
    ends = {"body_a": f"link {links - 1}", "body_b": f"link {half}", "point_a": places[-1], "point_b": places[-1]}
    return Mechanism(bodies=bodies, joints=joints, constraints=[PointToPoint("tie", **ends)])
