# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism with loops in Pinocchio: a tree of hinges and ball joints, and a 3D contact for each joint beyond it.

A hinge that closes a loop of a plane mechanism needs no more than its place.
"""

import numpy as np
import pinocchio

from solver.mechanism import Joint, Mechanism
from solver.model.poses import rotation_matrices

FREE = "free"
TYPES = {
    "revolute": pinocchio.JointModelRZ,
    "spherical": pinocchio.JointModelSpherical,
    FREE: pinocchio.JointModelFreeFlyer,
}
PROXIMAL = 1e-12, 1e-6, 20  # accuracy, weight of the proximal term, which redundant rows need, and most iterations


class PinocchioLoops:
    """`constraintDynamics`, prepared once, at the mechanism's start."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.names = [body.name for body in mechanism.bodies]
        self.model, self.speeds, self._constraints = _build(mechanism)
        self.q = pinocchio.neutral(self.model)
        self.data = self.model.createData()
        self._constraint_data = pinocchio.StdVec_RigidConstraintData()
        for constraint in self._constraints:
            self._constraint_data.append(constraint.createData())
        pinocchio.initConstraintDynamics(self.model, self.data, self._constraints, self._constraint_data)
        self._settings = pinocchio.ProximalSettings(*PROXIMAL)
        self._efforts = np.zeros(self.model.nv)

    def run(self, count: int) -> None:
        """Evaluates `count` times."""
        model, data, q, v, efforts = self.model, self.data, self.q, self.speeds, self._efforts
        constraints, constraint_data, settings = self._constraints, self._constraint_data, self._settings
        for _ in range(count):
            pinocchio.constraintDynamics(model, data, q, v, efforts, constraints, constraint_data, settings)

    def body_accelerations(self) -> np.ndarray:
        """(B, 6) angular, then linear of the centres of mass, world axes, in the mechanism's order."""
        self.run(1)
        pinocchio.forwardKinematics(self.model, self.data, self.q, self.speeds, self.data.ddq.copy())
        found = np.empty((len(self.names), 6))
        for row, name in zip(found, self.names, strict=True):
            motion = pinocchio.getFrameClassicalAcceleration(
                self.model, self.data, self.model.getFrameId(name), pinocchio.LOCAL_WORLD_ALIGNED
            )
            row[:3], row[3:] = motion.angular, motion.linear
        return found


def _build(mechanism: Mechanism):
    """(model, speeds, constraints); the tree is written branch by branch, as Pinocchio's sparse factors want it.

    Joints are at zero in the mechanism's pose.
    """
    model, speeds = pinocchio.Model(), []
    model.gravity.linear = np.array(mechanism.gravity)
    bodies = {body.name: body for body in mechanism.bodies}
    placed = {None: (0, pinocchio.SE3.Identity())}
    carried, closing = _tree(mechanism)
    waiting = carried[None][::-1]
    while waiting:
        joint = waiting.pop()
        body, (parent, inner_frame), frame = bodies[joint.child], placed[joint.parent], _frame(joint)
        index = model.addJoint(parent, TYPES[joint.type](), inner_frame.inverse() * frame, body.name)
        turn = rotation_matrices(np.array(body.orientation or (1.0, 0.0, 0.0, 0.0)))[0]
        in_joint = frame.inverse() * pinocchio.SE3(turn, np.array(body.position, float))
        model.appendBodyToJoint(index, pinocchio.Inertia(body.mass, np.zeros(3), np.diag(body.inertia)), in_joint)
        model.addBodyFrame(body.name, index, in_joint, 0)
        placed[body.name] = index, frame
        spin = frame.rotation.T @ (_spin(bodies, joint.child) - _spin(bodies, joint.parent))
        speeds.append({1: spin[2:], 3: spin, 6: np.zeros(6)}[model.joints[index].nv])
        waiting += carried[body.name][::-1]
    constraints = pinocchio.StdVec_RigidConstraintModel()
    for joint in closing:
        sides = [part for name in (joint.parent, joint.child) for part in _side(placed[name], joint)]
        kind = pinocchio.ContactType.CONTACT_3D
        constraints.append(pinocchio.RigidConstraintModel(kind, model, *sides, pinocchio.LOCAL))
    return model, np.concatenate(speeds), constraints


def _tree(mechanism: Mechanism) -> tuple[dict[str | None, list[Joint]], list[Joint]]:
    """The joints by the body that carries them, and those that close loops: the first that leads to a body carries it.

    What nothing leads to floats.
    """
    carried = {name: [] for name in (None, *(body.name for body in mechanism.bodies))}
    closing, led_to = [], {None}
    bodies = {body.name: body for body in mechanism.bodies}
    for joint in mechanism.joints:
        if joint.parent not in led_to:
            carried[None].append(Joint("free", FREE, None, joint.parent, position=bodies[joint.parent].position))
            led_to.add(joint.parent)
        if joint.child in led_to:
            closing.append(joint)
            continue
        carried[joint.parent].append(joint)
        led_to.add(joint.child)
    return carried, closing


def _frame(joint: Joint) -> pinocchio.SE3:
    turn = rotation_matrices(np.array(joint.orientation or (1.0, 0.0, 0.0, 0.0)))[0]
    return pinocchio.SE3(turn, np.array(joint.position, float))


def _side(placed: tuple, joint: Joint) -> tuple:
    """Number and place of one side of a joint that closes a loop."""
    number, frame = placed
    return number, frame.inverse() * _frame(joint)


def _spin(bodies: dict, name: str | None) -> np.ndarray:
    """(3,) rad/s"""
    spin = None if name is None else bodies[name].angular_velocity
    return np.zeros(3) if spin is None else np.array(spin, float)
