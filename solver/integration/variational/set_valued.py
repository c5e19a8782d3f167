# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses of axes that are set-valued: dry friction, motors that keep a speed up to a maximum, and limits.

In half a step, of h/2, friction F gives any impulse r within h/2 F that keeps the rate w of its axis at zero, and all
of it against w where that is not enough; a motor the same about its target; a limit pushes with whatever it takes where
the axis would pass it. So r is a monotone graph of w, vertical at kinks (Moreau 1988), and the discrete principle of
d'Alembert asks for
    M w = b + r,   -r in the graph of w:
of all w one has the least 1/2 w M w - b w + sum of h/2 (F |w| + m |w - v|) within the bounds. What stands therefore
stands exactly, without a speed below which it would count as standing; and where no motor works, the kinetic energy of
w is at most that of b.

It is found with modes, as `dynamics.forces.switching` has them: an axis is held at a kink, or free between two and
pushed by what is known. The equations are solved, and modes change that do not fit: all at once at first, then the one
of the least index alone, which comes to an end where all at once may go in circles (Murty 1974); what is undecided even
then is held, and that never adds energy.

Sliding friction that falls with the speed is taken at the speeds of the nodes: at the end of a step at those that its
rates lead to.

- J. J. Moreau, *Unilateral contact and dry friction in finite freedom dynamics*, CISM 302 (1988).
- K. G. Murty, *Note on a Bard-type scheme for solving the complementarity problem*, Opsearch 11 (1974).
- D. M. Kaufman, D. K. Pai, *Geometric numerical integration of inequality constrained, nonsmooth Hamiltonian systems*,
  SIAM J. Sci. Comput. 34 (2012).
"""

import math

from ...dynamics.forces.switching import HEAVY, SLIGHT, axis_friction, needed_force
from ...dynamics.tree.inverse_dynamics import update_joint_wrenches
from ...kernel import kernel
from ...model.arrays import (
    AXIS_PARAMETERS,
    BOUNCINESS,
    LAGRANGE,
    LOWER,
    MOTOR_LIMIT,
    MOTOR_VALUE,
    STATIC_FRICTION,
    UPPER,
    Hold,
)

_NOTHING, _BY_FRICTION, _BY_MOTOR, _BY_LOWER, _BY_UPPER = (
    int(Hold.NOTHING),
    int(Hold.FRICTION),
    int(Hold.MOTOR),
    int(Hold.LOWER),
    int(Hold.UPPER),
)
_NEAR = 10.0 * SLIGHT  # of the size, or rad: how near to a limit an axis is at it
_TOGETHER = 12  # rounds in which all modes change that do not fit
_ROUNDS = 3  # for each switched axis, in which one changes; in the last of them it may only be held
_EXACT = 1e-12  # of the impulses that are known, and of that of the fastest speed: those that are rounding


@kernel
def keeps_its_speed(model, scratch, number):
    """True of a motor that keeps its speed whatever it takes."""
    switch = model.switched[number]
    return switch.motor == 1 and scratch.parameters[switch.axis * AXIS_PARAMETERS + MOTOR_LIMIT] == math.inf


@kernel
def gap_to(model, scratch, state, number, per_scale, way):
    """Distance of an axis from its lower limit (way 1) or its upper one (-1), in parts of the size or rad."""
    a = model.switched[number].axis
    if model.switched[number].bounded == 0:
        return math.inf
    bound = scratch.parameters[a * AXIS_PARAMETERS + (LOWER if way > 0.0 else UPPER)]
    return per_scale[a] * way * (state.coordinates[a] - bound)


@kernel
def begin_graphs(model, scratch, memory, state, per_scale, h, lands):
    """Graphs of what leaves a node, by the numbers that hold there, for a step of h (s); and the modes to begin with.

    Limits: an axis that is at one does not go beyond; with `lands` none does, so that it comes no farther than to its
    limit.
    """
    for number in range(len(model.switched)):
        graph, a = memory.graphs[number], model.switched[number].axis
        _take_numbers(model, scratch, graph, number, 0.5 * h, state.speeds[a])
        graph.target = scratch.parameters[a * AXIS_PARAMETERS + MOTOR_VALUE]
        below = gap_to(model, scratch, state, number, per_scale, 1.0)
        above = gap_to(model, scratch, state, number, per_scale, -1.0)
        graph.lower, graph.upper = -math.inf, math.inf
        if h > 0.0 and (below <= _NEAR or lands):
            graph.lower = -max(0.0, below) / (per_scale[a] * h) if lands else 0.0
        if h > 0.0 and (above <= _NEAR or lands):
            graph.upper = max(0.0, above) / (per_scale[a] * h) if lands else 0.0
        graph.hold = _kink_at(graph, state.speeds[a])
        _push(graph, state.speeds[a])


@kernel
def share_targets(model, scratch, memory):
    """Motors keep the mean of their targets at the step's two ends; by the numbers that hold at its end."""
    for number in range(len(model.switched)):
        graph, k = memory.graphs[number], model.switched[number].axis * AXIS_PARAMETERS
        graph.target = 0.5 * graph.target + 0.5 * scratch.parameters[k + MOTOR_VALUE]


