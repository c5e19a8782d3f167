# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism in Pinocchio, with the joints in our linkage's order, so that speeds and accelerations compare."""

import numpy as np
import pinocchio

from solver.mechanism import Mechanism
from solver.model.arrays import Kind
from solver.model.linkage.compilation import Compiled
from solver.model.poses import rotation_matrices


def _universal() -> pinocchio.JointModelComposite:
    joint = pinocchio.JointModelComposite(pinocchio.JointModelRX())
    joint.addJoint(pinocchio.JointModelRY())
    return joint


# axis-aligned joints are Pinocchio's fastest; the joint's frame carries the direction
JOINTS = {
    "revolute": pinocchio.JointModelRZ,
    "prismatic": pinocchio.JointModelPZ,
    "spherical": pinocchio.JointModelSpherical,
    "universal": _universal,
}


def pinocchio_model(mechanism: Mechanism, compiled: Compiled) -> pinocchio.Model:
    """The linkage as a tree on the world."""
    model = pinocchio.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    bodies = {body.name: body for body in mechanism.bodies}
    placed = {None: (0, pinocchio.SE3.Identity())}
    for number in compiled.linkage.joint:
        joint = mechanism.joints[number]
        body = bodies[joint.child]
        parent, parent_frame = placed[joint.parent]
        frame = pinocchio.SE3(rotation_matrices(joint.orientation)[0], np.array(joint.position))
        index = model.addJoint(parent, JOINTS[joint.type](), parent_frame.inverse() * frame, joint.name)
        turn, place = rotation_matrices(body.orientation or (1, 0, 0, 0))[0], np.array(body.position or (0, 0, 0))
        in_joint = frame.inverse() * pinocchio.SE3(turn, place)
        own = np.diag(body.inertia) if np.ndim(body.inertia) == 1 else np.array(body.inertia)
        inertia = pinocchio.Inertia(body.mass, np.array(body.center_of_mass), own)
        model.appendBodyToJoint(index, inertia, in_joint)
        model.addBodyFrame(body.name, index, in_joint, 0)
        placed[joint.child] = index, frame
    return model


def pinocchio_coordinates(model: pinocchio.Model, compiled: Compiled) -> np.ndarray:
    """Our state's coordinates; a chart's rotation becomes a quaternion [x, y, z, w]. The charts must be at zero."""
    q, ours = pinocchio.neutral(model), compiled.state.coordinates
    for joint, body in zip(model.joints[1:], compiled.model.bodies[compiled.model.driven :], strict=True):
        if body.kind == Kind.SPHERICAL:
            w, x, y, z = compiled.state.anchor[body.chart]
            q[joint.idx_q : joint.idx_q + 4] = x, y, z, w
        else:
            q[joint.idx_q : joint.idx_q + joint.nq] = ours[body.axis_start : body.axis_end]
    return q
