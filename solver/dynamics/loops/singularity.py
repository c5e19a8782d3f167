# SPDX-License-Identifier: GPL-3.0-or-later
"""Nearness of a pose to a singular one, where rows of closures become dependent that were not.

A four-bar passes such a pose when its bars come in line: it could then go on in two ways. Nothing is infinite there,
but if closures are open by d, and the sine of the angle between the dependent rows is s, then the speeds that follow
from them are wrong by d / s^2 and the accelerations by d / s^3. What was known before says more: the integrator
coasts, and closures wait to be closed, until the pose has been passed.
"""

import math

from ...kernel import kernel

_WEAK = 0.01  # of the usual: squared sine below which a pose counts as nearly singular, a tenth of the usual angle
_NOISE = 1e-9  # of speed squared times the usual pivot over the present one: what rounding makes of accelerations
_FADES = 0.99  # per solution: how the usual forgets


@kernel
def compare_with_usual(scratch):
    """After a solution: whether it was nearly singular, and what is usual from now on."""
    pivots = scratch.pivots[0]
    if pivots.usual == 0.0:
        pivots.usual, pivots.usual_rank = pivots.smallest, pivots.rank
    pivots.is_singular = pivots.rank < pivots.usual_rank or pivots.smallest < _WEAK * pivots.usual
    if not pivots.is_singular:
        pivots.usual_rank = pivots.rank
    pivots.usual = max(_FADES * pivots.usual, pivots.smallest)


@kernel
def acceleration_noise(scratch, speed):
    """The error of accelerations (scale/s2) in a nearly singular pose at this speed (scale/s); zero in others."""
    pivots = scratch.pivots[0]
    if not pivots.is_singular:
        return 0.0
    if pivots.rank < pivots.usual_rank:
        return math.inf
    return _NOISE * speed * speed * pivots.usual / pivots.smallest