@kernel
def end_graphs(model, scratch, memory, per_scale, h):
    """Graphs of what arrives at a node, by the numbers that hold there; what has led the axes there goes on.

    Limits hold there what they held in the step, and what has been at them; what has come to one strikes it later.
    """
    state, trial = memory.motion.state, memory.trial.state
    for number in range(len(model.switched)):
        graph, a = memory.graphs[number], model.switched[number].axis
        w = memory.rate[a]
        arriving = 2.0 * w - state.speeds[a]
        _take_numbers(model, scratch, graph, number, 0.5 * h, arriving if arriving * w > 0.0 else 0.0)
        graph.target = scratch.parameters[a * AXIS_PARAMETERS + MOTOR_VALUE]
        below = gap_to(model, scratch, trial, number, per_scale, 1.0)
        above = gap_to(model, scratch, trial, number, per_scale, -1.0)
        graph.lower = 0.0 if graph.lower > -math.inf and below <= _NEAR else -math.inf
        graph.upper = 0.0 if graph.upper < math.inf and above <= _NEAR else math.inf
        is_gone = (graph.hold == _BY_LOWER and graph.lower < 0.0) or (graph.hold == _BY_UPPER and graph.upper > 0.0)
        if is_gone or (h == 0.0 and not keeps_its_speed(model, scratch, number)):
            graph.hold = _kink_at(graph, w)
            _push(graph, w)
        elif graph.hold != _NOTHING:
            _push(graph, _kink(graph))


@kernel
def bound_blow(model, scratch, memory, per_scale):
    """Nothing but limits, and motors without a maximum, exerts an impulse in no time: no axis at a limit passes it."""
    for number in range(len(model.switched)):
        graph, a = memory.graphs[number], model.switched[number].axis
        u = memory.motion.state.speeds[a]
        if gap_to(model, scratch, memory.motion.state, number, per_scale, 1.0) <= _NEAR:
            graph.lower = 0.0
        if gap_to(model, scratch, memory.motion.state, number, per_scale, -1.0) <= _NEAR:
            graph.upper = 0.0
        graph.hold = _kink_at(graph, u)
        _push(graph, u)


@kernel
def least_bounciness(model, scratch, state, per_scale, slow):
    """That of the limits which axes move into faster than `slow` (1/s); below zero if none does."""
    least = -1.0
    for number in range(len(model.switched)):
        a = model.switched[number].axis
        for side in range(2):
            way = 1.0 if side == 0 else -1.0
            strikes = per_scale[a] * way * state.speeds[a] < -slow and not keeps_its_speed(model, scratch, number)
            if strikes and gap_to(model, scratch, state, number, per_scale, way) <= _NEAR:
                e = scratch.parameters[a * AXIS_PARAMETERS + BOUNCINESS]
                least = e if least < 0.0 else min(least, e)
    return least


@kernel
def least_room(model, scratch, state, trial, per_scale):
    """The least distance from its limit of an axis that was not at it, in parts of the size or rad; below 0: past it.

    What a motor without a maximum leads past its limit is said later, by frames.
    """
    least = math.inf
    for number in range(len(model.switched)):
        if keeps_its_speed(model, scratch, number):
            continue
        for side in range(2):
            way = 1.0 if side == 0 else -1.0
            if gap_to(model, scratch, state, number, per_scale, way) > _NEAR:
                least = min(least, gap_to(model, scratch, trial, number, per_scale, way))
    return least


