# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed steps with impulses: for linkages that touch things.

A step from t to t + h:
    1. moves as smooth forces will have it, by Runge-Kutta of order 4; what contacts, limits, friction and motors
       exerted in the step before goes on, evenly (`push`);
    2. finds the points of contact there (`contact.ground`, `contact.collision`);
    3. takes those impulses back and asks anew what they must be (`contact.impulses`): impacts first, which jump; then
       what pushes from now on, by impulses that change the pose by h/2 times the speeds that they give, as even forces
       would;
    4. leads overlaps that are left apart, which gives no speed.
At rest the impulses of the step before are the right ones: nothing moves, whatever h. Where something is about to
bounce, the step ends there: heights of bounces do not depend on h.

Stiff springs and dampers of joints act with what they will be at the step's end (`implicit`), so that no h is too long
for them.
"""

import math
from typing import NamedTuple

import numpy as np

from ..contact.blocks import build_blocks, point_rate
from ..contact.collision import Collision
from ..contact.ground import GroundShapes, ground_shapes, touch_ground
from ..contact.impulses import (
    TOUCH,
    begin_leading_on,
    lead_on,
    note_forces,
    solve_impacts,
    sweep,
    sweep_apart,
    take_up_forces,
    write_forces,
)
from ..contact.memory import (
    AXIS_ROWS,
    BLOCKS,
    BLOCKS_BEFORE,
    CONTACTS,
    CONTACTS_BEFORE,
    POINTS,
    ROWS,
    ContactMemory,
    new_contact_memory,
)
from ..contact.walk import Walk, begin_walk, begin_walk_with, new_walk, settle_impulses, update_omega
from ..dynamics.acceleration import solve_rates, update_forces
from ..dynamics.drift import remove_opening, settle
from ..dynamics.kinematics import update_kinematics
from ..dynamics.methods import has_closures, update_closures
from ..kernel import Callback, call_back, entry, kernel, kernel_by_class
from ..mechanism.compilation import Compiled
from ..mechanism.model import Hold, Model, Scratch, State
from ..mechanism.surfaces import surfaces_of
from ..spatial import add, cross, dot, load3, load_angular, load_linear, scale, store3, subtract
from .implicit import Implicit, choose_stiff, hold_stiff, leave_out_stiff, new_implicit, push_stiff
from .momentum import Momenta, add_impulses, new_momenta, note_momenta, restore_momenta
from .motion import Motion, Status, Tolerance, copy_anchors, fastest_speed, new_motion, recenter
from .observation import Frames, new_frames, write_frame

_DONE, _PAUSED, _NOT_FINITE = int(Status.DONE), int(Status.PAUSED), int(Status.NOT_FINITE)
_STOPPED, _NEEDS_ROOM = int(Status.STOPPED), int(Status.NEEDS_ROOM)
_BY_UPPER = int(Hold.UPPER)
_BEHIND = 1e-12
_SAME = 1e-6  # of a step: times that are one
_CUTS = 8  # of one step, where something bounces
_MOST_BODIES_TO_CUT_FOR = 60  # among more of them something bounces nearly always
_NEAR = 1e-3  # gaps to look at, in sizes
_AHEAD = 2.0  # and in steps
_EXACT = 1e-5  # of what gravity does to a speed in a step: a change that ends the sweeps
_EXACT_IN_MOTION = 1e-5  # of the largest speed of a body, which also does
_LEAST_SWEEPS, _MOST_SWEEPS = 10, 200
_SIMPLE_SWEEPS = 4  # before they are led on, and at the end
_ASTRAY = 3.0  # times the least change so far
_MOST_VISITS = 4000  # of blocks, in the sweeps of a step
_APART_SWEEPS = 40
_APART_EXACT = 0.01  # of the deepest overlap
_SLACK = 1e-4  # of a size: overlap that is left
_APART = 0.2  # of an overlap that is undone in a step
_UNBOUNDED = 1 << 40  # evaluations
_ROOM = 8  # points for each shape, at first
_TURN = 0.3  # rad: that Runge-Kutta takes at once
_MOST_PIECES = 16.0
_NO_SHIFT = 1e-11  # m or rad
_LEAST_GRAVITY = 1e-3  # m/s2
_SLOW = 2.0  # times what gravity does in a step: approach that does not bounce

TIME, FASTEST, BEGAN, H, GRAVITY, SPEED, REACH = range(7)  # entries of `clock`; BEGAN and H (s): the last step's
EVALUATIONS, STEPS, PHASE, CUTS, BALANCED = range(5)  # of `counts`; BALANCED: 1 if the last forces were right
_FRAME, _START_OF_STEP, _ON_THE_WAY = range(3)  # purposes of an evaluation
_START, _READY, _MOVED = range(3)  # phases: MOVED is without impulses yet


class Began(NamedTuple):
    """Where the last step began, so that it can be taken anew and end sooner."""

    y: np.ndarray  # (2 A,)
    anchor: np.ndarray  # (C, 4)
    center: np.ndarray  # (B, 3) m
    push: np.ndarray  # (B, 6)
    effort: np.ndarray  # (A,)
    balanced: np.ndarray  # (1,) int64
    inertia: np.ndarray  # (A,)
    servo: np.ndarray  # (A,) int64


class ImpulseArrays(NamedTuple):
    """What the kernels remember of a linkage's integration between calls."""

    motion: Motion
    trial: Motion
    stages: np.ndarray  # (4, 2 A)
    shift: np.ndarray  # (A,): changes of speeds in this step that were no jumps
    apart: np.ndarray  # (B, 6) work: shifts of bodies that overlap
    push: np.ndarray  # (B, 6) N m, N: the forces that go on from the last step, about the centres of mass
    effort: np.ndarray  # (A,) N or N m: and what friction, motors and limits of joints exerted
    implicit: Implicit
    began: Began
    contact: ContactMemory
    walk: Walk
    momenta: Momenta
    shapes: GroundShapes
    has_ground: bool
    has_pairs: bool
    height: float
    interval: float  # s: steps end at its multiples
    clock: np.ndarray  # (7,)
    counts: np.ndarray  # (5,) int64


