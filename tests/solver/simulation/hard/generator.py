# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms as they are drawn in haste: taut, about the wrong axes, led out of reach, redundant, nearly singular."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from solver import Mechanism
from solver.mechanism import Body, Joint, Keys

DURATION = 1.0  # s
AXES = {"x": (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0), "y": (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0), "z": (1.0, 0, 0, 0)}


def bars(points: np.ndarray, closed: bool = False) -> list[Body]:
    """Bars of 1 kg a metre from point to point (n, 3), their own frames along the world's axes."""
    ends = np.vstack([points, points[:1]]) if closed else points
    made = []
    for k, (a, b) in enumerate(pairwise(ends)):
        span = b - a
        length = max(float(np.linalg.norm(span)), 1e-3)
        mass = length
        inertia = mass / 12.0 * (length**2 * np.eye(3) - np.outer(span, span)) + 1e-4 * mass * np.eye(3)
        made.append(Body(f"bar {k}", mass=mass, inertia=inertia.tolist(), position=(0.5 * (a + b)).tolist()))
    return made


def chained(points: np.ndarray, axis: str | tuple, kind: str = "revolute", last: str | None = "world") -> Mechanism:
    """Bars from point to point, jointed to each other and to the world at both ends, or at the first one only."""
    made = bars(points)
    turn = AXES.get(axis, axis) if isinstance(axis, str) else axis
    joints = [Joint("joint 0", kind, None, made[0].name, points[0].tolist(), turn)]
    for k in range(1, len(made)):
        joints.append(Joint(f"joint {k}", kind, made[k - 1].name, made[k].name, points[k].tolist(), turn))
    if last == "world":
        joints.append(Joint(f"joint {len(made)}", kind, None, made[-1].name, points[-1].tolist(), turn))
    return Mechanism(bodies=made, joints=joints)


def drawn(rng, points: np.ndarray) -> np.ndarray:
    """As Blender keeps them: single precision, and off by as much as an animator's hand."""
    error = rng.choice([0.0, 0.0, 1e-7, 1e-5, 1e-3]) * rng.normal(size=points.shape)
    error[:, 1] = 0.0
    return np.float32(points + error).astype(float)


def wandering(rng, count: int) -> np.ndarray:
    """Points of the xz plane, one after the other."""
    angles = np.cumsum(rng.uniform(-1.2, 1.2, count)) + rng.uniform(-3, 3)
    steps = rng.uniform(0.3, 1.2, (count, 1)) * np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1)
    return np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])


def taut(rng) -> Mechanism:
    """A chain pulled straight between two walls, in any direction; sometimes with a little slack."""
    count = int(rng.integers(2, 16))
    way = rng.normal(size=3) * (1, 0, 1)
    points = np.outer(np.cumsum(np.append(0.0, rng.uniform(0.3, 0.7, count))), way / np.linalg.norm(way))
    return chained(drawn(rng, points), "y", rng.choice(["revolute", "spherical"]))


def wrong_axes(rng) -> Mechanism:
    """A keyed crank whose loop has hinges about another axis; sometimes the right one."""
    return _cranked(rng, drawn(rng, np.array([[0, 0, 0], [0, 0, 1], [rng.uniform(2, 4), 0, 2], [3, 0, 0.0]])),
                    str(rng.choice(["x", "y", "z"])))  # fmt: skip


def out_of_reach(rng) -> Mechanism:
    """A keyed crank that turns farther than its four-bar lets it; or a keyed hand that goes away with a chain."""
    if rng.random() < 0.5:
        points = np.array([[0, 0, 0], [0, 0, rng.uniform(0.5, 2)], [2, 0, rng.uniform(0.5, 2)], [2, 0, 0.0]])
        return _cranked(rng, drawn(rng, points), "y", rng.uniform(1.0, 6.0))
    points = drawn(rng, wandering(rng, int(rng.integers(2, 6))))
    linkage = chained(points, "y", rng.choice(["revolute", "spherical"]))
    times = np.linspace(0.0, DURATION, 13)
    places = points[-1] + np.outer(times**2, rng.normal(size=3) * (2, 0, 2))
    hand = Body("hand", "keyed", keys=Keys(times, places, np.tile((1.0, 0, 0, 0), (13, 1))), position=places[0])
    linkage.bodies.append(hand)
    linkage.joints[-1].parent = "hand"
    return linkage


