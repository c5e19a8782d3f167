# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to the rows in the slots of one node, inwards and outwards: the algebra behind `propagation`.

`node` is a record of `PropagationPlan.nodes`, `n` its number, `work` a `PropagationWork`. A node's first slots hold its
open rows; the resolved ones that are there wait in `waiting`.
"""

import math

from ..kernel import kernel
from ..mechanism.propagation_plan import MOST_STUCK
from ..spatial import (
    add,
    add_scaled,
    cross,
    dot,
    load_angular,
    load_linear,
    store_spatial,
    subtract_projection,
)

_COMFORTABLE = 1e-4  # of the body's own response to a row: a pivot that costs few digits
_RANK = 1e-11  # of a row's first response: the square of the sine of its angle to the rows before it


@kernel
def clear_pending(work):
    """Empties all slots."""
    for s in range(len(work.k)):
        for c in range(6):
            work.K[s, c] = 0.0
        work.k[s], work.own[s] = 0.0, 0.0
    for s in range(len(work.L)):
        work.L[s] = 0.0
    for n in range(len(work.stuck)):
        work.stuck[n] = 0


@kernel
def own_response(work, s, J, m):
    """About K IA^-1 K^T: what the row gives way on a body of this mean inertia and mass."""
    K = work.K[s]
    n, f = load_angular(K), load_linear(K)
    return dot(n, n) / J + dot(f, f) / m


@kernel
def add_end(work, node, end, row, unit, J, m):
    """Puts one end of a row into its slot."""
    s = node.first + end.slot
    wrench = row.a if end.side == 0 else row.b
    n, f = load_angular(wrench), load_linear(wrench)
    K = work.K[s]
    store_spatial(K, add_scaled(load_angular(K), unit, n), add_scaled(load_linear(K), unit, f))
    work.own[s] += unit * unit * (dot(n, n) / J + dot(f, f) / m)
    if end.counts:
        work.k[s] += unit * row.target


@kernel
def let_wait(plan, work, node, n):
    """Queues the rows that are resolved here behind those that have come stuck."""
    for slot in range(node.open, node.open + node.resolved):
        s = node.first + slot
        work.waiting[node.first + work.stuck[n]] = slot
        work.name[s] = plan.row[s]
        work.stuck[n] += 1


@kernel
def eliminate_rows(work, node, n, redundant, inertia, pn, pf, J, m):
    """Eliminates what waits at a node, as far as it can be; returns what that makes of inertia and bias force."""
    before = 0
    while True:
        best = _best_pivot(work, node, n, J, m, _COMFORTABLE)
        if best < 0:
            break
        inertia, pn, pf = _eliminate(work, node, n, best, before, inertia, pn, pf)
        before += 1
    after = before
    work.turned[n, 0], work.turned[n, 1] = 0, 0
    if node.reduces and work.stuck[n] > 0:
        kept = _reduce(work, node, n, J, m)
        while True:
            best = _best_loose(work, node, n, kept)
            if best < 0:
                break
            inertia, pn, pf = _eliminate(work, node, n, best, after, inertia, pn, pf)
            after += 1
        for i in range(kept, work.stuck[n]):
            s = node.first + work.waiting[node.first + i]
            work.multiplier[s] = 0.0
            redundant[work.name[s]] = 1
        work.stuck[n] = kept
    work.eliminated[n, 0], work.eliminated[n, 1] = before, after
    return inertia, pn, pf


@kernel
def _best_pivot(work, node, n, J, m, comfortable):
    """Place among those that wait of the largest pivot that is comfortable, -1 without."""
    best, share = -1, 0.0
    for i in range(work.stuck[n]):
        slot = work.waiting[node.first + i]
        s, pivot = node.first + slot, work.L[node.square + slot * node.slots + slot]
        own = max(work.own[s], pivot)
        work.own[s] = own
        if pivot > _RANK * own and pivot > comfortable * own_response(work, s, J, m) and pivot > share * own:
            best, share = i, pivot / own
    return best


@kernel
def _best_loose(work, node, n, kept):
    """Place behind the first `kept` of the largest pivot above rounding, -1 without."""
    best, share = -1, _RANK
    for i in range(kept, work.stuck[n]):
        slot = work.waiting[node.first + i]
        pivot, own = work.L[node.square + slot * node.slots + slot], work.own[node.first + slot]
        if pivot > share * own:
            best, share = i, pivot / own
    return best


@kernel
def _eliminate(work, node, n, place, count, inertia, pn, pf):
    """Eliminates the row in the given place of those that wait, as the node's number `count`."""
    first, square, width, L = node.first, node.square, node.slots, work.L
    p = work.waiting[first + place]
    work.stuck[n] -= 1
    for i in range(place, work.stuck[n]):
        work.waiting[first + i] = work.waiting[first + i + 1]
    work.order[first + count] = p
    pivot, K, k = L[square + p * width + p], work.K[first + p], work.k[first + p]
    a, b = load_angular(K), load_linear(K)
    remaining = node.open + work.stuck[n]
    for i in range(remaining):
        q = i if i < node.open else work.waiting[first + i - node.open]
        weight = L[square + p * width + q] / pivot
        L[square + q * width + p] = 0.0
        if weight != 0.0:
            for c in range(6):
                work.K[first + q, c] -= weight * K[c]
            work.k[first + q] -= weight * k
            for j in range(remaining):
                t = j if j < node.open else work.waiting[first + j - node.open]
                L[square + q * width + t] -= weight * L[square + p * width + t]
    return subtract_projection(inertia, a, b, -pivot), add_scaled(pn, -k / pivot, a), add_scaled(pf, -k / pivot, b)


