# SPDX-License-Identifier: GPL-3.0-or-later
"""Which method answers: accelerations from forces, and the least change of rates that moves the closures' rows.

The class of the model decides while the kernels are compiled, so that a tree costs nothing for what only loops need.
"""

from ...kernel import kernel, kernel_by_class
from ...model.arrays import (
    ClosedTreeModel,
    CompositeModel,
    DivideModel,
    LagrangeModel,
    Model,
    PropagationModel,
    SparseModel,
)
from ..tree.articulated_body import eliminate_inward, solve_articulated_body
from ..tree.composite_body import solve_composite_body
from ..tree.divide_and_conquer import solve_divide
from .closed_tree import respond_closed_tree, solve_closed_tree, write_dense_response
from .closures import update_rows
from .lagrange import respond_lagrange, solve_lagrange, write_sparse_response
from .limited import give_limited, hold_all_rows, take_limited_back
from .propagation import respond_propagation, solve_propagation
from .slipping import give, give_all, let_slip, note_solution, solve_slipping, take_back


@kernel
def _do_nothing(model, scratch):
    pass


@kernel
def _have_no_rows(model, state, scratch):
    pass


@kernel
def _solve_sparse(model, scratch):
    eliminate_inward(model, scratch)  # for the pivots, by which impulses go through the trees
    solve_lagrange(model, scratch)


_SOLVE = {
    Model: solve_articulated_body,
    CompositeModel: solve_composite_body,
    DivideModel: solve_divide,
    ClosedTreeModel: solve_closed_tree,
    PropagationModel: solve_propagation,
    LagrangeModel: solve_lagrange,
    SparseModel: _solve_sparse,
}
_RESPOND = {
    ClosedTreeModel: respond_closed_tree,
    PropagationModel: respond_propagation,
    LagrangeModel: respond_lagrange,
    SparseModel: respond_lagrange,
}


def has_closures(model: type) -> bool:
    """True if models of this class have rows to be met."""
    return model in _RESPOND


_solve_once = kernel_by_class(_SOLVE.__getitem__)


@kernel
def _solve_with_ropes(model, scratch):
    """Solves with what ropes lose at wheels over which they slip."""
    count = len(scratch.slipping)
    if count == 0:
        _solve_once(model, scratch)
        return
    let_slip(model, scratch)
    _solve_once(model, scratch)
    unit = 1.0 + note_solution(model, scratch, count)
    for k in range(count):
        give(model, scratch, k, unit)
        _solve_once(model, scratch)
        note_solution(model, scratch, k)
    solve_slipping(scratch.slipping, unit)
    give_all(model, scratch)
    _solve_once(model, scratch)
    take_back(model, scratch)


@kernel
def _solve_closed(model, scratch):
    hold_all_rows(model, scratch)
    _solve_with_ropes(model, scratch)
    if give_limited(model, scratch):
        _solve_with_ropes(model, scratch)
        take_limited_back(model, scratch)


# Fills the accelerations of axes and bodies and the rows' multipliers from kinematics, rows, wrenches and efforts.
solve_accelerations = kernel_by_class(lambda model: _solve_closed if has_closures(model) else _SOLVE[model])
# The smallest change of axis rates, by kinetic energy, that gives the closures' rows their targets: fills the
# accelerations of the axes with it, by the factors of the latest solution; those of the bodies are lost.
respond = kernel_by_class(lambda model: _RESPOND.get(model, _do_nothing))
# Writes the multipliers of the latest response to the closures' rows: of models for steps with impulses.
write_response = kernel_by_class(lambda model: write_sparse_response if model is SparseModel else write_dense_response)
# Fills wrenches, bias, error and rate of all rows from the state and the kinematics of the bodies.
update_closures = kernel_by_class(lambda model: update_rows if has_closures(model) else _have_no_rows)
