# SPDX-License-Identifier: GPL-3.0-or-later
"""The state where the smooth motion of a step has led: bodies, rows, forces, and what answers to impulses.

Impulses go through the trees by their pivots, and through closures by the factors of their rows, both with the inertia
of what is stiff; accelerations are of no use there. Factors of many loops take most of an evaluation. Where nothing can
push, all they have to do is to close what has drifted, by Newton's method: there those of the last Runge-Kutta stage
do, which are of nearly the same pose (`dynamics.loops.drift`).
"""

from ...dynamics.loops.methods import solve_accelerations
from ...dynamics.loops.singularity import compare_with_usual
from ...dynamics.tree.articulated_body import eliminate_inward
from ...kernel import kernel, kernel_by_class
from ...model.arrays import SparseModel
from .evaluate import ON_THE_WAY, evaluate, exert
from .implicit import hold_stiff


@kernel
def _arrive(model, scratch, memory, time, h):
    hold_stiff(model, scratch, memory.implicit, memory.trial.state, h)
    evaluate(model, scratch, memory, time, memory.trial.state, memory.stages[3], ON_THE_WAY)
    hold_stiff(model, scratch, memory.implicit, memory.trial.state, 0.0)


@kernel
def _arrive_with_old_factors(model, scratch, memory, time, h):
    if len(model.sprung) > 0 or len(model.switched) > 0:
        _arrive(model, scratch, memory, time, h)
        return
    exert(model, scratch, memory, time, memory.trial.state, ON_THE_WAY)
    eliminate_inward(model, scratch)
    memory.counts[0].is_coarse = 1


@kernel
def _factor_for_points(model, scratch, memory):
    if memory.counts[0].is_coarse and memory.contact.counts[0].points > 0:
        solve_accelerations(model, scratch)
        compare_with_usual(scratch)
        memory.counts[0].evaluations += 1
    memory.counts[0].is_coarse = 0


@kernel
def _is_ready(model, scratch, memory):
    pass


# Kinematics, rows and forces of the trial state at the end (s) of a smooth motion of h (s), and pivots and factors.
arrive = kernel_by_class(lambda model: _arrive_with_old_factors if model is SparseModel else _arrive)
# Has the factors made anew for the points of contact that were found there.
make_ready = kernel_by_class(lambda model: _factor_for_points if model is SparseModel else _is_ready)
