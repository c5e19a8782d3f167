# SPDX-License-Identifier: GPL-3.0-or-later
"""Two assemblies that a hinge joins: the equations of the whole from those of its parts.

Symbols (`arrays`): t the part with the joint's child, whose handle turns by the joint's angle, s that with its parent;
y = (lambda, q''): the five components that a hinge transmits to t, and its acceleration. With
    K = P_nn^s + P_nn^t,  D = (-P_nf^s, P_nf^t, b_n^t - b_n^s),
    M = Q_nn^s + Q_nn^t,  S = (-Q_nf^s, Q_nf^t, p_n^t - p_n^s)
in the joint's frame, the acceleration across the joint is K (lambda, 0) + D (f_s, f_t, 1). Its first five rows vanish,
the sixth is q''. Elimination without pivoting, with m multipliers and k pivots, gives
    X = L^-1 D,  Y = -X / k,  E = L^-T Y,  y = E (f_s, f_t, 1), E's sixth row being that of X,
and with f_1 the force on the whole's near handle, f_2 that on its far one,
    P += Y^T X,
    Q_nn += E_1^T G_1,  Q_nf += E_1^T G_2 + G_1^T E_2,  Q_ff += E_2^T G_2,    G = M E + S, its sixth row w E_6,
of which Y, X, M and S have five rows, and w is the weight of q''^2. Constants (b, p, eta) are the seventh column of the
same products.

Source: Redon, Lin (2006), eq. 2, 4, 5 and 9. Their W is the inverse of K on the transmitted components, bordered by
zeros; with handles along the joint's axis no 6 x 6 matrix needs to be inverted and projected.
"""

from ..kernel import inlined_kernel, kernel
from .arrays import CROSS, ETA, FAR, FIRST, NEAR, Q_CROSS, Q_FAR, Q_NEAR, ROW, SECOND
from .rows import (
    CONSTANT,
    add,
    add_multiple,
    add_product,
    add_scaled,
    less_product,
    load,
    multiply,
    only_constant,
    pairs_swapped,
    scaled,
    store,
    total,
    totals,
    turn,
    with_constant,
    with_constant_of,
)

# in `work`: K (and later a row of it for constants p_f), M, then for each part X, Y, G, each with six rows
_K, _P, _M, _ONE, _TWO = 0, 0, 48, 96, 240
_X, _Y, _G = 0, 48, 96


@kernel
def assemble_hinge(data, work, node, first, second, joint):
    """Fills P, Q and y of a node from its parts; the hinge's cosine and sine must be up to date."""
    first_is_child = node.sign > 0.0
    t, s = (first, second) if first_is_child else (second, first)
    of_t, of_s = (_ONE, _TWO) if first_is_child else (_TWO, _ONE)
    E_one, E_two = node.at + FIRST, node.at + SECOND
    E_t, E_s = (E_one, E_two) if first_is_child else (E_two, E_one)
    c, sine = joint.cosine, joint.sine
    C, S = turn(c, sine)
    _sum_turned(data, s.at + NEAR, t.at + NEAR, C, S, c, sine, work, _K)
    multipliers, inverse = _factor(work)  # while this divides, the processor can do what follows
    w, q_at = joint.weight[0], node.q_at
    _sum_turned(data, s.q_at + Q_NEAR, t.q_at + Q_NEAR, C, S, c, sine, work, _M)
    of_parent, of_child = _cross_rows(data, s.at + CROSS, t.at + CROSS, c, sine)
    _eliminate(data, work, of_parent, of_s, E_s, multipliers, inverse)
    _eliminate(data, work, of_child, of_t, E_t, multipliers, inverse)
    _multiply(data, work, first.at + FAR, second.at + FAR, node.at)
    of_parent, of_child = _cross_rows(data, s.q_at + Q_CROSS, t.q_at + Q_CROSS, c, sine)
    _fill_G(data, work, of_parent, of_s, E_s, w)
    _fill_G(data, work, of_child, of_t, E_t, w)
    _add_squares(data, work, E_one, E_two, first.q_at + Q_FAR, second.q_at + Q_FAR, q_at)
    eta = data[first.q_at + ETA] + data[second.q_at + ETA]
    for k in range(6):
        eta += data[E_two + k * ROW + CONSTANT] * work[_TWO + _G + k * ROW + CONSTANT]
    data[q_at + ETA] = eta


