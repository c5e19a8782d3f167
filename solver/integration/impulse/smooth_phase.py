# SPDX-License-Identifier: GPL-3.0-or-later
"""Phase 1 of a step: the motion as if nothing were met, by Runge-Kutta of order 4."""

import math

from ...contact.impulses.propagation import update_omega
from ...dynamics.loops.ropes import fastest_at_wheels, longest_at_wheels
from ...dynamics.tree.surface_joints import fastest_turning, leave_poles, put_ride_changes
from ...evaluation.energy import kinetic_energy
from ...kernel import kernel, kernel_by_class
from ...model.arrays import SparseModel
from ...spatial import dot, load3
from ..motion.motion import copy_anchors, recenter
from .arrival import arrive
from .energy_bound import note_energy
from .evaluate import CREEPING, ON_THE_WAY, START_OF_STEP, evaluate
from .implicit import choose_stiff
from .kept_forces import forget_kept_forces, note_kept_forces, note_turning
from .look_ahead import SAME, end_before_bounce, look_ahead
from .loop_steps import CREEPS, FINER, FINEST, end_creeping, is_rough
from .momentum import add_impulses, note_momenta, restore_momenta
from .outside_work import begin_outside_work, forget_given, note_forces_given
from .rebounds import end_before_rebound
from .step_control import choose_pieces, keep_beginning, restore_start

_BEHIND = 1e-12  # of the time: where tables that jump at a step's start already go on
_TURN = 0.1  # rad: that Runge-Kutta takes at once, or free spin gains or loses energy, with its fifth power
_MOST_PIECES = 48.0
_DRIVEN_OFF = 10.0  # times the energy of motion and of falling in a step: what forces that balance do not lead to
_BEND = 3e-3  # of a speed: what its change in a piece may differ by from that of a parabola
_AIM = 0.8  # times that: the bend for which pieces are chosen
_STILL = 1e-5  # of what gravity does to a speed in a piece: a speed that is none, whose changes are rounding
_AT_ONCE = 1e-9  # of a step: the rest of one that cannot go on
_SMOOTH, _ROUGH, _COARSE = range(3)  # Runge-Kutta steps


@kernel
def move_smoothly(model, scratch, memory, tolerance, goal):
    """Moves to the step's end as if nothing were met: classical Runge-Kutta. Kinematics are those of its end."""
    clock, stages, state, trial = memory.clock[0], memory.stages, memory.motion.state, memory.trial.state
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    leave_poles(model.rides, model, state)
    copy_anchors(state, trial)
    t = clock.time
    memory.parting.margin[0] = memory.parting.margin[1]
    behind = _BEHIND * max(1.0, abs(t))
    if not memory.counts[0].chosen:
        choose_pieces(model, scratch, memory, t + behind)
    memory.counts[0].chosen = 0
    keep_beginning(memory)
    evaluate(model, scratch, memory, t + behind, state, stages[0], START_OF_STEP)
    if _find_stiff(model, scratch, memory):
        evaluate(model, scratch, memory, t + behind, state, stages[0], START_OF_STEP)
    note_energy(model, state, scratch, memory.contact, memory.implicit, memory.outside, memory.islands)
    begin_outside_work(model, scratch, memory.outside)
    for i in range(len(model.bodies)):
        for k in range(3):
            memory.began.center[i, k] = scratch.bodies[i].center[k]
            memory.began.velocity[i, k] = scratch.bodies[i].angular[k]
            memory.began.velocity[i, 3 + k] = scratch.bodies[i].linear[k]
    note_turning(memory)
    number = math.floor(t / memory.interval + SAME)
    end = (number + 1.0) * memory.interval
    if clock.interval < memory.interval:
        last = number * memory.interval
        end = last + (math.floor((t - last) / clock.interval + SAME) + 1.0) * clock.interval
    if goal < end + SAME * memory.interval:
        end = goal
    clock.at_wheels = longest_at_wheels(model, scratch)
    end = min(end, t + max(clock.at_wheels, _AT_ONCE * memory.interval))
    end = end_before_rebound(model, memory, scratch.parameters, end)
    end = end_before_bounce(scratch, memory, len(model.bodies) - model.driven, end)
    before = kinetic_energy(model, state, scratch)
    _integrate(model, scratch, memory, tolerance, t, end)
    most = _DRIVEN_OFF * (before + _energy_of_falling(model, scratch, end - t))
    has_forces = memory.counts[0].balanced and memory.contact.counts[0].blocks > 0
    if has_forces and not kinetic_energy(model, trial, scratch) <= most:  # nor if that is no number
        memory.counts[0].balanced = 0
        restore_start(memory)
        evaluate(model, scratch, memory, t + behind, state, stages[0], START_OF_STEP)
        _integrate(model, scratch, memory, tolerance, t, end)
    clock.began, clock.h, clock.time = t, end - t, end
    memory.counts[0].steps += 1
    look_ahead(model, scratch, memory)


