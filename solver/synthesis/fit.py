# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage is fitted to a curve: the Levenberg-Marquardt method on distances, with the gradients of `dyads`.

What the point draws is a line through its places; target is another one. By LENGTH, places at equal shares of both
lengths belong to each other, by NEAREST each point belongs to the nearest place of the other line (iterative closest
points, Besl and McKay 1992), by MEAN so too, but what counts is the distance and not its square. The slope of a
distance to the nearest place is that along the way there, so places along the lines need no slopes.

An open target is drawn by a part of the crank's turn: its first and last angle are two numbers more, behind all others.
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernel import by_reference, entry, kernel
from .dyads import BLOCK, HINGES, place_all, prepare, slopes, square

LENGTH, NEAREST, MEAN = range(3)
LEAST = 0.15  # rad of transmission: nearer to a dead centre the point races, and what is real would jam
MOST = math.cos(LEAST)
_SOFT, _WEIGHT = 0.97, 2.0  # of the cosine from which it counts, and how much
_NEAR = 0.004  # of the curve's size: distances below count by their square in the MEAN
_NARROW = 0.2  # rad: so far the crank turns at least
_FIRST, _HARDEST = 1e-2, 1e8  # damping
_ENOUGH = 2e-4  # share of the cost that a step must win, else it was the last


@by_reference
class Work(NamedTuple):
    """Scratch space of a fit: N numbers, K nodes, T directions of the crank, M points of the target."""

    is_open: int
    units: np.ndarray  # (T,) complex: directions of the crank
    target: np.ndarray  # (M,) complex
    values: np.ndarray  # (N,) complex
    nodes: np.ndarray  # (T, K) complex
    pulls: np.ndarray  # (K,) complex
    worst: np.ndarray  # (S,)
    where: np.ndarray  # (S,) int64
    length: np.ndarray  # (T + 1,): along the drawn curve
    place: np.ndarray  # (R,) int64: of each residual, the drawn point before its place
    share: np.ndarray  # (R,): how far it is on the way to the next one
    away: np.ndarray  # (R,) complex: from the target's place to the drawn one
    weight: np.ndarray  # (R,)
    slope: np.ndarray  # (2 T, N): of the drawn points, x and y
    row: np.ndarray  # (N,)
    H: np.ndarray  # (N, N)
    L: np.ndarray  # (N, N)
    g: np.ndarray  # (N,)
    step: np.ndarray  # (N,)
    x: np.ndarray  # (N,): tried


def new_work(numbers: int, steps: int, directions: int, target: np.ndarray, is_open: bool = False) -> Work:
    """Scratch space for a target (M,) complex, closed or open."""
    N, T, K, R = numbers, directions, steps + 2, len(target) + directions
    whole, real = (lambda *n: np.zeros(n, np.int64)), (lambda *n: np.zeros(n))
    units, target = np.exp(2j * np.pi * np.arange(T) / T), np.ascontiguousarray(target, complex)
    return Work(
        int(is_open), units, target, real(N) + 0j, real(T, K) + 0j, real(K) + 0j, real(steps), whole(steps),
        real(T + 1), whole(R), real(R), real(R) + 0j, real(R), real(2 * T, N), real(N), real(N, N), real(N, N),
        real(N), real(N), real(N),
    )  # fmt: skip


@entry
def fit(steps, signs, x, how, rounds, work):
    """Improves the numbers x (N,) in at most so many rounds; returns the cost, 1e301 if the crank can't go round."""
    cost, damping, N = _cost(steps, signs, x, how, work), _FIRST, len(x)
    for _ in range(rounds):
        if not cost < 1e300:
            break
        _normal_equations(steps, signs, x, how, work)
        before = cost
        while damping < _HARDEST:
            if _solved(work.H, work.L, work.g, work.step, damping):
                for j in range(N):
                    work.x[j] = x[j] - work.step[j]
                tried = _cost(steps, signs, work.x, how, work)
                if tried < cost:
                    for j in range(N):
                        x[j] = work.x[j]
                    cost, damping = tried, max(0.2 * damping, 1e-9)
                    break
            damping *= 5.0
        if damping >= _HARDEST or cost > (1.0 - _ENOUGH) * before:
            break
    return cost