@inlined_kernel
def _turned(row, other, c, s):
    """Two rows, turned as one vector."""
    return add_scaled(scaled(c, row), -s, other), add_scaled(scaled(s, row), c, other)


@inlined_kernel
def _add_turned_columns(sum_, row, C, S):
    return add_product(add_product(sum_, row, C), pairs_swapped(row), S)


@inlined_kernel
def _sum_turned(data, s, t, C, S, c, sine, work, to):
    """The sum of two blocks, of which that of t is turned into the joint's frame."""
    r0, r1 = _turned(load(data, t), load(data, t + ROW), c, sine)
    r2, r3 = _turned(load(data, t + 2 * ROW), load(data, t + 3 * ROW), c, sine)
    r4, r5 = load(data, t + 4 * ROW), load(data, t + 5 * ROW)
    store(work, to, _add_turned_columns(load(data, s), r0, C, S))
    store(work, to + ROW, _add_turned_columns(load(data, s + ROW), r1, C, S))
    store(work, to + 2 * ROW, _add_turned_columns(load(data, s + 2 * ROW), r2, C, S))
    store(work, to + 3 * ROW, _add_turned_columns(load(data, s + 3 * ROW), r3, C, S))
    store(work, to + 4 * ROW, _add_turned_columns(load(data, s + 4 * ROW), r4, C, S))
    store(work, to + 5 * ROW, _add_turned_columns(load(data, s + 5 * ROW), r5, C, S))


@inlined_kernel
def _cross_rows(data, s, t, c, sine):
    """Six rows of -s and of the turned t, both with the sum of their constants."""
    t0, t1 = _turned(load(data, t), load(data, t + ROW), c, sine)
    t2, t3 = _turned(load(data, t + 2 * ROW), load(data, t + 3 * ROW), c, sine)
    s0, t0 = _with_both_constants(load(data, s), t0)
    s1, t1 = _with_both_constants(load(data, s + ROW), t1)
    s2, t2 = _with_both_constants(load(data, s + 2 * ROW), t2)
    s3, t3 = _with_both_constants(load(data, s + 3 * ROW), t3)
    s4, t4 = _with_both_constants(load(data, s + 4 * ROW), load(data, t + 4 * ROW))
    s5, t5 = _with_both_constants(load(data, s + 5 * ROW), load(data, t + 5 * ROW))
    return (s0, s1, s2, s3, s4, s5), (t0, t1, t2, t3, t4, t5)


@inlined_kernel
def _with_both_constants(s, t):
    """-s and t"""
    minus_s = scaled(-1.0, s)
    both = add(t, minus_s)
    return with_constant_of(minus_s, both), with_constant_of(t, both)


@inlined_kernel
def _factor(work):
    """Multipliers, by columns, and inverse pivots of the five transmitted components; the sixth row is eliminated."""
    a, b, c, d, e, f = _column(work, 0)
    _, b1, c1, d1, e1, f1 = _column(work, 1)
    _, _, c2, d2, e2, f2 = _column(work, 2)
    _, _, _, d3, e3, f3 = _column(work, 3)
    _, _, _, _, e4, f4 = _column(work, 4)
    i0 = 1.0 / a
    m10, m20, m30, m40, m50 = b * i0, c * i0, d * i0, e * i0, f * i0
    b1, c1, d1 = less_product(b1, m10, b), less_product(c1, m20, b), less_product(d1, m30, b)
    e1, f1 = less_product(e1, m40, b), less_product(f1, m50, b)
    i1 = 1.0 / b1
    m21, m31, m41, m51 = c1 * i1, d1 * i1, e1 * i1, f1 * i1
    c2 = less_product(less_product(c2, m20, c), m21, c1)
    d2 = less_product(less_product(d2, m30, c), m31, c1)
    e2 = less_product(less_product(e2, m40, c), m41, c1)
    f2 = less_product(less_product(f2, m50, c), m51, c1)
    i2 = 1.0 / c2
    m32, m42, m52 = d2 * i2, e2 * i2, f2 * i2
    d3 = less_product(less_product(less_product(d3, m30, d), m31, d1), m32, d2)
    e3 = less_product(less_product(less_product(e3, m40, d), m41, d1), m42, d2)
    f3 = less_product(less_product(less_product(f3, m50, d), m51, d1), m52, d2)
    i3 = 1.0 / d3
    m43, m53 = e3 * i3, f3 * i3
    e4 = less_product(less_product(less_product(less_product(e4, m40, e), m41, e1), m42, e2), m43, e3)
    f4 = less_product(less_product(less_product(less_product(f4, m50, e), m51, e1), m52, e2), m53, e3)
    i4 = 1.0 / e4
    return (
        ((m10, m20, m30, m40, m50), (m21, m31, m41, m51), (m32, m42, m52), (m43, m53), f4 * i4),
        (i0, i1, i2, i3, i4),
    )


