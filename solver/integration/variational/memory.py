# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of the variational integrator between its steps."""

from typing import NamedTuple

import numpy as np

from ...dynamics.tree.increments import Increments, new_increments
from ...kernel import by_reference
from ...model.arrays import Model, Scratch, State, new_scratch
from ..motion.motion import Motion, new_motion

TIME, FASTEST, BEGAN, FALL = range(4)  # entries of `clock`; BEGAN (s): of the last step; FALL: see `variational`
EVALUATIONS, STEPS, KNOWN, COASTED = range(4)  # of `counts`; KNOWN: how many of `before`; COASTED: steps in a row
_REMEMBERED = 4  # rates of steps


@by_reference
class VariationalMemory(NamedTuple):
    """A linkage's integration between calls. Momenta are along world axes, angular ones about centres of mass."""

    motion: Motion  # where the linkage is, at a node
    trial: Motion  # at the next node
    began: Motion  # where the last step began
    after: Scratch  # the bodies and rows of closures at the next node
    increments: Increments
    leaving: np.ndarray  # (B, 6) N m s, N s: momenta that leave a node, with the impulses of forces there
    effort: np.ndarray  # (A,) N s or N m s: the same along axes, of reflected inertias and joints' efforts
    damper: np.ndarray  # (A,) kg or kg m2: what dampers of joints make of the rates of a step
    arriving: np.ndarray  # (B, 6): momenta that arrive at the next node
    rate: np.ndarray  # (A,): change of coordinates in a step, over its length
    guess: np.ndarray  # (A,): where the search for the rate began
    before: np.ndarray  # (_REMEMBERED, A): rates of the last steps, the latest first
    interval: float  # s: steps end at its multiples
    clock: np.ndarray  # (4,)
    counts: np.ndarray  # (4,) int64


def new_variational_memory(model: Model, state: State, interval: float) -> VariationalMemory:
    """Memory for a linkage that starts in this state, which is copied; interval (s) of steps."""
    bodies, axes = len(model.bodies), len(model.armature)
    return VariationalMemory(
        motion=new_motion(state),
        trial=new_motion(state),
        began=new_motion(state),
        after=new_scratch(model),
        increments=new_increments(model),
        leaving=np.zeros((bodies, 6)),
        effort=np.zeros(axes),
        damper=np.zeros(axes),
        arriving=np.zeros((bodies, 6)),
        rate=np.zeros(axes),
        guess=np.zeros(axes),
        before=np.zeros((_REMEMBERED, axes)),
        interval=interval,
        clock=np.array([0.0, 0.0, 0.0, 1.0]),
        counts=np.zeros(4, np.int64),
    )
