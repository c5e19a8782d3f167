# SPDX-License-Identifier: GPL-3.0-or-later
"""Which method answers: accelerations from forces, and the least change of rates that moves the closures' rows."""

from ..kernel import kernel
from ..mechanism.model import COMPOSITE, LAGRANGE, PROPAGATION
from .articulated_body import solve_articulated_body
from .closed_tree import respond_closed_tree, solve_closed_tree
from .composite_body import solve_composite_body
from .lagrange import respond_lagrange, solve_lagrange
from .propagation import respond_propagation, solve_propagation


@kernel
def solve_accelerations(model, scratch):
    """Fills the accelerations of axes and bodies and the rows' multipliers from kinematics, rows, wrenches, efforts."""
    if model.method == LAGRANGE:
        solve_lagrange(model, scratch)
        scratch.factored[0] = 1
    elif len(model.rows) > 0:
        if model.method == PROPAGATION:
            solve_propagation(model, scratch)
        else:
            solve_closed_tree(model, scratch)
        scratch.factored[0] = 1
    elif model.method == COMPOSITE:
        solve_composite_body(model, scratch)
    else:
        solve_articulated_body(model, scratch)


@kernel
def respond(model, scratch):
    """The smallest change of axis rates, by kinetic energy, that gives the closures' rows their targets.

    Fills scratch.accelerations with it, by the factors of the latest solution; bodies' accelerations are lost.
    """
    if model.method == PROPAGATION:
        respond_propagation(model, scratch)
    elif model.method == LAGRANGE:
        respond_lagrange(model, scratch)
    else:
        respond_closed_tree(model, scratch)