@kernel
def _reduce(work, node, n, J, m):
    """Reflects the waiting rows among each other until the last ones have K = 0; returns how many have not.

    Householder reflections of their K with the largest column first, in units in which the body's inertia is one.
    """
    first, count, panel = node.first, work.stuck[n], work.panel
    unit_a, unit_b = 1.0 / math.sqrt(J), 1.0 / math.sqrt(m)
    own = 0.0
    for i in range(count):
        s = first + work.waiting[first + i]
        own = max(own, work.own[s])
        for c in range(3):
            panel[i, c] = unit_a * work.K[s, c]
            panel[i, 3 + c] = unit_b * work.K[s, 3 + c]
    rank = 0
    while rank < count and rank < MOST_STUCK:
        column, largest, total = 0, -1.0, 0.0
        for c in range(6):
            square = 0.0
            for i in range(rank, count):
                square += panel[i, c] * panel[i, c]
            total += square
            if square > largest:
                column, largest = c, square
        if not total > _RANK * own:
            break
        if rank == count - 1:
            rank += 1
            break
        _reflect_panel(work, node, rank, count, column, largest)
        rank += 1
    if rank == 0 or count == 1:
        return rank
    turns = min(rank, count - 1)
    for t in range(turns):
        _reflect_rows(work, node, n, t, count)
    for i in range(count):
        work.own[first + work.waiting[first + i]] = own
        work.mirrored[first + i] = work.waiting[first + i]
    work.turned[n, 0], work.turned[n, 1] = count, turns
    return rank


@kernel
def _reflect_panel(work, node, rank, count, column, square):
    """Makes and applies the reflection that leaves of a column its first number only; kept as v, H = 1 - v v^T."""
    panel, v = work.panel, node.turns + rank * (node.slots - node.open)
    length = math.sqrt(square)
    head = panel[rank, column]
    pivot = -length if head > 0.0 else length
    norm = math.sqrt(length * (length + abs(head)))
    for i in range(rank):
        work.turns[v + i] = 0.0
    for i in range(rank, count):
        work.turns[v + i] = (panel[i, column] - (pivot if i == rank else 0.0)) / norm
    for c in range(6):
        product = 0.0
        for i in range(rank, count):
            product += work.turns[v + i] * panel[i, c]
        for i in range(rank, count):
            panel[i, c] -= product * work.turns[v + i]


