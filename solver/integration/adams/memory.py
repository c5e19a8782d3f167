# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of an integration by Adams between two calls; the method itself is in `adams`."""

from typing import NamedTuple

import numpy as np

from ...kernel import by_reference
from ...model.arrays import Model, State
from ..motion.motion import Motion, new_motion

HIGHEST_ORDER = 12
ROWS = HIGHEST_ORDER + 3  # of differences and past points

# entries of `clock`: time (s), step (s), largest speed so far (1/s); of the last attempt: its step and error estimates
# SPARE: the margin of the modes; SWITCH: the moment (s) in the last step at which one is left, infinite if none is;
# LONGEST: of a step (s), where bodies may touch
TIME, STEP, FASTEST, ATTEMPT, ERROR, ERROR_BELOW, SPARE, SWITCH, LONGEST = range(9)
# entries of `counts`; COASTED: steps in a row by extrapolated accelerations
ORDER, EQUAL_STEPS, POINTS, STARTING, FAILURES, LOWER, EVALUATIONS, STEPS, REJECTED, COASTED = range(10)


@by_reference
class AdamsMemory(NamedTuple):
    """All that a linkage's integration remembers between calls."""

    motion: Motion  # at clock[TIME]
    trial: Motion  # predicted, or interpolated at a frame
    change: np.ndarray  # (2 A,): what the predictor adds to y
    carry: np.ndarray  # (2 A,): what rounding has taken from y so far
    phi: np.ndarray  # (ROWS, 2 A): phi_1 in row 0
    guess: np.ndarray  # (ROWS, 2 A): predicted differences
    rates: np.ndarray  # (2 A,)
    times: np.ndarray  # (ROWS,): this time and the ones before it
    past_quaternion: np.ndarray  # (ROWS, C, 4)
    past_angular: np.ndarray  # (ROWS, C, 3)
    weights: np.ndarray  # (ROWS,): of phi in an integral
    beta: np.ndarray  # (ROWS,)
    sigma: np.ndarray  # (ROWS,)
    work: np.ndarray  # (ROWS,)
    clock: np.ndarray  # (9,)
    counts: np.ndarray  # (10,) int64


def new_adams_memory(model: Model, state: State) -> AdamsMemory:
    """Memory for a linkage that starts in this state, which is copied."""
    axes, charts = len(model.armature), len(model.charted)
    return AdamsMemory(
        motion=new_motion(state),
        trial=new_motion(state),
        change=np.zeros(2 * axes),
        carry=np.zeros(2 * axes),
        phi=np.zeros((ROWS, 2 * axes)),
        guess=np.zeros((ROWS, 2 * axes)),
        rates=np.zeros(2 * axes),
        times=np.zeros(ROWS),
        past_quaternion=np.zeros((ROWS, charts, 4)),
        past_angular=np.zeros((ROWS, charts, 3)),
        weights=np.zeros(ROWS),
        beta=np.zeros(ROWS),
        sigma=np.zeros(ROWS),
        work=np.zeros(ROWS),
        clock=np.zeros(9),
        counts=np.zeros(10, np.int64),
    )
