# SPDX-License-Identifier: GPL-3.0-or-later
"""The active region: which joints are simulated up to the next choice, and which are held.

Metrics (Redon, Galoppo, Lin 2005): of a set C of joints the acceleration metric A(C) = sum q''^T W q'' and the velocity
metric V(C) = sum q'^T W q', with W = 1 for turns and 1/size^2 for travels. There A(C) of an assembly comes from the
forces on its handles, before any joint of it is known. Here all q'' are known: a frame, which holds all bodies, takes
the whole solution anyway. So the metrics of single joints are exact, and any joints can be held, not sub-trees only.
"""

import numpy as np

from ...model.arrays import Kind, Model


def joints_to_simulate(
    model: Model, accelerations: np.ndarray, speeds: np.ndarray, per_scale: np.ndarray, bound: float, interval: float
) -> np.ndarray:
    """(B,) bool: the bodies whose joint is active.

    As many joints as can be are held, so that A of all of them is at most bound^2, and V what such accelerations would
    amount to until the next choice: at most (bound interval)^2. What floats is never held.

    accelerations, speeds: (A,) of the whole linkage. per_scale: (A,), the root of W. bound: rad/s2, sizes/s2. interval:
    s, from choice to choice.
    """
    is_active = np.ones(len(model.bodies), bool)
    if bound == 0.0:
        return is_active
    joint = _of_joints(model, (accelerations / bound) ** 2 + (speeds / (bound * interval)) ** 2, per_scale)
    joint[model.bodies.kind[model.driven :] == Kind.FREE] = np.inf
    is_small = joint <= 0.5 / len(joint)  # all of which come to half at most, so that few are left to put in order
    others = np.flatnonzero(~is_small)
    others = others[np.argsort(joint[others])]
    is_held = is_small.copy()
    is_held[others[joint[is_small].sum() + np.cumsum(joint[others]) <= 1.0]] = True
    is_active[model.driven :] = ~is_held
    return is_active


def left_out(model: Model, accelerations: np.ndarray, per_scale: np.ndarray, is_active: np.ndarray) -> float:
    """rad/s2, sizes/s2: the root of A of all joints that are held."""
    joint = _of_joints(model, accelerations**2, per_scale)
    return float(np.sqrt(joint[~is_active[model.driven :]].sum()))


def _of_joints(model: Model, squares: np.ndarray, per_scale: np.ndarray) -> np.ndarray:
    """(n,) of each dynamic body's joint: the sum over its axes (A,), by their weights."""
    bodies, driven = model.bodies, model.driven
    joint = np.repeat(np.arange(len(bodies) - driven), (bodies.axis_end - bodies.axis_start)[driven:])
    return np.bincount(joint, squares * per_scale**2, len(bodies) - driven)
