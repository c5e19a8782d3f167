# SPDX-License-Identifier: GPL-3.0-or-later
"""The method of Lagrange: every body on its own, every joint and constraint a set of rows with multipliers, sparse.

    [ M  -G^T ] [A     ]   [ F ]      A accelerations (angular, linear) of the bodies, F applied and gyroscopic wrenches
    [ G   C   ] [lambda] = [ b ]      G rows of all joints and closures, b what is asked of them, lambda multipliers

(Tasora, Righettini 2001, eqs. 28 to 37, with angular accelerations as the unknowns of rotation from the start; Baraff
1996.) The state is still that of the trees' coordinates: no row of a tree's joint can drift.

The bodies' own 6x6 blocks are always regular, so they go first; what is left, S = G M^-1 G^T + C, couples only ties on
one body, and goes in the order of least degree (`sparse_factor`). Chains of loops cost O(n), plane nets about
O(n log n) numbers. One body with k ties couples them all: k^2 numbers.

Redundant rows have null pivots. Tasora forces such a pivot to 1e34 wherever it turns up. In an order that mixes bodies
and rows that would be wrong, since a row may depend on the rows before it only as long as a body that it acts on is
still to come; among rows alone S is semidefinite, and a null pivot means a redundant row. Such rows get no multiplier.
Contradictory ones are met as closely as can be (`redundancy`).

Armature: a rotor of inertia J on an axis has q'' = (bodies' motion along the axis) and the torque -J q''. Eliminated,
it is one soft row with C = 1/J. An axis that is held has a huge J. Efforts are wrench pairs. Both act along an axis by
its dual: the wrench that works along this axis and no other and is, in the sense of least norm, free of what the
joint's own rows can exert.

Iterative refinement with the rows' true accelerations makes up for rounding in the factors.
"""

from ...kernel import kernel
from ...model.arrays import Kind
from ...spatial import (
    add,
    apply_symmetric,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    store_spatial,
    subtract,
)
from ..tree.inverse_dynamics import propagate_accelerations
from ..tree.joints import is_travel
from ..tree.kinematics import joint_place
from .closures import along, update_targets
from .redundancy import meet_as_closely_as_can_be
from .row_response import add_multipliers, fill_rest
from .sparse_factor import factor, solve_diagonal_and_upper, solve_lower

_SCREW = int(Kind.SCREW)
_ZERO = (0.0, 0.0, 0.0)
_EXACT = 1e-13  # of what the rows asked for: a residual that calls for no further solution
_SOLUTIONS = 5
_NO_RESISTANCE = 1e40  # 1/kg or 1/(kg m2): compliance of an axis that may be held but is free


@kernel
def solve_lagrange(model, scratch):
    """Fills the accelerations of axes and bodies, and the multipliers of all rows."""
    update_targets(model, scratch)
    factor_response(model, scratch)
    fill_free_motion(model, scratch)
    elimination, maximal = model.elimination, scratch.maximal
    for p in range(len(elimination.row)):
        if elimination.row[p] >= 0:
            maximal.asked[p] = scratch.rows[elimination.row[p]].target
    ask_soft_rows(model, scratch)
    solve_rows(elimination, maximal)
    _write_multipliers(model, scratch)
    _fill_axis_accelerations(model, scratch, True)
    propagate_accelerations(model, scratch)


@kernel
def respond_lagrange(model, scratch):
    """The smallest change of rates, by kinetic energy, that gives the closures' rows their targets.

    Fills the accelerations; uses the factors of the last solution.
    """
    elimination, maximal = model.elimination, scratch.maximal
    for p in range(len(elimination.row)):
        r = elimination.row[p]
        maximal.asked[p] = scratch.rows[r].target if 0 <= r < model.closing else 0.0
    for i in range(len(model.bodies)):
        store_spatial(maximal.motion[i], _ZERO, _ZERO)
    solve_rows(elimination, maximal)
    _fill_axis_accelerations(model, scratch, False)


