# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of any engine's motion of a scene, taken in the same way: depth, gaps in joints, gain of energy."""

from typing import NamedTuple

import mujoco
import numpy as np

from solver.mechanism import Mechanism

from .contact_scenes import Scene
from .mujoco_contact import MujocoScene


class Motion(NamedTuple):
    """F frames of B bodies in the mechanism's order; velocities are those of the bodies' origins, world axes."""

    position: np.ndarray  # (F, B, 3)
    orientation: np.ndarray  # (F, B, 4)
    linear_velocity: np.ndarray  # (F, B, 3)
    angular_velocity: np.ndarray  # (F, B, 3)


class Judgement(NamedTuple):
    """The worst of all frames."""

    depth: float  # m, of two bodies or a body and the ground
    gap: float  # m, between the two points of a joint
    gain: float  # of energy above its lowest so far, as a part of what there was to lose at the start


def judged(scene: Scene, motion: Motion) -> Judgement:
    """Depths are MuJoCo's, which finds contacts for poses of any origin."""
    return Judgement(_depth(scene.mechanism, motion), _gap(scene.mechanism, motion), _gain(scene.mechanism, motion))


def _depth(mechanism: Mechanism, motion: Motion) -> float:
    loose = MujocoScene(_without_joints(mechanism), 0.01)
    model, data, worst = loose.model, loose.data, 0.0
    for position, orientation in zip(motion.position, motion.orientation, strict=True):
        data.qpos[:] = np.concatenate([position, orientation], axis=1).ravel()
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        if data.ncon:
            worst = max(worst, -float(data.contact.dist.min()))
    return worst


def _without_joints(mechanism: Mechanism) -> Mechanism:
    """All bodies loose; those that a joint joins still ignore each other."""
    contact = mechanism.contact
    pairs = tuple((joint.parent, joint.child) for joint in mechanism.joints if joint.parent is not None)
    loose = Mechanism(mechanism.name, mechanism.gravity, mechanism.bodies)
    loose.contact = type(contact)(ground=contact.ground, ignore=contact.ignore + pairs)
    return loose


def _gap(mechanism: Mechanism, motion: Motion) -> float:
    number = {body.name: k for k, body in enumerate(mechanism.bodies)}
    turns, worst = _matrices(motion.orientation), 0.0
    for joint in mechanism.joints:
        ends = []
        for name in (joint.parent, joint.child):
            k = number[name]
            arm = turns[0, k].T @ (np.array(joint.position) - motion.position[0, k])
            ends.append(motion.position[:, k] + turns[:, k] @ arm)
        worst = max(worst, float(np.linalg.norm(ends[0] - ends[1], axis=1).max()))
    return worst


def _gain(mechanism: Mechanism, motion: Motion) -> float:
    masses = np.array([body.mass for body in mechanism.bodies])
    inertias = np.array([body.inertia for body in mechanism.bodies])
    spin = np.einsum("fbji,fbj->fbi", _matrices(motion.orientation), motion.angular_velocity)  # body axes
    kinetic = 0.5 * (masses * (motion.linear_velocity**2).sum(axis=2) + (inertias * spin**2).sum(axis=2)).sum(axis=1)
    potential = -(masses * (motion.position @ np.array(mechanism.gravity))).sum(axis=1)
    energy = kinetic + potential
    weight = masses.sum() * np.linalg.norm(mechanism.gravity)
    to_lose = kinetic[0] + weight * (masses @ motion.position[0, :, 2]) / masses.sum()
    return float(np.max(energy - np.minimum.accumulate(energy)) / to_lose)


def _matrices(quaternions: np.ndarray) -> np.ndarray:
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
