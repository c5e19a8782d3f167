# SPDX-License-Identifier: GPL-3.0-or-later
"""A necklace in Pinocchio: a tree of ball joints on a free flyer and one 3D contact that closes it."""

import numpy as np
import pinocchio

from solver.mechanism import Mechanism

from .ring import opened


class PinocchioRing:
    """`constraintDynamics`, prepared once, at the necklace's start."""

    def __init__(self, mechanism: Mechanism, longer: int | None = None) -> None:
        self.names = [body.name for body in mechanism.bodies]
        self.model, self.speeds, constraint = _build(mechanism, longer)
        self.q = pinocchio.neutral(self.model)
        self.data = self.model.createData()
        self._constraints = pinocchio.StdVec_RigidConstraintModel()
        self._constraints.append(constraint)
        self._constraint_data = pinocchio.StdVec_RigidConstraintData()
        self._constraint_data.append(constraint.createData())
        pinocchio.initConstraintDynamics(self.model, self.data, self._constraints, self._constraint_data)
        self._settings = pinocchio.ProximalSettings(1e-12, 0.0, 1)  # exact: no proximal term, no iteration
        self._efforts = np.zeros(self.model.nv)

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(nv,)"""
        return pinocchio.constraintDynamics(
            self.model, self.data, q, v, self._efforts, self._constraints, self._constraint_data, self._settings
        )

    def run(self, count: int) -> None:
        """Evaluates `count` times."""
        model, data, q, v, efforts = self.model, self.data, self.q, self.speeds, self._efforts
        constraints, constraint_data, settings = self._constraints, self._constraint_data, self._settings
        for _ in range(count):
            pinocchio.constraintDynamics(model, data, q, v, efforts, constraints, constraint_data, settings)

    def body_accelerations(self) -> np.ndarray:
        """(B, 6) angular, then linear of the centres of mass, world axes, in the mechanism's order."""
        a = self.accelerations(self.q, self.speeds).copy()
        pinocchio.forwardKinematics(self.model, self.data, self.q, self.speeds, a)
        found = np.empty((len(self.names), 6))
        for row, name in zip(found, self.names, strict=True):
            motion = pinocchio.getFrameClassicalAcceleration(
                self.model, self.data, self.model.getFrameId(name), pinocchio.LOCAL_WORLD_ALIGNED
            )
            row[:3], row[3:] = motion.angular, motion.linear
        return found


def _build(mechanism: Mechanism, longer: int | None):
    """(model, speeds, constraint); a body's axes are those of its joint, which stands at its place."""
    ring, model = opened(mechanism, longer), pinocchio.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    placed = {None: (0, pinocchio.SE3.Identity())}
    speeds = []
    for bead in ring.beads:
        body = mechanism.bodies[bead.number]
        inner, inner_frame = placed[bead.inner]
        frame = pinocchio.SE3(bead.turn, bead.place)
        joint = pinocchio.JointModelFreeFlyer() if bead.free else pinocchio.JointModelSpherical()
        index = model.addJoint(inner, joint, inner_frame.inverse() * frame, body.name)
        in_joint = pinocchio.SE3(np.eye(3), bead.turn.T @ (bead.centre - bead.place))
        model.appendBodyToJoint(index, pinocchio.Inertia(body.mass, np.zeros(3), np.diag(body.inertia)), in_joint)
        model.addBodyFrame(body.name, index, in_joint, 0)
        placed[bead.number] = index, frame
        speeds += [bead.turn.T @ bead.speed, bead.spin] if bead.free else [bead.spin]
    gap = pinocchio.SE3(np.eye(3), ring.gap)
    sides = [part for end in ring.ends for part in (placed[end][0], placed[end][1].inverse() * gap)]
    contact = pinocchio.ContactType.CONTACT_3D
    return model, np.concatenate(speeds), pinocchio.RigidConstraintModel(contact, model, *sides, pinocchio.LOCAL)