@kernel
def _reflect_rows(work, node, n, t, count):
    """Applies reflection t to K, k and both sides of L."""
    first, square, width, L = node.first, node.square, node.slots, work.L
    v = node.turns + t * (node.slots - node.open)
    for c in range(6):
        product = 0.0
        for i in range(t, count):
            product += work.turns[v + i] * work.K[first + work.waiting[first + i], c]
        for i in range(t, count):
            work.K[first + work.waiting[first + i], c] -= product * work.turns[v + i]
    _reflect(work, node, v, t, count, work.k, work.waiting)
    for j in range(node.open + count):
        q = j if j < node.open else work.waiting[first + j - node.open]
        product = 0.0
        for i in range(t, count):
            product += work.turns[v + i] * L[square + q * width + work.waiting[first + i]]
        for i in range(t, count):
            L[square + q * width + work.waiting[first + i]] -= product * work.turns[v + i]
    for j in range(node.open + count):
        q = j if j < node.open else work.waiting[first + j - node.open]
        product = 0.0
        for i in range(t, count):
            product += work.turns[v + i] * L[square + work.waiting[first + i] * width + q]
        for i in range(t, count):
            L[square + work.waiting[first + i] * width + q] -= product * work.turns[v + i]


@kernel
def _reflect(work, node, v, t, count, values, list_of_slots):
    """Applies one reflection to a number per slot."""
    product = 0.0
    for i in range(t, count):
        product += work.turns[v + i] * values[node.first + list_of_slots[node.first + i]]
    for i in range(t, count):
        values[node.first + list_of_slots[node.first + i]] -= product * work.turns[v + i]


@kernel
def eliminate_again(work, node, n, pn, pf):
    """What the stored factors make of other right-hand sides; returns the bias force."""
    for e in range(work.eliminated[n, 1]):
        if e == work.eliminated[n, 0]:
            _reflect_sides(work, node, n)
        pn, pf = _eliminate_side(work, node, work.order[node.first + e], pn, pf)
    if work.eliminated[n, 0] == work.eliminated[n, 1]:
        _reflect_sides(work, node, n)
    return pn, pf


@kernel
def _reflect_sides(work, node, n):
    for t in range(work.turned[n, 1]):
        v = node.turns + t * (node.slots - node.open)
        _reflect(work, node, v, t, work.turned[n, 0], work.k, work.mirrored)


@kernel
def _eliminate_side(work, node, p, pn, pf):
    base, s = node.square + p * node.slots, node.first + p
    share = work.k[s] / work.L[base + p]
    for q in range(node.slots):
        if q != p:
            work.k[node.first + q] -= work.L[base + q] * share
    return add_scaled(pn, -share, load_angular(work.K[s])), add_scaled(pf, -share, load_linear(work.K[s]))


@kernel
def recover_rows(work, node, n, angular, linear):
    """Multipliers of all rows that a node has seen, from those that went on and the acceleration of its body."""
    for e in range(work.eliminated[n, 1] - 1, work.eliminated[n, 0] - 1, -1):
        _recover(work, node, work.order[node.first + e], angular, linear)
    for t in range(work.turned[n, 1] - 1, -1, -1):
        v = node.turns + t * (node.slots - node.open)
        _reflect(work, node, v, t, work.turned[n, 0], work.multiplier, work.mirrored)
    for e in range(work.eliminated[n, 0] - 1, -1, -1):
        _recover(work, node, work.order[node.first + e], angular, linear)