@kernel
def write_sparse_response(model, scratch):
    """Writes the multipliers of the latest response to the closures' rows."""
    elimination, maximal = model.elimination, scratch.maximal
    for p in range(len(elimination.row)):
        if 0 <= elimination.row[p] < model.closing:
            scratch.rows[elimination.row[p]].multiplier = maximal.multiplier[p]


@kernel
def factor_response(model, scratch):
    """Fills the rows' wrenches and responses, and the factors of S, from the present poses."""
    elimination, maximal = model.elimination, scratch.maximal
    for i in range(model.driven, len(model.bodies)):
        R = load9(scratch.bodies[i].rotation)
        inverse = rotate_symmetric(R, load6(elimination.inverse_inertia[i]))
        for k in range(6):
            maximal.inverse_inertia[i, k] = inverse[k]
        _fill_duals(model, scratch, i)
    for number in range(len(elimination.blocks)):
        _fill_rows(model, scratch, elimination.blocks[number])
    V = maximal.panels
    for k in range(len(V)):
        V[k] = 0.0
    for number in range(len(elimination.pairs)):
        _add_pair(elimination.pairs[number], V, maximal.wrench, maximal.response)
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        soft = block.axis_end - block.axis_start
        for k in range(block.width):
            place = block.start + k * block.stride + k
            if k >= block.width - soft:
                axis = elimination.soft[block.axis_end - block.width + k]
                inertia = model.armature[axis] + scratch.axes[axis].held
                maximal.compliance[block.first + k] = 1.0 / inertia if inertia > 0.0 else _NO_RESISTANCE
            else:
                maximal.compliance[block.first + k] = scratch.rows[block.row_start + k].compliance
            V[place] += maximal.compliance[block.first + k]
            maximal.own[block.first + k] = V[place]
    scratch.pivots[0].smallest = factor(elimination, maximal)
    scratch.pivots[0].rank = len(elimination.row) - maximal.count[0]


@kernel
def _fill_duals(model, scratch, i):
    """Of a screw: the wrench whose moment, by the linkage's size, and force are in the ratio of its turn and travel."""
    body, moving = model.bodies[i], scratch.bodies[i]
    if body.axis_start == body.axis_end:
        return
    arm = subtract(joint_place(model, scratch, i), load3(moving.center))
    for k in range(body.axis_start, body.axis_end):
        S = scratch.axes[k].S
        if is_travel(body.kind, k - body.axis_start):
            f = load_linear(S)
            store_spatial(scratch.maximal.dual[k], cross(arm, f), f)
        elif body.kind == _SCREW:
            n, share = load_angular(S), body.pitch / model.size
            n, f = scale(1.0 / (1.0 + share * share), n), scale(share / model.size / (1.0 + share * share), n)
            store_spatial(scratch.maximal.dual[k], add(n, cross(arm, f)), f)
        else:
            store_spatial(scratch.maximal.dual[k], load_angular(S), _ZERO)


@kernel
def _fill_rows(model, scratch, block):
    """Wrenches and responses of a tie's rows; on driven bodies they are zero."""
    maximal, bodies = scratch.maximal, scratch.bodies
    p = block.first
    for r in range(block.row_start, block.row_end):
        row = scratch.rows[r]
        if block.ends > 2:  # of a coupling: several of its ends may be on one body
            _clear_ends(maximal, p)
        for end in range(block.ends):
            place = block.place[end]
            i, wrench = block.body[place], row.wrench[end]
            if i > 0 and block.ends > 2:
                _add_end(maximal, p, place, wrench)
            elif i > 0:
                _fill_end(model, maximal, p, place, i, load_angular(wrench), load_linear(wrench))
        if block.ends > 2:
            _respond_at_ends(model, maximal, p, block)
        p += 1
    outer = block.body[block.outer]
    for s in range(block.axis_start, block.axis_end):
        dual = maximal.dual[model.elimination.soft[s]]
        n, f = load_angular(dual), load_linear(dual)
        _fill_end(model, maximal, p, block.outer, outer, n, f)
        inner = block.body[1 - block.outer]
        if inner > 0:
            r = subtract(load3(bodies[outer].center), load3(bodies[inner].center))
            _fill_end(model, maximal, p, 1 - block.outer, inner, scale(-1.0, add(n, cross(r, f))), scale(-1.0, f))
        p += 1