def _cranked(rng, points: np.ndarray, axis: str, angle: float | None = None) -> Mechanism:
    """The first bar becomes a crank that is keyed about y."""
    linkage = chained(points, axis)
    linkage.joints.pop(0)
    angle = rng.uniform(0.2, 1.5) if angle is None else angle
    times = np.linspace(0.0, DURATION, 13)
    half = 0.5 * angle * times**2
    turns = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], axis=1)
    arm = 0.5 * (points[1] - points[0])
    x, z = arm[0], arm[2]
    c, s = np.cos(2 * half), np.sin(2 * half)
    places = points[0] + np.stack([c * x + s * z, 0 * c, c * z - s * x], axis=1)
    crank = Body(linkage.bodies[0].name, "keyed", keys=Keys(times, places, turns), position=places[0])
    linkage.bodies[0] = crank
    return linkage


def loop(rng) -> Mechanism:
    """A polygon of bars that hangs on a hinge, or on two."""
    count = int(rng.integers(3, 9))
    angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    points = drawn(rng, np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1) * rng.uniform(0.5, 2))
    made = bars(points, closed=True)
    joints = [Joint("hanger", "revolute", None, made[0].name, points[0].tolist(), AXES["y"])]
    for k in range(count):
        ends = made[k - 1].name, made[k].name
        joints.append(Joint(f"joint {k}", "revolute", *ends, points[k].tolist(), AXES["y"]))
    return Mechanism(bodies=made, joints=joints)


def redundant(rng) -> Mechanism:
    """Joints drawn twice, and side by side: doors on three hinges."""
    linkage = chained(drawn(rng, wandering(rng, int(rng.integers(1, 6)))), "y", last=None)
    for joint in list(linkage.joints):
        for copy in range(int(rng.integers(1, 3))):
            place = np.array(joint.position) + (0.0, 0.3 * (copy + 1), 0.0)
            place = place + rng.choice([0.0, 1e-7, 1e-6]) * rng.normal(size=3)
            again = Joint(f"{joint.name} again {copy}", joint.type, joint.parent, joint.child, place, joint.orientation)
            linkage.joints.append(again)
    return linkage


def nearly_singular(rng) -> Mechanism:
    """Parallelograms and kites that lie flat, or nearly so, and are let go."""
    a, b = rng.uniform(0.5, 1.5, 2)
    height = rng.choice([0.0, 1e-7, 1e-4, 1e-2])
    points = np.array([[0, 0, 0], [a, 0, height], [a + b, 0, height], [b, 0, 0.0]])
    linkage = chained(drawn(rng, points), "y")
    linkage.joints[0].speeds = [float(rng.uniform(-3, 3))] if rng.random() < 0.5 else None
    return linkage


def tree(rng) -> Mechanism:
    """Bars that branch, with any joints, some of them stiff."""
    count = int(rng.integers(1, 9))
    made, joints = [], []
    for k in range(count):
        inner = made[int(rng.integers(len(made)))] if made else None
        start = np.array(inner.position) + (0, 0, -0.3) if inner else np.zeros(3)
        (bar,) = bars(np.array([start, start + rng.normal(size=3) * 0.5 + (0, 0, -0.2)]))
        bar.name = f"bar {k}"
        kind = str(rng.choice(["revolute", "spherical", "universal", "prismatic", "cylindrical", "fixed"]))
        turn = rng.normal(size=4)
        joint = Joint(f"joint {k}", kind, inner.name if inner else None, bar.name, start, turn / np.linalg.norm(turn))
        if kind == "revolute" and rng.random() < 0.5:
            joint.stiffness, joint.damping = [float(10 ** rng.uniform(0, 4))], [float(10 ** rng.uniform(-2, 2))]
        made.append(bar)
        joints.append(joint)
    return Mechanism(bodies=made, joints=joints)


KINDS: dict[str, Callable] = {
    each.__name__: each for each in (taut, wrong_axes, out_of_reach, loop, redundant, nearly_singular, tree)
}


def hard_mechanism(seed: int, kind: str | None = None) -> tuple[str, Mechanism]:
    """The kind and the mechanism of a seed."""
    rng = np.random.default_rng(seed)
    kind = kind or list(KINDS)[seed % len(KINDS)]
    return kind, KINDS[kind](rng)
