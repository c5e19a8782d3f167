# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms that are not together, and gaps measured without a line of the assembly, from FORMAT.md's words alone."""

import numpy as np
from scipy.spatial.transform import Rotation

from solver import Mechanism
from solver.mechanism import COORDINATES, Body, Joint, PointToPoint
from tests.solver.random_mechanisms import TYPES, unit_quaternion

X, Y, Z = np.eye(3)


def rotation(quaternion) -> Rotation:
    w, x, y, z = quaternion
    return Rotation.from_quat([x, y, z, w])


def quaternion(turn: Rotation) -> np.ndarray:
    x, y, z, w = turn.as_quat()
    return np.array([w, x, y, z])


class Moved:
    """A body's way from its pose in the file to another one: carries points and directions along."""

    def __init__(self, mechanism: Mechanism, name: str | None, poses: dict) -> None:
        body = next((body for body in mechanism.bodies if body.name == name), None)
        self.start, self.turn, self.end = np.zeros(3), Rotation.identity(), np.zeros(3)
        if body is not None:
            position, orientation = poses[name]
            self.start = np.array(body.position or (0, 0, 0), float)
            self.turn = rotation(orientation) * rotation(body.orientation or (1, 0, 0, 0)).inv()
            self.end = np.array(position)

    def point(self, point) -> np.ndarray:
        return self.end + self.turn.apply(np.array(point) - self.start)


def joint_gap(joint: Joint, parent: Moved, child: Moved, child_frame=None) -> float:
    """The largest error of a joint, m or rad; `child_frame`: the child's frame in the file's pose, if it is another."""
    frame = rotation(joint.orientation)
    place, own = (joint.position, frame) if child_frame is None else (child_frame[0], rotation(child_frame[1]))
    a, b = parent.turn * frame, child.turn * own
    d = a.inv().apply(child.point(place) - parent.point(joint.position))
    turn = a.inv() * b
    tilt = np.arctan2(np.linalg.norm(turn.apply(Z)[:2]), turn.apply(Z)[2])
    angle = np.arctan2(turn.as_matrix()[1, 0], turn.as_matrix()[0, 0])
    whole = np.linalg.norm(turn.as_rotvec())
    errors = {
        "revolute": [*d, tilt],
        "prismatic": [*d[:2], whole],
        "cylindrical": [*d[:2], tilt],
        "universal": [*d, turn.apply(Y)[0]],
        "spherical": [*d],
        "planar": [d[2], tilt],
        "fixed": [*d, whole],
    }
    if joint.type == "screw":
        lead = 2 * np.pi * joint.pitch
        rest = d[2] - joint.pitch * angle
        return float(np.abs([*d[:2], tilt, rest - lead * np.round(rest / lead)]).max())
    return float(np.abs(errors[joint.type]).max())


def joint_gaps(mechanism: Mechanism, poses: dict, child_frames: dict | None = None) -> list[float]:
    frames = child_frames or {}
    return [
        joint_gap(
            joint,
            Moved(mechanism, joint.parent, poses),
            Moved(mechanism, joint.child, poses),
            frames.get(joint.name),
        )
        for joint in mechanism.joints
    ]


def ball(name: str, mass: float = 1.0, **given) -> Body:
    return Body(name, mass=mass, inertia=[0.1 * mass, 0.12 * mass, 0.15 * mass], **given)


def chain(count: int, end, kind: str = "spherical") -> Mechanism:
    """Bodies of 1 m along x, hung on the world at the origin, whose last end belongs at `end`."""
    lying = [np.sqrt(0.5), np.sqrt(0.5), 0, 0]  # hinges turn about y
    bodies = [Body(f"b{i}", mass=1.0, inertia=[0.01, 0.1, 0.1], position=[i + 0.5, 0, 0]) for i in range(count)]
    joints = [Joint(f"j{i}", kind, f"b{i - 1}" if i else None, f"b{i}", [i, 0, 0], lying) for i in range(count)]
    hook = PointToPoint("hook", body_a=f"b{count - 1}", point_a=[count, 0, 0], point_b=end)
    return Mechanism(bodies=bodies, joints=joints, constraints=[hook])


def scattered(rng, count: int, loops: int, spread: float) -> Mechanism:
    """A random graph of joints of all types that fits together at zero coordinates and is opened by coordinates."""
    bodies = [
        Body(
            f"b{i}", mass=float(rng.uniform(0.3, 3.0)), inertia=rng.uniform(0.2, 0.3, 3).tolist(),
            center_of_mass=0.2 * rng.normal(size=3), position=rng.normal(size=3), orientation=unit_quaternion(rng),
        )
        for i in range(count)
    ]  # fmt: skip
    pairs = [(f"b{rng.integers(i)}" if i else None, f"b{i}") for i in range(count)]
    for _ in range(loops):
        a, b = rng.choice(count, 2, replace=False)
        pairs.append((f"b{a}", f"b{b}"))
    joints = []
    for k, (parent, child) in enumerate(pairs):
        kind = TYPES[rng.integers(len(TYPES))] if k < count else "spherical"
        joint = Joint(f"j{k}", kind, parent, child, rng.normal(size=3), unit_quaternion(rng))
        joint.pitch = 0.2 if kind == "screw" else None
        joint.coordinates = spread * rng.uniform(-1, 1, COORDINATES[kind]) if k < count else None
        joints.append(joint)
    return Mechanism(bodies=bodies, joints=joints)
