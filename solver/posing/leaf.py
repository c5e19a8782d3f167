# SPDX-License-Identifier: GPL-3.0-or-later
"""A few bodies that hang together by hinges and balls, solved at once: the equations of a leaf of the assembly tree.

The articulated body method, with the forces on the two handles as columns. All is along the axes of the near handle;
symbols (`arrays`): for a link, O its frame's origin, which lies on its joint's axes, and n such an axis; I its inertia
about O, IA what hangs on it included, p = (f_f, 1) columns of the forces on that. Inward, from the tips, for each axis
    U = IA n,  D = n.U,  u = n.p,    IA -= U U^T / D,  p -= U u / D,
both then handed to the inner link, about its O. At the first link a = IA^-1 (f_n + p), and outward, axes in reverse,
    q'' = (u - U.a) / D,    a += n q''.
So P_nn and P_nf are rows of the first link's a, P_ff those of the last one's at the far handle, and
    Q = sum of E^T E over the axes, with q'' = E (f_n, f_f, 1).

Source: Featherstone (2008), table 7.1; Redon, Lin (2006), eq. 2, 4 and 5, of which a leaf is what stays below.
"""

from ..kernel import inlined_kernel, kernel
from ..spatial import (
    add,
    apply_symmetric,
    cross,
    dot,
    load3,
    load6,
    load_inertia,
    rotate,
    rotate_symmetric,
    scale,
    shift_inertia,
    subtract,
    subtract_projection,
    unrotate,
)
from .arrays import BLOCK, CROSS, ETA, FAR, NEAR, Q_CROSS, Q_FAR, Q_NEAR, ROW
from .frames import link_axes, load_pose
from .rows import (
    CONSTANT,
    add_multiple,
    add_product,
    add_scaled,
    constant_row,
    load,
    multiply,
    scaled,
    store,
    total,
    with_constant,
)
from .rows import add as add_rows

# in `work`, for each link: IA; p; for each axis u / D and U / D; a for f_n, and for (f_f, 1), each with six rows
_IA, _p, _AXES, _NEAR, _FAR = 0, 24, 24 + BLOCK, 24 + 2 * BLOCK, 24 + 3 * BLOCK
_u, _U, _AXIS = 0, ROW, 2 * ROW
LINK_WORK = 24 + 4 * BLOCK
_ZERO = (0.0, 0.0, 0.0)


@kernel
def assemble_leaf(linkage, i):
    """Fills P, Q and the rows of a leaf, after its `update_pose`."""
    node = linkage.nodes[i]
    leaf, work = linkage.leaves[node.leaf], linkage.work
    _clear(linkage, leaf, work)
    _push_far(linkage, i, leaf, work)
    _eliminate_inward(linkage, leaf, work)
    _move_first(linkage, leaf, work, linkage.data, node.at)
    _propagate_outward(linkage, leaf, work)
    _move_far(linkage, i, leaf, work, linkage.data, node.at)
    if node.joints > 0:
        _fill_squares(linkage, leaf, linkage.data, node.q_at)


@kernel
def _at(leaf, k):
    """The beginning of a link's room in `work`."""
    return (k - leaf.start) * LINK_WORK


@kernel
def _clear(linkage, leaf, work):
    """The own inertias, and the pushes alone."""
    push = linkage.push
    for k in range(leaf.start, leaf.end):
        link, at = linkage.links[k], _at(leaf, k)
        for j in range(6):
            store(work, at + _p + j * ROW, constant_row(push[k * ROW + j]))
        R, _ = load_pose(linkage.link_poses, k)
        m, (x, y, z) = link.mass, rotate(R, load3(link.center))
        I = rotate_symmetric(R, load6(link.inertia))
        H = (0.0, -m * z, m * y, m * z, 0.0, -m * x, -m * y, m * x, 0.0)
        _store_inertia(work, at + _IA, (I, H, (m, 0.0, 0.0, m, 0.0, m)))


