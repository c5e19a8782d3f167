# SPDX-License-Identifier: GPL-3.0-or-later
"""Two assemblies that a hinge joins: the equations of the whole from those of its parts.

Symbols (`arrays`): t the part with the joint's child, whose handle turns by the joint's angle, s that with its parent;
y = (lambda, q''): the five components that a hinge transmits to t, and its acceleration. With
    K = P_nn^s + P_nn^t,  D = (-P_nf^s, P_nf^t, b_n^t - b_n^s),  M = Q_nn^s + Q_nn^t,
    S = (-Q_nf^s, Q_nf^t, p_n^t - p_n^s)
in the joint's frame, the acceleration across the joint is K (lambda, 0) + D (f_s, f_t, 1). Its first five rows vanish,
the sixth is q''. Elimination without pivoting, with m multipliers and k pivots, gives
    X = L^-1 D,  Y = -X / k,  E = L^-T Y,  lambda = E (f_s, f_t, 1),  q'' = X_6 (f_s, f_t, 1) = u.(f_s, f_t, 1),
and the whole, with G = S + M E,
    P += Y^T X,    Q += E^T G + S^T E + u u^T.
Constants (b, p, eta) are the seventh column of the same products.

Source: Redon, Lin (2006), eq. 2, 4, 5 and 9. Their W is the inverse of K on the transmitted components, bordered by
zeros; with handles along the joint's axis no 6 x 6 matrix needs to be inverted and projected.
"""

from ..kernel import inlined_kernel, kernel
from .arrays import CROSS, ETA, FAR, FIRST, NEAR, Q_CROSS, Q_FAR, Q_NEAR, ROW, SECOND
from .rows import (
    CONSTANT,
    add,
    add_multiple,
    add_scaled,
    load,
    multiply,
    only_constant,
    pairs_swapped,
    scaled,
    store,
    total,
    turn,
    with_constant,
)

# in `work`: K, then for the part with the joint's parent (0) and its child (1): X, Y, S, E, G, each with six rows
_K, _M, _PART, _X, _Y, _S, _G = 0, 48, 96, 0, 48, 96, 144
_PART_SIZE = 192


@kernel
def assemble_hinge(data, work, node, first, second, joint):
    """Fills P, Q and y of a node from its parts; the hinge's cosine and sine must be up to date."""
    first_is_child = node.sign > 0.0
    t, s = (first, second) if first_is_child else (second, first)
    c, sine = joint.cosine, joint.sine
    C, S = turn(c, sine)
    _sum_turned(data, s.at + NEAR, t.at + NEAR, C, S, c, sine, work, _K)
    multipliers, inverse = _factor(work)  # while this divides, the processor can do what follows
    are_single = first.q_at == 0 and second.q_at == 0
    parent, child = _PART, _PART + _PART_SIZE
    _cross_rows(data, s.at + CROSS, t.at + CROSS, c, sine, work, parent + _X, child + _X)
    if not are_single:
        _sum_turned(data, s.q_at + Q_NEAR, t.q_at + Q_NEAR, C, S, c, sine, work, _M)
        _cross_rows(data, s.q_at + Q_CROSS, t.q_at + Q_CROSS, c, sine, work, parent + _S, child + _S)
    one, two = (child, parent) if first_is_child else (parent, child)
    E_one, E_two = node.at + FIRST, node.at + SECOND
    _eliminate(data, work, one, E_one, multipliers, inverse)
    _eliminate(data, work, two, E_two, multipliers, inverse)
    _multiply_first(data, work, one, two, first.at + FAR, node.at + NEAR, node.at + CROSS)
    _multiply_second(data, work, two, second.at + FAR, node.at + FAR)
    w, R = joint.weight[0], data[E_one + 5 * ROW + CONSTANT]
    if are_single:  # nothing turns within them
        _multiply_alone(data, E_one, E_one, w, node.q_at + Q_NEAR)
        _multiply_alone(data, E_one, E_two, w, node.q_at + Q_CROSS)
        _multiply_alone(data, E_two, E_two, w, node.q_at + Q_FAR)
        data[node.q_at + ETA] = w * R * R
        return
    _fill_G(data, work, one, E_one)
    _fill_G(data, work, two, E_two)
    q_at = node.q_at
    _add_first(data, work, one, E_one, two, E_two, first.q_at + Q_FAR, q_at + Q_NEAR, q_at + Q_CROSS, w)
    _add_second(data, work, two, E_two, second.q_at + Q_FAR, q_at + Q_FAR, w)
    eta = data[first.q_at + ETA] + data[second.q_at + ETA] + w * R * R
    for k in range(5):
        at = k * ROW + CONSTANT
        eta += data[E_one + at] * (work[one + _G + at] + work[one + _S + at])
    data[node.q_at + ETA] = eta