@entry
def advance_steps(
    model: Model,
    scratch: Scratch,
    memory: ImpulseArrays,
    find,
    tolerance: Tolerance,
    stop,
    until,
    frame_times,
    frame,
    frames: Frames,
    limit,
):
    """Steps on, up to a number of evaluations in all; returns (status, number of the next frame).

    find: the handle of a Callback that writes the points between bodies, at the poses in scratch.bodies and with gaps
    below clock[REACH], as the first ones of memory.contact.points, and returns their number. Status NEEDS_ROOM asks for
    a longer array, STOPPED tells that `find` has failed.
    """
    clock, counts, points = memory.clock, memory.counts, memory.contact.points
    while True:
        if counts[PHASE] == _START:
            _evaluate(model, scratch, memory, clock[TIME], memory.motion.state, memory.stages[0], _FRAME)
            _look_ahead(model, scratch, memory)
        if counts[PHASE] != _READY:
            found = call_back(find, 0) if memory.has_pairs else 0
            if found < 0:
                return _STOPPED, frame
            if memory.has_ground and found <= len(points):
                found = touch_ground(memory.shapes, scratch.bodies, memory.height, clock[REACH], points, found)
            if found > len(points):
                return _NEEDS_ROOM, frame
            memory.contact.counts[POINTS] = found
            if counts[PHASE] == _START:
                _begin(model, scratch, memory)
            else:
                _finish_step(model, scratch, memory, tolerance)
                if not _is_finite(memory.motion.state):
                    return _NOT_FINITE, frame
            counts[PHASE] = _READY
        while frame < len(frame_times) and frame_times[frame] <= min(clock[TIME], until):
            _evaluate(model, scratch, memory, clock[TIME], memory.motion.state, memory.stages[0], _FRAME)
            write_frame(model, memory.motion.state, scratch, frames, frame)
            frame += 1
        if clock[TIME] >= min(stop, until):
            return _DONE, frame
        if counts[EVALUATIONS] >= limit:
            return _PAUSED, frame
        goal = stop if frame >= len(frame_times) else min(stop, frame_times[frame])
        _flow(model, scratch, memory, goal)
        counts[PHASE] = _MOVED