@inlined_kernel
def _store_inertia(work, at, inertia):
    I, H, M = inertia
    for j in range(6):
        work[at + j], work[at + 15 + j] = I[j], M[j]
    for j in range(9):
        work[at + 6 + j] = H[j]


@inlined_kernel
def _add_inertia(work, at, inertia):
    I, H, M = inertia
    for j in range(6):
        work[at + j] += I[j]
        work[at + 15 + j] += M[j]
    for j in range(9):
        work[at + 6 + j] += H[j]


@kernel
def _push_far(linkage, i, leaf, work):
    """Columns of p at the last link: unit forces at the far handle, about the link's origin."""
    F, far = load_pose(linkage.poses, i)
    _, origin = load_pose(linkage.link_poses, leaf.last)
    r, at = subtract(far, origin), _at(leaf, leaf.last) + _p
    for j in range(3):
        axis = (F[j], F[3 + j], F[6 + j])
        n = cross(r, axis)
        for c in range(3):
            work[at + c * ROW + leaf.far_place[j]] = axis[c]
            work[at + c * ROW + leaf.far_place[3 + j]] = n[c]
            work[at + (3 + c) * ROW + leaf.far_place[3 + j]] = axis[c]


@kernel
def _eliminate_inward(linkage, leaf, work):
    for k in range(leaf.end - 1, leaf.start, -1):
        link, at = linkage.links[k], _at(leaf, k)
        R, origin = load_pose(linkage.link_poses, k)
        _, before = load_pose(linkage.link_poses, link.inner)
        axes, r = link_axes(linkage, link, R), subtract(origin, before)
        inertia = load_inertia(work[at + _IA : at + _p])
        p0, p1, p2 = load(work, at + _p), load(work, at + _p + ROW), load(work, at + _p + 2 * ROW)
        p3, p4, p5 = load(work, at + _p + 3 * ROW), load(work, at + _p + 4 * ROW), load(work, at + _p + 5 * ROW)
        for j in range(link.axes):
            n = _axis(axes, 3 - link.axes + j)
            I, H, _ = inertia
            Un, Uf = apply_symmetric(I, n), unrotate(H, n)
            D = dot(n, Un)
            inverse, to = 1.0 / D, at + _AXES + j * _AXIS
            u = scaled(inverse, add_scaled(add_scaled(scaled(n[0], p0), n[1], p1), n[2], p2))
            store(work, to + _u, u)
            for c in range(3):
                work[to + _U + c], work[to + _U + 3 + c] = inverse * Un[c], inverse * Uf[c]
            p0, p1, p2 = add_scaled(p0, -Un[0], u), add_scaled(p1, -Un[1], u), add_scaled(p2, -Un[2], u)
            p3, p4, p5 = add_scaled(p3, -Uf[0], u), add_scaled(p4, -Uf[1], u), add_scaled(p5, -Uf[2], u)
            inertia = subtract_projection(inertia, Un, Uf, D)
        p0 = add_scaled(add_scaled(p0, r[1], p5), -r[2], p4)
        p1 = add_scaled(add_scaled(p1, r[2], p3), -r[0], p5)
        p2 = add_scaled(add_scaled(p2, r[0], p4), -r[1], p3)
        to = _at(leaf, link.inner)
        _add_inertia(work, to + _IA, shift_inertia(inertia, r))
        to += _p
        store(work, to, add_rows(load(work, to), p0))
        store(work, to + ROW, add_rows(load(work, to + ROW), p1))
        store(work, to + 2 * ROW, add_rows(load(work, to + 2 * ROW), p2))
        store(work, to + 3 * ROW, add_rows(load(work, to + 3 * ROW), p3))
        store(work, to + 4 * ROW, add_rows(load(work, to + 4 * ROW), p4))
        store(work, to + 5 * ROW, add_rows(load(work, to + 5 * ROW), p5))


@inlined_kernel
def _axis(axes, c):
    """A column."""
    if c == 2:
        return axes[2], axes[5], axes[8]
    if c == 1:
        return axes[1], axes[4], axes[7]
    return axes[0], axes[3], axes[6]


