# SPDX-License-Identifier: GPL-3.0-or-later
"""The main pass: the equations of leaves, and of nodes from their parts.

A body onto which something light is hung has one handle with six components, at its centre of mass: all joints that it
has besides feel it through constant matrices G (`hubs`), a = G^T a_body and f_body = G f.
"""

from ..dynamics.tree.joints import REVOLUTE
from ..kernel import kernel
from .arrays import CROSS, ETA, FAR, NEAR, Q_CROSS, Q_FAR, Q_NEAR, ROW, TO_FAR, TO_NEAR
from .assemble_any_joint import assemble_any, solve_any
from .assemble_hinge import assemble_hinge, solve_hinge
from .leaf import assemble_leaf, solve_leaf
from .rows import (
    CONSTANT,
    add_scaled,
    load,
    magnitude,
    multiply,
    scaled,
    store,
    total,
    with_constant,
)
from .rows import add as add_rows

_ROUNDING = 4e-15  # of the terms of a total acceleration: what their sum may err by


@kernel
def assemble(linkage, i):
    """Fills the equations of a leaf, or those of a node from its parts, after its `update_pose`."""
    node = linkage.nodes[i]
    if node.leaf >= 0:
        assemble_leaf(linkage, i)
        return
    first, second, joint = linkage.nodes[node.first], linkage.nodes[node.second], linkage.joints[node.body]
    if joint.kind == REVOLUTE:
        assemble_hinge(linkage.data, linkage.work, node, first, second, joint)
    else:
        assemble_any(linkage, node, first, second, joint)
    if node.hub >= 0:
        at, q_at = node.at, node.q_at
        _spread(linkage.data, linkage.hubs, linkage.work, node.hub, at + NEAR, at + CROSS, at + FAR, 1.0)
        _spread(linkage.data, linkage.hubs, linkage.work, node.hub, q_at + Q_NEAR, q_at + Q_CROSS, q_at + Q_FAR, 2.0)


@kernel
def _spread(data, hubs, work, hub, near, cross_, far, twice):
    """From the block of a body, in the near one's place, those of its two handles; `twice`: 2 for Q, 1 for P."""
    for i in range(6):
        for k in range(6):
            work[i * ROW + k] = 0.5 * (data[near + i * ROW + k] + data[near + k * ROW + i])
        work[i * ROW + CONSTANT] = data[cross_ + i * ROW + CONSTANT]
    for i in range(6):
        row, other = scaled(hubs[hub + TO_NEAR + i], load(work, 0)), scaled(hubs[hub + TO_FAR + i], load(work, 0))
        for k in range(1, 6):
            row = add_scaled(row, hubs[hub + TO_NEAR + k * ROW + i], load(work, k * ROW))
            other = add_scaled(other, hubs[hub + TO_FAR + k * ROW + i], load(work, k * ROW))
        store(data, near + i * ROW, row)
        store(data, far + i * ROW, other)
    for i in range(6):
        constant, other_constant = data[near + i * ROW + CONSTANT], data[far + i * ROW + CONSTANT]
        row, between = scaled(0.0, load(work, 0)), scaled(0.0, load(work, 0))
        other = row
        for k in range(6):
            to_near, to_far = load(hubs, hub + TO_NEAR + k * ROW), load(hubs, hub + TO_FAR + k * ROW)
            row = add_scaled(row, data[near + i * ROW + k], to_near)
            between = add_scaled(between, twice * data[near + i * ROW + k], to_far)
            other = add_scaled(other, data[far + i * ROW + k], to_far)
        store(data, near + i * ROW, row)
        store(data, cross_ + i * ROW, with_constant(between, constant))
        store(data, far + i * ROW, with_constant(other, other_constant))


@kernel
def solve(linkage, i):
    """Forces on the parts of a node from those on it, and its joints' accelerations.

    Returns the sum of their weighted squares, and that of the largest joint.
    """
    node, force = linkage.nodes[i], linkage.force
    if node.leaf >= 0:
        return solve_leaf(linkage, i)
    near, far = 16 * i, 16 * i + ROW
    one, two = 16 * node.first + ROW, 16 * node.second + ROW
    if node.hub >= 0:
        for k in range(6):
            on_body = 0.0
            for m in range(6):
                on_body += linkage.hubs[node.hub + TO_NEAR + k * ROW + m] * force[near + m]
                on_body += linkage.hubs[node.hub + TO_FAR + k * ROW + m] * force[far + m]
            force[one + k], force[two + k] = on_body, 0.0
    else:
        store(force, one, load(force, near))
        store(force, two, load(force, far))
    joint = linkage.joints[node.body]
    if joint.kind == REVOLUTE:
        second = solve_hinge(linkage.data, force, node, node.first, node.second, joint)
        linkage.accelerations[joint.axis_start] = second
        square = joint.weight[0] * second * second
    else:
        square = solve_any(linkage, node, node.first, node.second, joint)
    return square, square


@kernel
def total_acceleration(linkage, i):
    """The weighted sum of squares of all accelerations within a node, from the forces on it; what rounding may
    have taken from it is added.
    """
    data, force, at = linkage.data, linkage.force, linkage.nodes[i].q_at
    near, far = load(force, 16 * i), load(force, 16 * i + ROW)
    nn = scaled(force[16 * i], load(data, at + Q_NEAR))
    nf = scaled(force[16 * i], load(data, at + Q_CROSS))
    ff = scaled(force[16 * i + ROW], load(data, at + Q_FAR))
    for k in range(1, 6):
        nn = add_scaled(nn, force[16 * i + k], load(data, at + Q_NEAR + k * ROW))
        nf = add_scaled(nf, force[16 * i + k], load(data, at + Q_CROSS + k * ROW))
        ff = add_scaled(ff, force[16 * i + ROW + k], load(data, at + Q_FAR + k * ROW))
    nn = multiply(nn, near)
    nf, ff = multiply(nf, with_constant(far, 1.0)), multiply(ff, with_constant(far, 1.0))
    eta = data[at + ETA]
    sum_of_terms = total(add_rows(add_rows(nn, nf), ff)) + eta
    size = total(add_rows(add_rows(magnitude(nn), magnitude(nf)), magnitude(ff))) + abs(eta)
    return max(0.0, sum_of_terms) + _ROUNDING * size