@kernel
def _evaluate(model, scratch, memory, time, state, rates, purpose):
    """One evaluation of the motion, with the forces of contacts and axes from the last step.

    purpose: for a FRAME, with all efforts as they are there; for the START of a step; or ON_THE_WAY, where bodies that
    slide on each other still meet in one point. A step starts from no forces that do not balance yet.
    """
    update_forces(model, time, state, scratch)
    contact = memory.contact
    leave_out_stiff(model, scratch, memory.implicit, contact, state, purpose == _FRAME)
    if purpose == _FRAME or memory.counts[BALANCED]:
        for i in range(model.driven, len(model.bodies)):
            for k in range(6):
                scratch.bodies[i].wrench[k] += memory.push[i, k]
        for axis in range(len(memory.effort)):
            if memory.effort[axis] != 0.0:
                scratch.efforts[axis] += memory.effort[axis]
        if purpose == _ON_THE_WAY:
            _add_slides(model, scratch, memory)
    solve_rates(model, state, scratch, rates)
    memory.counts[EVALUATIONS] += 1


@kernel
def _add_slides(model, scratch, memory):
    for b in range(memory.contact.counts[BLOCKS]):
        block = memory.contact.blocks[b]
        if block.body[0] >= model.driven:
            moment = slide_moment(scratch, memory.began.center, block)
            for k in range(3):
                scratch.bodies[block.body[0]].wrench[k] += moment[k]
                scratch.bodies[block.body[1]].wrench[k] += moment[k]


@kernel
def slide_moment(scratch, began, block):
    """What two bodies that slide on each other get, both of them, so that the block's force gives no moment to the two.

    Its force is noted about their centres; the point where it acts moves on with the mean of them.
    """
    a, b = block.body[0], block.body[1]
    x_a, x_b = load3(scratch.bodies[a].center), load3(scratch.bodies[b].center)
    apart = subtract(subtract(x_a, load3(began[a])), subtract(x_b, load3(began[b])))
    return scale(0.5, cross(apart, load3(block.force)))


@kernel
def _begin(model, scratch, memory):
    """What is about to be met at the very start, for the first step."""
    memory.clock[H] = memory.interval
    update_omega(model, scratch, memory.walk)
    choose_stiff(model, scratch, memory.implicit, memory.contact, memory.walk, memory.interval)
    h = memory.interval
    build_blocks(model, memory.motion.state, scratch, memory.walk, memory.contact, h, _NEAR, _AHEAD * h)
    _let_come(model, scratch, memory)


@kernel
def _look_ahead(model, scratch, memory):
    """How far to look for points: as far as two bodies may come towards each other in the next steps."""
    fastest, gravity, small = 0.0, 0.0, math.inf
    p, first = scratch.parameters, len(scratch.parameters) - 3 * len(model.bodies)
    for i in range(len(model.bodies)):
        moving, k = scratch.bodies[i], first + 3 * i
        spin, v = load3(moving.angular), load3(moving.linear)
        fastest = max(fastest, math.sqrt(dot(v, v)) + memory.contact.reach[i] * math.sqrt(dot(spin, spin)))
        gravity = max(gravity, math.sqrt(p[k] ** 2 + p[k + 1] ** 2 + p[k + 2] ** 2))
    for k in range(len(memory.contact.size)):
        small = min(small, memory.contact.size[k])
    h = memory.interval
    memory.clock[GRAVITY], memory.clock[SPEED] = max(gravity, _LEAST_GRAVITY), fastest
    memory.clock[REACH] = 2.0 * _AHEAD * h * (fastest + gravity * h) + 2.0 * _NEAR * small


