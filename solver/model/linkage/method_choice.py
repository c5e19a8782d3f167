# SPDX-License-Identifier: GPL-3.0-or-later
"""Which method is likely to be the quickest for a linkage with closures.

All have the same result. What an evaluation takes follows roughly from a few numbers; the microseconds that go with
them were fitted to the times of `benchmarks/loop_methods.py`, and only their ratios matter.
"""

import numpy as np

from ..arrays import Model


def recursive_cost(model: Model) -> float:
    """A recursion over the axes, and a dense system of the closures' rows."""
    axes, rows = len(model.armature), model.closing
    return 0.13 * axes + 4e-4 * rows**2 * (rows + axes)


def lagrange_cost(model: Model) -> float:
    """Bodies, rows of all ties, and the products in the panels of the sparse factors."""
    blocks = model.elimination.blocks
    products = np.sum(blocks.width.astype(float) * blocks.height**2)
    return 0.2 * (len(model.bodies) - model.driven) + 0.11 * len(model.elimination.row) + 4.7e-4 * products


def least_lagrange_cost(model: Model) -> float:
    """A lower bound of `lagrange_cost`: of a linkage of which another method's model is known."""
    bodies = len(model.bodies) - model.driven
    return 0.2 * bodies + 0.11 * (model.closing + 6 * bodies - len(model.armature))


def least_propagation_cost(model: Model) -> float:
    """A lower bound of `propagation_cost`: of a linkage of which another method's model is known."""
    return 0.6 * (len(model.bodies) - model.driven)


def propagation_cost(model: Model) -> float:
    """Bodies, those where branches meet, and the products of what is eliminated with what is pending."""
    nodes = model.propagation.nodes
    products = np.sum(nodes.resolved.astype(float) * nodes.slots**2)
    return 0.6 * (len(model.bodies) - model.driven) + 2.5 * np.count_nonzero(nodes.reduces) + 7.5e-4 * products