@kernel
def _energy_of_falling(model, scratch, h):
    """J: of all bodies, from rest, in a time of `h` (s)."""
    p, first, total = scratch.parameters, len(scratch.parameters) - 3 * len(model.bodies), 0.0
    for i in range(model.driven, len(model.bodies)):
        k = first + 3 * i
        total += 0.5 * model.bodies[i].mass * h * h * (p[k] ** 2 + p[k + 1] ** 2 + p[k + 2] ** 2)
    return total


@kernel
def _integrate(model, scratch, memory, tolerance, t, end):
    """From the step's start, which has been evaluated, to its end, with the forces of the last step where they balance.

    In a jam these may be large and balance each other only in the pose in which they were found: where they drive the
    bodies off, the step is taken without them, by `move_smoothly`.
    """
    stages, state, trial = memory.stages, memory.motion.state, memory.trial.state
    behind = _BEHIND * max(1.0, abs(t))
    pieces = _first_pieces(model, memory, _pieces(model, scratch, end - t), end - t)
    while True:
        found = _runge_kutta(model, scratch, memory, t, end, pieces)
        if found == _SMOOTH or (found == _COARSE and pieces >= FINEST):
            break
        restore_start(memory)
        pieces = _more_pieces(model, memory, pieces, found)
        if found == _ROUGH and (pieces > FINEST or scratch.pivots[0].is_singular):  # finer ones meet it more closely
            _creep(model, scratch, memory, tolerance, t, end)
            break
        evaluate(model, scratch, memory, t + behind, state, stages[0], START_OF_STEP)
    arrive(model, scratch, memory, end, end - t)
    restore_momenta(model, scratch, trial, memory.momenta)
    memory.clock[0].pieces = pieces / (end - t) * _refinement(memory) if found == _SMOOTH and end > t else 0.0


@kernel
def _refinement(memory):
    """The factor to as many pieces as have the bend that is aimed at: it grows with the cube of their length."""
    return (memory.clock[0].bend / (_AIM * _BEND)) ** (1.0 / 3.0)


@kernel
def _as_in_last_step(model, memory, least, h):
    return max(least, int(min(FINEST, math.ceil(h * memory.clock[0].pieces))))


@kernel
def _least(model, memory, least, h):
    return least


@kernel
def _as_bent(model, memory, pieces, found):
    more = FINER * pieces
    if found == _COARSE and memory.clock[0].bend < math.inf:
        more = min(more, max(pieces + 1, math.ceil(pieces * min(FINER, _refinement(memory)))))
    return min(more, FINEST) if pieces < FINEST else more


@kernel
def _finer(model, memory, pieces, found):
    return FINER * pieces


# Into how many pieces a step of h (s) is cut at first, and after it was too rough or coarse. Where an evaluation takes
# long, as many as the bend asks for: a net's crosses swing within milliseconds for as long as it moves.
_first_pieces = kernel_by_class(lambda model: _as_in_last_step if model is SparseModel else _least)
_more_pieces = kernel_by_class(lambda model: _as_bent if model is SparseModel else _finer)