@kernel
def _move_first(linkage, leaf, work, data, to):
    """The first link's a, and from it P_nn and P_nf."""
    at = _at(leaf, leaf.start)
    place = leaf.near_place
    for j in range(6):
        store(work, at + _NEAR + j * ROW, constant_row(0.0))
    for j in range(6):
        work[at + _NEAR + j * ROW + place[j]] = 1.0
    factors = _factor(load_inertia(work[at + _IA : at + _p]))
    _solve(work, at + _p, at + _FAR, factors)
    _solve(work, at + _NEAR, at + _NEAR, factors)
    for j in range(6):
        store(data, to + NEAR + place[j] * ROW, load(work, at + _NEAR + j * ROW))
        store(data, to + CROSS + place[j] * ROW, load(work, at + _FAR + j * ROW))


@inlined_kernel
def _factor(inertia):
    """Multipliers, by columns, and inverse pivots of an articulated inertia, its linear components first."""
    (f33, f43, f53, f44, f54, f55), (a3, b3, c3, a4, b4, c4, a5, b5, c5), (a, b, c, b1, c1, c2) = inertia
    i0 = 1.0 / a
    m1, m2, m3, m4, m5 = b * i0, c * i0, a3 * i0, a4 * i0, a5 * i0
    b1, c1, b3, b4, b5 = b1 - m1 * b, c1 - m1 * c, b3 - m1 * a3, b4 - m1 * a4, b5 - m1 * a5
    i1 = 1.0 / b1
    n2, n3, n4, n5 = c1 * i1, b3 * i1, b4 * i1, b5 * i1
    c2 = c2 - m2 * c - n2 * c1
    c3, c4, c5 = c3 - m2 * a3 - n2 * b3, c4 - m2 * a4 - n2 * b4, c5 - m2 * a5 - n2 * b5
    i2 = 1.0 / c2
    o3, o4, o5 = c3 * i2, c4 * i2, c5 * i2
    f33 = f33 - m3 * a3 - n3 * b3 - o3 * c3
    f43 = f43 - m3 * a4 - n3 * b4 - o3 * c4
    f53 = f53 - m3 * a5 - n3 * b5 - o3 * c5
    i3 = 1.0 / f33
    p4, p5 = f43 * i3, f53 * i3
    f44 = f44 - m4 * a4 - n4 * b4 - o4 * c4 - p4 * f43
    f54 = f54 - m4 * a5 - n4 * b5 - o4 * c5 - p4 * f53
    i4 = 1.0 / f44
    q5 = f54 * i4
    i5 = 1.0 / (f55 - m5 * a5 - n5 * b5 - o5 * c5 - p5 * f53 - q5 * f54)
    return ((m1, m2, m3, m4, m5), (n2, n3, n4, n5), (o3, o4, o5), (p4, p5), q5), (i0, i1, i2, i3, i4, i5)


@inlined_kernel
def _solve(work, source, to, factors):
    """IA^-1 of six rows."""
    ((m1, m2, m3, m4, m5), (n2, n3, n4, n5), (o3, o4, o5), (p4, p5), q5), (i0, i1, i2, i3, i4, i5) = factors
    x3, x4, x5 = load(work, source), load(work, source + ROW), load(work, source + 2 * ROW)
    x0, x1, x2 = load(work, source + 3 * ROW), load(work, source + 4 * ROW), load(work, source + 5 * ROW)
    x1 = add_scaled(x1, -m1, x0)
    x2 = add_scaled(add_scaled(x2, -m2, x0), -n2, x1)
    x3 = add_scaled(add_scaled(add_scaled(x3, -m3, x0), -n3, x1), -o3, x2)
    x4 = add_scaled(add_scaled(add_scaled(add_scaled(x4, -m4, x0), -n4, x1), -o4, x2), -p4, x3)
    x5 = add_scaled(add_scaled(add_scaled(x5, -m5, x0), -n5, x1), -o5, x2)
    x5 = scaled(i5, add_scaled(add_scaled(x5, -p5, x3), -q5, x4))
    x4 = add_scaled(scaled(i4, x4), -q5, x5)
    x3 = add_scaled(add_scaled(scaled(i3, x3), -p4, x4), -p5, x5)
    x2 = add_scaled(add_scaled(add_scaled(scaled(i2, x2), -o3, x3), -o4, x4), -o5, x5)
    x1 = add_scaled(add_scaled(scaled(i1, x1), -n2, x2), -n3, x3)
    x1 = add_scaled(add_scaled(x1, -n4, x4), -n5, x5)
    x0 = add_scaled(add_scaled(add_scaled(scaled(i0, x0), -m1, x1), -m2, x2), -m3, x3)
    x0 = add_scaled(add_scaled(x0, -m4, x4), -m5, x5)
    store(work, to, x3)
    store(work, to + ROW, x4)
    store(work, to + 2 * ROW, x5)
    store(work, to + 3 * ROW, x0)
    store(work, to + 4 * ROW, x1)
    store(work, to + 5 * ROW, x2)