@kernel
def _fill_end(model, maximal, p, end, i, n, f):
    m, W, Y = model.elimination.inverse_mass[i], maximal.wrench[p], maximal.response[p]
    a = apply_symmetric(load6(maximal.inverse_inertia[i]), n)
    k = 6 * end
    W[k], W[k + 1], W[k + 2], W[k + 3], W[k + 4], W[k + 5] = n[0], n[1], n[2], f[0], f[1], f[2]
    Y[k], Y[k + 1], Y[k + 2], Y[k + 3], Y[k + 4], Y[k + 5] = a[0], a[1], a[2], m * f[0], m * f[1], m * f[2]


@kernel
def _clear_ends(maximal, p):
    for k in range(maximal.wrench.shape[1]):
        maximal.wrench[p, k] = 0.0


@kernel
def _add_end(maximal, p, place, wrench):
    for k in range(6):
        maximal.wrench[p, 6 * place + k] += wrench[k]


@kernel
def _respond_at_ends(model, maximal, p, block):
    for place in range(block.ends):
        W, k, i = maximal.wrench[p], 6 * place, block.body[place]
        if i > 0:
            _fill_end(model, maximal, p, place, i, (W[k], W[k + 1], W[k + 2]), (W[k + 3], W[k + 4], W[k + 5]))


@kernel
def _add_pair(pair, V, wrench, response):
    """Adds the response of two ties to each other through one body."""
    i, j = 6 * pair.row_end, 6 * pair.column_end
    for q in range(pair.columns):
        W = wrench[pair.column + q]
        n, f = (W[j], W[j + 1], W[j + 2]), (W[j + 3], W[j + 4], W[j + 5])
        target = pair.target + q * pair.stride
        for p in range(q if pair.is_own else 0, pair.rows):
            Y = response[pair.row + p]
            V[target + p] += dot(n, (Y[i], Y[i + 1], Y[i + 2])) + dot(f, (Y[i + 3], Y[i + 4], Y[i + 5]))


@kernel
def fill_free_motion(model, scratch):
    """Fills maximal.motion with the accelerations that bodies would have without rows."""
    maximal, bodies = scratch.maximal, scratch.bodies
    motion = maximal.motion
    for i in range(model.driven, len(model.bodies)):
        moving = bodies[i]
        w, R = load3(moving.angular), load9(moving.rotation)
        I = rotate_symmetric(R, load6(model.bodies[i].inertia))
        n = subtract(load_angular(moving.wrench), cross(w, apply_symmetric(I, w)))
        store_spatial(motion[i], n, load_linear(moving.wrench))
    for number in range(len(model.sprung)):
        k = model.sprung[number]
        i = model.elimination.axis_body[k]
        inner, dual = model.bodies[i].inner, maximal.dual[k]
        n, f = scale(scratch.efforts[k], load_angular(dual)), scale(scratch.efforts[k], load_linear(dual))
        _add_wrench(motion[i], n, f)
        if inner >= model.driven:
            r = subtract(load3(bodies[i].center), load3(bodies[inner].center))
            _add_wrench(motion[inner], scale(-1.0, add(n, cross(r, f))), scale(-1.0, f))
    for i in range(model.driven, len(model.bodies)):
        n, f = load_angular(motion[i]), load_linear(motion[i])
        angular = apply_symmetric(load6(maximal.inverse_inertia[i]), n)
        store_spatial(motion[i], angular, scale(1.0 / model.bodies[i].mass, f))


@kernel
def _add_wrench(a, n, f):
    store_spatial(a, add(load_angular(a), n), add(load_linear(a), f))