@inlined_kernel
def _multiply_alone(data, one, two, weight, to):
    """u_1 u_2^T"""
    u = load(data, two + 5 * ROW)
    for i in range(6):
        store(data, to + i * ROW, scaled(weight * data[one + 5 * ROW + i], u))


@inlined_kernel
def _turned(row, other, c, s):
    """Two rows, turned as one vector."""
    return add_scaled(scaled(c, row), -s, other), add_scaled(scaled(s, row), c, other)


@inlined_kernel
def _turn_columns(row, C, S):
    return add(multiply(row, C), multiply(pairs_swapped(row), S))


@inlined_kernel
def _sum_turned(data, s, t, C, S, c, sine, work, to):
    """The sum of two symmetric blocks, of which that of t is turned into the joint's frame."""
    r0, r1 = _turned(load(data, t), load(data, t + ROW), c, sine)
    r2, r3 = _turned(load(data, t + 2 * ROW), load(data, t + 3 * ROW), c, sine)
    store(work, to, add(load(data, s), _turn_columns(r0, C, S)))
    store(work, to + ROW, add(load(data, s + ROW), _turn_columns(r1, C, S)))
    store(work, to + 2 * ROW, add(load(data, s + 2 * ROW), _turn_columns(r2, C, S)))
    store(work, to + 3 * ROW, add(load(data, s + 3 * ROW), _turn_columns(r3, C, S)))
    for k in range(4, 6):
        at = k * ROW
        store(work, to + at, add(load(data, s + at), _turn_columns(load(data, t + at), C, S)))


@inlined_kernel
def _cross_rows(data, s, t, c, sine, work, to_s, to_t):
    """-s and the turned t, both with the sum of their constants."""
    t0, t1 = _turned(load(data, t), load(data, t + ROW), c, sine)
    t2, t3 = _turned(load(data, t + 2 * ROW), load(data, t + 3 * ROW), c, sine)
    t4, t5 = load(data, t + 4 * ROW), load(data, t + 5 * ROW)
    _store_both(load(data, s), t0, work, to_s, to_t)
    _store_both(load(data, s + ROW), t1, work, to_s + ROW, to_t + ROW)
    _store_both(load(data, s + 2 * ROW), t2, work, to_s + 2 * ROW, to_t + 2 * ROW)
    _store_both(load(data, s + 3 * ROW), t3, work, to_s + 3 * ROW, to_t + 3 * ROW)
    _store_both(load(data, s + 4 * ROW), t4, work, to_s + 4 * ROW, to_t + 4 * ROW)
    _store_both(load(data, s + 5 * ROW), t5, work, to_s + 5 * ROW, to_t + 5 * ROW)


@inlined_kernel
def _store_both(s, t, work, to_s, to_t):
    constant = only_constant(add_scaled(t, -1.0, s))
    store(work, to_s, add(_without_constant(scaled(-1.0, s)), constant))
    store(work, to_t, add(_without_constant(t), constant))


@inlined_kernel
def _without_constant(row):
    return with_constant(row, 0.0)


@inlined_kernel
def _factor(work):
    """Multipliers, by columns, and inverse pivots of the five transmitted components; the sixth row is eliminated."""
    a, b, c, d = work[_K], work[_K + ROW], work[_K + 2 * ROW], work[_K + 3 * ROW]
    e, f = work[_K + 4 * ROW], work[_K + 5 * ROW]
    i0 = 1.0 / a
    m10, m20, m30, m40, m50 = b * i0, c * i0, d * i0, e * i0, f * i0
    b1 = work[_K + ROW + 1] - m10 * b
    c1, d1 = work[_K + 2 * ROW + 1] - m20 * b, work[_K + 3 * ROW + 1] - m30 * b
    e1, f1 = work[_K + 4 * ROW + 1] - m40 * b, work[_K + 5 * ROW + 1] - m50 * b
    i1 = 1.0 / b1
    m21, m31, m41, m51 = c1 * i1, d1 * i1, e1 * i1, f1 * i1
    c2 = work[_K + 2 * ROW + 2] - m20 * c - m21 * c1
    d2 = work[_K + 3 * ROW + 2] - m30 * c - m31 * c1
    e2 = work[_K + 4 * ROW + 2] - m40 * c - m41 * c1
    f2 = work[_K + 5 * ROW + 2] - m50 * c - m51 * c1
    i2 = 1.0 / c2
    m32, m42, m52 = d2 * i2, e2 * i2, f2 * i2
    d3 = work[_K + 3 * ROW + 3] - m30 * d - m31 * d1 - m32 * d2
    e3 = work[_K + 4 * ROW + 3] - m40 * d - m41 * d1 - m42 * d2
    f3 = work[_K + 5 * ROW + 3] - m50 * d - m51 * d1 - m52 * d2
    i3 = 1.0 / d3
    m43, m53 = e3 * i3, f3 * i3
    e4 = work[_K + 4 * ROW + 4] - m40 * e - m41 * e1 - m42 * e2 - m43 * e3
    f4 = work[_K + 5 * ROW + 4] - m50 * e - m51 * e1 - m52 * e2 - m53 * e3
    i4 = 1.0 / e4
    return (
        ((m10, m20, m30, m40, m50), (m21, m31, m41, m51), (m32, m42, m52), (m43, m53), f4 * i4),
        (i0, i1, i2, i3, i4),
    )