@kernel
def _flow(model, scratch, memory, goal):
    """Moves to the step's end as if nothing were met: classical Runge-Kutta. Kinematics are those of its end."""
    clock, y, p, stages = memory.clock, memory.motion.y, memory.trial.y, memory.stages
    state, trial = memory.motion.state, memory.trial.state
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    copy_anchors(state, trial)
    _keep_beginning(memory)
    t = clock[TIME]
    behind = _BEHIND * max(1.0, abs(t))
    _evaluate(model, scratch, memory, t + behind, state, stages[0], _START_OF_STEP)
    for i in range(len(model.bodies)):
        for k in range(3):
            memory.began.center[i, k] = scratch.bodies[i].center[k]
    end = (math.floor(t / memory.interval + _SAME) + 1.0) * memory.interval
    if goal < end + _SAME * memory.interval:
        end = goal
    end = _end_before_bounce(scratch, memory, end)
    pieces = _pieces(model, scratch, end - t)
    h = (end - t) / pieces
    _note(model, scratch, memory, h / 6.0)
    for piece in range(pieces):
        start = t + piece * h
        if piece > 0:
            for c in range(len(y)):
                y[c] = p[c]
            for chart in range(len(model.charted)):
                recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
            copy_anchors(state, trial)
            _evaluate(model, scratch, memory, start, state, stages[0], _ON_THE_WAY)
            _push_on(model, scratch, memory, h / 6.0)
        for stage in range(1, 4):
            share = h if stage == 3 else 0.5 * h
            for c in range(len(y)):
                p[c] = y[c] + share * stages[stage - 1, c]
            _evaluate(model, scratch, memory, start + share, trial, stages[stage], _ON_THE_WAY)
            _push_on(model, scratch, memory, h / 6.0 if stage == 3 else h / 3.0)
        for c in range(len(y)):
            p[c] = y[c] + h / 6.0 * (stages[0, c] + 2.0 * (stages[1, c] + stages[2, c]) + stages[3, c])
    # what is there at the end, with the inertia of what is stiff; its accelerations are of no use
    hold_stiff(model, scratch, memory.implicit, 1.0)
    _evaluate(model, scratch, memory, end, trial, stages[3], _ON_THE_WAY)
    hold_stiff(model, scratch, memory.implicit, 0.0)
    _restore(model, scratch, memory, memory.trial.state)
    clock[BEGAN], clock[H], clock[TIME] = t, end - t, end
    memory.counts[STEPS] += 1
    _look_ahead(model, scratch, memory)


@kernel
def _pieces(model, scratch, h):
    """Into how many Runge-Kutta steps a step of h (s) is cut, where something spins fast."""
    fastest = 0.0
    for i in range(model.driven, len(model.bodies)):
        w = load3(scratch.bodies[i].angular)
        fastest = max(fastest, dot(w, w))
    return int(min(_MOST_PIECES, max(1.0, math.ceil(h * math.sqrt(fastest) / _TURN))))


@kernel
def _note_of_tree(model, scratch, memory, share):
    note_momenta(model, scratch, memory.walk.root, memory.momenta)
    add_impulses(model, scratch, memory.walk.root, memory.momenta, share)


@kernel
def _push_tree_on(model, scratch, memory, share):
    add_impulses(model, scratch, memory.walk.root, memory.momenta, share)


@kernel
def _restore_tree(model, scratch, memory, state):
    restore_momenta(model, scratch, state, memory.walk.root, memory.momenta)


@kernel
def _leave_share(model, scratch, memory, share):
    pass


@kernel
def _leave(model, scratch, memory, state):
    pass


# Closures may take momentum away: only trees without any keep theirs.
_note = kernel_by_class(lambda model: _leave_share if has_closures(model) else _note_of_tree)
_push_on = kernel_by_class(lambda model: _leave_share if has_closures(model) else _push_tree_on)
_restore = kernel_by_class(lambda model: _leave if has_closures(model) else _restore_tree)


@kernel
def _keep_beginning(memory):
    began, state = memory.began, memory.motion.state
    for c in range(len(began.y)):
        began.y[c] = memory.motion.y[c]
    copy_anchors(state, began)
    for i in range(len(memory.push)):
        for k in range(6):
            began.push[i, k] = memory.push[i, k]
    began.balanced[0] = memory.counts[BALANCED]
    for axis in range(len(began.inertia)):
        began.effort[axis] = memory.effort[axis]
        began.inertia[axis] = memory.implicit.inertia[axis]
        began.servo[axis] = memory.contact.servo[axis]


