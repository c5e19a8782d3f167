# SPDX-License-Identifier: GPL-3.0-or-later
"""One block for its solution: the relative motion of its bodies, its rows, friction, and what goes back to them.

The motion (a twist) and the block's wrench are six numbers each, about the block's centre. While rows are solved only
the motion is followed; the wrench is summed up once, from what has become of their impulses.
"""

from ...kernel import inlined_kernel, kernel
from ...spatial import add, add_scaled, cross, dot, load3, load_linear, subtract
from .propagation import apply_omega, go_to_body, is_there, opposite, push

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined_kernel
def gather_relative_velocity(model, scratch, walk, block):
    """The relative motion of the block's bodies about its centre: six numbers."""
    a, b = block.body[0], block.body[1]
    if not is_there(model, walk, b):
        go_to_body(model, scratch, walk, b)
    outer = _motion_about(scratch.bodies[b], walk.velocity, b, block)
    if not is_there(model, walk, a):
        go_to_body(model, scratch, walk, a)
    return _difference(outer, _motion_about(scratch.bodies[a], walk.velocity, a, block))


@kernel
def relative_motion(scratch, block):
    """The same by the kinematics, where no impulses wait."""
    center, one, other = load3(block.center), scratch.bodies[block.body[0]], scratch.bodies[block.body[1]]
    spin, turning = load3(one.angular), load3(other.angular)
    v = add(load3(one.linear), cross(spin, subtract(center, load3(one.center))))
    u = add(load3(other.linear), cross(turning, subtract(center, load3(other.center))))
    return (*subtract(turning, spin), *subtract(u, v))


@kernel
def relative_change(scratch, change, block):
    """The same of changes of all velocities (B, 6)."""
    a, b = block.body[0], block.body[1]
    outer = _motion_about(scratch.bodies[b], change, b, block)
    return _difference(outer, _motion_about(scratch.bodies[a], change, a, block))


@kernel
def _motion_about(body, velocity, i, block):
    w = (velocity[i, 0], velocity[i, 1], velocity[i, 2])
    arm = subtract(load3(block.center), load3(body.center))
    return (*w, *add((velocity[i, 3], velocity[i, 4], velocity[i, 5]), cross(w, arm)))


@kernel
def _difference(s, t):
    return (s[0] - t[0], s[1] - t[1], s[2] - t[2], s[3] - t[3], s[4] - t[4], s[5] - t[5])


@inlined_kernel
def scatter_impulse(model, scratch, walk, block, total):
    """Hands the block's wrench to its bodies."""
    if total == NOTHING:
        return
    a, b = block.body[0], block.body[1]
    if a >= model.driven:
        moment, force = _about_body(scratch.bodies[a], block, total)
        push(walk.omega, walk.velocity, walk.pending, walk.impulse, a, opposite(moment), opposite(force))
        if not is_there(model, walk, b):
            go_to_body(model, scratch, walk, b)
    if b >= model.driven:
        moment, force = _about_body(scratch.bodies[b], block, total)
        push(walk.omega, walk.velocity, walk.pending, walk.impulse, b, moment, force)


@kernel
def _about_body(body, block, total):
    """A wrench about the block's centre, about the body's."""
    force = (total[3], total[4], total[5])
    arm = subtract(load3(block.center), load3(body.center))
    return add((total[0], total[1], total[2]), cross(arm, force)), force


@kernel
def note_wrench(model, scratch, walk, block, total):
    """Notes a block's wrench among its bodies' impulses, for `settle_impulses`."""
    center, moment, force = load3(block.center), (total[0], total[1], total[2]), (total[3], total[4], total[5])
    for end in range(2):
        i, sign = block.body[end], -1.0 if end == 0 else 1.0
        if i >= model.driven:
            n = add(moment, cross(subtract(center, load3(scratch.bodies[i].center)), force))
            for k in range(3):
                walk.impulse[i, k] += sign * n[k]
                walk.impulse[i, 3 + k] += sign * force[k]


@kernel
def along_row(w, row, t):
    """The velocity along a row, of a relative motion t; in pairs, which do not wait for each other."""
    return (
        (w[row, 0] * t[0] + w[row, 1] * t[1])
        + (w[row, 2] * t[2] + w[row, 3] * t[3])
        + (w[row, 4] * t[4] + w[row, 5] * t[5])
    )


@kernel
def added_row(a, row, change, t):
    """t + change times a row of a."""
    return (
        t[0] + change * a[row, 0],
        t[1] + change * a[row, 1],
        t[2] + change * a[row, 2],
        t[3] + change * a[row, 3],
        t[4] + change * a[row, 4],
        t[5] + change * a[row, 5],
    )


@inlined_kernel
def block_wrench(memory, block, p):
    """The wrench of the impulses p (R,) of a block's rows, about its centre."""
    total = NOTHING
    for row in range(block.start, block.end):
        total = added_row(memory.rows.wrench, row, p[row], total)
    return total


@kernel
def block_swing(memory, block):
    """N m: how fast the moment of a block's impulses changes as their places drift."""
    total, p, wrench = (0.0, 0.0, 0.0), memory.impulse, memory.rows.wrench
    for c in range(block.first, block.last):
        drift = load3(memory.contacts[c].drift)
        for row in range(memory.contacts[c].row, memory.contacts[c].row + 3):
            total = add_scaled(total, p[row], cross(drift, load_linear(wrench[row])))
    return total


@kernel
def fill_row(memory, b, row, moment, force):
    """A row of block b: its wrench about the centre, and what that does."""
    w, v = memory.rows.wrench[row], memory.rows.response[row]
    angular, linear = apply_omega(memory.block_response[b], moment, force)
    for k in range(3):
        w[k], w[3 + k], v[k], v[3 + k] = moment[k], force[k], angular[k], linear[k]
    memory.rows.own[row] = dot(moment, angular) + dot(force, linear)
    memory.impulse[row] = 0.0
