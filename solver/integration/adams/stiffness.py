# SPDX-License-Identifier: GPL-3.0-or-later
"""The stiffness of a motion, as Adams' two evaluations of each step show it.

The corrector moves a prediction by v, and the rates change by d with it: h |d| / |v| is how far the step is along the
interval in which the method is stable, in the direction in which errors grow. While accuracy alone decides, it stays
small; where it stays large at low orders, step after step, stability decides, and an implicit method may be cheaper
(Shampine and Gordon 1975, chapter 9, ask for the low orders alone).
"""

from ...kernel import kernel
from ..motion.motion import weighted_norm
from .formulas import corrector_weight

_LARGE = 0.4  # h |d| / |v|
_HIGHEST_ORDER = 7  # that stability may have chosen
_FAINT = 1e-3  # of the tolerance: a correction that is rounding
_FORGIVEN = 3  # how many stiff steps one that is not makes up for
STIFF_STEPS = 60


@kernel
def note_stiffness(memory, tolerance):
    """Counts the step among the stiff ones, or not; to be called after the evaluation at the corrected state."""
    clock, counts = memory.clock[0], memory.counts[0]
    k, rates, guess = counts.order, memory.rates, memory.guess
    difference = guess[k + 1]
    for c in range(len(rates)):
        difference[c] = rates[c] - (guess[0, c] + guess[k, c])
    weight = corrector_weight(memory, clock.attempt, k)
    corrected = clock.attempt * weight * weighted_norm(guess[k], tolerance, clock.fastest)
    changed = clock.attempt * weighted_norm(difference, tolerance, clock.fastest)
    if k <= _HIGHEST_ORDER and corrected > _FAINT and changed > _LARGE * corrected:
        if counts.stiff <= 0:
            clock.stiff_since, counts.stiff_evaluations = clock.time, counts.evaluations
        counts.stiff += 1
    else:
        counts.stiff = max(min(counts.stiff, 0), counts.stiff - _FORGIVEN)


@kernel
def is_stiff(memory):
    """True once stability has bounded so many steps that another method should be tried."""
    return memory.counts[0].stiff >= STIFF_STEPS