@inlined_kernel
def _eliminate(data, work, part, E, multipliers, inverse):
    """X and Y in `work`, E and u in `data`, from D where X will be."""
    (m10, m20, m30, m40, m50), (m21, m31, m41, m51), (m32, m42, m52), (m43, m53), m54 = multipliers
    i0, i1, i2, i3, i4 = inverse
    X, Y = part + _X, part + _Y
    x0 = load(work, X)
    x1 = add_scaled(load(work, X + ROW), -m10, x0)
    x2 = add_scaled(add_scaled(load(work, X + 2 * ROW), -m20, x0), -m21, x1)
    x3 = add_scaled(add_scaled(add_scaled(load(work, X + 3 * ROW), -m30, x0), -m31, x1), -m32, x2)
    x4 = add_scaled(add_scaled(load(work, X + 4 * ROW), -m40, x0), -m41, x1)
    x4 = add_scaled(add_scaled(x4, -m42, x2), -m43, x3)
    x5 = add_scaled(add_scaled(load(work, X + 5 * ROW), -m50, x0), -m51, x1)
    x5 = add_scaled(add_scaled(add_scaled(x5, -m52, x2), -m53, x3), -m54, x4)
    store(work, X + ROW, x1)
    store(work, X + 2 * ROW, x2)
    store(work, X + 3 * ROW, x3)
    store(work, X + 4 * ROW, x4)
    y0, y1, y2, y3, e4 = scaled(-i0, x0), scaled(-i1, x1), scaled(-i2, x2), scaled(-i3, x3), scaled(-i4, x4)
    store(work, Y, y0)
    store(work, Y + ROW, y1)
    store(work, Y + 2 * ROW, y2)
    store(work, Y + 3 * ROW, y3)
    store(work, Y + 4 * ROW, e4)
    e3 = add_scaled(y3, -m43, e4)
    e2 = add_scaled(add_scaled(y2, -m32, e3), -m42, e4)
    e1 = add_scaled(add_scaled(add_scaled(y1, -m21, e2), -m31, e3), -m41, e4)
    e0 = add_scaled(add_scaled(add_scaled(add_scaled(y0, -m10, e1), -m20, e2), -m30, e3), -m40, e4)
    store(data, E, e0)
    store(data, E + ROW, e1)
    store(data, E + 2 * ROW, e2)
    store(data, E + 3 * ROW, e3)
    store(data, E + 4 * ROW, e4)
    store(data, E + 5 * ROW, x5)


@inlined_kernel
def _columns(row, left, at, b0, b1, b2, b3, b4):
    """row + the sum over five rows of the number in `left` times b."""
    row = add_multiple(add_multiple(row, left, at, b0), left, at + ROW, b1)
    row = add_multiple(add_multiple(row, left, at + 2 * ROW, b2), left, at + 3 * ROW, b3)
    return add_multiple(row, left, at + 4 * ROW, b4)


@inlined_kernel
def _five(array, at):
    return (
        load(array, at),
        load(array, at + ROW),
        load(array, at + 2 * ROW),
        load(array, at + 3 * ROW),
        load(array, at + 4 * ROW),
    )


@inlined_kernel
def _multiply_first(data, work, one, two, source, near, cross):
    """near: source + Y_1^T X_1; cross: Y_1^T X_2, with the same constants. Both at once read Y only once."""
    a0, a1, a2, a3, a4 = _five(work, one + _X)
    b0, b1, b2, b3, b4 = _five(work, two + _X)
    for i in range(6):
        row = load(data, source + i * ROW)
        top = _columns(row, work, one + _Y + i, a0, a1, a2, a3, a4)
        other = _columns(only_constant(row), work, one + _Y + i, b0, b1, b2, b3, b4)
        store(data, near + i * ROW, top)
        store(data, cross + i * ROW, other)


