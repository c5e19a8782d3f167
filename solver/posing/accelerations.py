# SPDX-License-Identifier: GPL-3.0-or-later
"""The top-down pass: joint accelerations, the largest parts first, until the error is small enough.

A node that is not solved leaves its joints as they are. Its total acceleration, the sum of the squares of all joint
accelerations within, is the square of the error that this makes, and a bound for the square of its largest one. So

    measure                                     the pass ends when
    ABSOLUTE_LINKAGE   |s - q''|                 sum of A in the queue <= e^2
    RELATIVE_LINKAGE   |s - q''| / |q''|         sum of A in the queue <= e^2 (that sum + squares of those solved)
    ABSOLUTE_JOINT     max |q''_j| left out      largest A in the queue <= e^2
    RELATIVE_JOINT     the same / max |q''_j|    largest A in the queue <= e^2 times the largest square solved

Lengths count by the linkage's size, and how a floating linkage moves as a whole does not count.
Source: Redon, Lin (2006), sections 4.1 and 4.3.
"""

import math

from ..kernel import kernel
from .assembly import solve, total_acceleration

ABSOLUTE_LINKAGE, RELATIVE_LINKAGE, ABSOLUTE_JOINT, RELATIVE_JOINT = range(4)


@kernel
def accelerate(linkage, queue, ways_too, measure, error, step):
    """Solves as many nodes as the error (rad/s2, or a part of the whole) asks for, and if `ways_too` all marked ones.

    Fills queue.solved, each node after the one that it is a part of, and linkage.accelerations.
    """
    heap, solved = 0, 0
    squares, largest, left = 0.0, 0.0, 0.0
    bound = 0.0
    for t in range(len(linkage.bases)):
        heap = _push(queue, heap, math.inf, linkage.bases[t])
    while heap > 0:
        key = queue.key[0]
        if math.isfinite(key):
            if measure == ABSOLUTE_LINKAGE or measure == RELATIVE_LINKAGE:
                limit = error * error * (squares + left) if measure == RELATIVE_LINKAGE else error * error
                if left <= limit:
                    left = _sum(queue, heap)  # which rounding has not touched
                    if left <= (error * error * (squares + left) if measure == RELATIVE_LINKAGE else error * error):
                        bound = left / (squares + left) if measure == RELATIVE_LINKAGE else left
                        break
            else:
                limit = error * error * largest if measure == RELATIVE_JOINT else error * error
                if key <= limit:
                    bound = key / largest if measure == RELATIVE_JOINT and largest > 0.0 else key
                    break
            left -= key
        i = queue.node[0]
        heap = _pop(queue, heap)
        square = solve(linkage, i)
        queue.solved[solved] = i
        queue.stamp[i] = step
        solved += 1
        squares += square
        largest = max(largest, square)
        node = linkage.nodes[i]
        for k in range(2):
            part = node.first if k == 0 else node.second
            if linkage.nodes[part].first >= 0:
                size = total_acceleration(linkage, part)
                if ways_too and queue.is_marked[part]:
                    heap = _push(queue, heap, math.inf, part)
                elif size > 0.0:
                    heap = _push(queue, heap, size, part)
                    left += size
    queue.count[0], queue.count[1] = heap, solved
    queue.size[0], queue.size[1], queue.size[2] = squares, largest, math.sqrt(bound)


@kernel
def _sum(queue, heap):
    total = 0.0
    for k in range(heap):
        total += queue.key[k]
    return total


@kernel
def _push(queue, heap, key, node):
    k = heap
    while k > 0 and queue.key[(k - 1) >> 1] < key:
        queue.key[k], queue.node[k] = queue.key[(k - 1) >> 1], queue.node[(k - 1) >> 1]
        k = (k - 1) >> 1
    queue.key[k], queue.node[k] = key, node
    return heap + 1


@kernel
def _pop(queue, heap):
    heap -= 1
    key, node = queue.key[heap], queue.node[heap]
    k, outer = 0, 1
    while outer < heap:
        if outer + 1 < heap and queue.key[outer + 1] > queue.key[outer]:
            outer += 1
        if queue.key[outer] <= key:
            break
        queue.key[k], queue.node[k] = queue.key[outer], queue.node[outer]
        k, outer = outer, 2 * outer + 1
    queue.key[k], queue.node[k] = key, node
    return heap
