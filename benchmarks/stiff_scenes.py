# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with springs and dampers that are far stiffer than what moves."""

import math

import numpy as np

from solver import Mechanism, Script
from solver.mechanism import Body, Follow, Joint, JointMotor, Keys, Rubber, Spring, Support

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


def tied(stiffness: float, by_spring: bool) -> Mechanism:
    """1 kg behind a car that is keyed to drive to and fro, tied to it as stiffly (N/m), critically damped, for 4 s."""
    t = np.arange(193) / 48.0
    places = np.column_stack([0.3 * np.sin(7.0 * t), 0.0 * t, 0.0 * t])
    car = Body("car", motion="keyed", keys=Keys(t.tolist(), places, np.tile(UPRIGHT, (len(t), 1))))
    load = Body("load", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0), linear_velocity=(2.1, 0, 0))
    mechanism, damping = Mechanism(bodies=[car, load], gravity=NONE), 2.0 * math.sqrt(stiffness)
    if by_spring:
        ends = {"body_a": "car", "body_b": "load", "point_a": NONE, "point_b": (1, 0, 0)}
        mechanism.forces = [Spring("rod", stiffness=stiffness, rest_length=1.0, damping=damping, **ends)]
    else:
        rail = {"stiffness": (stiffness,), "damping": (damping,), "orientation": (0.5**0.5, 0.0, 0.5**0.5, 0.0)}
        mechanism.joints = [Joint("rail", type="prismatic", parent="car", child="load", position=NONE, **rail)]
    return mechanism


def followers(**follow) -> Mechanism:
    """Three links of 0.3 m and 1 kg in a row that follow a wave, each up to 0.3 rad beside the one before, for 4 s."""
    t = np.arange(193) / 48.0
    wave, angle, place = 0.3 * np.sin(7.0 * t), np.zeros(len(t)), np.zeros((len(t), 3))
    mechanism = Mechanism()
    for k in range(3):
        angle = angle + wave
        turns = np.column_stack([np.cos(0.5 * angle), 0.0 * t, np.sin(0.5 * angle), 0.0 * t])
        link = {"mass": 1.0, "inertia": (1e-3, 1e-2, 1e-2), "center_of_mass": (0.15, 0, 0), "position": (0.3 * k, 0, 0)}
        mechanism.bodies.append(Body(f"{k}", keys=Keys(t.tolist(), place, turns), follow=Follow(**follow), **link))
        ends = {"parent": f"{k - 1}" if k else None, "child": f"{k}", "position": (0.3 * k, 0, 0)}
        mechanism.joints.append(Joint(f"joint {k}", type="spherical", **ends))
        place = place + 0.3 * np.column_stack([np.cos(angle), 0.0 * t, -np.sin(angle)])
    return mechanism


def oscillator(period: float) -> Mechanism:
    """A weight of 1 kg on a spring without damping, 0.1 m off its place, without gravity; s."""
    weight = Body("weight", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.1))
    slide = Joint("slide", type="prismatic", parent=None, child="weight", position=NONE,
                  stiffness=((2.0 * math.pi / period) ** 2,), coordinates=(0.1,))  # fmt: skip
    return Mechanism(gravity=NONE, bodies=[weight], joints=[slide])