@kernel
def _cost(steps, signs, x, how, work):
    """Weighted squared distances (by MEAN smoothed distances), and penalties near dead centres; 1e301 beyond."""
    prepare(steps, x, work.values)
    if work.is_open and not _turned(x, work.units):
        return 1e301
    largest = place_all(steps, signs, work.values, work.units, work.nodes, work.worst, work.where)
    if not largest < MOST:
        return 1e301
    T, last = len(work.units), len(steps) + 1
    work.length[0] = 0.0
    for t in range(T):
        on = work.nodes[(t + 1) % T, last] - work.nodes[t, last]
        work.length[t + 1] = work.length[t] + math.sqrt(square(on))
    if work.is_open:
        work.length[T] = work.length[T - 1]
    if not 1e-9 < work.length[T] < 1e6:
        return 1e301
    if how == LENGTH:
        cost = _match_by_length(work, last)
    else:
        cost = _match_nearest(work, last, how == MEAN)
    for i in range(len(steps)):
        over = work.worst[i] - _SOFT
        if over > 0.0:
            cost += (_WEIGHT * over) ** 2
    return cost


@kernel
def _turned(x, units):
    """Directions of the crank from its first angle to its last; False if that is nothing, or more than a turn."""
    first, last = x[len(x) - 2], x[len(x) - 1]
    if not _NARROW < last - first < 2.0 * math.pi:
        return False
    for t in range(len(units)):
        angle = first + (last - first) * t / (len(units) - 1)
        units[t] = complex(math.cos(angle), math.sin(angle))
    return True


@kernel
def _match_by_length(work, last):
    """Places of the drawn line at equal shares of its length."""
    M, cost, t = len(work.target), 0.0, 0
    T = len(work.units)
    pieces = T - work.is_open
    for m in range(M):
        at = work.length[T] * m / (M - work.is_open)
        while t < pieces - 1 and work.length[t + 1] <= at:
            t += 1
        share = (at - work.length[t]) / max(work.length[t + 1] - work.length[t], 1e-30)
        on = work.nodes[t, last] + share * (work.nodes[(t + 1) % T, last] - work.nodes[t, last])
        work.place[m], work.share[m], work.away[m], work.weight[m] = t, share, on - work.target[m], 1.0 / M
        cost += square(work.away[m]) / M
    return cost


@kernel
def _match_nearest(work, last, is_mean):
    """The nearest place of the drawn line to each point of the target, and of the target to each drawn point."""
    T, M, cost = len(work.units), len(work.target), 0.0
    for m in range(M):
        point = work.target[m]
        best, least = 0, 1e300
        for t in range(T):
            apart = square(work.nodes[t, last] - point)
            if apart < least:
                best, least = t, apart
        place, share, away = best, 0.0, work.nodes[best, last] - point
        for side in range(2):
            t = (best - side) % T
            if work.is_open and t == T - 1:
                continue
            start, on = work.nodes[t, last], work.nodes[(t + 1) % T, last] - work.nodes[t, last]
            s = min(max(((point - start) * on.conjugate()).real / max(square(on), 1e-30), 0.0), 1.0)
            off = start + s * on - point
            if square(off) < least:
                place, share, away, least = t, s, off, square(off)
        cost += _count(work, m, place, share, away, 0.5 / M, is_mean)
    for t in range(T):
        point = work.nodes[t, last]
        best, least = 0, 1e300
        for m in range(M):
            apart = square(work.target[m] - point)
            if apart < least:
                best, least = m, apart
        away = point - work.target[best]
        for side in range(2):
            m = (best - side) % M
            if work.is_open and m == M - 1:
                continue
            start, on = work.target[m], work.target[(m + 1) % M] - work.target[m]
            s = min(max(((point - start) * on.conjugate()).real / max(square(on), 1e-30), 0.0), 1.0)
            off = point - start - s * on
            if square(off) < least:
                away, least = off, square(off)
        before = work.length[t] - work.length[t - 1] if t else work.length[T] - work.length[T - 1]  # 0 if open
        weight = 0.25 * (before + work.length[t + 1] - work.length[t]) / work.length[T]
        cost += _count(work, M + t, t, 0.0, away, weight, is_mean)
    return cost


@kernel
def _count(work, r, place, share, away, weight, is_mean):
    work.place[r], work.share[r], work.away[r], work.weight[r] = place, share, away, weight
    if not is_mean:
        return weight * square(away)
    distance = math.sqrt(square(away) + _NEAR * _NEAR)
    work.weight[r] = 0.5 * weight / distance
    return weight * (distance - _NEAR)


