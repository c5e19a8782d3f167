# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of fixed length for linkages with closures, through poses where rows become dependent.

A chain that is pulled straight, or a four-bar whose bars come in line: there the way that closures leave bends within
less than a step, and what they ask of accelerations is rounding divided by a small angle
(`dynamics.loops.singularity`). A step in which accelerations jump is taken anew in finer pieces. Where that does not
help, or rows are much more dependent than usual, it is crept: in pieces along what the closures leave at their starts,
each followed by the shortest way back onto them. That way, over the time, is a speed too: a chain that is straight and
cannot sag does not gather speed. No energy comes of it, but some goes: the jerk of a chain that is stretched is an
impact without a bounce.

After what contacts have done, the closures are closed and held in every pose, which Adams leaves to its extrapolation.
Bodies take their velocities along into the pose to which impulses and closing have shifted them, and the speeds that
joints and closures leave of these have no more kinetic energy (`dynamics.loops.velocity_transport`). This is so of
trees too: where a light link is shifted about its own axis, the speeds of its outer joints would turn all beyond along.
"""

import math

from ...dynamics.loops.closures import along, update_rows
from ...dynamics.loops.drift import close, close_firmly, hold_closed, worst_error
from ...dynamics.loops.methods import has_closures, solve_accelerations
from ...dynamics.loops.velocity_transport import carry_velocities
from ...dynamics.tree.driven import driven_bodies_move, update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...evaluation.energy import body_energy
from ...kernel import kernel, kernel_by_class
from ...model.arrays import Kind, RowKind
from ...spatial import dot, load3, load_angular, load_linear
from ..motion.motion import fastest_speed
from .momentum import find_rigid_energies, give_back, note_momenta, restore_momenta

_FREE = int(Kind.FREE)
_COUPLING, _LED = int(RowKind.COUPLING), int(RowKind.LED)
FINER, FINEST = 4, 64  # times as many pieces; and at most
CREEPS = 8  # pieces that are crept
_ROUGH = 0.1  # of a speed: jump of an acceleration, over the piece, that is not resolved
_QUIET = 1e-3  # rad/s2, or parts of the size: accelerations that are none
_LOOSE = 1000.0  # times the limit: what `close` has not closed
_FARTHEST = 2.0  # times what the step has moved: change of a coordinate that closes
_LEAST = 1e-6  # rad, or part of the size: which is always allowed


@kernel
def _is_rough(model, memory, h):
    """True if accelerations of a Runge-Kutta step of h (s) jump so much that its sum says nothing."""
    stages, speeds, axes = memory.stages, memory.motion.state.speeds, len(model.armature)
    speed, jump = h * _QUIET, 0.0
    for k in range(axes):
        share = 1.0 / model.size if model.is_length[k] else 1.0
        speed = max(speed, share * (abs(speeds[k]) + h * abs(stages[0, axes + k])))
        for stage in range(1, 4):
            change = share * h * abs(stages[stage, axes + k] - stages[0, axes + k])
            if not change <= jump:  # so worded that NaN gets through
                jump = change
    return not jump <= _ROUGH * speed


@kernel
def _never(model, memory, h):
    return False


is_rough = kernel_by_class(lambda model: _is_rough if has_closures(model) else _never)


@kernel
def _leave_out_bends(model, scratch):
    bodies, rows = scratch.bodies, scratch.rows
    for r in range(model.closing):
        closure = model.closures[model.rows[r].closure]
        if model.rows[r].kind == _COUPLING or model.rows[r].kind == _LED:
            continue  # which is straight in its coordinates
        rows[r].bias = -rows[r].allowed[2]
        for end in range(closure.ends):
            i = closure.body[end]
            if i < model.driven:
                rows[r].bias -= along(rows[r].wrench[end], bodies[i].acceleration)


@kernel
def _nothing_bends(model, scratch):
    pass


# Asks of all rows that nothing accelerates along them but what leads them, as if they were straight and stood still.
leave_out_bends = kernel_by_class(lambda model: _leave_out_bends if has_closures(model) else _nothing_bends)


@kernel
def end_creeping(model, scratch, memory, tolerance, time, h):
    """Brings the trial state of a crept piece of h (s), at its end, back onto the closures."""
    state, moved = memory.trial.state, memory.shift
    y, p, most = memory.motion.y, memory.trial.y, h * memory.clock[0].speed / model.size
    before = _mark_closed_trees(model, memory.motion.state, scratch, memory.walk)
    for k in range(len(moved)):
        most, moved[k] = max(most, abs(p[k] - y[k]) * tolerance.per_scale[k]), 0.0
    update_driven_bodies(model, time, scratch)
    _close(model, state, scratch, tolerance, _FARTHEST * most + _LEAST, moved, h)
    allowed = before + h * _power(model, scratch, state, memory.walk)
    hold_closed(model, state, scratch, tolerance.drift * max(1.0, fastest_speed(state.speeds, tolerance.per_scale)))
    restore_momenta(model, scratch, state, memory.momenta)
    _slow_down(model, scratch, memory, state, allowed)


@kernel
def _mark_closed_trees(model, state, scratch, walk):
    """Marks (walk.path = 1 at the root) trees with closures; J: their energy, infinite where driven bodies move."""
    for i in range(len(model.bodies)):
        walk.path[i] = 0
    for r in range(model.closing):
        closure = model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            walk.path[walk.root[closure.body[end]]] = 1
    for i in range(model.driven):
        walk.path[i] = 0
    if driven_bodies_move(model, scratch):
        return math.inf
    return _energy(model, state, scratch, walk)


@kernel
def _energy(model, state, scratch, walk):
    """J: kinetic, of the trees that are marked."""
    total = 0.0
    for i in range(model.driven, len(model.bodies)):
        if walk.path[walk.root[i]]:
            total += body_energy(model, state, scratch, i)
    return total


@kernel
def _power(model, scratch, state, walk):
    """W: of the forces on the trees that are marked, at the speeds of now."""
    total = 0.0
    for i in range(model.driven, len(model.bodies)):
        if walk.path[walk.root[i]]:
            moving = scratch.bodies[i]
            total += dot(load_angular(moving.wrench), load3(moving.angular))
            total += dot(load_linear(moving.wrench), load3(moving.linear))
            for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
                total += scratch.efforts[k] * state.speeds[k]
    return total


@kernel
def _slow_down(model, scratch, memory, state, allowed):
    """Takes from the trees that are marked what energy (J) they have beyond what is allowed.

    Momenta of what floats stay, as long as there is motion within that can be slowed down.
    """
    marked = memory.walk.path
    now = _energy(model, state, scratch, memory.walk)
    if not now > allowed:
        return
    momenta, rigid = memory.momenta, 0.0
    find_rigid_energies(model, scratch, momenta, memory.islands.rigid)
    for i in range(model.driven, len(model.bodies)):
        if momenta.piece[i] == i and marked[i]:
            rigid += memory.islands.rigid[i]
    share = math.sqrt(max(0.0, allowed - rigid) / (now - rigid)) if now > rigid else 0.0
    kept = math.sqrt(min(1.0, max(0.0, allowed) / rigid)) if rigid > 0.0 else 0.0
    for i in range(model.driven, len(model.bodies)):
        if marked[memory.walk.root[i]]:
            for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
                state.speeds[k] *= share
        memory.islands.share[i] = kept - share if marked[i] else 0.0
    update_kinematics(model, state, scratch)
    give_back(model, scratch, state, momenta, memory.islands.share)
    update_rows(model, state, scratch)


@kernel
def _close(model, state, scratch, tolerance, most, moved, h):
    """Closes firmly, and takes the way for a speed."""
    close_firmly(model, state, scratch, tolerance.drift, most, moved)
    _take_for_speed(model, state, scratch, moved, h)


@kernel
def _take_for_speed(model, state, scratch, moved, h):
    for k in range(len(moved)):
        state.speeds[k] += moved[k] / h
    update_kinematics(model, state, scratch)
    update_rows(model, state, scratch)


@kernel
def _settle_firmly(model, scratch, memory, tolerance, is_moved):
    state, moved, h = memory.motion.state, memory.shift, memory.clock[0].h
    if not is_moved:
        note_momenta(model, scratch, memory.momenta)
    update_driven_bodies(model, memory.clock[0].time, scratch)
    close(model, state, scratch, tolerance.drift)
    is_closed, is_firm = True, scratch.pivots[0].is_singular or worst_error(model, scratch) > _LOOSE * tolerance.drift
    if is_firm:
        for k in range(len(moved)):
            moved[k] = 0.0
        most = h * max(memory.clock[0].speed / model.size, fastest_speed(state.speeds, tolerance.per_scale))
        is_closed = close_firmly(model, state, scratch, tolerance.drift, _FARTHEST * most + _LEAST, moved)
    memory.counts[0].lost = 0 if is_closed else memory.counts[0].lost + 1
    if is_moved:
        carry_velocities(model, state, scratch, memory.apart)
        update_rows(model, state, scratch)
        solve_accelerations(model, scratch)
    if is_firm:
        _take_for_speed(model, state, scratch, moved, h)
    hold_closed(model, state, scratch, tolerance.drift * max(1.0, memory.clock[0].fastest))
    restore_momenta(model, scratch, state, memory.momenta)


@kernel
def _settle_trees(model, scratch, memory, tolerance, is_moved):
    if is_moved:
        state = memory.motion.state
        if _has_joints(model):
            carry_velocities(model, state, scratch, memory.apart)
        restore_momenta(model, scratch, state, memory.momenta)


@kernel
def _has_joints(model):
    found = False
    for i in range(model.driven, len(model.bodies)):
        found = found or model.bodies[i].kind != _FREE
    return found


# Moves the state at a step's end onto the closures; counts.lost tells how often in a row it could not. Where the pose
# was shifted (`is_moved`), bodies keep the velocities of before (memory.apart), and floating pieces their momenta.
settle_firmly = kernel_by_class(lambda model: _settle_firmly if has_closures(model) else _settle_trees)
