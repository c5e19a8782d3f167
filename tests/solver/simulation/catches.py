# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms in which something is enabled while its ends are apart, and how far they are."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from solver import Mechanism
from solver.mechanism import (
    Action,
    Body,
    Joint,
    PointToPoint,
)

NONE = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
START = 0.5  # s, when something is enabled: a frame at 24, 48 and 96 a second


def act(mechanism: Mechanism, *actions: tuple) -> Mechanism:
    mechanism.actions = [Action(time, target, settings) for time, target, settings in actions]
    return mechanism


def matrix(quaternion) -> np.ndarray:
    return Rotation.from_quat(np.asarray(quaternion)[[1, 2, 3, 0]]).as_matrix()


def seen_from_parent(mechanism: Mechanism, recording, joint: Joint):
    """((F, 3) m, (F, 3, 3), (F, 3) m/s, (F, 3) rad/s): the child's joint frame as the parent's sees it."""
    names, count = list(recording.body_names), len(recording.times)
    origin, axes, velocity, angular = [], [], [], []
    for name in (joint.parent, joint.child):
        R = np.tile(np.eye(3), (count, 1, 1))
        x, v, w = (np.zeros((count, 3)) for _ in range(3))
        arm = np.array(joint.position)
        if name is not None:
            body, i = mechanism.bodies[names.index(name)], names.index(name)
            R = np.array([matrix(q) for q in recording.orientation[:, i]]) @ matrix(body.orientation or UPRIGHT).T
            x, v, w = recording.position[:, i], recording.linear_velocity[:, i], recording.angular_velocity[:, i]
            arm = arm - np.array(body.position)
        turned = np.einsum("fij,j->fi", R, arm)
        origin.append(x + turned)
        axes.append(R @ matrix(joint.orientation))
        velocity.append(v + np.cross(w, turned))
        angular.append(w)
    A, B = axes
    away = origin[1] - origin[0]
    rate = velocity[1] - velocity[0] - np.cross(angular[0], away)
    return (
        np.einsum("fji,fj->fi", A, away),
        np.einsum("fji,fjk->fik", A, B),
        np.einsum("fji,fj->fi", A, rate),
        np.einsum("fji,fj->fi", A, angular[1] - angular[0]),
    )


def lean(relative: np.ndarray) -> np.ndarray:
    """(F, 2): the angle between the two Z axes, along the parent's X and Y."""
    across, along = relative[:, :2, 2], relative[:, 2, 2]
    size = np.linalg.norm(across, axis=1)
    return across * (np.arctan2(size, along) / np.where(size > 0.0, size, 1.0))[:, None]


def hung(gap: float, tau: float | None = 0.1, **given) -> Mechanism:
    """A body that is at rest under gravity's pull on a nail of no weight, and is to be drawn along by a gap."""
    body = Body("bob", mass=1.5, inertia=(0.1, 0.2, 0.3), position=NONE, **given)
    hook = PointToPoint(
        "hook", body_a="bob", point_a=(0, 0, 0.3), point_b=tuple(gap * np.array((0.6, 0, 0.8)) + (0, 0, 0.3)),
        enabled=False, tau=tau,
    )  # fmt: skip
    return act(Mechanism(bodies=[body], constraints=[hook]), (START, "hook", {"enabled": True}))


def apart(recording, point=(0, 0, 0.3), goal=(0, 0, 0.3)) -> np.ndarray:
    """(F, 3): from the hook to the first body's point."""
    return np.array(
        [
            x + matrix(q) @ point - goal
            for x, q in zip(recording.position[:, 0], recording.orientation[:, 0], strict=True)
        ]
    )
