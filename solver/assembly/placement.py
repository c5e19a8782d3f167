# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of the bodies: as arrays, at zero coordinates and moved by the joints' `coordinates`.

Bodies keep the mechanism's order; the world comes last. A pose is that of the body's own frame.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..mechanism import Joint, Mechanism
from ..mechanism.joint_types import LENGTH
from ..mechanism.keyed_motion import sample
from ..model.poses import body_pose
from ..model.topology import find_linkages
from . import rotations

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


class Poses(NamedTuple):
    """Positions (B + 1, 3) in m and orientations (B + 1, 4)."""

    position: np.ndarray
    orientation: np.ndarray

    def to_world(self, body: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Points (n, 3) of bodies (n,) in the world."""
        return self.position[body] + rotations.rotate(self.orientation[body], point)

    def to_body(self, body: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Points (n, 3) of the world in the frames of bodies (n,)."""
        return rotations.rotate(rotations.conjugate(self.orientation[body]), point - self.position[body])

    def turn_to_body(self, body: np.ndarray, orientation: np.ndarray) -> np.ndarray:
        """Orientations (n, 4) of the world in the frames of bodies (n,)."""
        return rotations.multiply(rotations.conjugate(self.orientation[body]), orientation)


@dataclass
class Bodies:
    """Constants of the bodies while they are brought together."""

    number: dict  # name (None: the world) -> index
    moves: np.ndarray  # (B + 1,): dynamic
    center: np.ndarray  # (B + 1, 3) m, of mass, in the body frame
    mass: np.ndarray  # (B + 1,) kg; zero for what stands
    moments: np.ndarray  # (B + 1, 3) kg m2, principal; zero for what stands
    axes: np.ndarray  # (B + 1, 3, 3): principal axes in the body frame, as columns
    drawn: Poses  # at zero coordinates, where all points and frames of the file are given

    def __len__(self) -> int:
        return len(self.mass)


def read_bodies(mechanism: Mechanism) -> Bodies:
    """The bodies of a mechanism without problems, and the world."""
    count = len(mechanism.bodies)
    number = {None: count, **{body.name: i for i, body in enumerate(mechanism.bodies)}}
    bodies = Bodies(
        number, np.zeros(count + 1, bool), np.zeros((count + 1, 3)), np.zeros(count + 1), np.zeros((count + 1, 3)),
        np.tile(np.eye(3), (count + 1, 1, 1)), Poses(np.zeros((count + 1, 3)), np.tile(IDENTITY, (count + 1, 1))),
    )  # fmt: skip
    for i, body in enumerate(mechanism.bodies):
        bodies.drawn.position[i], bodies.drawn.orientation[i] = body_pose(body)
        bodies.moves[i] = body.motion == "dynamic"
        if bodies.moves[i]:
            bodies.center[i], bodies.mass[i] = body.center_of_mass, body.mass
            if np.ndim(body.inertia) == 1:
                bodies.moments[i] = body.inertia
            else:
                bodies.moments[i], bodies.axes[i] = np.linalg.eigh(np.array(body.inertia))
    return bodies


def starting_poses(mechanism: Mechanism, bodies: Bodies, loose: frozenset[str]) -> Poses:
    """Poses of all bodies before they are brought together.

    Keyed bodies stand where their keys put them at 0 s. `coordinates` of the joints in the trees move what hangs on
    them; `loose` joints hold nothing and so move nothing. Raises MechanismError for joints and constraints
    between bodies that all stand.
    """
    position, orientation = bodies.drawn.position.copy(), bodies.drawn.orientation.copy()
    poses = Poses(position, orientation)
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "keyed":
            positions, orientations, _, _ = sample(body.keys, np.zeros(1))
            position[i], orientation[i] = positions[0], orientations[0]
    stands_as_drawn = np.array_equal(position, bodies.drawn.position) and np.array_equal(
        orientation, bodies.drawn.orientation
    )
    joints = list(_walk(mechanism, loose))
    if stands_as_drawn and not any(any(joint.start_coordinates or ()) for joint, _ in joints):
        return poses
    for joint, outer in joints:
        _hang(joint, outer, bodies, poses)
    return poses


def _walk(mechanism: Mechanism, loose: frozenset[str]) -> Iterator[tuple[Joint, int]]:
    """The joints of the trees that a simulation would walk, with the body that each carries, from the inside out."""
    firm = dataclasses.replace(mechanism, joints=[joint for joint in mechanism.joints if joint.name not in loose])
    for linkage in find_linkages(firm):
        for body, joint in zip(linkage.bodies[: linkage.whole], linkage.joint, strict=False):
            if joint is not None:
                yield firm.joints[joint], body


def _hang(joint: Joint, outer: int, bodies: Bodies, poses: Poses) -> None:
    """Puts the outer body where the joint's coordinates have it, seen from the inner one."""
    parent, child = bodies.number[joint.parent], bodies.number[joint.child]
    inner = parent if outer == child else child
    travel, turn = relative_pose(joint)
    if outer == parent:
        turn = rotations.conjugate(turn)
        travel = -rotations.rotate(turn, travel)
    frame = np.array(joint.orientation)
    fixed_turn = bodies.drawn.turn_to_body(inner, frame)
    fixed_point = bodies.drawn.to_body(inner, np.array(joint.position))
    own_turn = bodies.drawn.turn_to_body(outer, frame)
    own_point = bodies.drawn.to_body(outer, np.array(joint.position))
    world_turn = rotations.multiply(poses.orientation[inner], fixed_turn)
    place = poses.to_world(inner, fixed_point) + rotations.rotate(world_turn, travel)
    moved = rotations.multiply(rotations.multiply(world_turn, turn), rotations.conjugate(own_turn))
    poses.orientation[outer] = rotations.normalized(moved)
    poses.position[outer] = place - rotations.rotate(poses.orientation[outer], own_point)


def relative_pose(joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """(travel (3,), turn (4,)) of the child's frame in the parent's, at the joint's coordinates at the start."""
    travel, turn = np.zeros(3), IDENTITY
    q = joint.start_coordinates
    if not q:
        return travel, turn
    if joint.joint_type.is_charted:
        for axis, value in zip(joint.joint_type.travels, q, strict=False):
            travel[axis] = value
        return travel, rotations.exponential(np.array(q[-3:]))
    if joint.type == "screw":
        travel[2] = joint.pitch * q[0]
        return travel, rotations.exponential(np.array([0.0, 0.0, q[0]]))
    for axis, value in zip(joint.joint_type.axes, q, strict=True):
        if axis.kind == LENGTH:
            travel[axis.axis] = value
        else:
            turn = rotations.multiply(turn, rotations.exponential(value * np.eye(3)[axis.axis]))
    return travel, turn
