# SPDX-License-Identifier: GPL-3.0-or-later
"""Algebra of the rows in the slots of one node, inwards and outwards, for `propagation`.

`node` is a record of `PropagationPlan.nodes`, `count` of the same node's `PropagationWork.counts`. A node's first slots
hold its open rows; the resolved ones that are there wait in the list `waiting`.
"""

import math

from ...kernel import kernel
from ...model.propagation_plan import MOST_STUCK
from ...spatial import add, add_scaled, cross, dot, load_angular, load_linear, scale, store_spatial, subtract_projection

_COMFORTABLE = 1e-4  # of the body's own response to a row: a pivot that costs few digits
_RANK = 1e-11  # of a row's first response: the square of the sine of its angle to the rows before it


@kernel
def clear_pending(work):
    """Empties all slots."""
    for s in range(len(work.slots)):
        slot = work.slots[s]
        for c in range(6):
            slot.K[c] = 0.0
        work.k[s], slot.own = 0.0, 0.0
    for s in range(len(work.L)):
        work.L[s] = 0.0
    work.smallest[0] = 1.0
    for n in range(len(work.counts)):
        count = work.counts[n]
        count.stuck, count.before, count.eliminated, count.mirrored, count.turns = 0, 0, 0, 0, 0


@kernel
def _own_response(K, J, m):
    """About K IA^-1 K^T: what the row gives way on a body of this mean inertia and mass."""
    n, f = load_angular(K), load_linear(K)
    return dot(n, n) / J + dot(f, f) / m


@kernel
def add_end(work, node, end, row, unit, J, m):
    """Puts one end of a row into its slot."""
    s = node.first + end.slot
    slot, wrench = work.slots[s], row.wrench[end.side]
    n, f = scale(unit, load_angular(wrench)), scale(unit, load_linear(wrench))
    store_spatial(slot.K, add(load_angular(slot.K), n), add(load_linear(slot.K), f))
    slot.own += dot(n, n) / J + dot(f, f) / m
    if end.counts:
        work.k[s] += unit * row.target
        work.L[node.square + end.slot * (node.slots + 1)] += unit * unit * row.compliance


@kernel
def let_wait(slots, node, count):
    """Queues the rows that are resolved here behind those that have come stuck."""
    for p in range(node.open, node.open + node.resolved):
        slots[node.first + count.stuck].waiting = p
        slots[node.first + p].name = slots[node.first + p].row
        count.stuck += 1


@kernel
def eliminate_rows(work, node, count, redundant, inertia, pn, pf, J, m):
    """Eliminates what waits at a node, as far as it can be; returns what that makes of inertia and bias force.

    First what has comfortable pivots; then, in the combinations that reflections make, what has K = 0 and a pivot.
    """
    first, kept, comfortable, reduced = node.first, 0, _COMFORTABLE, node.reduces == 0
    while True:
        best = _best_pivot(work, node, count, kept, J, m, comfortable)
        if best >= 0:
            p = work.slots[first + best].waiting
            count.stuck -= 1
            for i in range(best, count.stuck):
                work.slots[first + i].waiting = work.slots[first + i + 1].waiting
            work.slots[first + count.eliminated].order = p
            count.eliminated += 1
            _eliminate(work, node, count, p)
            pivot, K = work.L[node.square + p * node.slots + p], work.slots[first + p].K
            work.smallest[0] = min(work.smallest[0], pivot / work.slots[first + p].own)
            share, a, b = work.k[first + p] / pivot, load_angular(K), load_linear(K)
            inertia = subtract_projection(inertia, a, b, -pivot)
            pn, pf = add_scaled(pn, -share, a), add_scaled(pf, -share, b)
        else:
            if reduced:
                break
            count.before = count.eliminated
            kept, comfortable, reduced = _reduce(work, node, count, J, m), 0.0, True
    if node.reduces:
        for i in range(kept, count.stuck):
            s = first + work.slots[first + i].waiting
            work.multiplier[s] = 0.0
            redundant[work.slots[s].name] = 1
        count.stuck = kept
    else:
        count.before = count.eliminated
    return inertia, pn, pf


@kernel
def _best_pivot(work, node, count, kept, J, m, comfortable):
    """Place behind the first `kept` that wait of the largest pivot that is comfortable, -1 without."""
    best, share = -1, _RANK
    for i in range(kept, count.stuck):
        p = work.slots[node.first + i].waiting
        slot, pivot = work.slots[node.first + p], work.L[node.square + p * node.slots + p]
        slot.own = max(slot.own, pivot)
        if pivot > share * slot.own and pivot > comfortable * _own_response(slot.K, J, m):
            best, share = i, pivot / slot.own
    return best


