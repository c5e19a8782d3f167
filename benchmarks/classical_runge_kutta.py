# SPDX-License-Identifier: GPL-3.0-or-later
"""The classical Runge-Kutta method of order 4 in steps of fixed length, on our own accelerations: what one would do
otherwise. Charts begin anew at each step, and loops are closed after each, as our other integrators do it."""

import numpy as np

from solver.dynamics.loops.drift import settle
from solver.evaluation.forward_dynamics import update_rates
from solver.integration.motion.motion import copy_anchors, new_motion, recenter
from solver.integration.motion.observation import new_frames, write_frame
from solver.kernel import entry
from solver.mechanism import Mechanism
from solver.model.arrays import new_scratch
from solver.model.linkage.compilation import compile_linkages
from solver.simulation.initial_conditions import set_start
from solver.simulation.recording import Recording
from solver.simulation.recording_assembly import Stretch, assemble_recording

_DRIFT = 1e-14  # opening of a loop that is left, as a part of the size


def march_classically(mechanism: Mechanism, interval: float, steps: int, frames: int) -> Recording:
    """So many steps of a mechanism of one linkage; the frames are evenly spread, the first at the start.

    Where it ends beyond all bounds, the frames from there on are not numbers.
    """
    (compiled,) = compile_linkages(mechanism)
    set_start(mechanism, compiled)
    model, motion = compiled.model, new_motion(compiled.state)
    kept = new_frames(model, frames + 1)
    stages = np.zeros((5, len(motion.y)))
    _march(model, new_scratch(model), motion, new_motion(compiled.state), stages, interval, steps // frames, kept)
    times = np.arange(frames + 1) * (steps // frames) * interval
    return assemble_recording(mechanism, [Stretch(compiled, kept)], times)


@entry
def _march(model, scratch, motion, trial, stages, h, each, frames):
    y, p, state = motion.y, trial.y, motion.state
    for frame in range(len(frames.kinetic)):
        t = frame * each * h
        update_rates(model, t, state, scratch, stages[4])
        write_frame(model, state, scratch, frames, frame)
        if frame + 1 == len(frames.kinetic):
            return
        for step in range(each):
            for chart in range(len(model.charted)):
                recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
            copy_anchors(state, trial.state)
            for c in range(len(y)):
                p[c] = y[c]
            for stage in range(4):
                share = 0.0 if stage == 0 else h if stage == 3 else 0.5 * h
                for c in range(len(y)):
                    p[c] = y[c] + share * stages[stage - 1, c]
                update_rates(model, t + step * h + share, trial.state, scratch, stages[stage])
            for c in range(len(y)):
                y[c] += h / 6.0 * (stages[0, c] + 2.0 * (stages[1, c] + stages[2, c]) + stages[3, c])
            settle(model, t + (step + 1) * h, state, scratch, _DRIFT, 1.0)