@kernel
def _propagate_outward(linkage, leaf, work):
    """The links' a, and the rows of the axes."""
    for k in range(leaf.start + 1, leaf.end):
        link, at = linkage.links[k], _at(leaf, k)
        R, origin = load_pose(linkage.link_poses, k)
        _, before = load_pose(linkage.link_poses, link.inner)
        axes, r, source = link_axes(linkage, link, R), subtract(origin, before), _at(leaf, link.inner)
        for j in range(link.axes - 1, -1, -1):
            n, own, to = _axis(axes, 3 - link.axes + j), at + _AXES + j * _AXIS, 2 * ROW * (link.row + j)
            U = load6(work[own + _U : own + _AXIS])
            e = _turn_link(work, source + _NEAR, at + _NEAR, n, r, U, constant_row(0.0))
            store(linkage.rows, to, scaled(link.sign, e))
            e = _turn_link(work, source + _FAR, at + _FAR, n, r, U, load(work, own + _u))
            store(linkage.rows, to + ROW, scaled(link.sign, e))
            source, r = at, _ZERO


@inlined_kernel
def _turn_link(work, source, to, n, r, U, u):
    """a of a link, once an axis turns, from that of the inner one, or of its own before; returns the acceleration."""
    a0, a1, a2 = load(work, source), load(work, source + ROW), load(work, source + 2 * ROW)
    a3, a4, a5 = load(work, source + 3 * ROW), load(work, source + 4 * ROW), load(work, source + 5 * ROW)
    a3 = add_scaled(add_scaled(a3, r[2], a1), -r[1], a2)
    a4 = add_scaled(add_scaled(a4, r[0], a2), -r[2], a0)
    a5 = add_scaled(add_scaled(a5, r[1], a0), -r[0], a1)
    u = add_scaled(add_scaled(add_scaled(u, -U[0], a0), -U[1], a1), -U[2], a2)
    u = add_scaled(add_scaled(add_scaled(u, -U[3], a3), -U[4], a4), -U[5], a5)
    store(work, to, add_scaled(a0, n[0], u))
    store(work, to + ROW, add_scaled(a1, n[1], u))
    store(work, to + 2 * ROW, add_scaled(a2, n[2], u))
    store(work, to + 3 * ROW, a3)
    store(work, to + 4 * ROW, a4)
    store(work, to + 5 * ROW, a5)
    return u


@kernel
def _move_far(linkage, i, leaf, work, data, to):
    """P_ff, from a of the last link."""
    F, far = load_pose(linkage.poses, i)
    _, origin = load_pose(linkage.link_poses, leaf.last)
    r, at = subtract(far, origin), _at(leaf, leaf.last) + _FAR
    a0, a1, a2 = load(work, at), load(work, at + ROW), load(work, at + 2 * ROW)
    a3, a4, a5 = load(work, at + 3 * ROW), load(work, at + 4 * ROW), load(work, at + 5 * ROW)
    a3 = add_scaled(add_scaled(a3, r[2], a1), -r[1], a2)
    a4 = add_scaled(add_scaled(a4, r[0], a2), -r[2], a0)
    a5 = add_scaled(add_scaled(a5, r[1], a0), -r[0], a1)
    for j in range(3):
        row = add_scaled(add_scaled(scaled(F[j], a0), F[3 + j], a1), F[6 + j], a2)
        store(data, to + FAR + leaf.far_place[j] * ROW, row)
        row = add_scaled(add_scaled(scaled(F[j], a3), F[3 + j], a4), F[6 + j], a5)
        store(data, to + FAR + leaf.far_place[3 + j] * ROW, row)


