# SPDX-License-Identifier: GPL-3.0-or-later
"""From accelerations to motion: integrators with one contract, and what their tolerances mean.

An integrator is a memory (`new_memory`) and an `advance` that
    1. steps up to the time `stop` and never over it,
    2. takes no step longer than `longest`,
    3. writes every frame on its way, the one at its starting time included,
    4. starts anew where the motion jumps, if told to `begin`,
    5. pauses after a number of evaluations, or once it has passed the time `until`, and goes on when called again as if
       it had not,
    6. stops where a force leaves its mode (`dynamics.forces.switching`), wherever that is,
    7. never raises: it returns a Status, NOT_FINITE as soon as a step or a frame holds what is no number
       (`motion.motion.is_finite`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..model.arrays import COMPOSITE, Model
from ..surfaces.weights import parameter_weights
from .adams import adams
from .adams import memory as adams_memory
from .adaptive import adaptive
from .implicit import implicit
from .implicit import memory as implicit_memory
from .impulse import driver as impulse_driver
from .impulse import memory as impulse_memory
from .motion.motion import Status, Tolerance
from .quasi_static import memory as quasi_static_memory
from .quasi_static import quasi_static
from .runge_kutta import runge_kutta
from .variational import memory as variational_memory
from .variational import variational

# Local errors add up and grow along a motion: the tolerances are asked of the motion, so each step keeps to a small
# part of them. Adams steps that grow as soon as they can leave less to spare, hence their smaller part. The length of
# fixed steps is given: of the tolerances only the drift of closures is left to them.
_LOCAL = {"adams": 1.5e-4, "runge-kutta": 3e-4, "implicit": 2e-2, "impulse": 1.5e-4, "variational": 1.5e-4}
_LOCAL |= {"quasi-static": 1e-3}  # where nothing adds up
_LOCAL |= {"adaptive": _LOCAL["runge-kutta"]}
_DRIFT = 4e-15  # opening of a closure that is left, as a part of the size: what rounding does
_FINEST = 2e-15  # below this, rounding decides: of the recursion,
_FINEST_DENSE = 2e-16  # and, per axis squared, of the composite method's dense solution


class Integrator(NamedTuple):
    """An integrator's functions, which are its part of the contract, and what tells it that a mode is left."""

    new_memory: Callable  # of a compiled linkage, its state, and the length of fixed steps (s), if it has such
    advance: Callable
    go_to: Callable  # back to a time that `advance` has just passed
    switch: str = "time"  # field of memory.clock: when a mode is left, where that is known before the time is reached


METHODS = {
    "adams": Integrator(
        lambda compiled, state, interval: adams_memory.new_adams_memory(compiled.model, state),
        adams.advance_adams,
        adams.go_to_adams,
        "switch",
    ),
    "runge-kutta": Integrator(
        lambda compiled, state, interval: runge_kutta.new_runge_kutta_memory(compiled.model, state),
        runge_kutta.advance_runge_kutta,
        runge_kutta.go_to_runge_kutta,
    ),
    "implicit": Integrator(
        lambda compiled, state, interval: implicit_memory.new_implicit_memory(compiled.model, state),
        implicit.advance_implicit,
        implicit.go_to_implicit,
        "switch",
    ),
    "impulse": Integrator(
        impulse_memory.ImpulseMemory,
        impulse_driver.advance_impulse,
        impulse_driver.go_to_impulse,
    ),
    "variational": Integrator(
        lambda compiled, state, interval: variational_memory.new_variational_memory(compiled.model, state, interval),
        variational.advance_variational,
        variational.go_to_variational,
    ),
    "quasi-static": Integrator(
        lambda compiled, state, interval: quasi_static_memory.new_quasi_static_memory(
            compiled.model, state, interval, compiled.settling
        ),
        quasi_static.advance_quasi_static,
        quasi_static.go_to_quasi_static,
    ),
    "adaptive": Integrator(
        lambda compiled, state, interval: adaptive.new_adaptive_memory(
            compiled.model, state, interval, compiled.error_bound
        ),
        adaptive.advance_adaptive,
        adaptive.go_to_adaptive,
    ),
}

FIXED_STEPS = (
    "impulse",
    "variational",
    "quasi-static",
    "adaptive",
)  # whose steps are of one length, and go over what jumps

REASONS = {
    Status.NOT_FINITE: "accelerations grow beyond all bounds",
    Status.STEP_TOO_SHORT: "the accuracy cannot be kept, however short the step; a force or motion jumps",
    Status.OPEN: "loops or constraints cannot be kept closed",
    Status.STEP_TOO_LONG: "steps are too long for what turns so fast, or is so stiff; ask for more substeps",
    Status.NO_HEADWAY: "400,000 evaluations have not led to the next frame",
    Status.CONTRADICTED: "motors keep speeds that cannot be",
    Status.CUTS_IN: "surfaces that ride on each other come to a place where they would touch in more than one point",
    Status.ROPE_OUT: "the free rope of a pulley has run out",
    Status.FOLDED: "steps of fixed length cannot follow how a loop folds, where its bars come in line and it could go "
    "on in two ways; take integrator adams or auto; it folds",
}


def local_tolerance(integrator: str, model: Model, relative: float, absolute: float) -> Tolerance:
    """The tolerance of one step, from those of the whole motion (parts of the linkage's size and speed)."""
    per_scale = np.where(model.is_length, 1.0 / model.size, 1.0)
    finest = max(_FINEST, _FINEST_DENSE * len(per_scale) ** 2) if model.method == COMPOSITE else _FINEST
    part = _LOCAL[integrator]
    local = max(part * relative, finest)
    return Tolerance(local, part * absolute, min(_DRIFT, local), per_scale, _per_coordinate(model, per_scale))


def _per_coordinate(model: Model, per_scale: np.ndarray) -> np.ndarray:
    """(A,): parts of the linkage's size, or rad, for a unit of each coordinate; of a ride, those of its surfaces."""
    weights, surfaces = per_scale.copy(), model.rides.surfaces
    for r, body in enumerate(model.rides.joints.body):
        first = model.bodies[body].axis_start
        for side in range(2):
            which = slice(first + 2 * side, first + 2 * side + 2)
            weights[which] = parameter_weights(surfaces[2 * r + side], model.rides.pieces, model.size)
    return weights


__all__ = ["FIXED_STEPS", "METHODS", "REASONS", "Integrator", "Status", "Tolerance", "local_tolerance"]
