# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with springs and dampers that are far stiffer than what moves."""

import math

from solver import Mechanism, Script
from solver.mechanism import Body, Joint, JointMotor, Rubber, Spring, Support

from .forces import EXAMPLES

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
NONE = (0.0, 0.0, 0.0)


def bars(
    count: int = 5, stiffness: float = 1e5, damping: float = 1e4, mass: float = 1.0, last: float | None = None
) -> Mechanism:
    """Bars of 0.3 m in a row, hinged about Y to the world and to each other; all hinges but the first are sprung.

    mass, last: kg, of each and of the last one. Units: N m/rad, N m s/rad.
    """
    bodies, joints = [], []
    for k in range(count):
        own = last if last is not None and k == count - 1 else mass
        inertia = (own * 0.3**2 / 12,) * 3
        bodies.append(Body(f"bar {k}", mass=own, inertia=inertia, position=(0.3 * k + 0.15, 0, 0), orientation=UPRIGHT))
        sprung = {"stiffness": (stiffness,), "damping": (damping,)} if k else {}
        joints.append(
            Joint(f"hinge {k}", type="revolute", parent=f"bar {k - 1}" if k else None, child=f"bar {k}",
                  position=(0.3 * k, 0, 0), orientation=LYING, **sprung)
        )  # fmt: skip
    return Mechanism(bodies=bodies, joints=joints)


def weight_on_links() -> Mechanism:
    """1e8 kg at the end of ten links of 0.1 kg with stiff hinges, hung straight, along X, and swung by 1 rad/s."""
    mechanism = bars(11, mass=0.1, last=1e8)
    mechanism.gravity, mechanism.joints[0].speeds = (9.81, 0.0, 0.0), (1.0,)
    return mechanism


def box_on_supports() -> Mechanism:
    """A box of 1 kg that comes down, turning, on four supports of 1e6 N/m and 2e3 N s/m, with friction."""
    body = Body("box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.51), angular_velocity=(0.3, 0.2, 0))
    forces = [
        Support(f"foot {x} {y}", body="box", point=(x, y, 0.01), stiffness=1e6, damping=2e3, friction=0.5)
        for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    ]
    return Mechanism(bodies=[body], forces=forces)


def tensegrity(times: float, damping: float) -> Mechanism:
    """The structure of the thesis (Schroeder 1990, 7.2) with strings so many times as stiff, with dampers (N s/m)."""
    mechanism = Script.load(EXAMPLES / "tensegrity.ves").mechanism
    for force in mechanism.forces:
        if isinstance(force, Rubber):
            force.stiffness, force.damping = times * force.stiffness, damping
    return mechanism


def sprung_rods() -> Mechanism:
    """Two bodies on rods that are springs of 1e7 N/m with dampers of 1e4 N s/m, let go as a double pendulum."""
    bodies = [
        Body("first", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0)),
        Body("second", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, 0)),
    ]
    stiff = {"stiffness": 1e7, "damping": 1e4}
    forces = [
        Spring("to world", body_a="first", point_a=(1, 0, 0), point_b=NONE, rest_length=1.0, **stiff),
        Spring("between", body_a="first", point_a=(1, 0, 0), body_b="second", point_b=(1.5, 0, 0), rest_length=0.5,
               **stiff),
    ]  # fmt: skip
    return Mechanism(bodies=bodies, forces=forces)


def driven_rod(hertz: float) -> Mechanism:
    """A rod of 1 m and 1 kg that a motor holds at 0.5 rad by a spring of that frequency, critically damped."""
    rate, turning = 2.0 * math.pi * hertz, 1.0 / 3.0
    motor = JointMotor("position", target=0.5, stiffness=turning * rate**2, damping=2.0 * turning * rate)
    rod = Body("rod", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0), orientation=UPRIGHT)
    hinge = Joint("hinge", type="revolute", parent=None, child="rod", position=NONE, orientation=LYING, motor=motor)
    return Mechanism(bodies=[rod], joints=[hinge])


def oscillator(period: float) -> Mechanism:
    """A weight of 1 kg on a spring without damping, 0.1 m off its place, without gravity; s."""
    weight = Body("weight", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.1))
    slide = Joint("slide", type="prismatic", parent=None, child="weight", position=NONE,
                  stiffness=((2.0 * math.pi / period) ** 2,), coordinates=(0.1,))  # fmt: skip
    return Mechanism(gravity=NONE, bodies=[weight], joints=[slide])