@inlined_kernel
def _column(work, k):
    """Column k of K."""
    return (
        work[_K + k], work[_K + ROW + k], work[_K + 2 * ROW + k],
        work[_K + 3 * ROW + k], work[_K + 4 * ROW + k], work[_K + 5 * ROW + k],
    )  # fmt: skip


@inlined_kernel
def _eliminate(data, work, D, part, E, multipliers, inverse):
    """X and Y in `work`, E in `data`."""
    (m10, m20, m30, m40, m50), (m21, m31, m41, m51), (m32, m42, m52), (m43, m53), m54 = multipliers
    i0, i1, i2, i3, i4 = inverse
    x0, x1, x2, x3, x4, x5 = D
    x1 = add_scaled(x1, -m10, x0)
    x2 = add_scaled(add_scaled(x2, -m20, x0), -m21, x1)
    x3 = add_scaled(add_scaled(add_scaled(x3, -m30, x0), -m31, x1), -m32, x2)
    x4 = add_scaled(add_scaled(x4, -m40, x0), -m41, x1)
    x4 = add_scaled(add_scaled(x4, -m42, x2), -m43, x3)
    x5 = add_scaled(add_scaled(x5, -m50, x0), -m51, x1)
    x5 = add_scaled(add_scaled(add_scaled(x5, -m52, x2), -m53, x3), -m54, x4)
    _store_five(work, part + _X, x0, x1, x2, x3, x4)
    y0, y1, y2, y3, e4 = scaled(-i0, x0), scaled(-i1, x1), scaled(-i2, x2), scaled(-i3, x3), scaled(-i4, x4)
    _store_five(work, part + _Y, y0, y1, y2, y3, e4)
    e3 = add_scaled(y3, -m43, e4)
    e2 = add_scaled(add_scaled(y2, -m32, e3), -m42, e4)
    e1 = add_scaled(add_scaled(add_scaled(y1, -m21, e2), -m31, e3), -m41, e4)
    e0 = add_scaled(add_scaled(add_scaled(add_scaled(y0, -m10, e1), -m20, e2), -m30, e3), -m40, e4)
    _store_five(data, E, e0, e1, e2, e3, e4)
    store(data, E + 5 * ROW, x5)


@inlined_kernel
def _store_five(array, at, a, b, c, d, e):
    store(array, at, a)
    store(array, at + ROW, b)
    store(array, at + 2 * ROW, c)
    store(array, at + 3 * ROW, d)
    store(array, at + 4 * ROW, e)


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
def _columns(row, left, at, b):
    """row + the sum over five rows of the number in `left` times b."""
    b0, b1, b2, b3, b4 = b
    row = add_multiple(add_multiple(row, left, at, b0), left, at + ROW, b1)
    row = add_multiple(add_multiple(row, left, at + 2 * ROW, b2), left, at + 3 * ROW, b3)
    return add_multiple(row, left, at + 4 * ROW, b4)


@inlined_kernel
def _multiply(data, work, first, second, to):
    """P of the whole, from the blocks of the parts' far handles."""
    x_one, x_two = _five(work, _ONE + _X), _five(work, _TWO + _X)
    for i in range(6):
        row, y_one, y_two = load(data, first + i * ROW), _ONE + _Y + i, _TWO + _Y + i
        store(data, to + NEAR + i * ROW, _columns(row, work, y_one, x_one))
        store(data, to + CROSS + i * ROW, _columns(only_constant(row), work, y_one, x_two))
        store(data, to + FAR + i * ROW, _columns(load(data, second + i * ROW), work, y_two, x_two))


