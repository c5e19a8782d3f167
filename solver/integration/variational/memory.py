# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of the variational integrator between its steps."""

from typing import NamedTuple

import numpy as np

from ...dynamics.tree.increments import Increments, new_increments
from ...kernel import by_reference
from ...model.arrays import Model, Scratch, State, new_scratch, records
from ..motion.motion import Motion, new_motion

CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("fastest", "f8"),  # 1/s: largest speed so far
        ("began", "f8"),  # s: where the last step began
        ("fall", "f8"),  # see `variational`
        ("pivot", "f8"),  # of the step's start: the smallest of the closures' rows, as a part of the usual one
    ],
    align=True,
)
COUNTS = np.dtype(
    [
        ("evaluations", "i8"),
        ("steps", "i8"),
        ("known", "i8"),  # how many of `before`
        ("coasted", "i8"),  # steps in a row
        ("cut", "i8"),  # steps in a row, at limits that were met
    ],
    align=True,
)
GRAPH = np.dtype(
    [
        ("hold", "i8"),  # Hold
        ("friction", "f8"),  # -1, 0, 1: the way that dry friction pushes a free axis
        ("motor", "f8"),  # and the motor that keeps a speed
        ("target", "f8"),  # of that motor; this and the next two in units of the coordinate / s
        ("lower", "f8"),  # the rate below which a limit lets none fall
        ("upper", "f8"),
        ("static", "f8"),  # N s, N m s: of friction that holds, at most; this and the next two impulses of half a step
        ("kinetic", "f8"),  # of what slides
        ("push", "f8"),  # of the motor, at most
    ],
    align=True,
)
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
    graphs: np.recarray  # (S,) GRAPH of the switched axes
    interval: float  # s: steps end at its multiples
    clock: np.recarray  # (1,) CLOCK
    counts: np.recarray  # (1,) COUNTS


def new_variational_memory(model: Model, state: State, interval: float) -> VariationalMemory:
    """Memory for a linkage that starts in this state, which is copied; interval (s) of steps."""
    bodies, axes = len(model.bodies), len(model.armature)
    clock = records(1, CLOCK)
    clock.fall = 1.0
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
        graphs=records(len(model.switched), GRAPH),
        interval=interval,
        clock=clock,
        counts=records(1, COUNTS),
    )
