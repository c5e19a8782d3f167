# SPDX-License-Identifier: GPL-3.0-or-later
"""From points of contact and axes of joints to blocks of rows, with what a unit impulse of each does.

A point goes on with the force that it had in the step before, if it is found again: by its feature where it has one,
else as the nearest one between the same two shapes.
"""

import math

from ...dynamics.forces.joint_forces import rotation_coordinates
from ...dynamics.tree.joints import has_rotation_vector, is_travel
from ...dynamics.tree.kinematics import joint_origin
from ...kernel import kernel
from ...model.arrays import (
    AXIS_PARAMETERS,
    LOWER,
    MOTOR_DAMPING,
    MOTOR_LIMIT,
    MOTOR_STIFFNESS,
    MOTOR_VALUE,
    STATIC_FRICTION,
    UPPER,
    Hold,
    MotorMode,
)
from ...rotation import chart_torque, exponential, matrix_of_quaternion
from ...spatial import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load_angular,
    load_linear,
    rotate,
    scale,
    store3,
    subtract,
    tangents,
)
from .approach import is_near, predict_impacts
from .propagation import apply_omega, cross_response
from .rows import fill_row
from .sticking import prepare_to_stick
from .stiff_forces import add_stiff_forces, fill_stiff_rows
from .totals import begin_tally
from .workspace import TOUCH

_BY_FRICTION, _BY_MOTOR, _BY_LOWER, _BY_UPPER = int(Hold.FRICTION), int(Hold.MOTOR), int(Hold.LOWER), int(Hold.UPPER)
_MODE_SPEED = int(MotorMode.SPEED)
_ZERO = (0.0, 0.0, 0.0)
_IDLE = 1e-12  # of the largest response of a contact's rows: one that is none
_MOVED = 0.02  # sizes: a point farther from where one was is another one
_AHEAD = 2.0  # steps in which a limit may be met to be watched


@kernel
def build_blocks(model, state, scratch, walk, memory, shift, taken, h, near, ahead):
    """Fills contacts, axis rows and blocks from the points and the pose; s: the step taken, and the step to come.

    shift (A,): what speeds have changed by since the pose was reached, all along the step.

    Points count whose gap is below `near` sizes, or may close within `ahead` (s).
    Kinematics, pivots and `walk.omega` must be up to date.
    """
    counts = memory.counts[0]
    _remember(memory)
    predict_impacts(model, scratch, memory, memory.points, counts.points, h)
    _sort_points_by_body(model, memory)
    counts.contacts = counts.blocks = counts.rows = counts.axis_rows = 0
    switch, force = 0, 0
    for i in range(model.driven, len(model.bodies)):
        while switch < len(model.switched) and model.switched[switch].body < i:
            switch += 1
        _add_axis_rows(model, state, scratch, memory, shift, i, switch, taken, h)
        while memory.of_body[i] >= 0:
            _add_contacts_with_next(scratch, memory, i, near, ahead, h)
        force = add_stiff_forces(model, scratch, memory, i, force, h)
    for b in range(counts.blocks):
        _fill_block(model, scratch, walk, memory, b)


@kernel
def _remember(memory):
    counts = memory.counts[0]
    for c in range(counts.contacts):
        old, now = memory.before[c], memory.contacts[c]
        for k in range(2):
            old.body[k], old.part[k] = now.body[k], now.part[k]
        old.feature, old.taken, old.gap = now.feature, 0, now.gap
        old.follows, old.share = now.follows, now.share
        old.is_speculative, old.friction, old.restitution, old.extent = (
            now.is_speculative,
            now.friction,
            now.restitution,
            now.extent,
        )
        for k in range(3):
            old.position[k], old.normal[k], old.force[k] = now.position[k], now.normal[k], now.force[k]
            old.drift[k] = now.drift[k]
    for i in range(len(memory.block_of_body)):
        memory.block_of_body[i] = -1
    for b in range(counts.blocks - 1, -1, -1):
        old, now = memory.blocks_before[b], memory.blocks[b]
        old.body[0], old.body[1], old.first, old.last = now.body[0], now.body[1], now.first, now.last
        store3(old.force, load3(now.force))
        store3(old.spin, load3(now.spin))
        store3(old.turned, load3(now.turned))
        store3(old.turning, load3(now.turning))
        old.turns = now.turns
        store3(old.moment, load3(now.moment))
        store3(old.center, load3(now.center))
        memory.block_of_body[now.body[1]] = b
    counts.blocks_before, counts.contacts_before = counts.blocks, counts.contacts


