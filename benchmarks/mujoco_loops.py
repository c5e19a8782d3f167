# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism with loops in MuJoCo: a tree of hinges and ball joints, and a `connect` for each joint that closes one.

A hinge that closes a loop of a plane mechanism needs no more than its place.
"""

import mujoco
import numpy as np

from solver.mechanism import Joint, Mechanism
from solver.model.poses import rotation_matrices

from .mujoco_ring import OFF

TYPES = {"revolute": mujoco.mjtJoint.mjJNT_HINGE, "spherical": mujoco.mjtJoint.mjJNT_BALL}


class MujocoLoops:
    """`mj_step` from the mechanism's pose, at rest, with MuJoCo's own constraints."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.model = _build(mechanism)
        self.data = mujoco.MjData(self.model)

    def run(self, count: int) -> None:
        """Steps `count` times, on and on."""
        for _ in range(count):
            mujoco.mj_step(self.model, self.data)


def _build(mechanism: Mechanism) -> mujoco.MjModel:
    """Through MjSpec, joint by joint in the mechanism's order: the first one that leads to a body carries it."""
    spec = mujoco.MjSpec()
    spec.option.gravity = mechanism.gravity
    for name in OFF:
        spec.option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}")
    bodies = {body.name: body for body in mechanism.bodies}
    nodes = {None: spec.worldbody}
    frames = {None: (np.zeros(3), np.eye(3))}

    def place(name: str, inner: str | None):
        """The body's node, in the axes of the one that carries it."""
        body, (x, R) = bodies[name], frames[inner]
        turn = rotation_matrices(np.array(body.orientation or (1.0, 0.0, 0.0, 0.0)))[0]
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, (R.T @ turn).ravel())
        node = nodes[inner].add_body(name=name, pos=R.T @ (np.array(body.position) - x), quat=quaternion)
        node.mass, node.inertia, node.explicitinertial = body.mass, body.inertia, True
        nodes[name], frames[name] = node, (np.array(body.position, float), turn)
        return node

    for joint in mechanism.joints:
        if joint.parent not in nodes:
            place(joint.parent, None).add_freejoint()
        if joint.child in nodes:
            _close(spec, joint, frames[joint.child])
            continue
        node = place(joint.child, joint.parent)
        x, R = frames[joint.child]
        axis = rotation_matrices(np.array(joint.orientation))[0][:, 2]
        node.add_joint(type=TYPES[joint.type], pos=R.T @ (np.array(joint.position) - x), axis=R.T @ axis)
    return spec.compile()


def _close(spec: mujoco.MjSpec, joint: Joint, frame) -> None:
    x, R = frame
    closing = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1=joint.child, name2=joint.parent or "world",
    )  # fmt: skip
    closing.data[:3] = R.T @ (np.array(joint.position) - x)