@inlined_kernel
def _fill_G(data, work, S, part, E, weight):
    """G in `work`."""
    s0, s1, s2, s3, s4, _ = S
    e = _five(data, E)
    G = part + _G
    store(work, G, _along(s0, work, _M, e))
    store(work, G + ROW, _along(s1, work, _M + ROW, e))
    store(work, G + 2 * ROW, _along(s2, work, _M + 2 * ROW, e))
    store(work, G + 3 * ROW, _along(s3, work, _M + 3 * ROW, e))
    store(work, G + 4 * ROW, _along(s4, work, _M + 4 * ROW, e))
    store(work, G + 5 * ROW, scaled(weight, load(data, E + 5 * ROW)))


@inlined_kernel
def _along(row, left, at, b):
    """row + the sum of the five numbers from `at` on times b."""
    b0, b1, b2, b3, b4 = b
    row = add_multiple(add_multiple(row, left, at, b0), left, at + 1, b1)
    row = add_multiple(add_multiple(row, left, at + 2, b2), left, at + 3, b3)
    return add_multiple(row, left, at + 4, b4)


@inlined_kernel
def _add_squares(data, work, E_one, E_two, first, second, to):
    """Q of the whole, from the blocks of the parts' far handles."""
    G_one, G_two = _ONE + _G, _TWO + _G
    e, g, h = _five(data, E_two), _five(work, G_one), _five(work, G_two)
    u, w_u, w_v = load(data, E_two + 5 * ROW), load(work, G_one + 5 * ROW), load(work, G_two + 5 * ROW)
    store(work, _P, _columns(scaled(data[E_two + 5 * ROW + CONSTANT], w_v), data, E_two + CONSTANT, h))
    one = only_constant(with_constant(u, 1.0))
    for i in range(6):
        row, E_i = load(data, first + i * ROW), E_one + i
        near = _columns(add_multiple(row, data, E_i + 5 * ROW, w_u), data, E_i, g)
        cross = _columns(add_multiple(only_constant(row), data, E_i + 5 * ROW, w_v), data, E_i, h)
        cross = _columns(add_multiple(cross, work, G_one + 5 * ROW + i, u), work, G_one + i, e)
        store(data, to + Q_NEAR + i * ROW, near)
        store(data, to + Q_CROSS + i * ROW, cross)
        row, E_i = add_multiple(load(data, second + i * ROW), work, _P + i, one), E_two + i
        far = _columns(add_multiple(row, data, E_i + 5 * ROW, w_v), data, E_i, h)
        store(data, to + Q_FAR + i * ROW, far)


@kernel
def solve_hinge(data, force, node, first, second, joint):
    """Forces at the near handles of a node's parts from those at its own; returns the hinge's acceleration.

    `first` and `second` are the parts' numbers; their far handles have their forces already.
    """
    one, two = with_constant(load(force, 16 * first + ROW), 1.0), load(force, 16 * second + ROW)
    E_one, E_two = node.at + FIRST, node.at + SECOND
    y = totals(
        _products(data, E_one, one, E_two, two),
        _products(data, E_one + ROW, one, E_two + ROW, two),
        _products(data, E_one + 2 * ROW, one, E_two + 2 * ROW, two),
        _products(data, E_one + 3 * ROW, one, E_two + 3 * ROW, two),
        _products(data, E_one + 4 * ROW, one, E_two + 4 * ROW, two),
    )
    t, s = (16 * first, 16 * second) if node.sign > 0.0 else (16 * second, 16 * first)
    C, S = turn(joint.cosine, -joint.sine)
    store(force, s, scaled(-1.0, y))
    store(force, t, add_product(multiply(y, C), pairs_swapped(y), S))
    return total(_products(data, E_one + 5 * ROW, one, E_two + 5 * ROW, two))


@inlined_kernel
def _products(data, a, one, b, two):
    return add_product(multiply(load(data, a), one), load(data, b), two)