@kernel
def _end_before_bounce(scratch, memory, end):
    """Cuts a step short where something that bounces arrives; by accelerations, and the speeds at its start."""
    contact, t = memory.contact, memory.clock[TIME]
    for c in range(contact.counts[CONTACTS]):
        each = contact.contacts[c]
        if each.waits:
            rate, second = point_rate(scratch, each), _point_acceleration(scratch, each)
            root = rate * rate - 2.0 * second * each.gap
            if rate < 0.0 and root >= 0.0:
                arrival = t + 2.0 * each.gap / (-rate + math.sqrt(root))
                end = min(end, max(arrival, t + 1e-9 * memory.interval))
    memory.counts[CUTS] = memory.counts[CUTS] + 1 if end < t + (1.0 - _SAME) * memory.interval else 0
    return end


@kernel
def _point_acceleration(scratch, contact):
    """m/s2: second derivative of the gap, the normal standing still."""
    x = load3(contact.position)
    a = _acceleration_at(scratch.bodies[contact.body[0]], x)
    b = _acceleration_at(scratch.bodies[contact.body[1]], x)
    return dot(load3(contact.normal), subtract(b, a))


@kernel
def _acceleration_at(body, x):
    w, r = load3(body.angular), subtract(x, load3(body.center))
    turning = cross(load_angular(body.acceleration), r)
    return add(load_linear(body.acceleration), add(turning, cross(w, cross(w, r))))


@kernel
def _finish_step(model, scratch, memory, tolerance):
    """From the free motion to the real one: impulses, the poses that they shift, and overlaps."""
    contact, walk, clock = memory.contact, memory.walk, memory.clock
    state, h = memory.trial.state, clock[H]
    begin_walk(model, scratch, walk)
    if memory.counts[BALANCED]:
        _take_back(model, scratch, memory, h)
    update_omega(model, scratch, walk)
    build_blocks(model, state, scratch, walk, contact, memory.interval, _NEAR, _AHEAD * memory.interval)
    for k in range(len(memory.shift)):
        memory.shift[k] = 0.0
    take_up_forces(model, scratch, walk, contact, h)
    push_stiff(model, scratch, memory.implicit, walk, state, h)
    _jump(model, state, scratch, memory, 1.0)
    slow = _SLOW * clock[GRAVITY] * memory.interval
    soon = 0.0 if _may_cut(model, memory) else memory.interval
    begin_walk(model, scratch, walk)
    if not solve_impacts(model, scratch, walk, contact, slow, soon, memory.interval):
        _jump(model, state, scratch, memory, 0.0)
        _end_impacts(model, scratch, memory, state, tolerance)
    _jump(model, state, scratch, memory, 0.0)
    _let_come(model, scratch, memory)
    is_done = _solve(model, scratch, memory, contact.impulse, state, tolerance, 1.0)
    write_forces(contact, h, memory.interval)
    _keep_forces(model, scratch, memory, is_done)
    _move_on(model, scratch, memory, tolerance)


@kernel
def _take_back(model, scratch, memory, h):
    """Notes the opposite of what contacts and axes have given in the step."""
    contact, walk = memory.contact, memory.walk
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = -h * memory.push[i, k]
    for axis in range(len(memory.effort)):
        walk.effort[axis] = -h * memory.effort[axis]
    for b in range(contact.counts[BLOCKS]):
        block = contact.blocks[b]
        if block.body[0] >= model.driven:
            moment = slide_moment(scratch, memory.began.center, block)
            for k in range(3):
                walk.impulse[block.body[0], k] -= h * moment[k]
                walk.impulse[block.body[1], k] -= h * moment[k]


@kernel
def _end_impacts(model, scratch, memory, state, tolerance):
    """All impacts that are left, at once and without restitution."""
    contact = memory.contact
    for row in range(contact.counts[ROWS]):
        contact.event[row] = 0.0
    _let_come(model, scratch, memory)
    _solve(model, scratch, memory, contact.event, state, tolerance, 0.0)


@kernel
def _may_cut(model, memory):
    return memory.counts[CUTS] < _CUTS and len(model.bodies) - model.driven <= _MOST_BODIES_TO_CUT_FOR