@kernel
def restore_contacts(memory):
    """Makes contacts and blocks of the step before those of now, as if `build_blocks` had not been called since."""
    counts = memory.counts[0]
    counts.blocks, counts.contacts = counts.blocks_before, counts.contacts_before
    for c in range(counts.contacts):
        now, old = memory.contacts[c], memory.before[c]
        for k in range(2):
            now.body[k], now.part[k] = old.body[k], old.part[k]
        now.feature, now.gap, now.follows, now.share = old.feature, old.gap, old.follows, old.share
        now.is_speculative, now.friction, now.restitution, now.extent = (
            old.is_speculative,
            old.friction,
            old.restitution,
            old.extent,
        )
        for k in range(3):
            now.position[k], now.normal[k], now.force[k] = old.position[k], old.normal[k], old.force[k]
            now.drift[k] = old.drift[k]
    for b in range(counts.blocks):
        now, old = memory.blocks[b], memory.blocks_before[b]
        now.body[0], now.body[1], now.first, now.last = old.body[0], old.body[1], old.first, old.last
        store3(now.force, load3(old.force))
        now.turns = old.turns
        store3(now.turning, load3(old.turning))
        store3(now.moment, load3(old.moment))
        store3(now.center, load3(old.center))


@kernel
def _sort_points_by_body(model, memory):
    """Lists the points of each body, those with bodies of smaller numbers."""
    for i in range(len(memory.of_body)):
        memory.of_body[i] = -1
    for c in range(memory.counts[0].points - 1, -1, -1):
        i = max(memory.points[c].body[0], memory.points[c].body[1])
        memory.following[c] = memory.of_body[i]
        memory.of_body[i] = c


@kernel
def _add_contacts_with_next(scratch, memory, i, near, ahead, h):
    """One block: all points of body i with the same other body as the first one in its list, which they leave."""
    counts, first = memory.counts[0], memory.of_body[i]
    point = memory.points[first]
    other = min(point.body[0], point.body[1])
    block = memory.blocks[counts.blocks]
    block.body[0], block.body[1] = other, i
    block.first, block.start, block.row_first, block.row_last, block.stiff = counts.contacts, counts.rows, 0, 0, -1
    store3(block.center, load3(point.position))
    store3(block.found, _ZERO)
    store3(block.turning, _ZERO)
    block.turns = -1
    begin_tally(block)
    at, kept = first, -1
    while at >= 0:
        point, after = memory.points[at], memory.following[at]
        if min(point.body[0], point.body[1]) == other:
            if is_near(scratch, memory, point, near, ahead):
                _add_contact(memory, point, i, h)
            if kept >= 0:
                memory.following[kept] = after
            else:
                memory.of_body[i] = after
        else:
            kept = at
        at = after
    block.last, block.end = counts.contacts, counts.rows
    if block.last > block.first:
        _take_up(memory, block, near)
        counts.blocks += 1


@kernel
def _add_contact(memory, point, i, h):
    """The second body of a contact is i; a point that has it first is turned round."""
    contact, counts = memory.contacts[memory.counts[0].contacts], memory.counts[0]
    a, b, turn = (0, 1, 1.0) if point.body[1] == i else (1, 0, -1.0)
    part_a, part_b = point.part[a], point.part[b]
    contact.body[0], contact.body[1], contact.part[0], contact.part[1] = point.body[a], point.body[b], part_a, part_b
    contact.feature, contact.gap = point.feature, point.gap
    store3(contact.position, load3(point.position))
    store3(contact.place, load3(point.position))
    store3(contact.normal, scale(turn, load3(point.normal)))
    store3(contact.faced, load3(contact.normal))
    contact.friction = math.sqrt(memory.friction[part_a] * memory.friction[part_b])  # -1 is the ground, the last one
    contact.restitution = math.sqrt(memory.restitution[part_a] * memory.restitution[part_b])
    contact.extent = min(memory.size[part_a], memory.size[part_b])
    contact.closing = contact.gap / h if contact.gap > TOUCH * contact.extent else 0.0
    store3(contact.force, _ZERO)
    store3(contact.drift, _ZERO)
    contact.known, contact.steered, contact.follows, contact.share, contact.driven = 0, 0, 0, 0.0, 0.0
    contact.row = counts.rows
    counts.contacts += 1
    counts.rows += 3


