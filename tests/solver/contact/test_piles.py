# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose boxes that fall on each other: what is hit on a corner turns, and what lies is pushed, within the same step."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.detection import collision as adapter
from solver.mechanism import Body, Box
from tests.solver.contact.scenes import on_ground, run
from tests.solver.contact.solids import solid

pytestmark = pytest.mark.skipif(adapter.unavailable() is not None, reason=str(adapter.unavailable()))
COLUMNS, LAYERS, SUBSTEPS = 3, 5, 5


def falling_boxes(seed: int) -> list[Body]:
    """Boxes of many sizes and ways to stand, in columns; none overlaps another at first."""
    rng, bodies = np.random.default_rng(seed), []
    for layer in range(LAYERS):
        for cell in range(COLUMNS**2):
            turn = rng.normal(size=4)
            place = (*(0.3 * np.array(divmod(cell, COLUMNS)) + rng.uniform(-0.03, 0.03, 2)), 0.2 + 0.31 * layer)
            shape = Box(half_size=tuple(rng.uniform(0.05, 0.085, 3)))
            name = f"box {len(bodies)}"
            bodies.append(solid(name, shape, position=place, orientation=tuple(turn / np.linalg.norm(turn))))
    return bodies


def depths(bodies: list[Body], recording) -> np.ndarray:
    """(F,) m: the deepest overlap of each frame, by MuJoCo's own boxes."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    for body in bodies:
        holder = spec.worldbody.add_body(name=body.name)
        holder.add_freejoint()
        holder.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=body.shape.half_size)
    model = spec.compile()
    data, deepest = mujoco.MjData(model), []
    for pose in np.concatenate([recording.position, recording.orientation], axis=2):
        data.qpos[:] = pose.ravel()
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        deepest.append(-min(data.contact.dist, default=0.0))
    return np.maximum(deepest, 0.0)


def test_boxes_in_a_pile_do_not_sink_into_each_other():
    """At a frame in ten the deepest overlap may come to one part in fifty of a box's half size."""
    often = []
    for seed in range(3):
        bodies = falling_boxes(seed)
        often.append(np.quantile(depths(bodies, run(on_ground(bodies, restitution=0.1), 2.0, substeps=SUBSTEPS)), 0.9))
    assert np.mean(often) < 1e-3