@kernel
def _eliminate(work, node, count, p):
    """Takes the row in slot p out of the others that remain."""
    first, square, width, slots, L = node.first, node.square, node.slots, work.slots, work.L
    pivot, K, k = L[square + p * width + p], slots[first + p].K, work.k[first + p]
    remaining = node.open + count.stuck
    for i in range(remaining):
        q = going_on(slots, node, i)
        weight = L[square + p * width + q] / pivot
        L[square + q * width + p] = 0.0
        if weight != 0.0:
            for c in range(6):
                slots[first + q].K[c] -= weight * K[c]
            work.k[first + q] -= weight * k
            for j in range(remaining):
                t = going_on(slots, node, j)
                L[square + q * width + t] -= weight * L[square + p * width + t]


@kernel
def going_on(slots, node, j):
    """The slot of the j-th row that remains, in the end goes on inwards: open ones, then those that wait."""
    return j if j < node.open else slots[node.first + j - node.open].waiting


@kernel
def _reduce(work, node, count, J, m):
    """Reflects the waiting rows among each other until the last ones have K = 0; returns how many have not.

    Householder reflections of their K with the largest column first, in units in which the body's inertia is one.
    """
    first, total, panel = node.first, count.stuck, work.panel
    unit_a, unit_b = 1.0 / math.sqrt(J), 1.0 / math.sqrt(m)
    own = 0.0
    for i in range(total):
        p = work.slots[first + i].waiting
        slot = work.slots[first + p]
        work.slots[first + i].mirrored = p
        own = max(own, slot.own)
        for c in range(3):
            panel[i, c] = unit_a * slot.K[c]
            panel[i, 3 + c] = unit_b * slot.K[3 + c]
    rank = 0
    while rank < min(total, MOST_STUCK):
        column, largest, rest = 0, -1.0, 0.0
        for c in range(6):
            square = 0.0
            for i in range(rank, total):
                square += panel[i, c] * panel[i, c]
            rest += square
            if square > largest:
                column, largest = c, square
        if not rest > _RANK * own:
            break
        if rank < total - 1:
            _reflect_panel(work, node, rank, total, column, largest)
        rank += 1
    count.mirrored, count.turns = total, min(rank, total - 1)
    for t in range(count.turns):
        _reflect_rows(work, node, count, t)
    if count.turns > 0:
        for i in range(total):
            work.slots[first + work.slots[first + i].waiting].own = own
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
def _reflect_rows(work, node, count, t):
    """Applies reflection t to K, k and both sides of L."""
    first, slots, L, total = node.first, work.slots, work.L, count.mirrored
    v = node.turns + t * (node.slots - node.open)
    for c in range(6):
        product = 0.0
        for i in range(t, total):
            product += work.turns[v + i] * slots[first + slots[first + i].mirrored].K[c]
        for i in range(t, total):
            slots[first + slots[first + i].mirrored].K[c] -= product * work.turns[v + i]
    reflect(work, node, count, t, work.k, first, 1)
    for j in range(node.open + total):
        row = node.square + going_on(slots, node, j) * node.slots
        reflect(work, node, count, t, L, row, 1)
    for j in range(node.open + total):
        reflect(work, node, count, t, L, node.square + going_on(slots, node, j), node.slots)


@kernel
def reflect(work, node, count, t, values, start, stride):
    """Applies reflection t to one number per slot, which stand in `values` a stride apart."""
    v, first, slots = node.turns + t * (node.slots - node.open), node.first, work.slots
    product = 0.0
    for i in range(t, count.mirrored):
        product += work.turns[v + i] * values[start + stride * slots[first + i].mirrored]
    for i in range(t, count.mirrored):
        values[start + stride * slots[first + i].mirrored] -= product * work.turns[v + i]


@kernel
def eliminate_again(work, node, count, pn, pf):
    """Applies the stored factors to other right-hand sides; returns the bias force."""
    for e in range(count.eliminated + 1):
        if e == count.before:
            for t in range(count.turns):
                reflect(work, node, count, t, work.k, node.first, 1)
        if e < count.eliminated:
            p = work.slots[node.first + e].order
            base, s = node.square + p * node.slots, node.first + p
            share, K = work.k[s] / work.L[base + p], work.slots[s].K
            for q in range(node.slots):
                if q != p:
                    work.k[node.first + q] -= work.L[base + q] * share
            pn, pf = add_scaled(pn, -share, load_angular(K)), add_scaled(pf, -share, load_linear(K))
    return pn, pf


