# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of an integration by Adams between two calls; the method itself is in `adams`."""

from typing import NamedTuple

import numpy as np

from ...kernel import by_reference
from ...model.arrays import Model, State, records
from ..motion.motion import Motion, new_motion
from ..motion.release import SEARCH

HIGHEST_ORDER = 12
ROWS = HIGHEST_ORDER + 3  # of differences and past points

CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("step", "f8"),  # s: the next one's length
        ("fastest", "f8"),  # 1/s: largest speed so far
        ("attempt", "f8"),  # s: the last attempt's step,
        ("error", "f8"),  # its error in tolerances,
        ("error_below", "f8"),  # and by one order less
        ("spare", "f8"),  # the margin of the modes
        ("switch", "f8"),  # s: where in the last step one is left, infinite if none is
        ("longest", "f8"),  # s: of a step, where bodies may touch or ropes are near their wheels
        ("stiff_since", "f8"),  # s: when steps began to be bounded by stability
    ],
    align=True,
)
COUNTS = np.dtype(
    [
        ("evaluations", "i8"),
        ("steps", "i8"),
        ("order", "i8"),
        ("equal_steps", "i8"),  # in a row
        ("points", "i8"),  # of the past that are known
        ("starting", "i8"),  # 1 while order and step grow fast
        ("failures", "i8"),  # in a row
        ("lower", "i8"),  # 1 if the order should be lowered
        ("rejected", "i8"),
        ("coasted", "i8"),  # steps in a row by extrapolated accelerations
        ("watched", "i8"),  # 1 if it is to end once the motion is stiff
        ("stiff", "i8"),  # steps lately that stability has bounded; below 0 so many more are let pass
        ("stiff_evaluations", "i8"),  # when they began
    ],
    align=True,
)


@by_reference
class AdamsMemory(NamedTuple):
    """All that a linkage's integration remembers between calls."""

    motion: Motion  # at clock.time
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
    clock: np.recarray  # (1,) CLOCK
    counts: np.recarray  # (1,) COUNTS
    search: np.recarray  # (1,) SEARCH


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
        clock=records(1, CLOCK),
        counts=records(1, COUNTS),
        search=records(1, SEARCH),
    )
