# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of the quasi-static integrator between two calls; the method itself is in `quasi_static`."""

import math
from typing import NamedTuple

import numpy as np

from ...dynamics.implicit.workspace import ImplicitWork, new_implicit_work, rows_of
from ...kernel import by_reference
from ...model.arrays import Model, State, records
from ..motion.motion import Motion, new_motion

FARTHEST = 1.0  # rad, or part of the size: most that a coordinate changes in one attempt
CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("fastest", "f8"),  # 1/s: largest speed so far; here always 0
        ("began", "f8"),  # s: where the last step began,
        ("end", "f8"),  # s: and where the one that is under way ends
        ("left", "f8"),  # s2: of it, h^2 that is still to go; infinite on the way to equilibrium
        ("h", "f8"),  # s: the largest that is trusted
        ("reach", "f8"),  # rad, or part of the size: the largest change that is trusted with such an h
        ("far", "f8"),  # rad, or part of the size: the latest change
        ("lift", "f8"),  # of the stiffness, near rest; 1 if a convex stand-in is taken for it
        ("least_lift", "f8"),  # with which it is tried again after that
        ("waits", "f8"),  # attempts until then
        ("patience", "f8"),  # and as many there will be the next time that it fails
        ("gap", "f8"),  # rad, or part of the size: by which closures are open
        ("pace", "f8"),  # 1/s: of the last step, the fastest coordinate
        ("rests", "f8"),  # s: since when it has been at rest; infinite if it is not
        ("missed", "f8"),  # s: the first time at which equilibrium was not found; infinite if it always was
    ],
    align=True,
)
COUNTS = np.dtype(
    [
        ("evaluations", "i8"),
        ("steps", "i8"),
        ("systems", "i8"),  # linear systems solved
        ("rows", "i8"),  # of the latest of them
        ("under_way", "i8"),  # 1 if a step has been begun and is not done
        ("attempts", "i8"),  # in this step
        ("rejected", "i8"),
        ("is_placed", "i8"),  # 1 once the first frame's equilibrium has been looked for
        ("is_found", "i8"),  # 1 if the last step came to equilibrium, or as far as its time takes it
    ],
    align=True,
)


@by_reference
class QuasiStaticMemory(NamedTuple):
    """A linkage's way between calls."""

    motion: Motion  # where the linkage is, its speeds zero
    trial: Motion  # after the attempt
    began: Motion  # where the last step began
    work: ImplicitWork
    rates: np.ndarray  # (2 A,)
    change: np.ndarray  # (A,) of coordinates in an attempt, charts along their axes
    after: np.ndarray  # (A,) the same, as the pose after it has it
    wanted: np.ndarray  # (B, 9) orientations after the attempt,
    turn: np.ndarray  # (B, 3) rad: and the turns that lead there
    is_turned: np.ndarray  # (A,) int64: 1 for axes that may turn freely
    response: np.ndarray  # (W, B, 3) turns of bodies for a unit on each row of the latest system
    wanted_closed: np.ndarray  # (B, 9), (B, 3): as above, while closing
    turn_closed: np.ndarray
    pace: np.ndarray  # (A,) rad/s or m/s: change over the last step, over its length
    interval: float  # s: steps end at its multiples
    settling: float  # s: see `quasi_static`; 0 for equilibrium at each step's end
    clock: np.recarray  # (1,) CLOCK
    counts: np.recarray  # (1,) COUNTS


def new_quasi_static_memory(model: Model, state: State, interval: float, settling: float) -> QuasiStaticMemory:
    """Memory for a linkage that starts in this state, which is copied, at rest; interval (s) of steps."""
    axes = len(model.armature)
    clock = records(1, CLOCK)
    clock.h, clock.rests, clock.missed = 1e-2, math.inf, math.inf
    clock.far, clock.lift, clock.reach = math.inf, 1.0, FARTHEST
    memory = QuasiStaticMemory(
        motion=new_motion(state),
        trial=new_motion(state),
        began=new_motion(state),
        work=new_implicit_work(model),
        rates=np.zeros(2 * axes),
        change=np.zeros(axes),
        after=np.zeros(axes),
        wanted=np.zeros((len(model.bodies), 9)),
        turn=np.zeros((len(model.bodies), 3)),
        is_turned=_turned_axes(model),
        response=np.zeros((rows_of(model) if model.closing else 0, len(model.bodies), 3)),
        wanted_closed=np.zeros((len(model.bodies), 9)),
        turn_closed=np.zeros((len(model.bodies), 3)),
        pace=np.zeros(axes),
        interval=interval,
        settling=settling,
        clock=clock,
        counts=records(1, COUNTS),
    )
    memory.motion.state.speeds[:], clock.patience = 0.0, 1.0
    memory.work.damps[0] = 0.0
    return memory


def _turned_axes(model: Model) -> np.ndarray:
    """(A,): 1 for those that turn, and have no limits."""
    turned = np.where(model.is_length, 0, 1)
    turned[model.switched.axis] = 0
    return turned.astype(np.int64)
