# SPDX-License-Identifier: GPL-3.0-or-later
"""A necklace in MuJoCo: a tree of ball joints and one `connect` equality; whatever it does not need is switched off."""

import mujoco
import numpy as np

from solver.mechanism import Mechanism

from .ring import opened

OFF = ("contact", "limit", "frictionloss", "actuation", "sensor", "warmstart", "midphase")
STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)  # the hardest constraint that it takes


class MujocoRing:
    """`mj_step` from the necklace's start. `stiff`: with the hardest constraint, else with the default one."""

    def __init__(self, mechanism: Mechanism, longer: int | None = None, stiff: bool = True) -> None:
        self.names = [body.name for body in mechanism.bodies]
        self.gravity = np.array(mechanism.gravity)
        self.model, self.speeds = _build(mechanism, longer, stiff)
        self.data = mujoco.MjData(self.model)
        self.data.qvel[:] = self.speeds

    def run(self, count: int) -> None:
        """Steps `count` times, on and on: a step from where the last one ended costs what any other does."""
        for _ in range(count):
            mujoco.mj_step(self.model, self.data)

    def body_accelerations(self) -> np.ndarray:
        """(B, 6) angular, then linear of the centres of mass, world axes, in the mechanism's order."""
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_rnePostConstraint(self.model, self.data)
        found = np.empty((len(self.names), 6))
        for row, name in zip(found, self.names, strict=True):
            body = self.model.body(name).id
            mujoco.mj_objectAcceleration(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, body, row, 0)
            row[3:] += self.gravity  # it counts as if the world were lifted instead
        return found


def _build(mechanism: Mechanism, longer: int | None, stiff: bool) -> tuple[mujoco.MjModel, np.ndarray]:
    """(model, speeds), through MjSpec because its XML reader refuses bodies nested some hundred deep."""
    ring, spec = opened(mechanism, longer), mujoco.MjSpec()
    spec.option.gravity = mechanism.gravity
    for name in OFF:
        spec.option.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}")
    placed = {None: (spec.worldbody, np.eye(3), np.zeros(3))}
    speeds = []
    for bead in ring.beads:
        body = mechanism.bodies[bead.number]
        inner, inner_turn, inner_place = placed[bead.inner]
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, (inner_turn.T @ bead.turn).ravel())
        node = inner.add_body(name=body.name, pos=inner_turn.T @ (bead.place - inner_place), quat=quaternion)
        if bead.free:
            node.add_freejoint()
        else:
            node.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        node.mass, node.inertia, node.explicitinertial = body.mass, body.inertia, True
        node.ipos, node.iquat = bead.turn.T @ (bead.centre - bead.place), (1.0, 0.0, 0.0, 0.0)
        placed[bead.number] = node, bead.turn, bead.place
        speeds += [bead.speed, bead.spin] if bead.free else [bead.spin]
    one, other = ring.ends
    closing = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1=mechanism.bodies[one].name, name2=mechanism.bodies[other].name,
    )  # fmt: skip
    _, turn, place = placed[one]
    closing.data[:3] = turn.T @ (ring.gap - place)
    if stiff:
        closing.solimp = STIFF
    return spec.compile(), np.concatenate(speeds)
