# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of a linkage keep their velocities where impulses or stiff dampers shift its pose."""

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Contact, Ground, Joint, Keys

LINK, LEAN = 0.6, 0.9  # m; rad from the vertical
LIGHT, HEAVY = 0.05, 40.0  # kg
SPIN = np.array([4.0, 0.0, 12.0])  # rad/s, of the light links
STEPS, DURATION = 480.0, 0.25  # 1/s; s
OUT = np.array([np.sin(LEAN), 0.0, -np.cos(LEAN)])
TURN = (np.cos(0.5 * (np.pi - LEAN)), 0.0, np.sin(0.5 * (np.pi - LEAN)), 0.0)  # local Z along the chain


def carrier(speed: float) -> Body:
    ends = [(0.0, 0.0, 4.0), (4.0 * speed, 0.0, 4.0)]
    return Body("carrier", "keyed", keys=Keys((0.0, 4.0), ends, [(1.0, 0.0, 0.0, 0.0)] * 2))


def hanging(speed: float) -> Mechanism:
    """A heavy ball on three light links that turn, with dampers that are stiff about the links' own axes."""
    top, going = np.array([0.0, 0.0, 4.0]), np.array([speed, 0.0, 0.0])
    bodies, joints = [carrier(speed)], []
    for k in range(4):
        is_ball = k == 3
        joint = top + k * LINK * OUT
        mass, size = (HEAVY, (1.0, 1.0, 1.0)) if is_ball else (LIGHT, (1.5e-3, 1.5e-3, 1e-5))
        body = Body(f"body {k}", mass=mass, inertia=size, position=tuple(joint + 0.3 * OUT), orientation=TURN)
        body.linear_velocity, body.angular_velocity = tuple(going), tuple(np.zeros(3) if is_ball else SPIN)
        joints.append(
            Joint(f"joint {k}", "spherical", bodies[-1].name, body.name, tuple(joint), TURN, damping=(1e-3,) * 3)
        )
        bodies.append(body)
    return Mechanism("chain", bodies=bodies, joints=joints, contact=Contact(ground=Ground()))


@pytest.mark.parametrize("speed", [0.0, 3.0], ids=["hangs", "is carried"])
def test_light_links_do_not_turn_what_hangs_on_them(speed):
    mechanism = hanging(speed)
    found = simulate(mechanism, DURATION, STEPS, integrator="impulse", substeps=1)
    true = simulate(mechanism, DURATION, STEPS, integrator="adams")
    off = np.linalg.norm(found.linear_velocity[:, 4] - true.linear_velocity[:, 4], axis=1)
    assert off.max() < 1e-5  # m/s


def test_armature_of_a_joint_without_springs_exerts_nothing():
    """What turns speeds into momenta on the way must not stay behind as an effort."""
    mechanism = hanging(0.0)
    first = mechanism.joints[0]
    first.type, first.damping, first.armature = "revolute", None, (0.5,)
    found = simulate(mechanism, DURATION, STEPS, integrator="impulse", substeps=1)
    true = simulate(mechanism, DURATION, STEPS, integrator="adams")
    off = np.linalg.norm(found.linear_velocity[:, 4] - true.linear_velocity[:, 4], axis=1)
    assert off.max() < 1e-5  # m/s
