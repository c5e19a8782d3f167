# SPDX-License-Identifier: GPL-3.0-or-later
"""Two assemblies that a joint of any kind joins: the same as `hinge`, with loops over as many components as there are.

For symbols and source see there. A joint that transmits h components has h rows of lambda and 6 - h of accelerations.
"""

from ..kernel import kernel
from .arrays import CROSS, ETA, FAR, FIRST, NEAR, Q_CROSS, Q_FAR, Q_NEAR, ROW, SECOND
from .joint_frames import fill_transforms
from .rows import CONSTANT, add_scaled, load, only_constant, scaled, store, with_constant

_K, _M, _PART, _X, _Y, _S, _G = 0, 48, 96, 0, 48, 96, 144
_PART_SIZE = 192
_ROOM = _PART + 2 * _PART_SIZE  # two blocks of rows
WORK_SIZE = _ROOM + 96


@kernel
def assemble_any(linkage, node, first, second, joint):
    """Fills P, Q and y of a node from its parts."""
    data, work, T_parent, T_child = linkage.data, linkage.work, linkage.T_parent, linkage.T_child
    fill_transforms(joint, joint.order, linkage.coordinates, linkage.anchor, T_parent, T_child)
    first_is_child = node.sign > 0.0
    t, s = (first, second) if first_is_child else (second, first)
    for k in range(_PART):
        work[k] = 0.0
    _add_congruent(data, s.at + NEAR, T_parent, work, _K)
    _add_congruent(data, t.at + NEAR, T_child, work, _K)
    _add_congruent(data, s.q_at + Q_NEAR, T_parent, work, _M)
    _add_congruent(data, t.q_at + Q_NEAR, T_child, work, _M)
    parent, child = _PART, _PART + _PART_SIZE
    _cross_rows(data, s.at + CROSS, t.at + CROSS, T_parent, T_child, work, parent + _X, child + _X)
    _cross_rows(data, s.q_at + Q_CROSS, t.q_at + Q_CROSS, T_parent, T_child, work, parent + _S, child + _S)
    one, two = (child, parent) if first_is_child else (parent, child)
    E_one, E_two, held = node.at + FIRST, node.at + SECOND, joint.held
    _eliminate(work, one, two, held)
    _substitute(data, work, one, E_one, held)
    _substitute(data, work, two, E_two, held)
    for i in range(6):
        top, bottom = load(data, first.at + FAR + i * ROW), load(data, second.at + FAR + i * ROW)
        cross = only_constant(top)
        for k in range(held):
            top = add_scaled(top, work[one + _Y + k * ROW + i], load(work, one + _X + k * ROW))
            cross = add_scaled(cross, work[one + _Y + k * ROW + i], load(work, two + _X + k * ROW))
            bottom = add_scaled(bottom, work[two + _Y + k * ROW + i], load(work, two + _X + k * ROW))
        store(data, node.at + NEAR + i * ROW, top)
        store(data, node.at + CROSS + i * ROW, cross)
        store(data, node.at + FAR + i * ROW, bottom)
    for k in range(6):
        at = k * ROW
        if k < held:
            g_one, g_two = load(work, one + _S + at), load(work, two + _S + at)
            for m in range(held):
                g_one = add_scaled(g_one, work[_M + at + m], load(data, E_one + m * ROW))
                g_two = add_scaled(g_two, work[_M + at + m], load(data, E_two + m * ROW))
        else:
            weight = joint.weight[k - held]
            g_one, g_two = scaled(weight, load(data, E_one + at)), scaled(weight, load(data, E_two + at))
        store(work, one + _G + at, g_one)
        store(work, two + _G + at, g_two)
    eta = data[first.q_at + ETA] + data[second.q_at + ETA]
    for k in range(6):
        eta += data[E_two + k * ROW + CONSTANT] * work[two + _G + k * ROW + CONSTANT]
    data[node.q_at + ETA] = eta
    for i in range(6):
        near, far = load(data, first.q_at + Q_FAR + i * ROW), load(data, second.q_at + Q_FAR + i * ROW)
        cross, constant = only_constant(near), 0.0
        for k in range(6):
            e_one, e_two, G_one, G_two = E_one + k * ROW, E_two + k * ROW, one + _G + k * ROW, two + _G + k * ROW
            near = add_scaled(near, data[e_one + i], load(work, G_one))
            cross = add_scaled(cross, data[e_one + i], load(work, G_two))
            cross = add_scaled(cross, work[G_one + i], load(data, e_two))
            far = add_scaled(far, data[e_two + i], load(work, G_two))
            constant += work[G_two + i] * data[e_two + CONSTANT]
        store(data, node.q_at + Q_NEAR + i * ROW, near)
        store(data, node.q_at + Q_CROSS + i * ROW, cross)
        store(data, node.q_at + Q_FAR + i * ROW, far)
        data[node.q_at + Q_FAR + i * ROW + CONSTANT] += constant