@kernel
def _take_up(memory, block, near):
    """Hands the forces of the step before to the contacts that are found again, and the block's wrench to the block."""
    i, other = block.body[1], block.body[0]
    old = memory.block_of_body[i]
    block.regrouped = 0
    while old >= 0 and old < memory.counts[0].blocks_before and memory.blocks_before[old].body[1] == i:
        candidate = memory.blocks_before[old]
        if candidate.body[0] == other and candidate.last > candidate.first:
            turned = matrix_of_quaternion(exponential(load3(candidate.turned)))
            for c in range(block.first, block.last):
                _take_up_contact(memory, block, memory.contacts[c], candidate.first, candidate.last, near)
                store3(memory.contacts[c].force, rotate(turned, load3(memory.contacts[c].force)))
            for c in range(candidate.first, candidate.last):
                lost = memory.before[c]
                if not lost.taken and (lost.force[0] != 0.0 or lost.force[1] != 0.0 or lost.force[2] != 0.0):
                    block.regrouped = 1
            force = rotate(turned, load3(candidate.force))
            store3(block.force, force)
            store3(block.found, load3(candidate.force))
            store3(block.spin, load3(candidate.spin))
            block.turns = candidate.turns
            arm = subtract(load3(candidate.center), load3(block.center))
            store3(block.moment, add(rotate(turned, load3(candidate.moment)), cross(arm, force)))
            return
        old += 1


@kernel
def _take_up_contact(memory, block, contact, first, last, near):
    best, least = -1, math.inf
    for c in range(first, last):
        old = memory.before[c]
        if old.taken or old.part[0] != contact.part[0] or old.part[1] != contact.part[1]:
            continue
        away = subtract(load3(old.position), load3(contact.position))
        distance = dot(away, away)
        if contact.feature >= 0 or old.feature >= 0:
            if old.feature == contact.feature:
                best, least = c, 0.0
                break
        elif distance < least:
            best, least = c, distance
    if best >= 0:
        memory.before[best].taken = 1
        store3(contact.force, load3(memory.before[best].force))
        old = memory.before[best]
        store3(contact.place, load3(old.position))
        store3(contact.faced, load3(old.normal))
        contact.follows = old.follows
        contact.known = 1 if old.gap <= near * contact.extent and not old.is_speculative else 0
    if contact.gap <= near * contact.extent and not least <= (_MOVED * contact.extent) ** 2:
        block.regrouped = 1


@kernel
def _add_axis_rows(model, state, scratch, memory, shift, i, switch, taken, h):
    """A block of what the axes of body i's joint may exert, if they have anything to say."""
    counts, body = memory.counts[0], model.bodies[i]
    first, start = counts.axis_rows, counts.rows
    while switch < len(model.switched) and model.switched[switch].body == i:
        _add_rows_of_axis(model, state, scratch, memory, i, switch, taken, h)
        switch += 1
    for axis in range(body.axis_start, body.axis_end):
        if memory.servo[axis]:
            _add_servo(state, scratch, memory, shift, axis, taken, h)
    if has_rotation_vector(body.kind) and len(model.sprung) > 0:
        theta = rotation_coordinates(body, state.coordinates, state.anchor)
        for c in range(3):
            _add_limit_of_rotation(model, state, scratch, memory, i, theta, c, h)
    if counts.axis_rows == first:
        return
    block = memory.blocks[counts.blocks]
    block.body[0], block.body[1] = body.inner, i
    block.first, block.last, block.row_first, block.row_last, block.stiff = 0, 0, first, counts.axis_rows, -1
    block.start, block.end = start, counts.rows
    store3(block.center, joint_origin(body, scratch.bodies[body.inner], scratch.bodies[i]))
    counts.blocks += 1