@kernel
def _fill_squares(linkage, leaf, data, to):
    """Q, from the rows of the axes."""
    rows, start, end = linkage.rows, 2 * ROW * leaf.row_start, 2 * ROW * leaf.row_end
    for i in range(6):
        near, cross_, far = constant_row(0.0), constant_row(0.0), constant_row(0.0)
        for at in range(start, end, 2 * ROW):
            e_near, e_far = load(rows, at), load(rows, at + ROW)
            near = add_multiple(near, rows, at + i, e_near)
            cross_ = add_multiple(cross_, rows, at + i, e_far)
            far = add_multiple(far, rows, at + ROW + i, e_far)
        store(data, to + Q_NEAR + i * ROW, near)
        store(data, to + Q_CROSS + i * ROW, add_rows(cross_, cross_))
        store(data, to + Q_FAR + i * ROW, far)
        data[to + Q_FAR + i * ROW + CONSTANT] *= 2.0
    eta = 0.0
    for at in range(start, end, 2 * ROW):
        eta += rows[at + ROW + CONSTANT] * rows[at + ROW + CONSTANT]
    data[to + ETA] = eta


@kernel
def solve_leaf(linkage, i):
    """The accelerations of a leaf's joints; returns the sum of their squares, and the largest joint's."""
    leaf, force, rows = linkage.leaves[linkage.nodes[i].leaf], linkage.force, linkage.rows
    near, far = load(force, 2 * ROW * i), with_constant(load(force, 2 * ROW * i + ROW), 1.0)
    squares, largest = 0.0, 0.0
    for k in range(leaf.start + 1, leaf.end):
        link, square = linkage.links[k], 0.0
        for j in range(link.axes):
            at = 2 * ROW * (link.row + j)
            second = total(add_product(multiply(load(rows, at), near), load(rows, at + ROW), far))
            linkage.accelerations[link.axis + j] = second
            square += second * second
        squares, largest = squares + square, max(largest, square)
    return squares, largest


@kernel
def link_acceleration(linkage, body):
    """(angular, linear) of a body's link at its origin, along its leaf's near handle, once the leaf is solved."""
    i, k = linkage.node_of[body], linkage.link_of[body]
    node, data, force = linkage.nodes[i], linkage.data, linkage.force
    leaf = linkage.leaves[node.leaf]
    start, place = leaf.start, leaf.near_place
    near, far = load(force, 2 * ROW * i), with_constant(load(force, 2 * ROW * i + ROW), 1.0)
    for j in range(6):
        row, other = load(data, node.at + NEAR + place[j] * ROW), load(data, node.at + CROSS + place[j] * ROW)
        linkage.work[j] = total(add_product(multiply(row, near), other, far))
    first = load6(linkage.work)
    _, to = load_pose(linkage.link_poses, k)
    alpha, a = (first[0], first[1], first[2]), (first[3], first[4], first[5])
    a = add(a, cross(alpha, to))  # as if all moved with the first link
    while k > start:  # and what each joint between adds
        link = linkage.links[k]
        R, origin = load_pose(linkage.link_poses, k)
        axes = link_axes(linkage, link, R)
        for j in range(link.axes):
            turn = scale(link.sign * linkage.accelerations[link.axis + j], _axis(axes, 3 - link.axes + j))
            alpha, a = add(alpha, turn), add(a, cross(turn, subtract(to, origin)))
        k = link.inner
    return alpha, a
