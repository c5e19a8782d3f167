# SPDX-License-Identifier: GPL-3.0-or-later
"""The top-down pass: joint accelerations, the largest parts first, until the error is small enough.

A node that is not solved leaves its joints as they are. Its total acceleration, the sum of the squares of all joint
accelerations within, is the square of the error that this makes, and a bound for the square of its largest one. So

    measure                                     the pass ends when
    ABSOLUTE_LINKAGE   |s - q''|                 sum of A in the queue <= e^2
    RELATIVE_LINKAGE   |s - q''| / |q''|         sum of A in the queue <= e^2 (that sum + squares of those solved)
    ABSOLUTE_JOINT     max |q''_j| left out      largest A in the queue <= e^2
    RELATIVE_JOINT     the same / max |q''_j|    largest A in the queue <= e^2 times the largest square solved

or when so many joints have been computed: what waits then bounds the error, whatever was asked for.
Lengths count by the linkage's size, and how a floating linkage moves as a whole does not count.
Source: Redon, Lin (2006), sections 4.1 and 4.3.
"""

import math

from ..kernel import kernel
from .equations import solve, total_acceleration

ABSOLUTE_LINKAGE, RELATIVE_LINKAGE, ABSOLUTE_JOINT, RELATIVE_JOINT = range(4)


@kernel
def accelerate(linkage, queue, ways, measure, error, most, step):
    """Solves as many nodes as the error (rad/s2, or a part of the whole) asks for, first of all `ways` of the marked.

    Besides these none once `most` joints have been computed.
    Fills queue.solved, each node after the one that it is a part of, and linkage.accelerations.
    """
    of_joints = measure == ABSOLUTE_JOINT or measure == RELATIVE_JOINT
    relative = measure == RELATIVE_LINKAGE or measure == RELATIVE_JOINT
    squares, largest = 0.0, 0.0
    left, left_out = 0.0, 0.0  # sum of those that wait; the largest of those that need not be solved
    top, solved, joints, certain = 0, 0, 0, max(ways, len(linkage.bases))
    while True:
        if solved < certain:
            i = queue.marked[solved]
        else:
            while top >= 0 and queue.foremost[top] < 0:
                top -= 1
            if top < 0:
                left = 0.0
                break
            if joints >= most:
                left, left_out = _sum(queue, top), max(left_out, _largest(queue, top))
                _forget(queue, top)
                break
            whole = largest if of_joints else squares + left
            allowed = error * error * whole if relative else error * error
            if not of_joints and left <= allowed:
                left = _sum(queue, top)  # which rounding has not touched
                if left <= (error * error * (squares + left) if relative else error * error):
                    _forget(queue, top)
                    break
            i = queue.foremost[top]
            queue.foremost[top] = queue.behind[i]
            left -= queue.key[i]
            if of_joints and queue.key[i] <= allowed:
                left_out = max(left_out, queue.key[i])
                continue
        square, largest_square = solve(linkage, i)
        queue.solved[solved] = i
        queue.stamp[i] = step
        solved += 1
        squares += square
        largest = max(largest, largest_square)
        node = linkage.nodes[i]
        joints += node.joints
        if node.leaf >= 0:
            continue
        for k in range(2):
            part = node.first if k == 0 else node.second
            if linkage.nodes[part].joints > 0 and not (ways > 0 and queue.is_marked[part]):
                size = total_acceleration(linkage, part)
                if size > 0.0:
                    top = max(top, _push(queue, size, part))
                    left += size
    queue.last[0].solved, queue.last[0].joints = solved, joints
    bound = left_out if of_joints else left
    whole = largest if of_joints else squares + left
    queue.last[0].squares, queue.last[0].largest = squares, largest
    queue.last[0].bound = math.sqrt(bound / whole if relative and whole > 0.0 else bound)


@kernel
def _push(queue, key, node):
    """Lets a node wait; returns among which."""
    queue.key[node] = key
    binade = queue.bits[node] >> 52
    queue.behind[node] = queue.foremost[binade]
    queue.foremost[binade] = node
    return binade


@kernel
def _sum(queue, top):
    """Of the keys of all that wait."""
    total = 0.0
    for binade in range(top + 1):
        i = queue.foremost[binade]
        while i >= 0:
            total += queue.key[i]
            i = queue.behind[i]
    return total


@kernel
def _largest(queue, top):
    """Of the keys of all that wait."""
    while top > 0 and queue.foremost[top] < 0:
        top -= 1
    largest, i = 0.0, queue.foremost[top]
    while i >= 0:
        largest = max(largest, queue.key[i])
        i = queue.behind[i]
    return largest


@kernel
def _forget(queue, top):
    for binade in range(top + 1):
        queue.foremost[binade] = -1