@kernel
def _runge_kutta(model, scratch, memory, start, end, pieces):
    """Runge-Kutta in so many pieces, where stages[0] is the start's.

    Ends early where closures leave it too ROUGH; else tells whether a piece was too COARSE.
    """
    found = _SMOOTH
    y, p, stages, clock = memory.motion.y, memory.trial.y, memory.stages, memory.clock[0]
    state, trial = memory.motion.state, memory.trial.state
    h, clock.unresolved, clock.bend = (end - start) / pieces, 0.0, 0.0
    note_momenta(model, scratch, memory.momenta)
    forget_given(memory.outside)
    forget_kept_forces(memory)
    _note_given(model, scratch, memory, h / 6.0)
    for piece in range(pieces):
        now = start + piece * h
        if piece > 0:
            _go_on_from_trial(model, memory)
            evaluate(model, scratch, memory, now, state, stages[0], ON_THE_WAY)
            _note_given(model, scratch, memory, h / 6.0)
        for stage in range(1, 4):
            share = h if stage == 3 else 0.5 * h
            for c in range(len(y)):
                p[c] = y[c] + share * stages[stage - 1, c]
            evaluate(model, scratch, memory, now + share, trial, stages[stage], ON_THE_WAY)
            _note_given(model, scratch, memory, h / 6.0 if stage == 3 else h / 3.0)
        bend = _bend(model, memory, h)
        if not bend <= clock.bend:
            clock.bend = bend
        if is_rough(model, memory, h):
            return _ROUGH
        if not bend <= _BEND:
            found = _COARSE
            if pieces < FINEST:
                return found
            if not bend <= clock.unresolved:
                clock.unresolved = bend
        for c in range(len(y)):
            p[c] = y[c] + h / 6.0 * (stages[0, c] + 2.0 * (stages[1, c] + stages[2, c]) + stages[3, c])
    return found


@kernel
def _note_given(model, scratch, memory, time):
    """Notes the impulses of the present applied forces in a `time` (s)."""
    add_impulses(model, scratch, memory.momenta, time)
    note_forces_given(model, scratch, memory.outside, time)
    note_kept_forces(memory, time)


@kernel
def _bend(model, memory, h):
    """The bend of a Runge-Kutta step of h (s), as a part of its speeds: k1 - k2 - k3 + k4, of third order."""
    stages, speeds, axes = memory.stages, memory.motion.state.speeds, len(model.armature)
    speed, bend = _STILL * memory.clock[0].gravity * h / model.size, 0.0
    for k in range(axes):
        share, a = (1.0 / model.size if model.is_length[k] else 1.0), axes + k
        speed = max(speed, share * (abs(speeds[k]) + h * abs(stages[0, a])))
        bend = max(bend, share * h * abs(stages[0, a] - stages[1, a] - stages[2, a] + stages[3, a]))
    return bend / speed if bend > 0.0 else bend


@kernel
def _find_stiff(model, scratch, memory):
    """Which springs are stiff, by the pivots of a motion that none of them holds; True if they are more than before."""
    if len(model.sprung) == 0:
        return False
    update_omega(model, scratch, memory.walk)
    implicit, contact, state = memory.implicit, memory.contact, memory.motion.state
    return choose_stiff(model, scratch, implicit, contact, memory.walk, state, memory.interval)


@kernel
def _go_on_from_trial(model, memory):
    """Goes on from the trial state."""
    state, y, p = memory.motion.state, memory.motion.y, memory.trial.y
    for c in range(len(y)):
        y[c] = p[c]
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    leave_poles(model.rides, model, state)
    copy_anchors(state, memory.trial.state)


@kernel
def _creep(model, scratch, memory, tolerance, start, end):
    """The same step along the closures."""
    y, p, rates, axes = memory.motion.y, memory.trial.y, memory.stages[0], len(model.armature)
    h, memory.clock[0].unresolved = (end - start) / CREEPS, 0.0
    for piece in range(CREEPS):
        if piece > 0:
            _go_on_from_trial(model, memory)
        evaluate(model, scratch, memory, start + piece * h, memory.motion.state, rates, CREEPING)
        if piece == 0:
            note_momenta(model, scratch, memory.momenta)
            forget_given(memory.outside)
            forget_kept_forces(memory)
        _note_given(model, scratch, memory, h)
        for k in range(axes):
            p[axes + k] = y[axes + k] + h * rates[axes + k]
            memory.shift[k] = h * p[axes + k]  # symplectic: what swings fast gains no energy
        put_ride_changes(model.rides, model, memory.motion.state, memory.shift)
        for k in range(axes):
            p[k] = y[k] + memory.shift[k]
        end_creeping(model, scratch, memory, tolerance, start + (piece + 1) * h, h)


@kernel
def _pieces(model, scratch, h):
    """Into how many Runge-Kutta steps a step of h (s) is cut, where something spins fast, runs over a surface or
    passes a wheel."""
    fastest = 0.0
    for i in range(model.driven, len(model.bodies)):
        w = load3(scratch.bodies[i].angular)
        fastest = max(fastest, dot(w, w))
    fastest = max(math.sqrt(fastest), fastest_turning(model.rides, model, scratch))
    fastest = max(fastest, fastest_at_wheels(model, scratch))
    return int(min(_MOST_PIECES, max(1.0, math.ceil(h * fastest / _TURN))))