@kernel
def ask_soft_rows(model, scratch):
    """A soft row asks for no acceleration of its axis, or for the one it is held at; it resists by its compliance."""
    elimination, maximal, bodies = model.elimination, scratch.maximal, scratch.bodies
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        p = block.first + block.row_end - block.row_start
        for s in range(block.axis_start, block.axis_end):
            k = elimination.soft[s]
            i = elimination.axis_body[k]
            inertia = model.armature[k] + scratch.axes[k].held
            share = scratch.axes[k].held / inertia if inertia > 0.0 else 0.0
            maximal.asked[p] = along(maximal.dual[k], bodies[i].bias) + share * scratch.axes[k].pace
            inner = model.bodies[i].inner
            if inner < model.driven:
                r = subtract(load3(bodies[i].center), load3(bodies[inner].center))
                angular, linear = _shifted(bodies[inner].acceleration, r)
                maximal.asked[p] += dot(load_angular(maximal.dual[k]), angular)
                maximal.asked[p] += dot(load_linear(maximal.dual[k]), linear)
            p += 1


@kernel
def _shifted(motion, r):
    """The spatial motion of the point that lies at r from the reference point."""
    angular = load_angular(motion)
    return angular, add(load_linear(motion), cross(angular, r))


@kernel
def solve_rows(elimination, maximal):
    """Fills the multipliers that give the rows what is asked, and adds their effect to maximal.motion."""
    x = maximal.rest
    for p in range(len(x)):
        maximal.multiplier[p] = 0.0
    asked, before, solutions, is_possible = 0.0, 0.0, 0, maximal.count[0] == 0
    while True:
        rest = fill_rest(elimination, maximal)
        if solutions == 0:
            asked = rest
        elif rest <= _EXACT * asked or not rest < 0.5 * before or solutions == _SOLUTIONS:
            break
        before = rest
        solve_lower(elimination, maximal, x)
        if not is_possible:
            is_possible = True
            if meet_as_closely_as_can_be(elimination, maximal, asked):
                continue
        solve_diagonal_and_upper(elimination, maximal, x)
        add_multipliers(elimination, maximal)
        solutions += 1


@kernel
def _write_multipliers(model, scratch):
    """And marks closures' rows that are redundant; which ones stand for those of trees, `reactions` finds out."""
    elimination, maximal = model.elimination, scratch.maximal
    for p in range(len(elimination.row)):
        if elimination.row[p] >= 0:
            scratch.rows[elimination.row[p]].multiplier = maximal.multiplier[p]
    for r in range(model.closing):
        scratch.redundant[r] = 0
    for k in range(maximal.count[0]):
        r = elimination.row[maximal.redundant[k]]
        if model.closing > 0:
            scratch.redundant[r if r < model.closing else 0] = 1


@kernel
def _fill_axis_accelerations(model, scratch, moves):
    """Along each axis, what the outer body's acceleration has over the inner one's; `moves`: and over the bias."""
    maximal, bodies = scratch.maximal, scratch.bodies
    for i in range(model.driven, len(model.bodies)):
        body, motion = model.bodies[i], maximal.motion[i]
        r = subtract(load3(bodies[i].center), load3(bodies[body.inner].center))
        angular, linear = load_angular(motion), load_linear(motion)
        if body.inner >= model.driven:
            carried = _shifted(maximal.motion[body.inner], r)
            angular, linear = subtract(angular, carried[0]), subtract(linear, carried[1])
        elif moves:
            carried = _shifted(bodies[body.inner].acceleration, r)
            angular, linear = subtract(angular, carried[0]), subtract(linear, carried[1])
        if moves:
            angular = subtract(angular, load_angular(bodies[i].bias))
            linear = subtract(linear, load_linear(bodies[i].bias))
        for k in range(body.axis_start, body.axis_end):
            dual = maximal.dual[k]
            scratch.accelerations[k] = dot(load_angular(dual), angular) + dot(load_linear(dual), linear)
