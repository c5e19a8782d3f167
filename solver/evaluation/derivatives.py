# SPDX-License-Identifier: GPL-3.0-or-later
"""An evaluation and its derivatives, for callers in Python; the contract is that of `dynamics.derivatives`."""

import numpy as np

from ..dynamics.derivatives.accelerations import acceleration_change, fill_matrices, prepare_changes
from ..dynamics.derivatives.changes import Changes
from ..kernel import entry
from ..model.arrays import Model, Scratch, State
from .forward_dynamics import update_rates


@entry
def evaluate_for_derivatives(
    model: Model, time: float, state: State, scratch: Scratch, rates: np.ndarray, changes: Changes
):
    """Fills the rates (2 A,) at this time (s) and state, and makes ready for the others."""
    update_rates(model, time, state, scratch, rates)
    prepare_changes(model, scratch, changes)


@entry
def fill_product(
    model: Model, state: State, scratch: Scratch, changes: Changes, direction: np.ndarray, out: np.ndarray
):
    """Fills `out` (A,): the change of accelerations along a direction (3, A) of coordinates, speeds and efforts."""
    acceleration_change(model, state, scratch, changes, direction[0], direction[1], direction[2], out)


@entry
def fill_derivatives(model: Model, state: State, scratch: Scratch, changes: Changes, matrices: np.ndarray):
    """Fills `matrices` (3, A, A): accelerations by coordinates, speeds and efforts.

    Transposed: row k has the changes of all accelerations by number k.
    """
    fill_matrices(model, state, scratch, changes, matrices[0], matrices[1], matrices[2])