@inlined_kernel
def _multiply_second(data, work, two, source, to):
    """source + Y_2^T X_2"""
    b0, b1, b2, b3, b4 = _five(work, two + _X)
    for i in range(6):
        row = load(data, source + i * ROW)
        store(data, to + i * ROW, _columns(row, work, two + _Y + i, b0, b1, b2, b3, b4))


@inlined_kernel
def _fill_G(data, work, part, E):
    """S + M E"""
    b0, b1, b2, b3, b4 = _five(data, E)
    for k in range(5):
        row = load(work, part + _S + k * ROW)
        at = _M + k * ROW
        row = add_multiple(add_multiple(row, work, at, b0), work, at + 1, b1)
        row = add_multiple(add_multiple(row, work, at + 2, b2), work, at + 3, b3)
        store(work, part + _G + k * ROW, add_multiple(row, work, at + 4, b4))


@inlined_kernel
def _add_first(data, work, one, E_one, two, E_two, source, near, cross, weight):
    """near: source + E_1^T G_1 + S_1^T E_1 + u_1 u_1^T; cross: E_1^T G_2 + S_1^T E_2 + u_1 u_2^T, same constants."""
    a0, a1, a2, a3, a4 = _five(data, E_one)
    b0, b1, b2, b3, b4 = _five(data, E_two)
    g0, g1, g2, g3, g4 = _five(work, one + _G)
    h0, h1, h2, h3, h4 = _five(work, two + _G)
    u, v = load(data, E_one + 5 * ROW), load(data, E_two + 5 * ROW)
    for i in range(6):
        row = load(data, source + i * ROW)
        top = _columns(row, data, E_one + i, g0, g1, g2, g3, g4)
        other = _columns(only_constant(row), data, E_one + i, h0, h1, h2, h3, h4)
        top = _columns(top, work, one + _S + i, a0, a1, a2, a3, a4)
        other = _columns(other, work, one + _S + i, b0, b1, b2, b3, b4)
        k = weight * data[E_one + 5 * ROW + i]
        store(data, near + i * ROW, add_scaled(top, k, u))
        store(data, cross + i * ROW, add_scaled(other, k, v))


@inlined_kernel
def _add_second(data, work, two, E_two, source, to, weight):
    """source + E_2^T G_2 + S_2^T E_2 + u_2 u_2^T"""
    b0, b1, b2, b3, b4 = _five(data, E_two)
    h0, h1, h2, h3, h4 = _five(work, two + _G)
    v = load(data, E_two + 5 * ROW)
    for i in range(6):
        row = _columns(load(data, source + i * ROW), data, E_two + i, h0, h1, h2, h3, h4)
        row = _columns(row, work, two + _S + i, b0, b1, b2, b3, b4)
        store(data, to + i * ROW, add_scaled(row, weight * data[E_two + 5 * ROW + i], v))


@kernel
def solve_hinge(data, force, node, first, second, joint):
    """Forces at the near handles of a node's parts from those at its own; returns the hinge's acceleration.

    `first` and `second` are the parts' numbers; their far handles have their forces already.
    """
    one, two = with_constant(load(force, 16 * first + ROW), 1.0), load(force, 16 * second + ROW)
    E_one, E_two = node.at + FIRST, node.at + SECOND
    y0 = total(add(multiply(load(data, E_one), one), multiply(load(data, E_two), two)))
    y1 = total(add(multiply(load(data, E_one + ROW), one), multiply(load(data, E_two + ROW), two)))
    y2 = total(add(multiply(load(data, E_one + 2 * ROW), one), multiply(load(data, E_two + 2 * ROW), two)))
    y3 = total(add(multiply(load(data, E_one + 3 * ROW), one), multiply(load(data, E_two + 3 * ROW), two)))
    y4 = total(add(multiply(load(data, E_one + 4 * ROW), one), multiply(load(data, E_two + 4 * ROW), two)))
    y5 = total(add(multiply(load(data, E_one + 5 * ROW), one), multiply(load(data, E_two + 5 * ROW), two)))
    t, s = (16 * first, 16 * second) if node.sign > 0.0 else (16 * second, 16 * first)
    c, sine = joint.cosine, joint.sine
    force[s], force[s + 1], force[s + 2], force[s + 3], force[s + 4] = -y0, -y1, -y2, -y3, -y4
    force[t], force[t + 1] = c * y0 + sine * y1, c * y1 - sine * y0
    force[t + 2], force[t + 3], force[t + 4] = c * y2 + sine * y3, c * y3 - sine * y2, y4
    return y5