@kernel
def _normal_equations(steps, signs, x, how, work):
    """H = J^T W J and g = J^T W r at x, r the residuals and W their weights."""
    _cost(steps, signs, x, how, work)
    T, N, last = len(work.units), len(x), len(steps) + 1
    work.slope[:] = 0.0
    for k in range(2 * T):
        t, row = k // 2, work.slope[k]
        work.pulls[last] = 1.0j if k % 2 else 1.0
        by_angle = slopes(steps, signs, work.values, work.nodes[t], work.pulls, work.units[t], row)
        if work.is_open:
            row[N - 2], row[N - 1] = by_angle * (1.0 - t / (T - 1)), by_angle * (t / (T - 1))
    work.H[:] = 0.0
    work.g[:] = 0.0
    row = work.row
    count = len(work.target) if how == LENGTH else len(work.target) + T
    for r in range(count):
        t, s, away = work.place[r], work.share[r], work.away[r]
        n = (t + 1) % T
        if how == LENGTH:
            for k in range(2):
                for j in range(N):
                    row[j] = (1.0 - s) * work.slope[2 * t + k, j] + s * work.slope[2 * n + k, j]
                _add_row(work.H, work.g, row, away.imag if k else away.real, work.weight[r])
            continue
        distance = math.sqrt(square(away))
        if distance < 1e-12:
            continue
        a, b = away.real / distance, away.imag / distance
        for j in range(N):
            row[j] = a * ((1.0 - s) * work.slope[2 * t, j] + s * work.slope[2 * n, j])
            row[j] += b * ((1.0 - s) * work.slope[2 * t + 1, j] + s * work.slope[2 * n + 1, j])
        _add_row(work.H, work.g, row, distance, work.weight[r])
    for i in range(len(steps)):
        over = work.worst[i] - _SOFT
        if over > 0.0:
            _slope_of_transmission(steps, signs, i, work)
            _add_row(work.H, work.g, row, over, _WEIGHT * _WEIGHT)


@kernel
def _slope_of_transmission(steps, signs, i, work):
    """`row`: of the largest cosine of transmission of a step."""
    t, row, u, v, p = work.where[i], work.row, steps[i, 1], steps[i, 2], steps[i, 3]
    row[:] = 0.0
    nodes, values = work.nodes[t], work.values
    if steps[i, 0] == BLOCK:
        D = nodes[v] - nodes[u]
        far = math.sqrt(square(D)) / max(math.sqrt(max(1.0 - work.worst[i] ** 2, 1e-12)), 1e-6)
        on_D = -D * (1.0 / (far * far * max(work.worst[i], 1e-6)))
        work.pulls[v] += on_D
        work.pulls[u] -= on_D
    elif steps[i, 0] == HINGES:
        r, s, D = values[p].real, values[p + 1].real, nodes[v] - nodes[u]
        cosine = (r * r + s * s - square(D)) / (2.0 * r * s)
        side = 1.0 if cosine > 0.0 else -1.0
        row[p], row[p + 1] = side * (r / s - cosine), side * (s / r - cosine)
        on_D = -side * D * (1.0 / (r * s))
        work.pulls[v] += on_D
        work.pulls[u] -= on_D
    else:
        r, along = values[p].real, values[p + 1]
        h = (along.conjugate() * nodes[u]).imag - values[p + 2].real
        side = (1.0 if h > 0.0 else -1.0) / r
        row[p], row[p + 2] = -abs(h) / r, -side
        row[p + 1] = -side * (along.conjugate() * nodes[u]).real
        work.pulls[u] += side * complex(-along.imag, along.real)
    by_angle = slopes(steps, signs, values, nodes, work.pulls, work.units[t], row)
    if work.is_open:
        share = t / (len(work.units) - 1)
        row[len(row) - 2], row[len(row) - 1] = by_angle * (1.0 - share), by_angle * share


@kernel
def _add_row(H, g, row, residual, weight):
    for i in range(len(g)):
        each = weight * row[i]
        if each != 0.0:
            g[i] += each * residual
            for j in range(i + 1):
                H[i, j] += each * row[j]


@kernel
def _solved(H, L, g, step, damping):
    """`step`: (H + damping diag H) step = g, by Cholesky; False where that is not positive definite."""
    N = len(g)
    for i in range(N):
        for j in range(i + 1):
            left = H[i, j]
            if i == j:
                left += damping * H[i, i] + 1e-14
            for k in range(j):
                left -= L[i, k] * L[j, k]
            if i == j:
                if not left > 0.0:
                    return False
                L[i, i] = math.sqrt(left)
            else:
                L[i, j] = left / L[j, j]
    for i in range(N):
        step[i] = g[i]
        for k in range(i):
            step[i] -= L[i, k] * step[k]
        step[i] /= L[i, i]
    for i in range(N - 1, -1, -1):
        for k in range(i + 1, N):
            step[i] -= L[k, i] * step[k]
        step[i] /= L[i, i]
    return True
