# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of gears, racks and pulleys, small ones and random ones."""

from __future__ import annotations

import numpy as np

from solver import Mechanism
from solver.mechanism import Body, Gear, Joint, JointMotor, Pulley, Rack
from tests.solver.assembly.random_ties import random_tree

X, Y, Z = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0), (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


def disc(name: str, mass: float = 1.0, radius: float = 0.2, at=(0.0, 0.0, 0.0), **more) -> Body:
    """A thin disc about Z: mass radius^2 / 2 about its axis."""
    across = 0.25 * mass * radius**2
    return Body(name, mass=mass, inertia=(across, across, 2.0 * across), position=at, **more)


def hinge(name: str, parent: str | None, child: str, at=(0.0, 0.0, 0.0), axis=Z, **more) -> Joint:
    return Joint(name, "revolute", parent, child, at, axis, **more)


def train(torque: float = 2.0) -> Mechanism:
    """Three wheels in a row, the first one driven."""
    wheels = [disc("a", 1.0, 0.1), disc("b", 3.0, 0.3, (0.4, 0, 0)), disc("c", 2.0, 0.15, (0.85, 0, 0))]
    hinges = [hinge(f"hinge {wheel.name}", None, wheel.name, wheel.position) for wheel in wheels]
    hinges[0].motor = JointMotor("force", value=torque)
    gears = [
        Gear("first", joint_a="hinge a", joint_b="hinge b", ratio=-1.0 / 3.0),
        Gear("second", joint_a="hinge b", joint_b="hinge c", ratio=-2.0),
    ]
    return Mechanism(bodies=wheels, joints=hinges, constraints=gears)


def machine(mass_a: float, mass_b: float, ratio: float) -> Mechanism:
    """Two masses under their wheels, on plumb ropes."""
    masses = [disc("a", mass_a, at=(0, 0, 1.0)), disc("b", mass_b, at=(1, 0, 1.5))]
    ends = {"point_a": (0, 0, 1.0), "wheel_a": (0, 0, 3.0), "point_b": (1, 0, 1.5), "wheel_b": (1, 0, 3.0)}
    return Mechanism(bodies=masses, constraints=[Pulley("rope", body_a="a", body_b="b", **ends, ratio=ratio)])


def differential(**speeds: float) -> Mechanism:
    """Side gears and carrier turn about X on the ground; the bevel gears' own joints are those on the carrier."""
    bodies = [
        disc("left", 1.0, 0.1, (-0.1, 0, 0), orientation=X),
        disc("right", 1.5, 0.1, (0.1, 0, 0), orientation=X),
        disc("carrier", 2.0, 0.2, orientation=X),
        disc("planet", 0.3, 0.1, (0, 0, 0.1)),
    ]
    joints = [
        hinge(name, None, name, body.position, X, speeds=(speeds[name],) if name in speeds else None)
        for name, body in zip(("left", "right", "carrier"), bodies, strict=False)
    ]
    joints += [
        hinge("left on carrier", "carrier", "left", (-0.1, 0, 0), X),
        hinge("right on carrier", "carrier", "right", (0.1, 0, 0), X),
        hinge("planet on carrier", "carrier", "planet", (0, 0, 0.1), Z),
    ]
    gears = [
        Gear("left gear", joint_a="left on carrier", joint_b="planet on carrier", ratio=1.0),
        Gear("right gear", joint_a="right on carrier", joint_b="planet on carrier", ratio=-1.0),
    ]
    return Mechanism(bodies=bodies, joints=joints, constraints=gears)


def random_machine(seed: int) -> Mechanism:
    """A random forest with gears between its joints, racks, and ropes over wheels on bodies and in the world."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 10, ("world", "floating", "keyed"), 1.0, moved=False)
    single = [joint for joint in tree.joints if joint.type in ("revolute", "prismatic", "screw")]
    constraints = []
    for k in range(min(3, len(single) - 1)):
        a, b = rng.choice(len(single), 2, replace=False)
        a, b = single[a], single[b]
        ratio = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 3.0))
        if (a.type, b.type) == ("revolute", "prismatic"):
            constraints.append(Rack(f"rack {k}", joint_a=a.name, joint_b=b.name, radius=ratio))
        else:
            constraints.append(Gear(f"gear {k}", joint_a=a.name, joint_b=b.name, ratio=ratio))
    for k in range(2):
        names = rng.permutation([body.name for body in tree.bodies]).tolist()
        names = [next(name for name in names if name in tree.dynamic), *names]
        names = list(dict.fromkeys(names))
        wheels = [None if rng.random() < 0.5 else name for name in names[2:4]]
        points = rng.normal(size=(4, 3))
        ends = dict(zip(("point_a", "wheel_a", "point_b", "wheel_b"), points.tolist(), strict=True))
        ends |= {"body_a": names[0], "body_b": names[1], "wheel_body_a": wheels[0], "wheel_body_b": wheels[1]}
        constraints.append(Pulley(f"rope {k}", **ends, ratio=float(rng.uniform(0.5, 2.0))))
    return Mechanism(bodies=tree.bodies, joints=tree.joints, constraints=constraints)


def parallelogram(joint: str) -> Mechanism:
    """Two cranks and a bar that keep parallel; a wheel beside it is geared to one of the four joints."""
    bodies = [
        disc("left", 1.0, 0.2, (0, 0, 0), orientation=Y),
        disc("right", 1.0, 0.2, (1.0, 0, 0), orientation=Y),
        disc("bar", 1.0, 0.2, (0.5, 0, 0.3), orientation=Y),
        disc("wheel", 1.0, 0.2, (2.0, 0, 0), orientation=Y),
    ]
    joints = [
        hinge("left hinge", None, "left", (0, 0, 0), Y),
        hinge("left pin", "left", "bar", (0, 0, 0.3), Y),
        hinge("right pin", "right", "bar", (1.0, 0, 0.3), Y),
        hinge("right hinge", None, "right", (1.0, 0, 0), Y),
        hinge("wheel hinge", None, "wheel", (2.0, 0, 0), Y, speeds=(14.0,)),
    ]
    gear = Gear("gear", joint_a="wheel hinge", joint_b=joint, ratio=-0.5)
    return Mechanism(bodies=bodies, joints=joints, constraints=[gear], gravity=(0, 0, 0))
