# SPDX-License-Identifier: GPL-3.0-or-later
"""Reactions of frames whose rows are redundant: of all that fit the motion, those of least norm."""

import time as clock
from collections.abc import Iterator

import numpy as np

from ..contact.soft.parameters import contact_scratch
from ..integration.motion.observation import Frames
from ..integration.motion.reactions import rewrite_reactions
from ..mechanism import Mechanism
from ..model.arrays import LAGRANGE, State
from ..model.linkage.compilation import Compiled, compile_linkage
from ..model.moment import Moment
from .catching.courses import carry_courses

SLICE = 0.004  # s that a run works between two yields


def settled(
    mechanism: Mechanism,
    compiled: Compiled,
    moment: Moment | None,
    times: np.ndarray,
    frames: Frames,
    first: int,
    end: int,
) -> Iterator[int]:
    """Writes the reactions of the frames from `first` up to `end` anew; yields the number of the next one.

    times (F,) s, of all frames of one linkage, as it was compiled for its motion, at that moment or at the start.
    """
    lagrange = compile_linkage(mechanism, compiled.linkage, LAGRANGE, moment)
    model, moving = lagrange.model, compiled.model.closures
    model.closures.curve_first[: len(moving)] = moving.curve_first
    model.closures.gives_way[: len(moving)] = moving.gives_way
    carry_courses(compiled.model, model)
    scratch, finder = contact_scratch(lagrange)  # which looks for points as long as it is here
    axes, chunk = len(model.armature), 1
    state = State(np.zeros(axes), np.zeros(axes), np.zeros_like(lagrange.state.anchor))
    while first < end:
        begun = clock.perf_counter()
        last = min(end, first + chunk)
        rewrite_reactions(model, scratch, state, np.zeros(2 * axes), times, frames, first, last)
        if finder is not None:
            finder.raise_failure()
        first = last
        chunk = max(1, int(chunk * min(4.0, SLICE / max(clock.perf_counter() - begun, 1e-6))))
        yield first
