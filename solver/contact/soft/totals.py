# SPDX-License-Identifier: GPL-3.0-or-later
"""Totals of soft contacts on bodies from frame to frame: the integral of their wrenches over the steps.

Through the wrenches at the ends of the latest three steps goes a parabola; a step is integrated along its own piece.
"""

from ...kernel import kernel, kernel_by_class
from ...model.arrays import TouchingScratch

_NODES = 3


@kernel
def _begin(scratch, model, time):
    scratch.soft.known[0] = 0
    _keep(scratch.soft, time)


@kernel
def _keep(soft, time):
    """The wrenches of the latest evaluation, at a time (s), become the latest node."""
    for n in range(_NODES - 1, 0, -1):
        soft.nodes[n] = soft.nodes[n - 1]
        for i in range(len(soft.given)):
            for k in range(6):
                soft.at_node[n, i, k] = soft.at_node[n - 1, i, k]
    soft.nodes[0] = time
    for i in range(len(soft.given)):
        for k in range(6):
            soft.at_node[0, i, k] = soft.wrench[i, k]
    soft.known[0] = min(soft.known[0] + 1, _NODES)


@kernel
def _since(soft, time, i, k):
    """N s or N m s: the integral of a component from a time (s) in the last step up to its end."""
    if soft.known[0] < 2:
        return 0.0
    t, w, u = soft.nodes, soft.at_node, time - soft.nodes[0]
    first = (w[0, i, k] - w[1, i, k]) / (t[0] - t[1])
    total = -u * (w[0, i, k] + 0.5 * u * first)
    if soft.known[0] > 2:
        second = (first - (w[1, i, k] - w[2, i, k]) / (t[1] - t[2])) / (t[0] - t[2])
        total -= u * u * (u / 3.0 + 0.5 * (t[0] - t[1])) * second
    return total


@kernel
def _add(scratch, model, time):
    soft = scratch.soft
    _keep(soft, time)
    for i in range(len(soft.given)):
        for k in range(6):
            soft.given[i, k] += _since(soft, soft.nodes[1], i, k)


@kernel
def _hand_over(scratch, model, time, frames, frame):
    soft = scratch.soft
    for i in range(frames.contact_impulse.shape[1]):
        for k in range(6):
            later = _since(soft, time, i, k)
            frames.contact_impulse[frame, i, k], soft.given[i, k] = soft.given[i, k] - later, later


@kernel
def _forget_after(scratch, model, time):
    soft = scratch.soft
    for i in range(len(soft.given)):
        for k in range(6):
            soft.given[i, k] -= _since(soft, time, i, k)


@kernel
def _no_frame(scratch, model, time, frames, frame):
    pass


@kernel
def _nothing(scratch, model, time):
    pass


def _chosen(soft, other):
    return kernel_by_class(lambda scratch: soft if issubclass(scratch, TouchingScratch) else other)


# (scratch, model, time): begins anew at a time (s) that has just been evaluated; what was given stays.
begin_tally = _chosen(_begin, _nothing)
# (scratch, model, time): adds what contacts gave in a step whose end has just been evaluated.
add_to_tally = _chosen(_add, _nothing)
# (scratch, model, time, frames, frame): writes what they gave up to a time in the last step; the rest is the next's.
hand_over = _chosen(_hand_over, _no_frame)
# (scratch, model, time): forgets what they gave after a time in the last step, from which on it is taken anew.
forget_after = _chosen(_forget_after, _nothing)