@kernel
def ends_sliding(model, memory, speeds):
    """True if an axis under friction has come to rest, or turned round, in a step that leads to these speeds."""
    for number in range(len(model.switched)):
        before = memory.motion.state.speeds[model.switched[number].axis]
        if _slid(memory, number, before) and speeds[model.switched[number].axis] * before <= 0.0:
            return True
    return False


@kernel
def _slid(memory, number, before):
    graph = memory.graphs[number]
    return graph.static > 0.0 and graph.push != math.inf and before != 0.0


@kernel
def least_sliding(model, memory, speeds, per_scale, fastest):
    """The least of these speeds of axes that slid before, in the way they did, as a part of the fastest (1/s)."""
    least = math.inf
    for number in range(len(model.switched)):
        a = model.switched[number].axis
        before = memory.motion.state.speeds[a]
        if _slid(memory, number, before):
            least = min(least, per_scale[a] * _sign(before) * speeds[a] / fastest)
    return least


@kernel
def slide_on(model, memory):
    """Friction goes on as the step began, though axes turn round by it: so their speeds change evenly."""
    for number in range(len(model.switched)):
        graph, before = memory.graphs[number], memory.motion.state.speeds[model.switched[number].axis]
        if graph.hold == _BY_FRICTION and _slid(memory, number, before):
            graph.hold, graph.friction = _NOTHING, -_sign(before)


@kernel
def hold_at_rest(model, memory, speeds, per_scale, fastest):
    """Friction holds the axes whose sliding ends with the step: their next way is decided from there."""
    for number in range(len(model.switched)):
        graph, a = memory.graphs[number], model.switched[number].axis
        slides = graph.hold == _NOTHING and _slid(memory, number, memory.motion.state.speeds[a])
        if slides and is_at(per_scale[a] * speeds[a] / fastest):
            graph.hold = _BY_FRICTION


@kernel
def is_at(room):
    """True of a room that is none, within rounding."""
    return abs(room) <= 0.5 * _NEAR


@kernel
def _take_numbers(model, scratch, graph, number, share, speed):
    k, p = model.switched[number].axis * AXIS_PARAMETERS, scratch.parameters
    graph.static = share * p[k + STATIC_FRICTION]
    graph.kinetic = share * axis_friction(p, k, speed) if graph.static > 0.0 else 0.0
    graph.push = 0.0
    if keeps_its_speed(model, scratch, number):
        graph.push = math.inf
    elif model.switched[number].motor:
        graph.push = share * p[k + MOTOR_LIMIT]


@kernel
def _kink_at(graph, x):
    """The hold of an axis at the rate x, if it is at a kink."""
    if graph.push == math.inf or (graph.push > 0.0 and x == graph.target):
        return _BY_MOTOR
    if x <= graph.lower:
        return _BY_LOWER
    if x >= graph.upper:
        return _BY_UPPER
    return _BY_FRICTION if graph.static > 0.0 and x == 0.0 else _NOTHING


@kernel
def _kink(graph):
    """The rate at which an axis is held."""
    if graph.hold == _BY_MOTOR:
        return graph.target
    if graph.hold == _BY_LOWER:
        return graph.lower
    return graph.upper if graph.hold == _BY_UPPER else 0.0


@kernel
def _push(graph, x):
    """Ways that friction and motor push at the rate x, as far as that tells."""
    graph.friction = -_sign(x) if graph.static > 0.0 else 0.0
    graph.motor = _sign(graph.target - x) if 0.0 < graph.push < math.inf else 0.0


@kernel
def hold_rates(model, memory, rates):
    """The rates of axes that are held become those at which they are."""
    for number in range(len(model.switched)):
        graph = memory.graphs[number]
        if graph.hold != _NOTHING and graph.push != math.inf:
            rates[model.switched[number].axis] = _kink(graph)


@kernel
def push_in_step(model, scratch, memory):
    """Adds the impulses of free axes to their efforts, and holds the others at the rates that they have."""
    for number in range(len(model.switched)):
        switch, graph = model.switched[number], memory.graphs[number]
        axis = scratch.axes[switch.axis]
        axis.pace = 0.0
        if graph.hold == _NOTHING:
            axis.held = 0.0 if model.method == LAGRANGE else memory.damper[switch.axis]
            scratch.efforts[switch.axis] += _known(graph)
        else:
            axis.held = HEAVY * switch.inertia