@kernel
def recover_rows(work, node, count, angular, linear):
    """Multipliers of all rows that a node has seen, from those that went on and the acceleration of its body."""
    for e in range(count.eliminated, -1, -1):
        if e < count.eliminated:
            p = work.slots[node.first + e].order
            base, s = node.square + p * node.slots, node.first + p
            K = work.slots[s].K
            rest = work.k[s] - dot(load_angular(K), angular) - dot(load_linear(K), linear)
            for q in range(node.slots):
                if q != p:
                    rest -= work.L[base + q] * work.multiplier[node.first + q]
            work.multiplier[s] = rest / work.L[base + p]
        if e == count.before:
            for t in range(count.turns - 1, -1, -1):
                reflect(work, node, count, t, work.multiplier, node.first, 1)


@kernel
def meet_motion(work, node, count, angular, linear):
    """Moves a known part of the acceleration to the right-hand sides."""
    for j in range(node.open + count.stuck):
        s = node.first + going_on(work.slots, node, j)
        K = work.slots[s].K
        work.k[s] -= dot(load_angular(K), angular) + dot(load_linear(K), linear)


@kernel
def cross_axis(work, node, count, y, axis):
    """Takes the rows that go on across an axis, whose numbers begin at y."""
    a, b = load_angular(axis.S), load_linear(axis.S)
    Un, Uf = load_angular(axis.U), load_linear(axis.U)
    total = node.open + count.stuck
    for j in range(total):
        p = going_on(work.slots, node, j)
        K = work.slots[node.first + p].K
        n, f = load_angular(K), load_linear(K)
        along = dot(a, n) + dot(b, f)
        share = along / axis.D
        store_spatial(K, add_scaled(n, -share, Un), add_scaled(f, -share, Uf))
        work.along[y + j] = along
        work.k[node.first + p] -= share * axis.u
        row = node.square + p * node.slots
        for i in range(j + 1):
            q = going_on(work.slots, node, i)
            work.L[row + q] += share * work.along[y + i]
            work.L[node.square + q * node.slots + p] = work.L[row + q]


@kernel
def cross_axis_again(work, node, count, y, axis):
    """The same for right-hand sides only."""
    for j in range(node.open + count.stuck):
        work.k[node.first + going_on(work.slots, node, j)] -= work.along[y + j] * axis.u / axis.D


@kernel
def along_axis(work, node, count, y):
    """The effort along an axis of the multipliers of rows that go on."""
    total = 0.0
    for j in range(node.open + count.stuck):
        total += work.along[y + j] * work.multiplier[node.first + going_on(work.slots, node, j)]
    return total


@kernel
def arriving(slots, node, j):
    """The slot at the target of the j-th row that goes on."""
    return slots[node.first + j].passes_to if j < node.open else node.stuck_slot + j - node.open


@kernel
def hand_inward(work, node, count, target, at_target, r):
    """Adds what goes on to the target's slots, seen from a point from which the body's lies at r."""
    slots, total = work.slots, node.open + count.stuck
    for j in range(total):
        p, q = going_on(slots, node, j), arriving(slots, node, j)
        own, other = slots[node.first + p], slots[target.first + q]
        f = load_linear(own.K)
        n = add(load_angular(own.K), cross(r, f))
        store_spatial(other.K, add(load_angular(other.K), n), add(load_linear(other.K), f))
        work.k[target.first + q] += work.k[node.first + p]
        other.own += own.own
        row, row_there = node.square + p * node.slots, target.square + q * target.slots
        for i in range(total):
            work.L[row_there + arriving(slots, node, i)] += work.L[row + going_on(slots, node, i)]
        if j >= node.open:
            other.name = own.name
            slots[target.first + at_target.stuck].waiting = q
            at_target.stuck += 1


@kernel
def hand_sides_inward(work, node, count, first):
    """The same for right-hand sides only; `first`: the target's first slot."""
    for j in range(node.open + count.stuck):
        work.k[first + arriving(work.slots, node, j)] += work.k[node.first + going_on(work.slots, node, j)]


@kernel
def take_multipliers(work, node, count, first):
    """Fetches the multipliers of the rows that went on from the target."""
    for j in range(node.open + count.stuck):
        value = work.multiplier[first + arriving(work.slots, node, j)]
        work.multiplier[node.first + going_on(work.slots, node, j)] = value
