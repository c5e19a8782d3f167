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
    bodies, driven = model.bodies, model.driven
    is_active = np.ones(len(bodies), bool)
    if bound == 0.0:
        return is_active
    shares = ((accelerations / bound) ** 2 + (speeds / (bound * interval)) ** 2) * per_scale**2
    before = np.concatenate([[0.0], np.cumsum(shares)])
    joint = before[bodies.axis_end[driven:]] - before[bodies.axis_start[driven:]]
    joint[bodies.kind[driven:] == Kind.FREE] = np.inf
    order = np.argsort(joint)
    is_active[driven + order[np.cumsum(joint[order]) <= 1.0]] = False
    return is_active