@kernel
def push_at_node(model, scratch, memory):
    """Adds the impulses of free axes to their efforts, and holds the others at their kinks."""
    for number in range(len(model.switched)):
        switch, graph = model.switched[number], memory.graphs[number]
        if graph.hold == _NOTHING:
            scratch.efforts[switch.axis] += _known(graph)
        else:
            scratch.axes[switch.axis].held, scratch.axes[switch.axis].pace = HEAVY * switch.inertia, _kink(graph)


@kernel
def _known(graph):
    """The impulse of a free axis."""
    return graph.friction * graph.kinetic + (graph.motor * graph.push if graph.motor != 0.0 else 0.0)


@kernel
def most_rounds(model):
    """Rounds of solutions after which all modes fit, or are held."""
    return 1 + (_TOGETHER + _ROUNDS * len(model.switched) if len(model.switched) > 0 else 0)


@kernel
def change_modes(model, scratch, memory, rates, per_scale, fastest, turn):
    """Changes modes that the last solution, of these rates, does not fit; False if it fits all.

    fastest: speed (1/s), by which rounding is judged; turn: number of the round.
    """
    if len(model.switched) == 0:
        return False
    update_joint_wrenches(model, scratch)
    rounds, changed = most_rounds(model), False
    for number in range(len(model.switched)):
        graph, a = memory.graphs[number], model.switched[number].axis
        if changed and turn >= _TOGETHER:
            return True
        if graph.hold == _NOTHING:
            changed = _hold_if_passed(graph, rates[a]) or changed
        elif turn < rounds - 1 - len(model.switched) and graph.push != math.inf:
            needed = needed_force(model, scratch, number)
            slight = model.switched[number].inertia * fastest / per_scale[a]
            changed = _let_go(graph, needed, _EXACT * slight) or changed
    return changed


@kernel
def _hold_if_passed(graph, x):
    """Holds a free axis at the first kink that it has passed, at the rate x; False if it has passed none."""
    first, hold = -math.inf, _NOTHING
    if x < graph.lower:
        first, hold = graph.lower, _BY_LOWER
    if graph.motor < 0.0 and x < graph.target and graph.target > first:
        first, hold = graph.target, _BY_MOTOR
    if graph.friction < 0.0 and x < 0.0 and first < 0.0:
        first, hold = 0.0, _BY_FRICTION
    if hold == _NOTHING:
        first = math.inf
        if x > graph.upper:
            first, hold = graph.upper, _BY_UPPER
        if graph.motor > 0.0 and x > graph.target and graph.target < first:
            first, hold = graph.target, _BY_MOTOR
        if graph.friction > 0.0 and x > 0.0 and first > 0.0:
            first, hold = 0.0, _BY_FRICTION
    graph.hold = hold
    return hold != _NOTHING


@kernel
def _let_go(graph, needed, slight):
    """Frees an axis whose holders cannot give the impulse that it takes; False if they can."""
    at, low, high = _kink(graph), 0.0, 0.0
    friction, push = graph.static if at == 0.0 else graph.kinetic, graph.push
    low += -friction if at >= 0.0 else friction
    high += friction if at <= 0.0 else -friction
    low += -push if at >= graph.target else push
    high += push if at <= graph.target else -push
    low = -math.inf if at >= graph.upper else low
    high = math.inf if at <= graph.lower else high
    slight += _EXACT * (friction + push)
    if low - slight <= needed <= high + slight:
        return False
    way = 1.0 if needed < low else -1.0
    graph.hold = _NOTHING
    graph.friction = -_side(at, way) if graph.static > 0.0 else 0.0
    graph.motor = -_side(at - graph.target, way) if graph.push > 0.0 else 0.0
    return True


@kernel
def _side(x, way):
    """The sign of x, or the way that is taken from zero."""
    return way if x == 0.0 else _sign(x)


@kernel
def _sign(x):
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


@kernel
def clear_modes(scratch):
    """No forces push or hold by modes: the equations of a step have impulses for these."""
    for number in range(len(scratch.switches)):
        moving = scratch.switches[number]
        moving.hold, moving.friction, moving.motor = _NOTHING, 0.0, 0.0


@kernel
def show_modes(model, scratch, memory):
    """Writes the modes that the last step has ended in, for the forces in joints there."""
    for number in range(len(model.switched)):
        graph, moving = memory.graphs[number], scratch.switches[number]
        if graph.hold != _NOTHING:
            _push(graph, _kink(graph))
        moving.hold, moving.friction, moving.motor = graph.hold, graph.friction, graph.motor