@kernel
def _add_rows_of_axis(model, state, scratch, memory, i, number, taken, h):
    switch, p = model.switched[number], scratch.parameters
    axis = switch.axis
    k, q, u = axis * AXIS_PARAMETERS, state.coordinates[axis], state.speeds[axis]
    if p[k + STATIC_FRICTION] > 0.0:
        largest = p[k + STATIC_FRICTION] * taken  # or less: see `stribeck`
        _add_row(memory, axis, _BY_FRICTION, -largest, largest, 0.0, 0.0)
    if switch.motor and model.motor_mode[axis] == _MODE_SPEED:
        largest = p[k + MOTOR_LIMIT] * taken
        _add_row(memory, axis, _BY_MOTOR, -largest, largest, -p[k + MOTOR_VALUE], 0.0)
    if switch.bounded:
        _add_limit(memory, axis, _BY_LOWER, -1, q - p[k + LOWER], u, _ZERO, h)
        _add_limit(memory, axis, _BY_UPPER, -1, p[k + UPPER] - q, -u, _ZERO, h)


@kernel
def _add_servo(state, scratch, memory, shift, axis, taken, h):
    """A motor that keeps a position as stiffly as its maximum allows: soft by what its effort will be at the end."""
    if len(scratch.drives) > 0 and scratch.drives[axis].stiffness > 0.0:
        drive = scratch.drives[axis]
        slope = drive.damping + (h + 0.5 * taken) * drive.stiffness
        beside = state.speeds[axis] - drive.rate - shift[axis]
        bias = -drive.stiffness * (drive.error + 0.5 * taken * beside) / slope - drive.rate
        low, high = -(drive.limit + drive.feed) * taken, (drive.limit - drive.feed) * taken
        _add_row(memory, axis, _BY_MOTOR, low, high, bias, 1.0 / (taken * slope))
        return
    p, k = scratch.parameters, axis * AXIS_PARAMETERS
    if not p[k + MOTOR_STIFFNESS] + p[k + MOTOR_DAMPING] > 0.0:
        return
    stiffness, away = p[k + MOTOR_STIFFNESS], state.coordinates[axis] - p[k + MOTOR_VALUE]
    slope = p[k + MOTOR_DAMPING] + (h + 0.5 * taken) * stiffness
    bias = stiffness * (away - 0.5 * taken * (state.speeds[axis] - shift[axis])) / slope
    largest = p[k + MOTOR_LIMIT] * taken
    _add_row(memory, axis, _BY_MOTOR, -largest, largest, bias, 1.0 / (taken * slope))


@kernel
def _add_limit_of_rotation(model, state, scratch, memory, i, theta, c, h):
    axis = model.bodies[i].axis_end - 3
    k, p = (axis + c) * AXIS_PARAMETERS, scratch.parameters
    u = (state.speeds[axis], state.speeds[axis + 1], state.speeds[axis + 2])
    # what the component gains for turning along the child's axes
    gradient = chart_torque(theta, (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0))
    rate = dot(gradient, u)
    _add_limit(memory, axis + c, _BY_LOWER, c, theta[c] - p[k + LOWER], rate, gradient, h)
    _add_limit(memory, axis + c, _BY_UPPER, c, p[k + UPPER] - theta[c], -rate, gradient, h)


@kernel
def _add_limit(memory, axis, kind, component, gap, rate, gradient, h):
    if gap + _AHEAD * h * min(0.0, rate) <= 0.0 or memory.axis_force[axis, kind - 1] > 0.0:
        _add_row(memory, axis, kind, 0.0, math.inf, max(0.0, gap) / h, 0.0)
        row = memory.axis_rows[memory.counts[0].axis_rows - 1]
        row.component, row.opening, row.bounces = component, gap, 1 if component < 0 else 0
        store3(row.gradient, gradient)


@kernel
def _add_row(memory, axis, kind, low, high, bias, softness):
    counts = memory.counts[0]
    row = memory.axis_rows[counts.axis_rows]
    row.axis, row.kind, row.component, row.row, row.bounces = axis, kind, -1, counts.rows, 0
    row.low, row.high, row.bias, row.softness, row.opening = low, high, bias, softness, 0.0
    counts.axis_rows += 1
    counts.rows += 1


