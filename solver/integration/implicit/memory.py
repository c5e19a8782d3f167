# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of an integration by implicit steps between two calls; the method itself is in `extrapolation`."""

from typing import NamedTuple

import numpy as np

from ...dynamics.implicit.kinks import count_kinks
from ...dynamics.implicit.workspace import SYSTEM_PRICE, ImplicitWork, new_implicit_work
from ...kernel import by_reference
from ...model.arrays import Model, State, records
from ..motion.motion import Motion, new_motion
from ..motion.release import SEARCH

MOST_COLUMNS = 9  # of the table of extrapolation: its highest order; the last divides a step into one substep more

CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("step", "f8"),  # s: the next one's length
        ("fastest", "f8"),  # 1/s: largest speed so far
        ("attempt", "f8"),  # s: the last attempt's step
        ("spare", "f8"),  # the margin of the modes
        ("kink", "f8"),  # part of the step after which the last column met a kink; 1 if it did not
        ("length", "f8"),  # s: of the last step; 0 before the first one
        ("switch", "f8"),  # s: when the last step has left a mode; infinite if it has not
    ],
    align=True,
)
COUNTS = np.dtype(
    [
        ("evaluations", "i8"),
        ("steps", "i8"),
        ("column", "i8"),  # of the table in which the next step is expected to end
        ("failures", "i8"),  # in a row
        ("rejected", "i8"),
        ("begins", "i8"),  # 1 if the next step begins anew
        ("cuts", "i8"),  # in a row, because of kinks
        ("systems", "i8"),  # linear systems solved
        ("reached", "i8"),  # column in which the present step has ended
        ("degree", "i8"),  # of the last step's polynomial: the column in which it has ended
        ("released", "i8"),  # 1 if the attempted step is to end where what holds lets go
        ("lands", "i8"),  # 1 if the next step is to end at a frame, because polynomials are off
    ],
    align=True,
)


@by_reference
class ImplicitMemory(NamedTuple):
    """All that a linkage's integration remembers between calls."""

    motion: Motion
    trial: Motion
    work: ImplicitWork
    rates: np.ndarray  # (2 A,)
    table: np.ndarray  # (MOST_COLUMNS, 2 A): changes over the step; row 0 has the highest order
    error: np.ndarray  # (2 A,)
    substeps: np.ndarray  # (MOST_COLUMNS, MOST_COLUMNS + 1, 2 A): changes, of each column
    derivatives: np.ndarray  # (MOST_COLUMNS, 2 A): at the step's end, by each column
    dense: np.ndarray  # (MOST_COLUMNS, 2 A): the last step's polynomial (`dense_output`), without its constant
    wanted: np.ndarray  # (A,): its accelerations
    margins: np.ndarray  # (K,) of kinks at the step's start,
    margins_now: np.ndarray  # (K,) and lately
    closed: np.ndarray  # (F,) int64: gaps, as the last step began,
    closed_after: np.ndarray  # (F,) int64: and after it
    reach: np.ndarray  # (MOST_COLUMNS,) s: the step that each column would allow
    price: np.ndarray  # (MOST_COLUMNS,) evaluations and systems, up to each column
    clock: np.recarray  # (1,) CLOCK
    counts: np.recarray  # (1,) COUNTS
    search: np.recarray  # (1,) SEARCH


def new_implicit_memory(model: Model, state: State) -> ImplicitMemory:
    """Memory for a linkage that starts in this state, which is copied."""
    axes = len(model.armature)
    substeps = np.arange(2.0, MOST_COLUMNS + 2.0)
    return ImplicitMemory(
        motion=new_motion(state),
        trial=new_motion(state),
        work=new_implicit_work(model),
        rates=np.zeros(2 * axes),
        table=np.zeros((MOST_COLUMNS, 2 * axes)),
        error=np.zeros(2 * axes),
        substeps=np.zeros((MOST_COLUMNS, MOST_COLUMNS + 1, 2 * axes)),
        derivatives=np.zeros((MOST_COLUMNS, 2 * axes)),
        dense=np.zeros((MOST_COLUMNS, 2 * axes)),
        wanted=np.zeros(axes),
        margins=np.zeros(count_kinks(model)),
        margins_now=np.zeros(count_kinks(model)),
        closed=np.zeros(len(model.forces), np.int64),
        closed_after=np.zeros(len(model.forces), np.int64),
        reach=np.zeros(MOST_COLUMNS),
        price=1.0 + np.cumsum(substeps - 1.0 + SYSTEM_PRICE * substeps),
        clock=records(1, CLOCK),
        counts=records(1, COUNTS),
        search=records(1, SEARCH),
    )