@kernel
def _recover(work, node, p, angular, linear):
    base, s = node.square + p * node.slots, node.first + p
    rest = work.k[s] - dot(load_angular(work.K[s]), angular) - dot(load_linear(work.K[s]), linear)
    for q in range(node.slots):
        if q != p:
            rest -= work.L[base + q] * work.multiplier[node.first + q]
    work.multiplier[s] = rest / work.L[base + p]


@kernel
def going_on(work, node, j):
    """The slot of the j-th row that goes on inwards."""
    return j if j < node.open else work.waiting[node.first + j - node.open]


@kernel
def arriving(plan, work, node, j):
    """And its slot at the target."""
    return plan.passes_to[node.first + j] if j < node.open else node.stuck_slot + j - node.open


@kernel
def meet_motion(work, node, n, angular, linear):
    """Moves a known part of the acceleration to the right-hand sides."""
    for j in range(node.open + work.stuck[n]):
        s = node.first + going_on(work, node, j)
        K = work.K[s]
        work.k[s] -= dot(load_angular(K), angular) + dot(load_linear(K), linear)


@kernel
def cross_axis(work, node, n, y, S, U, D, u):
    """Takes the rows that go on across an axis, whose numbers begin at y."""
    a, b = load_angular(S), load_linear(S)
    count = node.open + work.stuck[n]
    for j in range(count):
        K = work.K[node.first + going_on(work, node, j)]
        work.along[y + j] = dot(a, load_angular(K)) + dot(b, load_linear(K))
    for j in range(count):
        p = going_on(work, node, j)
        share = work.along[y + j] / D
        for c in range(6):
            work.K[node.first + p, c] -= share * U[c]
        work.k[node.first + p] -= share * u
        for i in range(count):
            work.L[node.square + p * node.slots + going_on(work, node, i)] += share * work.along[y + i]


@kernel
def cross_axis_again(work, node, n, y, D, u):
    """The same for right-hand sides only."""
    for j in range(node.open + work.stuck[n]):
        work.k[node.first + going_on(work, node, j)] -= work.along[y + j] * u / D


@kernel
def along_axis(work, node, n, y):
    """What the multipliers of the rows that go on do along an axis."""
    total = 0.0
    for j in range(node.open + work.stuck[n]):
        total += work.along[y + j] * work.multiplier[node.first + going_on(work, node, j)]
    return total


@kernel
def hand_inward(plan, work, node, n, r):
    """Adds what goes on to the target's slots, seen from a point from which the body's lies at r."""
    target = plan.nodes[node.target]
    count = node.open + work.stuck[n]
    for j in range(count):
        p, q = going_on(work, node, j), arriving(plan, work, node, j)
        s, t = node.first + p, target.first + q
        f = load_linear(work.K[s])
        moment = add(load_angular(work.K[s]), cross(r, f))
        for c in range(3):
            work.K[t, c] += moment[c]
            work.K[t, 3 + c] += f[c]
        work.k[t] += work.k[s]
        work.own[t] += work.own[s]
        for i in range(count):
            from_slot, to_slot = going_on(work, node, i), arriving(plan, work, node, i)
            work.L[target.square + q * target.slots + to_slot] += work.L[node.square + p * node.slots + from_slot]
        if j >= node.open:
            work.name[t] = work.name[s]
            work.waiting[target.first + work.stuck[node.target]] = q
            work.stuck[node.target] += 1


@kernel
def hand_sides_inward(plan, work, node, n):
    """The same for right-hand sides only."""
    first = plan.nodes[node.target].first
    for j in range(node.open + work.stuck[n]):
        t = first + arriving(plan, work, node, j)
        work.k[t] += work.k[node.first + going_on(work, node, j)]


@kernel
def take_multipliers(plan, work, node, n):
    """Fetches the multipliers of the rows that went on from the target."""
    first = plan.nodes[node.target].first
    for j in range(node.open + work.stuck[n]):
        t = first + arriving(plan, work, node, j)
        work.multiplier[node.first + going_on(work, node, j)] = work.multiplier[t]