@kernel
def _fill_block(model, scratch, walk, memory, b):
    """The block's response, and wrench, response and own rate of all its rows."""
    block = memory.blocks[b]
    _fill_response(model, scratch, walk, block, memory.block_response[b])
    center = load3(block.center)
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        n, r = load3(contact.normal), subtract(load3(contact.position), center)
        t1, t2 = tangents(n)
        fill_row(memory, b, contact.row, cross(r, n), n)
        fill_row(memory, b, contact.row + 1, cross(r, t1), t1)
        fill_row(memory, b, contact.row + 2, cross(r, t2), t2)
        _leave_out_idle(memory, contact)
        _fill_friction(memory, contact)
    for x in range(block.row_first, block.row_last):
        row, i = memory.axis_rows[x], block.body[1]
        moment, force = _axis_wrench(model, scratch, i, row, center)
        if row.kind == _BY_UPPER:
            moment, force = scale(-1.0, moment), scale(-1.0, force)
        fill_row(memory, b, row.row, moment, force)
    if block.stiff >= 0:
        fill_stiff_rows(model, scratch, memory, b)
    prepare_to_stick(memory, block, b)


@kernel
def _axis_wrench(model, scratch, i, row, center):
    """About the centre, on the outer body: a couple about an axis that turns, a force along one that travels."""
    body = model.bodies[i]
    if row.component >= 0:
        moment, first = _ZERO, row.axis - row.component
        for c in range(3):
            moment = add_scaled(moment, row.gradient[c], load_angular(scratch.axes[first + c].S))
        return moment, _ZERO
    S = scratch.axes[row.axis].S
    if is_travel(body.kind, row.axis - body.axis_start):
        origin = joint_origin(body, scratch.bodies[body.inner], scratch.bodies[i])
        return cross(subtract(origin, center), load_linear(S)), load_linear(S)
    return load_angular(S), _ZERO


@kernel
def _leave_out_idle(memory, contact):
    """Rows along which nothing can move, a ball on a slider's sideways ones, do nothing."""
    own, row = memory.rows.own, contact.row
    largest = max(own[row], own[row + 1], own[row + 2])
    for k in range(row, row + 3):
        if not own[k] > _IDLE * largest:
            own[k] = 1.0
            for c in range(6):
                memory.rows.wrench[k, c], memory.rows.response[k, c] = 0.0, 0.0


@kernel
def _fill_friction(memory, contact):
    """Fills the inverse of the tangents' response, which stops sliding, and that of its largest eigenvalue."""
    row = contact.row
    xx, yy, xy = memory.rows.own[row + 1], memory.rows.own[row + 2], 0.0
    for k in range(6):
        xy += memory.rows.wrench[row + 1, k] * memory.rows.response[row + 2, k]
    determinant, trace = xx * yy - xy * xy, xx + yy
    if determinant > _IDLE * trace * trace:
        contact.sticking[0], contact.sticking[1] = yy / determinant, -xy / determinant
        contact.sticking[2] = xx / determinant
    else:  # it can slide in one direction only
        contact.sticking[0], contact.sticking[1] = xx / trace**2, xy / trace**2
        contact.sticking[2] = yy / trace**2
    contact.sliding = 1.0 / (0.5 * trace + math.sqrt(0.25 * (xx - yy) ** 2 + xy * xy))


@kernel
def _fill_response(model, scratch, walk, block, response):
    """Column by column: what unit wrenches at the centre, opposite ones on both bodies, do to their relative motion."""
    a, b, center = block.body[0], block.body[1], load3(block.center)
    arm_a = subtract(center, load3(scratch.bodies[a].center))
    arm_b = subtract(center, load3(scratch.bodies[b].center))
    is_same = a >= model.driven and walk.root[a] == walk.root[b]
    for k in range(6):
        n = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        f = (1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0)
        n_b = add(n, cross(arm_b, f))
        angular, linear = apply_omega(walk.omega[b], n_b, f)
        linear = add(linear, cross(angular, arm_b))
        if a >= model.driven:
            n_a = add(n, cross(arm_a, f))
            w, v = apply_omega(walk.omega[a], n_a, f)
            angular, linear = add(angular, w), add(linear, add(v, cross(w, arm_a)))
            if is_same:
                w, v = cross_response(model, scratch, walk, b, a, n_a, f)
                angular, linear = subtract(angular, w), subtract(linear, add(v, cross(w, arm_b)))
                w, v = cross_response(model, scratch, walk, a, b, n_b, f)
                angular, linear = subtract(angular, w), subtract(linear, add(v, cross(w, arm_a)))
        for c in range(3):
            response[c, k], response[3 + c, k] = angular[c], linear[c]