@kernel
def _jump(model, state, scratch, memory, share):
    """Changes all speeds by the impulses so far; `share` of it has shifted the pose."""
    settle_impulses(model, scratch, memory.walk)
    for k in range(len(state.speeds)):
        state.speeds[k] += scratch.accelerations[k]
        memory.shift[k] += share * scratch.accelerations[k]
    for i in range(model.driven, len(model.bodies)):
        moving, change = scratch.bodies[i], memory.walk.velocity[i]
        for k in range(3):
            moving.angular[k] += change[k]
            moving.linear[k] += change[3 + k]


@kernel
def _let_come(model, scratch, memory):
    """Contacts that will bounce are left alone until they arrive."""
    slow, may_cut = _SLOW * memory.clock[GRAVITY] * memory.interval, _may_cut(model, memory)
    for c in range(memory.contact.counts[CONTACTS]):
        each = memory.contact.contacts[c]
        each.waits = 0
        each.rate = point_rate(scratch, each)
        if may_cut and each.gap > TOUCH * each.size and each.rate < -slow:
            each.waits = 1


@kernel
def _solve(model, scratch, memory, p, state, tolerance, share):
    """Sweeps over the impulses p until they change nothing, those of closures in between; False if they still do.

    share: 1 for what acts all along the step, 0 for what jumps.
    """
    contact, walk, clock, is_done = memory.contact, memory.walk, memory.clock, False
    if contact.counts[BLOCKS] == 0:
        return True
    enough = _EXACT * clock[GRAVITY] * memory.interval + _EXACT_IN_MOTION * clock[SPEED]
    begin_walk(model, scratch, walk)
    begin_leading_on(contact)
    least = 0.0
    most = max(_LEAST_SWEEPS, min(_MOST_SWEEPS, _MOST_VISITS // contact.counts[BLOCKS]))
    for turn in range(most):
        change = sweep(model, scratch, walk, contact, p, memory.interval, turn % 2 == 1 and turn < _SIMPLE_SWEEPS)
        if _meet_closures(model, scratch, memory, state, tolerance, share):
            begin_walk(model, scratch, walk)
        if change <= enough:
            is_done = True
            break
        least = change if turn == 0 else min(least, change)
        if change > _ASTRAY * least:
            begin_leading_on(contact)  # it has led astray: on by simple sweeps, and from where they lead
        elif turn >= _SIMPLE_SWEEPS and turn < most - _SIMPLE_SWEEPS:
            lead_on(model, scratch, walk, contact, p)
            _jump(model, state, scratch, memory, share)
            begin_walk(model, scratch, walk)
    _jump(model, state, scratch, memory, share)
    return is_done


@kernel
def _meet(model, scratch, memory, state, tolerance, share):
    """What a sweep has done to the closures is put right, by impulses of theirs; True: the walk must begin anew."""
    _jump(model, state, scratch, memory, share)
    for k in range(len(state.speeds)):
        memory.shift[k] -= share * state.speeds[k]
    update_closures(model, scratch)
    remove_opening(model, state, scratch, tolerance.drift)
    for k in range(len(state.speeds)):
        memory.shift[k] += share * state.speeds[k]
    return True


@kernel
def _need_not(model, scratch, memory, state, tolerance, share):
    return False


_meet_closures = kernel_by_class(lambda model: _meet if has_closures(model) else _need_not)


@kernel
def _keep_forces(model, scratch, memory, are_right):
    """What contacts and axes exert on bodies and axes, for the next step, if it balances, and for frames."""
    contact, walk = memory.contact, memory.walk
    memory.counts[BALANCED] = 1 if are_right else 0
    for i in range(len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = 0.0
    note_forces(model, scratch, walk, contact)
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            memory.push[i, k] = walk.impulse[i, k]
            walk.impulse[i, k] = 0.0
    for b in range(contact.counts[BLOCKS]):
        block = contact.blocks[b]
        force, moment, center = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), load3(block.center)
        for c in range(block.first, block.last):
            each = contact.contacts[c]
            force = add(force, load3(each.force))
            moment = add(moment, cross(subtract(load3(each.position), center), load3(each.force)))
        store3(block.force, force)
        store3(block.moment, moment)
    for axis in range(len(memory.effort)):
        memory.effort[axis] = 0.0
    for x in range(contact.counts[AXIS_ROWS]):
        row = contact.axis_rows[x]
        force = contact.axis_force[row.axis, row.kind - 1]
        if row.kind == _BY_UPPER:
            force = -force
        if row.component >= 0:
            for k in range(3):
                memory.effort[row.axis - row.component + k] += force * row.gradient[k]
        else:
            memory.effort[row.axis] += force


@kernel
def _move_on(model, scratch, memory, tolerance):
    """Takes the step's end over: shifts it by what impulses have changed, and leads overlaps apart."""
    contact, h, deepest = memory.contact, memory.clock[H], 0.0
    state, trial = memory.motion.state, memory.trial.state
    for c in range(contact.counts[CONTACTS]):
        each = contact.contacts[c]
        deepest = max(deepest, -each.gap - _SLACK * each.size)
    for x in range(contact.counts[AXIS_ROWS]):
        deepest = max(deepest, -contact.axis_rows[x].opening - _SLACK)
    for k in range(len(memory.shift)):
        memory.shift[k] *= 0.5 * h
    if deepest > 0.0:
        _lead_apart(model, scratch, memory, deepest)
    for chart in range(len(model.charted)):
        recenter(trial, chart, model.bodies[model.charted[chart]].axis_end - 3)
    copy_anchors(trial, state)
    farthest = 0.0
    for k in range(len(trial.speeds)):
        state.coordinates[k] = trial.coordinates[k] + memory.shift[k]
        state.speeds[k] = trial.speeds[k]
        farthest = max(farthest, abs(memory.shift[k]))
    if farthest > _NO_SHIFT:
        _note(model, scratch, memory, 0.0)
        update_kinematics(model, state, scratch)
        _restore(model, scratch, memory, state)
    choose_stiff(model, scratch, memory.implicit, contact, memory.walk, memory.interval)
    memory.clock[FASTEST] = max(memory.clock[FASTEST], fastest_speed(state.speeds, tolerance.per_scale))
    settle(model, memory.clock[TIME], state, scratch, tolerance.drift, memory.clock[FASTEST])


@kernel
def _lead_apart(model, scratch, memory, deepest):
    """Adds to the shift what undoes a part of all overlaps."""
    contact, walk = memory.contact, memory.walk
    for row in range(contact.counts[ROWS]):
        contact.event[row] = 0.0
    for i in range(len(memory.apart)):
        for k in range(6):
            memory.apart[i, k] = 0.0
    begin_walk_with(model, walk, memory.apart)
    begin_leading_on(contact)
    for turn in range(_APART_SWEEPS):
        change = sweep_apart(model, scratch, walk, contact, _SLACK, _APART)
        if change <= _APART_EXACT * deepest:
            break
        if turn >= _SIMPLE_SWEEPS and turn < _APART_SWEEPS - 1:
            lead_on(model, scratch, walk, contact, contact.event)
            _shift_apart(model, scratch, memory)
    _shift_apart(model, scratch, memory)


@kernel
def _shift_apart(model, scratch, memory):
    settle_impulses(model, scratch, memory.walk)
    for k in range(len(memory.shift)):
        memory.shift[k] += scratch.accelerations[k]
    for i in range(len(memory.apart)):
        for k in range(6):
            memory.apart[i, k] += memory.walk.velocity[i, k]
    begin_walk_with(model, memory.walk, memory.apart)


@kernel
def _is_finite(state):
    total = 0.0
    for k in range(len(state.speeds)):
        total += state.speeds[k] + state.coordinates[k]
    return math.isfinite(total)


class ImpulseMemory:
    """All that a linkage's integration remembers between calls; with what finds the points between bodies."""

    def __init__(self, compiled: Compiled, state: State, interval: float) -> None:
        model, axes = compiled.model, len(state.speeds)
        surfaces = compiled.surfaces or surfaces_of([], [], None, set(), False)
        self._model, self._surfaces = model, surfaces
        self.collision = Collision(surfaces.parts, model.driven, surfaces.apart) if surfaces.has_pairs else None
        self.find, self.bodies = Callback(self._find), None
        self.arrays = ImpulseArrays(
            motion=new_motion(state),
            trial=new_motion(state),
            stages=np.zeros((4, 2 * axes)),
            shift=np.zeros(axes),
            apart=np.zeros((len(model.bodies), 6)),
            push=np.zeros((len(model.bodies), 6)),
            effort=np.zeros(axes),
            implicit=new_implicit(model),
            began=Began(
                np.zeros(2 * axes),
                np.zeros_like(state.anchor),
                np.zeros((len(model.bodies), 3)),
                np.zeros((len(model.bodies), 6)),
                np.zeros(axes),
                np.zeros(1, np.int64),
                np.zeros(axes),
                np.zeros(axes, np.int64),
            ),
            contact=new_contact_memory(model, surfaces, _ROOM * (1 + len(surfaces.parts))),
            walk=new_walk(model),
            momenta=new_momenta(model),
            shapes=ground_shapes(surfaces.parts if surfaces.ground else [], model.driven),
            has_ground=surfaces.ground is not None,
            has_pairs=surfaces.has_pairs,
            height=surfaces.ground.height if surfaces.ground else 0.0,
            interval=interval,
            clock=np.zeros(7),
            counts=np.zeros(5, np.int64),
        )

    def go_back(self) -> None:
        """To where the last step began."""
        arrays, began, counts = self.arrays, self.arrays.began, self.arrays.contact.counts
        arrays.motion.y[:], arrays.motion.state.anchor[:], arrays.push[:] = began.y, began.anchor, began.push
        arrays.implicit.inertia[:], arrays.effort[:] = began.inertia, began.effort
        self.counts[BALANCED] = began.balanced[0]
        contact = arrays.contact
        contact.servo[:] = began.servo
        contact.contacts[:], contact.blocks[:] = contact.before, contact.blocks_before
        counts[CONTACTS], counts[BLOCKS] = counts[CONTACTS_BEFORE], counts[BLOCKS_BEFORE]
        self.clock[TIME], self.counts[PHASE] = self.clock[BEGAN], _READY

    @property
    def clock(self) -> np.ndarray:
        """Times, as numbered in this module."""
        return self.arrays.clock

    @property
    def counts(self) -> np.ndarray:
        """Counts, as numbered in this module."""
        return self.arrays.counts

    @property
    def motion(self) -> Motion:
        """Where the linkage is."""
        return self.arrays.motion

    def make_room(self) -> None:
        """For twice as many points of contact; those of now and before are kept."""
        old = self.arrays.contact
        new = new_contact_memory(self._model, self._surfaces, 2 * len(old.points))
        for before, after in zip((*old.rows, *old), (*new.rows, *new), strict=True):
            if isinstance(before, np.ndarray):
                after[: len(before)] = before
        self.arrays = self.arrays._replace(contact=new)

    def _find(self, _) -> int:
        return self.collision.find(self.bodies, float(self.clock[REACH]), self.arrays.contact.points, 0)


def advance_impulse(
    model: Model,
    scratch: Scratch,
    memory: ImpulseMemory,
    tolerance: Tolerance,
    begin,
    stop,
    until,
    longest,
    frame_times,
    frame,
    frames: Frames,
    evaluations,
):
    """Steps up to `stop` (s) and writes the frames on the way; same contract as `advance_adams`.

    Steps have a length of their own: `longest` is not asked, and nothing has to begin anew.
    """
    limit = memory.counts[EVALUATIONS] + evaluations
    memory.bodies = scratch.bodies
    while True:
        status, frame = advance_steps(
            model, scratch, memory.arrays, memory.find.handle, tolerance, stop, until, frame_times, frame, frames, limit
        )
        if status == Status.STOPPED:
            raise memory.find.error
        if status != Status.NEEDS_ROOM:
            return status, frame
        memory.make_room()


def go_to_impulse(model: Model, scratch: Scratch, memory: ImpulseMemory, tolerance: Tolerance, time: float) -> None:
    """Goes back to a time (s) that `advance_impulse` has just passed: the last step is taken anew, up to there."""
    if time >= memory.clock[TIME]:
        return
    memory.go_back()
    if time > memory.clock[TIME]:
        none = np.zeros(0)
        frames = new_frames(model, 0)
        advance_impulse(model, scratch, memory, tolerance, False, time, time, math.inf, none, 0, frames, _UNBOUNDED)