@kernel
def _times(T, data, source, work, to):
    """T times six rows."""
    for i in range(6):
        row = scaled(T[i, 0], load(data, source))
        for k in range(1, 6):
            row = add_scaled(row, T[i, k], load(data, source + k * ROW))
        store(work, to + i * ROW, row)


@kernel
def _add_congruent(data, source, T, work, to):
    """Adds T P T^T."""
    _times(T, data, source, work, _ROOM)
    for i in range(6):
        for j in range(6):
            total = 0.0
            for k in range(6):
                total += work[_ROOM + i * ROW + k] * T[j, k]
            work[to + i * ROW + j] += total


@kernel
def _cross_rows(data, s, t, T_parent, T_child, work, to_s, to_t):
    """-T_parent s and T_child t, both with the sum of their constants."""
    _times(T_parent, data, s, work, to_s)
    _times(T_child, data, t, work, to_t)
    for i in range(6):
        constant = work[to_t + i * ROW + CONSTANT] - work[to_s + i * ROW + CONSTANT]
        store(work, to_s + i * ROW, with_constant(scaled(-1.0, load(work, to_s + i * ROW)), constant))
        work[to_t + i * ROW + CONSTANT] = constant


@kernel
def _eliminate(work, one, two, held):
    """X from D; the upper rows of K keep the pivots' rows."""
    for k in range(held):
        for i in range(k + 1, 6):
            m = -work[_K + i * ROW + k] / work[_K + k * ROW + k]
            for at in (_K, one + _X, two + _X):
                store(work, at + i * ROW, add_scaled(load(work, at + i * ROW), m, load(work, at + k * ROW)))


@kernel
def _substitute(data, work, part, E, held):
    for k in range(held, 6):
        store(data, E + k * ROW, load(work, part + _X + k * ROW))
    for k in range(held - 1, -1, -1):
        inverse = 1.0 / work[_K + k * ROW + k]
        row = scaled(-inverse, load(work, part + _X + k * ROW))
        store(work, part + _Y + k * ROW, row)
        for m in range(k + 1, held):
            row = add_scaled(row, -inverse * work[_K + k * ROW + m], load(data, E + m * ROW))
        store(data, E + k * ROW, row)


@kernel
def solve_any(linkage, node, first, second, joint):
    """Forces at the near handles of a node's parts, and the joint's accelerations.

    `first` and `second` are the parts' numbers. Returns the weighted square of the accelerations.
    """
    data, force, work, held = linkage.data, linkage.force, linkage.work, joint.held
    T_parent, T_child = linkage.T_parent, linkage.T_child
    fill_transforms(joint, joint.order, linkage.coordinates, linkage.anchor, T_parent, T_child)
    one, two, square = 16 * first + ROW, 16 * second + ROW, 0.0
    for k in range(6):
        E_one, E_two = node.at + FIRST + k * ROW, node.at + SECOND + k * ROW
        value = data[E_one + CONSTANT]
        for i in range(6):
            value += data[E_one + i] * force[one + i] + data[E_two + i] * force[two + i]
        work[k] = value
        if k >= held:
            linkage.accelerations[joint.axis_start + k - held] = value
            square += joint.weight[k - held] * value * value
    t, s = (16 * first, 16 * second) if node.sign > 0.0 else (16 * second, 16 * first)
    for i in range(6):
        on_child, on_parent = 0.0, 0.0
        for k in range(held):
            on_child += T_child[k, i] * work[k]
            on_parent += T_parent[k, i] * work[k]
        force[t + i], force[s + i] = on_child, -on_parent
    return square
